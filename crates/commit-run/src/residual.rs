//! `--residual`: what is left of the run is committed: the plan, the context files, what workers changed.
//!
//! Changes that nobody of ours made stay where they are, and are named.

use crate::args::Args;
use crate::commit::{self, Made, Request};
use dialects::Field;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use toolkit::git::Git;
use toolkit::ledger::Ledger;
use toolkit::lock::{Lock, PATIENCE};
use toolkit::output::Output;
use toolkit::root::{self, Home};
use toolkit::{Exit, Fail, tool};
use wire::punch::{Punch, Type};

/// Commits what is left; nothing left is fine.
pub(crate) fn commit(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let path = args.file.as_deref().unwrap_or(Path::new("-"));
    let root = root::find(path)?;
    if !root::has_git(&root) {
        return Ok(Exit::Ok);
    }
    let field = Field::at(path, &root, None)?;
    let home = Home::of(&root)?;
    let _lock = Lock::take(&home.folder("locks")?.join("commit"), PATIENCE, crate::STAGE)?;
    let git = Git::new(home.clone());
    let ledger = Ledger::new(home.clone());
    let plan = field.plan.source.path.clone();
    let by_workers = changed_by_workers(&ledger.read()?, &plan);
    let ours =
        |path: &String| field.ground.is_own(path) || field.ground.is_plan(path) || by_workers.contains(path);
    let (files, outside): (Vec<_>, Vec<_>) = git.status()?.into_iter().map(|(_, path)| path).partition(ours);
    if !outside.is_empty() {
        tool::note(&format!("commit-run: not ours, left as it is: {}", outside.join(", ")));
    }
    if files.is_empty() {
        return Ok(Exit::Ok);
    }
    if let Some(why) = commit::obstacle(&home) {
        tool::note(&format!("commit-run: {why}"));
        return Ok(Exit::No);
    }
    let clock = args.run.clock()?;
    let mut trailers = vec![("Plan", plan.clone()), ("Run", args.run.run_id(&clock)?.to_string())];
    if let Some(head) = ledger.head()? {
        trailers.push(("Ledger-Head", format!("{}:{}", head.seq, head.hash)));
    }
    let message = format!("chore({}): miscellaneous changes", name_of(&plan));
    match commit::make(&git, &Request { message: &message, trailers: &trailers, files: &files })? {
        Made::Commit(hash) => {
            out.line(&format!("{hash} {message}"))?;
            Ok(Exit::Ok)
        }
        Made::Refused(said) => {
            tool::note(&format!("commit-run: git refused the commit: {said}"));
            Ok(Exit::No)
        }
    }
}

/// What the attempts changed that led to a tick; refused work never gets into the history.
fn changed_by_workers(records: &[Punch], plan: &str) -> HashSet<String> {
    let mut last: HashMap<&str, &Punch> = HashMap::new();
    let mut files = HashSet::new();
    for record in records.iter().filter(|p| p.plan == plan) {
        let Some(task) = record.task.as_ref() else { continue };
        match record.kind {
            Type::AttemptEnd => drop(last.insert(task.as_str(), record)),
            Type::Tick => {
                let changed = last.get(task.as_str()).and_then(|p| p.data.get("changed_files")?.as_array());
                files.extend(changed.into_iter().flatten().filter_map(|f| f.as_str().map(str::to_owned)));
            }
            _ => {}
        }
    }
    files
}

/// The plan's name: its folder's, or its own where it stands at the root.
fn name_of(plan: &str) -> String {
    let path = Path::new(plan);
    let folder = path.parent().and_then(Path::file_name);
    let name = folder.or_else(|| path.file_stem()).unwrap_or_default();
    name.to_string_lossy().to_lowercase()
}
