//! Guards what a worker must not touch: the plan, the ledger, the definition of its checks, the history. If the
//! worker has its own worktree, `elsewhere` guards the main tree.
//!
//! A plan that changed while a worker ran is restored (the changed one is kept with the attempt), since a box that a
//! worker ticked must not count even for a moment.

pub(crate) mod declared_files;
pub(crate) mod main_tree;
pub(crate) mod other_plans;
pub(crate) mod own_records;
pub(crate) mod putback;
pub(crate) mod restore_main_plan;
pub(crate) mod worker_commits;

use crate::guard::main_tree::Elsewhere;
use crate::guard::other_plans::Neighbours;
use crate::guard::own_records::Roll;
use crate::guard::worker_commits::{Beginning, Taken};
use config::ByWorker;
use dialects::PlanSnapshot;
use dialects::context::guarded::{self, Guarded};
use ledger::pins::{PINS_TOUCHED, PLAN_TOUCHED, Pins};
use ledger::recorder::Recorder;
use ledger::{Extent, Head, Ledger};
use repo::git::{Call, Git, checked_out};
use repo::tree::Tree;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;
use toolkit::Fail;
use toolkit::cli::tool;
use toolkit::files::oversize::TOO_LARGE;
use toolkit::files::root::{Home, git_dir, has_git, inside};
use toolkit::files::{fs, lock};
use wire::order::{Category, Halt, PlanRef};
use wire::punch::Type;
use wire::{Order, TaskId};

/// The state before the worker started.
pub(crate) struct Before {
    home: Home,
    /// Where the worker works: the root, or its own worktree.
    place: Home,
    /// The plan's files and the guarded files beside it, as they were there; in a separate worktree they are copies.
    plan: Vec<Kept>,
    guarded: Vec<Guarded>,
    /// The plan's files, and the folders above them, that are links.
    links: Vec<String>,
    pub(crate) field: PlanSnapshot,
    /// The last line of the ledger when the plan was read.
    pub(crate) seen: u64,
    reference: PlanRef,
    pub(crate) tree: Option<Tree>,
    /// The tree that its changes are compared with, if that is another one.
    pub(crate) found: Option<Tree>,
    /// A person's earlier changes, if they are not recorded yet.
    pub(crate) theirs: Option<Vec<String>>,
    pub(crate) pins: Pins,
    /// The configuration as it was where the worker works.
    config: Option<Vec<u8>>,
    pub(crate) commit: Option<String>,
    /// The content of HEAD: a branch, or a commit.
    pub(crate) branch: Vec<u8>,
    /// The ledger's end after the record of the attempt's start, and the extent of everything before it.
    head: Option<Head>,
    ledger: Option<Extent>,
    /// Git's index as it was, including what a person has staged.
    pub(crate) index: Option<Vec<u8>>,
    /// A file older than this is not the worker's, by the clock of the file system.
    pub(crate) since: SystemTime,
    /// The main tree, if the worker has another one.
    elsewhere: Option<Elsewhere>,
    neighbours: Neighbours,
}

/// The previous content of a file that the worker must not write.
pub(crate) struct Kept {
    path: String,
    /// `None` if it did not exist.
    bytes: Option<Vec<u8>>,
    /// The task that it belongs to, if any.
    task: Option<TaskId>,
}

/// A guarded file that the worker wrote.
pub(crate) struct Touched {
    path: String,
    /// Where the worker's version is kept.
    kept: String,
    task: Option<TaskId>,
    is_new: bool,
}

/// The findings after the worker ended.
pub(crate) struct After {
    pub(crate) tree: Option<Tree>,
    pub(crate) changed_files: Vec<String>,
    /// The commits of the worker that were taken back.
    pub(crate) taken_back: Vec<Taken>,
    /// Why the order must not proceed, with details for the record.
    pub(crate) violation: Option<(Halt, Value)>,
}

impl Before {
    /// Takes the snapshot.
    pub(crate) fn look(order: &Order, place: &Path) -> Result<Self, Fail> {
        let root = Path::new(&order.plan.root);
        let (home, place) = (Home::of(root)?, Home::of(place)?);
        let (field, seen) = settled(&order.plan, &home)?;
        let tree = Tree::now(&place, &field.ground)?;
        let commit = if has_git(root) { Git::new(place.clone()).head()? } else { None };
        let top = place.root();
        let own = top == root;
        let of_plan = |(path, bytes): &(String, Arc<Vec<u8>>)| {
            let bytes = if own { Some(bytes.to_vec()) } else { fs::read_if_there(&top.join(path))? };
            Ok(Kept { path: path.clone(), bytes, task: guarded::task_of(&field, path) })
        };
        let mut plan: Vec<Kept> = field.files.iter().map(of_plan).collect::<Result<_, Fail>>()?;
        // Guard the task files, which define each task's checks, and the notes of our stages, which later tasks read:
        // a worker contributes to them only through its answer. They are compared by their bytes, not parsed.
        let mut guarded = guarded::guarded(&field, order, top)?;
        // No stage reads a pipe or a device, and opening it could block forever.
        let is_odd = |path: &Path| path.exists() && !path.is_file();
        guarded.retain(|file| own || !file.path.starts_with(".plantools/"));
        let apart = |file: &&Guarded| {
            !is_odd(&top.join(&file.path)) && field.files.iter().all(|(path, _)| *path != file.path)
        };
        for file in guarded.iter().filter(apart) {
            let bytes = fs::read_if_there(&top.join(&file.path))?;
            plan.push(Kept { path: file.path.clone(), bytes, task: file.task.clone() });
        }
        Ok(Self {
            links: putback::links(&plan, top),
            index: fs::read_if_there(&git_dir(top).join("index")).ok().flatten(),
            since: now_on_disk(&home)?,
            neighbours: Neighbours::look(&home, &order.plan.path)?,
            plan,
            guarded,
            tree,
            found: None,
            theirs: None,
            pins: Pins { commit: commit.clone(), ..repo::pins::now(root)? },
            config: config(top)?,
            commit,
            branch: checked_out(top),
            elsewhere: if own { None } else { Some(Elsewhere::look(&home, &order.plan, &field, seen)?) },
            head: None,
            ledger: None,
            reference: order.plan.clone(),
            seen,
            home,
            field,
            place,
        })
    }

    /// The start of the attempt is recorded: from now on nothing before it may change.
    pub(crate) fn begun(&mut self, head: Head) -> Result<(), Fail> {
        self.ledger = Some(Ledger::new(self.home.clone()).extent()?);
        self.head = Some(head);
        Ok(())
    }

    /// The known state of the ledger.
    pub(crate) fn known(&mut self) -> (Option<Head>, Option<Extent>) {
        (self.head.take(), self.ledger.take())
    }

    /// Restores the known state of the ledger after another snapshot.
    pub(crate) fn keep(&mut self, known: (Option<Head>, Option<Extent>)) {
        (self.head, self.ledger) = known;
    }

    /// Whether the worker uses the main tree itself.
    fn is_alone(&self) -> bool {
        self.place.root() == self.home.root()
    }

    /// Compares, restores the plan if necessary, takes back the worker's commits, and reports violations.
    pub(crate) fn compare(
        &self,
        desk: &Recorder,
        order: &Order,
        folder: &Path,
        roll: Option<&Roll>,
        by_worker: Option<ByWorker>,
    ) -> Result<After, Fail> {
        let touched = self.put_plan_back(order, folder)?;
        let pins = self.pins_touched()?;
        // With settings that a worker made, git is not let near the history.
        let history = if pins.is_none() { self.history(by_worker)? } else { History::default() };
        let (tree, too_large) = match Tree::now(&self.place, &self.field.ground) {
            Err(fail) if fail.code == TOO_LARGE => {
                (None, Some((halt(TOO_LARGE, fail.to_string()), Value::Null)))
            }
            tree => (tree?, None),
        };
        let changed_files = match (self.found.as_ref().or(self.tree.as_ref()), &tree) {
            (Some(before), Some(after)) => self.by_worker(before, after.changed_since(before)),
            _ => Vec::new(),
        };
        self.tell_hidden(order, &changed_files)?;
        let lost = self.ledger_touched(roll)?;
        let counted = lost.is_none();
        let lost = lost.map(|what| (for_a_person("ledger-touched", what), Value::Null));
        let violation = match touched {
            Some(touched) => Some(self.plan_touched(order, &touched, counted)),
            None => lost.or(pins).or(history.violation),
        };
        let violation = match (violation, &self.elsewhere) {
            (None, Some(elsewhere)) => elsewhere.touched(
                desk,
                order,
                self.head.as_ref().map_or(0, |head| head.seq),
                &self.field,
                folder,
            )?,
            (violation, _) => violation,
        };
        let violation = violation.or(too_large);
        Ok(After { tree, changed_files, taken_back: history.taken_back, violation })
    }

    /// Drops files that existed before and are merely no longer ignored: the worker did not make them.
    fn by_worker(&self, before: &Tree, mut changed: Vec<String>) -> Vec<String> {
        let was_there = |path: &&String| {
            let changed = fs::changed_at(&self.place.root().join(path));
            changed.is_some_and(|changed| changed < self.since) && before.at(path).is_none()
        };
        let mut old: BTreeSet<String> = changed.iter().filter(was_there).cloned().collect();
        // A file moved here is the worker's; a file that git tracks although it is ignored is not.
        if !old.is_empty() && !changed.iter().any(|path| is_rules(path)) {
            let mut asked = vec!["ls-files", "-z", "--cached", "--ignored", "--exclude-standard", "--"];
            asked.extend(old.iter().take(MANY).map(String::as_str));
            let forced = Git::new(self.place.clone()).ask(&Call::of(&asked)).map(|answer| answer.out);
            let forced = String::from_utf8_lossy(&forced.unwrap_or_default()).into_owned();
            old = forced.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
        }
        changed.retain(|path| !old.contains(path));
        let old: Vec<String> = old.into_iter().collect();
        if !old.is_empty() {
            tool::note(&format!(
                "worker-run: there before, and ignored by git until now: left as it is: {}",
                old.join(", ")
            ));
        }
        changed
    }

    /// Reports files of the task that git ignores since its rules changed: they are neither checked nor committed.
    fn tell_hidden(&self, order: &Order, changed: &[String]) -> Result<(), Fail> {
        if self.commit.is_none() || !changed.iter().any(|path| is_rules(path)) {
            return Ok(());
        }
        let task = &order.task;
        let commands = task.criteria.iter().filter_map(|criterion| criterion.command.as_deref());
        let words = commands.flat_map(str::split_whitespace).map(|word| word.trim_matches(['"', '\'', ';']));
        let named = task.files.iter().map(|file| file.path.as_str()).chain(words);
        let is_file = |name: &&str| inside(self.place.root(), name).is_ok_and(|path| path.is_file());
        let named: BTreeSet<&str> = named.filter(is_file).collect();
        let mut asked = vec!["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--"];
        asked.extend(named.into_iter().take(MANY));
        if asked.last() == Some(&"--") {
            return Ok(());
        }
        let hidden = Git::new(self.place.clone()).ask(&Call::of(&asked))?.out;
        let hidden = String::from_utf8_lossy(&hidden).trim_end_matches('\0').replace('\0', ", ");
        if !hidden.is_empty() {
            tool::note(&format!(
                "worker-run: ignored by git since the worker changed its rules, so neither checked nor committed: {hidden}"
            ));
        }
        Ok(())
    }

    /// Records changes to other plans for their own runs.
    pub(crate) fn tell_neighbours(&self, desk: &Recorder, order: &Order) -> Result<(), Fail> {
        self.neighbours.tell(desk, order, self.head.as_ref().map_or(0, |head| head.seq))
    }

    /// Changes to the pinned files that define the checks.
    fn pins_touched(&self) -> Result<Option<(Halt, Value)>, Fail> {
        let mut pins = repo::pins::changed_since(self.home.root(), &self.pins)?;
        if pins.is_empty() && config(self.place.root())? != self.config {
            pins.push(config::NAME);
        }
        let message = format!("changed while the worker ran: {}", pins.join(", "));
        Ok((!pins.is_empty()).then(|| (halt(PINS_TOUCHED, message), Value::Null)))
    }

    /// What the worker did to the history. worker-run takes commits on top of it back, unless the workflow asks the worker
    /// to commit; anything else is for a person.
    fn history(&self, by_worker: Option<ByWorker>) -> Result<History, Fail> {
        let git = Git::new(self.place.clone());
        if self.commit.is_none() && !has_git(self.home.root()) {
            return Ok(History::default());
        }
        if checked_out(self.place.root()) != self.branch {
            let message = "the worker changed to another branch";
            return Ok(History::refused(for_a_person("worker-changed-branch", message), Value::Null));
        }
        let now = git.head()?;
        if now == self.commit {
            return Ok(History::default());
        }
        let detail = json!({ "before": self.commit, "after": now });
        let index = self.index.as_deref();
        let beginning = Beginning { git: &git, commit: self.commit.as_deref(), index };
        if now.is_none() || !beginning.is_kept()? {
            let before = self.commit.as_deref().unwrap_or_default();
            let message = format!("the worker rewrote the history; it was at '{before}'");
            return Ok(History::refused(for_a_person("history-rewritten", message), detail));
        }
        let Some(by_worker) = by_worker else { return Ok(History::default()) };
        let is_work = beginning.is_below_all()?;
        if self.commit.is_none() && !is_work {
            let message = "the worker made the first commit of the branch, and other branches or tags exist";
            return Ok(History::refused(for_a_person(COMMITTED, message), detail));
        }
        let taken_back = beginning.made()?;
        beginning.go_back(&self.home.folder("tmp")?)?;
        let last = now.unwrap_or_default();
        let why = match (is_work, by_worker) {
            (true, ByWorker::TakeBack) => return Ok(History { taken_back, violation: None }),
            (true, ByWorker::Refuse) => "the worker made commits, and plantools.toml refuses them",
            (false, _) => "the worker merged commits that were not made in this attempt",
        };
        let message = format!(
            "{why}: they were taken back (the last was '{last}'), and its files are left as they are"
        );
        Ok(History::refused(halt(COMMITTED, message), detail))
    }

    /// If the ledger was touched too, attempts can no longer be counted: a person must look first.
    fn plan_touched(&self, order: &Order, touched: &[Touched], counted: bool) -> (Halt, Value) {
        let message = touched.first().map(|first| self.told(order, first)).unwrap_or_default();
        let files: Vec<&str> = touched.iter().map(|file| file.path.as_str()).collect();
        let kept = touched.first().map(|first| first.kept.as_str());
        let detail = json!({ "plan_before": self.field.blanked(), "kept": kept, "files": files });
        (Halt { retry: counted, ..halt(PLAN_TOUCHED, message) }, detail)
    }

    /// While a worker runs only starts, ends and halts are recorded; all that was there must still be there.
    fn ledger_touched(&self, roll: Option<&Roll>) -> Result<Option<String>, Fail> {
        let ledger = Ledger::new(self.home.clone());
        ledger.drop_young_index()?;
        let mut lines = roll.map(Roll::lines).unwrap_or_default();
        lines.extend(self.head.clone());
        if self
            .ledger
            .as_ref()
            .is_some_and(|before| ledger.is_untouched_since(before) && before.ends_with(&lines))
        {
            return Ok(None);
        }
        let grown = self.ledger.as_ref().map_or(Ok(true), |before| ledger.has_grown_from(before))?;
        if !grown || !ledger.has(&lines)? {
            return Ok(Some("the ledger was cut or rewritten while the worker ran".to_owned()));
        }
        let records = ledger.read_of(&self.field.plan.source.path)?;
        let known = self.head.as_ref().map_or(0, |h| h.seq);
        // With separate worktrees, checks and ticks of others are recorded meanwhile.
        let ours = |kind| {
            !self.is_alone()
                || matches!(kind, Type::AttemptBegin | Type::AttemptEnd | Type::Halt | Type::Torn)
        };
        let foreign =
            records.iter().find(|r| r.seq > known && r.plan == self.field.plan.source.path && !ours(r.kind));
        // But not about a task whose order has not come through here.
        let since = &records[records.partition_point(|r| r.seq <= known)..];
        let unheard = || roll.filter(|_| !self.is_alone())?.foreign(&self.field.plan.source.path, since);
        Ok(foreign.or_else(unheard).map(|r| {
            format!("line {} ('{}') was put into the ledger while the worker ran", r.seq, r.kind.word())
        }))
    }
}

/// A worker's changes to the history.
#[derive(Default)]
struct History {
    taken_back: Vec<Taken>,
    violation: Option<(Halt, Value)>,
}

impl History {
    fn refused(halt: Halt, detail: Value) -> Self {
        Self { taken_back: Vec::new(), violation: Some((halt, detail)) }
    }
}

/// The code of a halt for commits that do not count.
const COMMITTED: &str = "worker-committed";

/// How many files of a task to ask git about.
const MANY: usize = 1000;

/// Whether a file defines what git ignores.
fn is_rules(path: &str) -> bool {
    Path::new(path).file_name().is_some_and(|name| name == ".gitignore")
}

/// The plan, and the last line of the ledger then. A stage that changes the plan's text records it first, and holds the
/// plan's lock until both are done.
fn settled(plan: &PlanRef, home: &Home) -> Result<(PlanSnapshot, u64), Fail> {
    let path = home.root().join(&plan.path);
    let _lock = path.exists().then(|| lock::of_plan(home, &path, crate::STAGE)).transpose()?;
    let field = PlanSnapshot::of(plan)?;
    let end = Ledger::new(home.clone()).head()?;
    Ok((field, end.map_or(0, |end| end.seq)))
}

/// The time stamp of a file created now.
fn now_on_disk(home: &Home) -> Result<SystemTime, Fail> {
    let path = fs::sibling(&home.folder("tmp")?.join("now"));
    fs::create_unsynced(&path, b"")?;
    let now = fs::changed_at(&path).unwrap_or_else(SystemTime::now);
    fs::remove(&path)?;
    Ok(now)
}

fn config(root: &Path) -> Result<Option<Vec<u8>>, Fail> {
    fs::read_if_there(&root.join(config::NAME))
}

/// A halt that another attempt cannot resolve: attempts that cannot be counted, a history changed by a worker.
pub(crate) fn for_a_person(code: &str, message: impl Into<String>) -> Halt {
    Halt { retry: false, ..halt(code, message.into()) }
}

fn halt(code: &str, message: String) -> Halt {
    Halt {
        stage: crate::STAGE.into(),
        code: code.into(),
        category: Category::CodeError,
        message,
        retry: true,
        counts: true,
        not_before: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::Entry;
    use std::time::Duration;

    #[test]
    fn a_plan_that_a_stage_is_changing_is_seen_after_its_record_and_its_text() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::of(&folder.path().canonicalize().unwrap()).unwrap();
        let path = home.root().join("PLAN.md");
        let text = "# P\n\n## TODOs\n\n### [ ] TODO 1: One\n";
        fs::create(&path, text.as_bytes()).unwrap();
        let dialect = PlanSnapshot::at(&path, home.root(), None).unwrap().plan.source.dialect.clone();
        let root = home.root().to_string_lossy().into_owned();
        let plan = PlanRef { root, path: "PLAN.md".into(), dialect, ..PlanRef::default() };
        let held = lock::of_plan(&home, &path, "a test").unwrap();
        let (field, seen) = std::thread::scope(|scope| {
            let look = scope.spawn(|| settled(&plan, &home).unwrap());
            let entry = Entry::new("r".into(), Type::Override, "add", "2026-01-01T00:00:00Z".to_owned());
            let written = Ledger::new(home.clone()).append(entry).unwrap();
            std::thread::sleep(Duration::from_millis(50));
            assert!(!look.is_finished(), "the text is still to be written");
            fs::create(&path, format!("{text}\n### [ ] TODO 1.a: More\n").as_bytes()).unwrap();
            drop(held);
            assert_eq!(written.seq, 1);
            look.join().unwrap()
        });
        assert_eq!((field.plan.tasks.len(), seen), (2, 1));
    }
}
