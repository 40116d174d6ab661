//! `--residual` and `--bookkeeping`: what is left of a run, committed.
//!
//! The residual commit takes the plan, the context files and what workers changed on the way to a tick; the bookkeeping
//! commit takes exactly what our own stages wrote, and of the plan only ticks. Changes that nobody of ours made stay where
//! they are, and are named; so does a worker's file that is not what it was when the task was ticked.

use crate::args::Args;
use crate::commit::{self, Made, Request};
use crate::turn;
use dialects::{Field, Text, blanked};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use toolkit::git::{Call, Git};
use toolkit::ledger::Ledger;
use toolkit::output::Output;
use toolkit::root::{self, Home};
use toolkit::tree::Tree;
use toolkit::{Exit, Fail, fs, theirs, tool};
use wire::Plan;
use wire::punch::{Punch, Type};

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Residual,
    Bookkeeping,
}

/// Commits what is left; nothing left is fine.
pub(crate) fn commit(args: &Args, kind: Kind, out: &mut Output) -> Result<Exit, Fail> {
    let path = args.file.as_deref().unwrap_or(Path::new("-"));
    let root = root::find(path)?;
    if !root::has_git(&root) {
        return Ok(Exit::Ok);
    }
    let field = Field::at(path, &root, None)?;
    let home = Home::of(&root)?;
    // Behind a landing: what another run has ticked and not committed yet is its own to commit.
    let _lock = turn::take(&home)?;
    let git = Git::new(home.clone());
    let ledger = Ledger::new(home.clone());
    let plan = field.plan.source.path.clone();
    let (mut files, mut outside, mut left) = (Vec::new(), Vec::new(), Vec::new());
    let records = ledger.read_of(&plan)?;
    let by_workers = changed_by_workers(&records, &plan);
    let changed = git.changed()?;
    let tree = Tree::now(&home, &field.ground)?.unwrap_or_default();
    let mut hidden = commit::hidden(&git, &tree, &changed)?;
    hidden.retain(|path| by_workers.contains(path));
    let is_proved = |path: &String| by_workers.contains(path) && as_proved(&records, &plan, path, &tree);
    let theirs = theirs::on_record(&records, &plan);
    for path in changed {
        // Evidence stays here, whatever a `.gitignore` says.
        let is_evidence = path.starts_with(".plantools/");
        let ours = !is_evidence && field.ground.is_own(&path)
            || is_moved(&plan, &path)
            || match kind {
                Kind::Residual => field.ground.is_plan(&path) || is_proved(&path),
                Kind::Bookkeeping => field.ground.is_plan(&path) && only_ticked(&git, &field, &path)?,
            };
        match ours {
            true if theirs.contains(&path) && is_proved(&path) => left.push(path),
            true => files.push(path),
            false => outside.push(path),
        }
    }
    if !outside.is_empty() {
        tool::note(&format!("commit-run: not ours, left as it is: {}", outside.join(", ")));
    }
    tell_theirs(LEFT, left.iter());
    tell_theirs("and committed with the run's notes", files.iter().filter(|path| theirs.contains(*path)));
    if !hidden.is_empty() {
        return Ok(refused(&format!("changed, and git's index says not to look: {}", hidden.join(", "))));
    }
    if files.is_empty() {
        return Ok(Exit::Ok);
    }
    if let Some(why) = commit::obstacle(&home) {
        return Ok(refused(why));
    }
    let message = message(kind, &field.plan);
    let trailers = trailers(args, &ledger, plan)?;
    match commit::make(&git, &Request { message: &message, trailers: &trailers, files: &files, tree: &tree })?
    {
        Made::Commit(hash) => {
            out.shown(&format!("{hash} {message}\n"))?;
            Ok(Exit::Ok)
        }
        Made::Refused(said) => Ok(refused(&format!("git refused the commit: {said}"))),
        Made::Rewritten(said) => Ok(refused(&said)),
    }
}

fn trailers(args: &Args, ledger: &Ledger, plan: String) -> Result<Vec<(&'static str, String)>, Fail> {
    let clock = args.run.clock()?;
    let mut trailers = vec![("Plan", plan), ("Run", args.run.run_id(&clock)?.to_string())];
    if let Some(head) = ledger.head()? {
        trailers.push(("Ledger-Head", format!("{}:{}", head.seq, head.hash)));
    }
    Ok(trailers)
}

fn message(kind: Kind, plan: &Plan) -> String {
    let name = name_of(&plan.source.path);
    match (kind, decided(plan)) {
        (Kind::Residual, Some(message)) => message,
        (Kind::Residual, None) => format!("chore({name}): miscellaneous changes"),
        (Kind::Bookkeeping, _) => format!("chore({name}): bookkeeping"),
    }
}

/// Names what a person had changed before the work began, and says what becomes of it.
pub(crate) fn tell_theirs<'p>(becomes: &str, paths: impl Iterator<Item = &'p String>) {
    let paths: Vec<&str> = paths.map(String::as_str).collect();
    if !paths.is_empty() {
        tool::note(&format!("commit-run: changed before the work began, {becomes}: {}", paths.join(", ")));
    }
}

/// What becomes of what workers changed as well.
pub(crate) const LEFT: &str = "so left to you";

/// Says why there is no commit.
fn refused(why: &str) -> Exit {
    tool::note(&format!("commit-run: {why}"));
    Exit::No
}

/// Whether a file of the plan differs from its last commit in marks alone: then it was us.
fn only_ticked(git: &Git, field: &Field, path: &str) -> Result<bool, Fail> {
    let name = format!("HEAD:{path}");
    let committed = git.ask(&Call::of(&["cat-file", "blob", &name]))?;
    if !committed.status.success() {
        return Ok(false);
    }
    let now = fs::read(&git.home().root().join(path))?;
    let bare = |bytes: &[u8]| {
        let plan = dialects::read(&Text { path, bytes }, Some(&field.plan.source.dialect)).ok()?;
        Some(blanked(&plan, path, bytes))
    };
    Ok(bare(&committed.out).is_some_and(|then| Some(then) == bare(&now)))
}

/// Halts that say that a worker touched what it must not: a person looks at what it left. After any other the next attempt
/// goes on from what is there.
const REFUSED: [&str; 8] = [
    "must-not",
    "plan-touched",
    "pins-touched",
    "ledger-touched",
    "worker-changed-branch",
    "history-rewritten",
    "history-moved",
    "fitter-strayed",
];

/// What the attempts changed that led to a tick; what was refused for what it did never gets into the history. What was
/// not finished does: the next attempt finds it, its own changes are told from there, and both are in the tree that was
/// proved.
fn changed_by_workers<'r>(records: &'r [Punch], plan: &str) -> HashSet<String> {
    let mut since: HashMap<&str, Vec<&Punch>> = HashMap::new();
    let mut files = HashSet::new();
    for record in records.iter().filter(|p| p.plan == plan) {
        let Some(task) = record.task.as_ref() else { continue };
        match record.kind {
            Type::Halt if REFUSED.contains(&record.key.as_str()) => drop(since.remove(task.as_str())),
            // What its checks made is in the tree that the next attempt is proved on, too.
            Type::AttemptEnd | Type::Halt => since.entry(task.as_str()).or_default().push(record),
            Type::Tick => {
                let attempts = since.remove(task.as_str()).unwrap_or_default();
                let left =
                    |p: &&'r Punch| p.data.get("changed_files").or_else(|| p.data.pointer("/detail/made"));
                let changed = attempts.iter().filter_map(|p| left(p)?.as_array());
                files.extend(changed.flatten().filter_map(|f| f.as_str().map(str::to_owned)));
            }
            _ => {}
        }
    }
    files
}

/// Whether a file is what it was in the tree that proved the last task to change it: what was made of it since, by
/// whomever, was checked by nobody.
fn as_proved(records: &[Punch], plan: &str, path: &str, tree: &Tree) -> bool {
    let mut ticks = records.iter().rev().filter(|p| p.kind == Type::Tick && p.plan == plan);
    let proved = ticks.find_map(|tick| tick.data.get("files")?.get(path)?.as_str());
    proved.is_none_or(|proved| tree.entries.get(path).map_or("", String::as_str) == proved)
}

/// A session that was moved to the archive is gone from where it was active, and is in the archive's list.
fn is_moved(plan: &str, path: &str) -> bool {
    let Some((home, session)) = plan.split_once("/archives/") else { return false };
    let within = |place: &str| {
        path.strip_prefix(&format!("{home}/{place}/{session}")).is_some_and(|rest| rest.starts_with('/'))
    };
    within("active") || within("archives") || path == format!("{home}/archives/manifest.json")
}

/// A task that was prepared is committed whole, under the approach that was decided on.
fn decided(plan: &Plan) -> Option<String> {
    let text =
        |value: &Value| value.as_str().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let task = plan.extra.get("task_id").and_then(text)?;
    let decision = plan.extra.get("decision")?;
    let approach = decision.get("approach").or(Some(decision)).and_then(text)?;
    Some(format!("{task}: {}", approach.lines().next().unwrap_or_default()))
}

/// The plan's name: its folder's, or its own where it stands at the root.
fn name_of(plan: &str) -> String {
    let path = Path::new(plan);
    // A plan that is a folder has its own name.
    let folder =
        if path.extension().is_some() { path.parent().and_then(Path::file_name) } else { path.file_name() };
    let name = folder.or_else(|| path.file_stem()).unwrap_or_default();
    name.to_string_lossy().to_lowercase()
}
