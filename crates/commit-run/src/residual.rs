//! `commit-run residual` and `commit-run bookkeeping`: what is left of a run, committed.
//!
//! The residual commit contains the plan, the context files and the workers' changes that led to a tick; the
//! bookkeeping commit contains exactly the files that our own stages wrote, and of the plan only ticks. Changes by
//! others are left alone and listed; so is a worker's file that has changed since its task was ticked, unless a person
//! has approved the files as they are. Files for which the plan owes a commit of its own are left for that commit.

use crate::commit::{self, Made, Request};
use crate::job::PlanCommit;
use crate::land::turn;
use crate::settle::House;
use dialects::{PlanSnapshot, blanked};
use ledger::Ledger;
use markdown::Text;
use repo::git::{Call, Git};
use repo::prior_changes;
use repo::tree::Tree;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use toolkit::cli::clock::RunArgs;
use toolkit::cli::tool;
use toolkit::files::fs;
use toolkit::files::root::{self, Home};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::punch::{Punch, Type};
use wire::{Plan, TaskId};

/// Which of the two commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Residual {
        /// Whether a person has approved the files as they are now.
        approved: bool,
    },
    Bookkeeping,
}

/// Commits what is left; nothing left is fine.
pub(crate) fn commit(kind: Kind, args: &PlanCommit, run: &RunArgs, out: &mut Output) -> Result<Exit, Fail> {
    let path = args.plan.as_path();
    let root = root::find(path)?;
    if !root::has_git(&root) {
        return Ok(Exit::Ok);
    }
    let field = PlanSnapshot::at(path, &root, None)?;
    let home = Home::of(&root)?;
    // Wait for landings: work that another run has ticked and not committed yet is its own to commit.
    let lock = turn::take(&home)?;
    let config = args.config.load(&root)?;
    let house = House::under(lock, home.clone(), &field, &config, run.clock()?)?;
    if house.never() {
        tool::note("commit-run: '[commit] each = \"none\"': nothing is committed");
        return Ok(Exit::Ok);
    }
    let (git, records) = (&house.git, &house.records);
    let plan = field.plan.source.path.clone();
    let (mut files, mut outside, mut left) = (Vec::new(), Vec::new(), Vec::new());
    let by_workers = changed_by_workers(records, &plan, |_| true);
    let mut changed = git.changed()?;
    let is_clean = changed.is_empty();
    let tree = Tree::now(&home, &field.ground)?.unwrap_or_default();
    let mut hidden = commit::hidden(git, &tree, &changed)?;
    hidden.retain(|path| by_workers.contains(path));
    let approved = kind == Kind::Residual { approved: true };
    let is_proved =
        |path: &String| by_workers.contains(path) && (approved || as_proved(records, &plan, path, &tree));
    let theirs = prior_changes::worked_on(records, &plan);
    leave_owed(&house, kind, &mut changed);
    for path in changed {
        // Evidence is never committed, whatever a `.gitignore` says.
        let is_evidence = path.starts_with(".plantools/");
        let ours = !is_evidence && field.ground.is_own(&path)
            || is_moved(&plan, &path)
            || match kind {
                Kind::Residual { .. } => field.ground.is_plan(&path) || is_proved(&path),
                Kind::Bookkeeping => field.ground.is_plan(&path) && only_ticked(git, &field, &path)?,
            };
        // A person who approves the files approves own edits of a worker's file with them.
        let is_theirs = |path: &String| {
            theirs.contains_key(path) && !(approved && is_workers_first(records, &plan, path))
        };
        match ours {
            true if is_theirs(&path) && is_proved(&path) => left.push(path),
            true => files.push(path),
            false => outside.push(path),
        }
    }
    tell_outside(outside, &theirs);
    tell_theirs(LEFT, left.iter());
    // Our own stages write some files before the first worker starts: those are no person's.
    let is_persons = |path: &&String| theirs.contains_key(*path) && !field.ground.is_own(path);
    tell_theirs("and committed with the run's notes", files.iter().filter(is_persons));
    if !hidden.is_empty() {
        return Ok(refused(&format!("changed, and git's index says not to look: {}", hidden.join(", "))));
    }
    if files.is_empty() {
        if is_clean && kind != Kind::Bookkeeping {
            out.shown("No uncommitted changes\n")?;
        }
        return Ok(Exit::Ok);
    }
    if let Some(why) = commit::obstacle(&home) {
        return Ok(refused(why));
    }
    let message = message(kind, &field.plan);
    let trailers = trailers(run, &Ledger::new(home.clone()), plan)?;
    let by_stages = by_stages(&field);
    let request =
        Request { message: &message, trailers: &trailers, files: &files, tree: &tree, by_stages: &by_stages };
    match commit::make(git, &request)? {
        Made::Commit(hash) => {
            out.shown(&format!("{hash} {message}\n"))?;
            Ok(Exit::Ok)
        }
        Made::Refused(said) => Ok(refused(&format!("git refused the commit: {said}"))),
        Made::Rewritten(said) => Ok(refused(&said)),
        Made::Formatted(files) => Ok(refused(&format!(
            "a commit hook changed {}, which nothing checks: commit it yourself",
            files.join(", ")
        ))),
    }
}

/// Removes the files for which the plan owes a commit of its own, and reports them.
fn leave_owed(house: &House<'_>, kind: Kind, changed: &mut Vec<String>) {
    let ground = &house.field.ground;
    for (task, rule) in house.owing().into_iter().filter(|_| kind != Kind::Bookkeeping) {
        let named = house.named(task, &rule);
        let is_for_it = |path: &mut String| !ground.is_own(path) && !ground.is_plan(path) && named(path);
        let kept: Vec<String> = changed.extract_if(.., is_for_it).collect();
        if !kept.is_empty() {
            let paths = kept.join(", ");
            tool::note(&format!("commit-run: left for the owed commit of task {}: {paths}", task.id));
        }
    }
}

fn trailers(run: &RunArgs, ledger: &Ledger, plan: String) -> Result<Vec<(&'static str, String)>, Fail> {
    let clock = run.clock()?;
    let mut trailers = vec![("Plan", plan), ("Run", run.run_id(&clock)?.to_string())];
    if let Some(anchor) = ledger.anchor()? {
        trailers.push(("Ledger-Head", anchor));
    }
    Ok(trailers)
}

fn message(kind: Kind, plan: &Plan) -> String {
    let name = name_of(&plan.source.path);
    match (kind, decided(plan)) {
        (Kind::Residual { .. }, Some(message)) => message,
        (Kind::Residual { .. }, None) => format!("chore({name}): miscellaneous changes"),
        (Kind::Bookkeeping, _) => format!("chore({name}): bookkeeping"),
    }
}

/// Lists files that a person had changed before the work began, and what happens to them.
pub(crate) fn tell_theirs<'p>(becomes: &str, paths: impl Iterator<Item = &'p String>) {
    let paths: Vec<&str> = paths.map(String::as_str).collect();
    if !paths.is_empty() {
        tool::note(&format!("commit-run: changed before the work began, {becomes}: {}", paths.join(", ")));
    }
}

/// Reports in one line the files that were changed before the run and untouched by it, and lists the other files
/// that are not ours.
fn tell_outside(outside: Vec<String>, theirs: &HashMap<String, Option<TaskId>>) {
    const FEW: usize = 5;
    let (alone, outside): (Vec<String>, Vec<String>) =
        outside.into_iter().partition(|path| theirs.get(path).is_some_and(Option::is_none));
    let more = if alone.len() > FEW { ", ..." } else { "" };
    let names = format!("{}{more}", alone[..alone.len().min(FEW)].join(", "));
    match alone.len() {
        0 => {}
        1 => tool::note(&format!("commit-run: 1 file changed before the run is left alone: {names}")),
        n => tool::note(&format!("commit-run: {n} files changed before the run are left alone: {names}")),
    }
    if !outside.is_empty() {
        tool::note(&format!("commit-run: not ours, left as it is: {}", outside.join(", ")));
    }
}

/// What happens to such files if workers changed them as well.
pub(crate) const LEFT: &str = "so left to you";

/// Reports why there is no commit.
fn refused(why: &str) -> Exit {
    tool::note(&format!("commit-run: {why}"));
    Exit::No
}

/// Whether a file of the plan differs from its last commit in marks alone: then the changes are ours.
fn only_ticked(git: &Git, field: &PlanSnapshot, path: &str) -> Result<bool, Fail> {
    let name = format!("HEAD:{path}");
    let committed = git.ask(&Call::of(&["cat-file", "blob", &name]))?;
    if !committed.status.success() {
        return Ok(false);
    }
    let now = fs::read(&git.home().root().join(path))?;
    Ok(is_marks_alone(field, path, &committed.out, &now))
}

/// Whether two versions of a file of the plan differ in marks alone.
fn is_marks_alone(field: &PlanSnapshot, path: &str, one: &[u8], other: &[u8]) -> bool {
    let bare = |bytes: &[u8]| {
        let plan = dialects::read(&Text { path, bytes }, Some(&field.plan.source.dialect)).ok()?;
        Some(blanked(&plan, path, bytes))
    };
    bare(one).is_some_and(|one| Some(one) == bare(other))
}

/// Whether our stages may have changed a file between two versions: they write their own files and those of single
/// tasks, and of the plan only marks.
pub(crate) fn by_stages(field: &PlanSnapshot) -> impl Fn(&str, &[u8], &[u8]) -> bool {
    move |path, then, now| {
        let is_of_task = || {
            let mut details = field.plan.tasks.iter().filter_map(|task| task.detail.as_ref());
            details.any(|detail| detail.path == path)
        };
        field.ground.is_own(path)
            || field.ground.is_plan(path) && (is_of_task() || is_marks_alone(field, path, then, now))
    }
}

/// Halts for a worker that changed forbidden files: a person looks at its changes. After any other halt the next
/// attempt continues from the current state; a plan that a worker changed is put back at once.
const REFUSED: [&str; 7] = [
    "must-not",
    "pins-touched",
    "ledger-touched",
    "worker-changed-branch",
    "history-rewritten",
    "history-moved",
    "fitter-strayed",
];

/// The changes of attempts that led to a tick; those of a refused attempt never get into the history. Those of an
/// unfinished attempt do: the next attempt starts from them and records its own changes on top, and both are in the
/// tree that was proved.
pub(crate) fn changed_by_workers(
    records: &[Punch],
    plan: &str,
    is_asked: impl Fn(&TaskId) -> bool,
) -> HashSet<String> {
    listed(records, plan, is_asked, &[CHANGED, MADE, UNATTRIBUTED])
}

/// Those of them that no worker is known to have written, since several shared the tree at that time.
pub(crate) fn unattributed(
    records: &[Punch],
    plan: &str,
    is_asked: impl Fn(&TaskId) -> bool,
) -> HashSet<String> {
    let mut files = listed(records, plan, &is_asked, &[UNATTRIBUTED]);
    let known = listed(records, plan, &is_asked, &[CHANGED, MADE]);
    files.retain(|file| !known.contains(file));
    files
}

/// The lists of files in the record of an attempt.
const CHANGED: &str = "/changed_files";
const MADE: &str = "/detail/made";
const UNATTRIBUTED: &str = "/unattributed";

/// The files in these lists of the attempts that led to a tick.
fn listed<'r>(
    records: &'r [Punch],
    plan: &str,
    is_asked: impl Fn(&TaskId) -> bool,
    lists: &[&str],
) -> HashSet<String> {
    let mut since: HashMap<&str, Vec<&Punch>> = HashMap::new();
    let mut files = HashSet::new();
    for record in records.iter().filter(|p| p.plan == plan) {
        let Some(task) = record.task.as_ref().filter(|task| is_asked(task)) else { continue };
        match record.kind {
            Type::Halt if REFUSED.contains(&record.key.as_str()) => drop(since.remove(task.as_str())),
            // Files that its checks made are also in the tree on which the next attempt is proved.
            Type::AttemptEnd | Type::Halt => since.entry(task.as_str()).or_default().push(record),
            Type::Tick => {
                let attempts = since.remove(task.as_str()).unwrap_or_default();
                let left = |p: &'r Punch| lists.iter().filter_map(|list| p.data.pointer(list)?.as_array());
                let changed = attempts.into_iter().flat_map(left).flatten();
                files.extend(changed.filter_map(|f| f.as_str().map(str::to_owned)));
            }
            _ => {}
        }
    }
    files
}

/// Whether a file is as it was in the tree that proved the last task to change it: no check has seen a later
/// change.
fn as_proved(records: &[Punch], plan: &str, path: &str, tree: &Tree) -> bool {
    let mut ticks = records.iter().rev().filter(|p| p.kind == Type::Tick && p.plan == plan);
    let proved = ticks.find_map(|tick| tick.data.get("files")?.get(path)?.as_str());
    proved.is_none_or(|proved| tree.entries.get(path).map_or("", String::as_str) == proved)
}

/// Whether a worker changed a file before any person did.
fn is_workers_first(records: &[Punch], plan: &str, path: &str) -> bool {
    let changes = |p: &Punch| {
        let changed = p.data.get("changed_files").and_then(Value::as_array);
        p.kind == Type::AttemptEnd && changed.is_some_and(|files| files.iter().any(|file| file == path))
    };
    let first = records.iter().position(|p| p.plan == plan && changes(p));
    first.is_some_and(|first| !prior_changes::on_record(&records[..first], plan).contains(path))
}

/// Whether a path belongs to a session that was moved to the archive: its old place, its new place, or the
/// archive's list.
fn is_moved(plan: &str, path: &str) -> bool {
    let Some((home, session)) = plan.split_once("/archives/") else { return false };
    let within = |place: &str| {
        path.strip_prefix(&format!("{home}/{place}/{session}")).is_some_and(|rest| rest.starts_with('/'))
    };
    within("active") || within("archives") || path == format!("{home}/archives/manifest.json")
}

/// The message for a task that was prepared: it is committed as a whole, with the approach that was decided.
fn decided(plan: &Plan) -> Option<String> {
    let text =
        |value: &Value| value.as_str().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let task = plan.extra.get("task_id").and_then(text)?;
    let decision = plan.extra.get("decision")?;
    let approach = decision.get("approach").or(Some(decision)).and_then(text)?;
    Some(format!("{task}: {}", approach.lines().next().unwrap_or_default()))
}

/// The plan's name: that of its folder, or its own if it is at the root.
fn name_of(plan: &str) -> String {
    let path = Path::new(plan);
    // A plan that is a folder has its own name.
    let folder =
        if path.extension().is_some() { path.parent().and_then(Path::file_name) } else { path.file_name() };
    let name = folder.or_else(|| path.file_stem()).unwrap_or_default();
    name.to_string_lossy().to_lowercase()
}
