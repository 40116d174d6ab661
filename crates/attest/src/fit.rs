//! Which evidence still fits: from statements, the plan and the tree, running nothing.
//!
//! On the tree that a statement is about, its checks fit. On another one, a check of a task fits as long as none of the files
//! changed that the statement knows it may depend on; where it knows none, and for a gate of the project, any change counts.

use crate::{Ground, notes};
use config::globs::FileRows;
use ledger::proof::Check;
use repo::git::Call;
use std::collections::BTreeMap;
use toolkit::Fail;
use wire::Task;
use wire::attestation::{CheckFit, FIT, FitDoc, FitStatus, Predicate};

/// How the evidence of each ticked task fits.
pub fn of(ground: &Ground) -> Result<Vec<FitDoc>, Fail> {
    let statements = notes::all(ground.git(), ground.plan())?;
    let mut since = Since::default();
    let mut out = Vec::new();
    for task in &ground.ticked.tasks {
        let about = statements.iter().map(|one| &one.predicate).filter(|one| one.task == task.id);
        // The last word counts, whichever commit it stands at.
        let last = about.max_by(|one, other| one.attested_at.cmp(&other.attested_at));
        out.push(one(ground, task, last, &mut since)?);
    }
    Ok(out)
}

/// How the evidence of one task fits.
fn one(ground: &Ground, task: &Task, stated: Option<&Predicate>, since: &mut Since) -> Result<FitDoc, Fail> {
    let doc = |status: FitStatus, reason: String, checks: Vec<CheckFit>| FitDoc {
        schema: FIT.to_owned(),
        plan: ground.plan().to_owned(),
        task: task.id.clone(),
        title: task.title.clone(),
        status,
        reason,
        checks,
        commit: stated.map(|one| one.commit.clone()),
        attested_at: stated.map(|one| one.attested_at.clone()),
    };
    let all = |status: FitStatus, reason: &str| {
        let checks = ground.checks(task).into_iter();
        let checks = checks.map(|(check, _)| CheckFit { id: check.key, status, reason: reason.to_owned() });
        doc(status, reason.to_owned(), checks.collect())
    };
    let Some(stated) = stated else {
        return Ok(all(FitStatus::NoEvidence, "no statement about this task is in the notes of the history"));
    };
    if !ground.ticked.fingerprints(task).contains(&stated.fingerprint) {
        return Ok(all(FitStatus::MayBeStale, "the plan asks for something else since"));
    }
    if let Some(reason) = &stated.by_hand {
        return Ok(doc(FitStatus::Fits, format!("rests on a person's word: {reason}"), Vec::new()));
    }
    let changed = since.changed(ground, stated)?;
    let checks: Vec<CheckFit> =
        ground.checks(task).into_iter().map(|(check, _)| fits(&check, stated, changed.as_deref())).collect();
    let worst = checks.iter().max_by_key(|check| check.status);
    let (status, reason) = match worst {
        Some(worst) if worst.status != FitStatus::Fits => {
            (worst.status, format!("{}: {}", worst.id, worst.reason))
        }
        Some(fits) => (FitStatus::Fits, fits.reason.clone()),
        None => (FitStatus::NoEvidence, "the task has no check".to_owned()),
    };
    Ok(doc(status, reason, checks))
}

/// How the evidence of one check fits; `changed` are the files that differ from the attested tree, `None` if it is not here.
fn fits(check: &Check, stated: &Predicate, changed: Option<&[String]>) -> CheckFit {
    let answer = |status, reason: String| CheckFit { id: check.key.clone(), status, reason };
    if stated.decided.contains(&check.digest) {
        return answer(FitStatus::Fits, "a person decided it".to_owned());
    }
    if !stated.checks.iter().any(|passed| passed.id == check.key && passed.command == check.digest) {
        return answer(FitStatus::NoEvidence, "the check is new, or its command changed".to_owned());
    }
    let Some(changed) = changed else {
        let reason = format!("commit {} is not in this clone", short(&stated.commit));
        return answer(FitStatus::MayBeStale, reason);
    };
    if changed.is_empty() {
        return answer(FitStatus::Fits, format!("passed on this tree, at commit {}", short(&stated.commit)));
    }
    let stale = |files: &[&String], why: &str| {
        let more = if files.len() > 1 { format!(" and {} more", files.len() - 1) } else { String::new() };
        answer(FitStatus::MayBeStale, format!("{}{more} changed{why}", files[0]))
    };
    let every: Vec<&String> = changed.iter().collect();
    match &stated.files {
        _ if !check.own => stale(&every, ", and a gate of the project may depend on any file"),
        None => stale(&every, ", and nothing is known about the files that it depends on"),
        Some(files) => {
            let rows = FileRows::new(files);
            let hit: Vec<&String> = every.into_iter().filter(|path| rows.names(path)).collect();
            if hit.is_empty() {
                let count = changed.len();
                let others =
                    if count == 1 { "1 other file".to_owned() } else { format!("{count} other files") };
                answer(FitStatus::Fits, format!("none of its files changed ({others} did)"))
            } else {
                stale(&hit, "")
            }
        }
    }
}

fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

/// The files that differ from each attested tree.
#[derive(Default)]
struct Since(BTreeMap<String, Option<Vec<String>>>);

impl Since {
    /// The files that differ from the tree of a statement; `None` if its commit is not here.
    fn changed(&mut self, ground: &Ground, stated: &Predicate) -> Result<Option<Vec<String>>, Fail> {
        if stated.tree == ground.tree.hash {
            return Ok(Some(Vec::new()));
        }
        if let Some(known) = self.0.get(&stated.commit) {
            return Ok(known.clone());
        }
        let found = differing(ground, &stated.commit)?;
        self.0.insert(stated.commit.clone(), found.clone());
        Ok(found)
    }
}

/// The files of the tree that differ from a commit, without the plan's and our own: what the plan asks for is compared by
/// itself.
fn differing(ground: &Ground, commit: &str) -> Result<Option<Vec<String>>, Fail> {
    if commit.is_empty() || !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(None);
    }
    let listed = ground.git().ask(&Call::of(&["ls-tree", "-r", "-z", "--full-tree", commit]))?;
    if !listed.status.success() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&listed.out).into_owned();
    let own = &ground.ticked.field.ground;
    let before: BTreeMap<&str, String> = text
        .split('\0')
        .filter_map(|entry| {
            let (about, path) = entry.split_once('\t')?;
            let mut words = about.split(' ');
            let (mode, object) = (words.next()?, words.nth(1)?);
            Some((path, format!("{mode} {object} 0")))
        })
        .filter(|(path, _)| !own.is_own(path) && !own.is_plan(path))
        .collect();
    let now = &ground.tree.entries;
    let here = now
        .iter()
        .filter(|(path, what)| before.get(path.as_str()) != Some(what))
        .map(|(path, _)| path.clone());
    let gone = before.keys().filter(|path| !now.contains_key(**path)).map(|path| (*path).to_owned());
    let mut all: Vec<String> = here.chain(gone).collect();
    all.sort();
    Ok(Some(all))
}
