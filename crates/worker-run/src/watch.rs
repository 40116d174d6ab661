//! What a worker must not touch: the plan, the ledger, what its checks mean, the history.
//! Where it has a tree of its own, `elsewhere` looks after the main one.
//!
//! A plan that changed while a worker ran is put back as it was (the changed one is kept beside the attempt),
//! since a box that a worker ticked must not count for a moment.

mod putback;

use crate::elsewhere::Elsewhere;
use crate::neighbours::Neighbours;
use crate::roll::Roll;
use dialects::Field;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::SystemTime;
use toolkit::git::{Call, Git, checked_out};
use toolkit::ledger::{Extent, Head, Ledger};
use toolkit::pins::{PINS_TOUCHED, PLAN_TOUCHED, Pins};
use toolkit::root::{Home, git_dir, has_git, inside};
use toolkit::stage::Desk;
use toolkit::tree::Tree;
use toolkit::{Fail, fs, tool};
use wire::Order;
use wire::order::{Category, Halt, PlanRef};
use wire::punch::Type;

/// Everything as it was before the worker started.
pub(crate) struct Before {
    home: Home,
    /// Where the worker works: the root, or a tree of its own.
    place: Home,
    /// The plan's files as they were there; in a tree of its own they are copies.
    plan: Vec<(String, Option<Vec<u8>>)>,
    /// Those of the plan's files, and of the folders above them, that are links.
    links: Vec<String>,
    pub(crate) field: Field,
    reference: PlanRef,
    pub(crate) tree: Option<Tree>,
    /// What its changes are told from, where that is not the same.
    pub(crate) found: Option<Tree>,
    /// What a person had changed before, where it is not on record yet.
    pub(crate) theirs: Option<Vec<String>>,
    pub(crate) pins: Pins,
    /// The configuration as it was where the worker works.
    config: Option<Vec<u8>>,
    pub(crate) commit: Option<String>,
    /// What HEAD itself says: a branch, or a commit.
    branch: Vec<u8>,
    /// The ledger's end once the start of the attempt is in it, and all that stands before it.
    head: Option<Head>,
    ledger: Option<Extent>,
    /// Git's index as it was, with what a person has staged.
    index: Option<Vec<u8>>,
    /// Before this no file is the worker's, by the clock of the file system.
    pub(crate) since: SystemTime,
    /// The main tree, where the worker has another.
    elsewhere: Option<Elsewhere>,
    neighbours: Neighbours,
}

/// What was found afterwards.
pub(crate) struct After {
    pub(crate) tree: Option<Tree>,
    pub(crate) changed_files: Vec<String>,
    /// Why the order must not go on, with details for the record.
    pub(crate) violation: Option<(Halt, Value)>,
}

impl Before {
    /// Looks at everything.
    pub(crate) fn look(order: &Order, place: &Path) -> Result<Self, Fail> {
        let root = Path::new(&order.plan.root);
        let (home, place) = (Home::of(root)?, Home::of(place)?);
        let mut field = Field::of(&order.plan)?;
        let tree = Tree::now(&place, &field.ground)?;
        // The task's own file says what it is held against: it is watched like the plan.
        if let Some(detail) = order.task.detail.as_ref().filter(|d| field.files.iter().all(|f| f.0 != d.path))
        {
            field.files.extend(
                fs::read_if_there(&root.join(&detail.path))?.map(|bytes| (detail.path.clone(), bytes)),
            );
        }
        // So are the notes that our own stages write: what a worker has to say for them is in its answer.
        for path in dialects::context::files(&order.plan.path, &order.plan.dialect) {
            field.files.extend(fs::read_if_there(&root.join(&path))?.map(|bytes| (path, bytes)));
        }
        let commit = if has_git(root) { Git::new(place.clone()).head()? } else { None };
        let top = place.root();
        let own = top == root;
        let read = |(path, bytes): &(String, Vec<u8>)| {
            let bytes = if own { Some(bytes.clone()) } else { fs::read_if_there(&top.join(path))? };
            Ok((path.clone(), bytes))
        };
        Ok(Self {
            links: putback::links(&field, top),
            index: fs::read_if_there(&git_dir(top).join("index")).ok().flatten(),
            since: now_on_disk(&home)?,
            neighbours: Neighbours::look(&home, &order.plan.path)?,
            plan: field.files.iter().map(read).collect::<Result<_, Fail>>()?,
            tree,
            found: None,
            theirs: None,
            pins: Pins::now(root)?,
            config: config(top)?,
            commit,
            branch: checked_out(top),
            elsewhere: if own { None } else { Some(Elsewhere::look(&home, &order.plan, &field)?) },
            head: None,
            ledger: None,
            reference: order.plan.clone(),
            home,
            field,
            place,
        })
    }

    /// The start of the attempt is on record: from here on nothing before it changes.
    pub(crate) fn begun(&mut self, head: Head) -> Result<(), Fail> {
        self.ledger = Some(Ledger::new(self.home.clone()).extent()?);
        self.head = Some(head);
        Ok(())
    }

    /// What is known of the ledger.
    pub(crate) fn known(&mut self) -> (Option<Head>, Option<Extent>) {
        (self.head.take(), self.ledger.take())
    }

    /// Looked at again, with what was known of the ledger.
    pub(crate) fn keep(&mut self, known: (Option<Head>, Option<Extent>)) {
        (self.head, self.ledger) = known;
    }

    /// Whether others work elsewhere meanwhile.
    fn is_alone(&self) -> bool {
        self.place.root() == self.home.root()
    }

    /// Looks again, puts the plan back if need be, and says what is wrong.
    pub(crate) fn compare(&self, order: &Order, folder: &Path, roll: Option<&Roll>) -> Result<After, Fail> {
        let touched = self.put_plan_back(folder)?;
        let tree = Tree::now(&self.place, &self.field.ground)?;
        let changed_files = match (self.found.as_ref().or(self.tree.as_ref()), &tree) {
            (Some(before), Some(after)) => self.by_worker(before, after.changed_since(before)),
            _ => Vec::new(),
        };
        self.tell_hidden(order, &changed_files)?;
        let lost = self.ledger_touched(roll)?;
        let violation = match touched {
            Some(kept) => Some(self.plan_touched(&kept, lost.is_none())),
            None => self.violation(order, lost)?,
        };
        let violation = match (violation, &self.elsewhere) {
            (None, Some(elsewhere)) => elsewhere.touched(self.head.as_ref().map_or(0, |head| head.seq))?,
            (violation, _) => violation,
        };
        Ok(After { tree, changed_files, violation })
    }

    /// What was there before and is only no longer ignored was not made by the worker.
    fn by_worker(&self, before: &Tree, mut changed: Vec<String>) -> Vec<String> {
        let was_there = |path: &&String| {
            let changed = fs::changed_at(&self.place.root().join(path));
            changed.is_some_and(|changed| changed < self.since) && before.at(path).is_none()
        };
        let mut old: BTreeSet<String> = changed.iter().filter(was_there).cloned().collect();
        // What was moved here is the worker's; what git was told to take although it ignores it is not.
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

    /// Names what the task is about and git ignores by rules that changed meanwhile: it is no part of what is proved and
    /// committed.
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
                "worker-run: ignored by git since the worker changed its rules, so neither proved nor committed: {hidden}"
            ));
        }
        Ok(())
    }

    /// Other plans that changed are on record for their own runs.
    pub(crate) fn tell_neighbours(&self, desk: &Desk, order: &Order) -> Result<(), Fail> {
        self.neighbours.tell(desk, order, self.head.as_ref().map_or(0, |head| head.seq))
    }

    fn violation(&self, order: &Order, lost: Option<String>) -> Result<Option<(Halt, Value)>, Fail> {
        if let Some(what) = lost {
            return Ok(Some((for_a_person("ledger-touched", what), Value::Null)));
        }
        let mut pins = Pins::now(self.home.root())?.changed_since(&self.pins);
        if pins.is_empty() && config(self.place.root())? != self.config {
            pins.push(toolkit::config::NAME);
        }
        if !pins.is_empty() {
            let message = format!("changed while the worker ran: {}", pins.join(", "));
            return Ok(Some((halt(PINS_TOUCHED, message), Value::Null)));
        }
        if self.commit.is_some() || has_git(self.home.root()) {
            let now = Git::new(self.place.clone()).head()?;
            if checked_out(self.place.root()) != self.branch {
                let message = "the worker changed to another branch".to_owned();
                return Ok(Some((for_a_person("worker-changed-branch", message), Value::Null)));
            }
            if let Some(before) = self.commit.as_ref().filter(|_| now != self.commit)
                && !self.descends(before)?
            {
                let detail = json!({ "before": before, "after": now });
                let message = format!("the worker rewrote the history; it was at '{before}'");
                return Ok(Some((for_a_person("history-rewritten", message), detail)));
            }
            if now != self.commit && order.plan.dialect != "runbook" {
                let detail = json!({ "before": self.commit, "after": now });
                return Ok(Some((self.take_commits_back()?, detail)));
            }
        }
        Ok(None)
    }

    /// The commits go and the files stay: the next attempt goes on with them, and what is proved is committed as the plan
    /// says. A first commit has nothing behind it to go back to.
    fn take_commits_back(&self) -> Result<Halt, Fail> {
        let made = "the worker made commits; commits are made by commit-run";
        let Some(before) = &self.commit else { return Ok(for_a_person("worker-committed", made)) };
        let git = Git::new(self.place.clone());
        let last = git.head()?.unwrap_or_default();
        git.run(&Call::of(&["reset", "--quiet", "--mixed", before]))?;
        self.put_index_back(&git, before)?;
        let message = format!(
            "{made}: they were taken back (the last was '{last}'), and its files are left as they are"
        );
        Ok(halt("worker-committed", message))
    }

    /// What a person had staged is staged again, as far as git can still read it.
    fn put_index_back(&self, git: &Git, commit: &str) -> Result<(), Fail> {
        let Some(index) = &self.index else { return Ok(()) };
        fs::replace(&git_dir(self.place.root()).join("index"), index, &self.home.folder("tmp")?)?;
        let readable = git.ask(&Call::of(&["diff-index", "--cached", "--quiet", commit]))?;
        if !matches!(readable.status.code(), Some(0 | 1)) {
            git.run(&Call::of(&["reset", "--quiet", "--mixed", commit]))?;
        }
        Ok(())
    }

    /// Whether what is checked out still has this commit behind it.
    fn descends(&self, commit: &str) -> Result<bool, Fail> {
        let call = ["merge-base", "--is-ancestor", commit, "HEAD"];
        Ok(Git::new(self.place.clone()).ask(&Call::of(&call))?.status.success())
    }

    /// Where the ledger was touched too, attempts cannot be counted any more: a person looks first.
    fn plan_touched(&self, kept: &str, counted: bool) -> (Halt, Value) {
        let message = format!(
            "the plan changed while the worker ran; it was put back, and what was there is in '{kept}'"
        );
        let detail = json!({ "plan_before": self.field.blanked(), "kept": kept });
        (Halt { retry: counted, ..halt(PLAN_TOUCHED, message) }, detail)
    }

    /// While a worker runs only starts, ends and halts are recorded; all that was there must still be there.
    fn ledger_touched(&self, roll: Option<&Roll>) -> Result<Option<String>, Fail> {
        let ledger = Ledger::new(self.home.clone());
        let mut lines = roll.map(Roll::lines).unwrap_or_default();
        lines.extend(self.head.clone());
        let grown = self.ledger.as_ref().map_or(Ok(true), |before| ledger.has_grown_from(before))?;
        if !grown || !ledger.has(&lines)? {
            return Ok(Some("the ledger was cut or rewritten while the worker ran".to_owned()));
        }
        let records = ledger.read()?;
        let known = self.head.as_ref().map_or(0, |h| h.seq);
        // Where each has a tree of its own, checks and ticks of others are recorded meanwhile.
        let ours = |kind| {
            !self.is_alone()
                || matches!(kind, Type::AttemptBegin | Type::AttemptEnd | Type::Halt | Type::Torn)
        };
        let foreign =
            records.iter().find(|r| r.seq > known && r.plan == self.field.plan.source.path && !ours(r.kind));
        // But not about a task that nobody was given.
        let since = &records[records.partition_point(|r| r.seq <= known)..];
        let unheard = || roll.filter(|_| !self.is_alone())?.foreign(&self.field.plan.source.path, since);
        Ok(foreign.or_else(unheard).map(|r| {
            format!("line {} ('{}') was put into the ledger while the worker ran", r.seq, r.kind.word())
        }))
    }
}

/// How many files of a task git is asked about.
const MANY: usize = 1000;

/// Whether a file says what git ignores.
fn is_rules(path: &str) -> bool {
    Path::new(path).file_name().is_some_and(|name| name == ".gitignore")
}

/// The time that a file which is made now has.
fn now_on_disk(home: &Home) -> Result<SystemTime, Fail> {
    let path = fs::sibling(&home.folder("tmp")?.join("now"));
    fs::create(&path, b"")?;
    let now = fs::changed_at(&path).unwrap_or_else(SystemTime::now);
    fs::remove(&path)?;
    Ok(now)
}

fn config(root: &Path) -> Result<Option<Vec<u8>>, Fail> {
    fs::read_if_there(&root.join(toolkit::config::NAME))
}

/// What another attempt cannot mend: attempts that are not counted, a history in a worker's hands.
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
