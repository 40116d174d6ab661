//! What a worker must leave behind: the outputs that the plan declares; one that commits also a clean tree, its report in a
//! commit, a new commit, submodules in place. gate-run checks this right after the worker, before it writes anything.

use crate::run::outcome::Outcome;
use config::profile::Profile;
use config::stop_words;
use dialects::PlanSnapshot;
use ledger::Ledger;
use ledger::proof::{self, ANSWER, CLEAN_TREE, OUTPUTS, REPORT, REVIEW, is_review};
use repo::git::{Call, Git};
use serde_json::Value;
use std::path::Path;
use toolkit::Fail;
use toolkit::files::fs;
use toolkit::files::root::{Home, has_git, inside};
use wire::gate::{Status, StopReason};
use wire::order::{REVIEW as REVIEW_TEMPLATE, WorkerStatus};
use wire::plan::exact_path;
use wire::punch::Type;
use wire::{Order, Task};

/// Each check with its id, its outcome, and what was found.
pub(crate) type Found = (&'static str, Outcome, Vec<String>);

/// The checks of an order that a worker has done. A task that only inspects has its answer checked. Else there is
/// nothing to check without git, or where the workflow's workers do not commit.
pub(crate) fn checks(
    order: &Order,
    task: &Task,
    field: &PlanSnapshot,
    profile: &Profile,
    home: &Home,
    place: &Home,
) -> Result<Vec<Found>, Fail> {
    if task.is_inspection() {
        let unanswered = unanswered(order, task, profile);
        return Ok(vec![told(ANSWER, "no answer of a worker that only looked", unanswered)]);
    }
    let reviewed = order.handoff.as_ref().is_some_and(|handoff| handoff.template == REVIEW_TEMPLATE);
    let missing = if reviewed { Vec::new() } else { missing_outputs(order, task, place.root()) };
    let mut out = Vec::new();
    // One that was missing and is found now is on record again.
    let is_found = || -> Result<bool, Fail> {
        let records = Ledger::new(home.clone()).read_of(&order.plan.path)?;
        Ok(proof::missing_outputs(&records, &order.plan.path, task).is_some())
    };
    if !missing.is_empty() || !task.outputs.is_empty() && !reviewed && is_found()? {
        out.push(told(OUTPUTS, "declared outputs are missing", missing));
    }
    if !profile.worker_commits || order.worker.is_none() || reviewed || !has_git(home.root()) {
        return Ok(out);
    }
    let git = Git::new(place.clone());
    let dirty: Vec<_> = git
        .status()?
        .into_iter()
        .filter(|(_, path)| !field.ground.is_own(path))
        .map(|(_, path)| path)
        .collect();
    out.push(told(CLEAN_TREE, "uncommitted changes", dirty.clone()));
    if let Some(report) = &order.task.report_path {
        out.push(told(REPORT, "report missing or not committed", report_of(&git, place, report, &dirty)?));
        if is_review(task) {
            out.push(told(REVIEW, "the reviewer could not mend", unfixable(profile, place, report)?));
        }
    }
    if let Some(before) = head_before(order, home)? {
        let stayed = (git.head()?.as_deref() == Some(before.as_str())).then_some(before);
        out.push(told("step:head-moved", "no new commit", stayed.into_iter().collect()));
    }
    if place.root().join(".gitmodules").exists() {
        let listed = git.run(&Call::of(&["submodule", "status"]))?.out;
        let text = String::from_utf8_lossy(&listed).into_owned();
        let astray = text.lines().filter(|line| !line.starts_with(' ')).map(str::to_owned).collect();
        out.push(told("step:submodules", "submodules out of place", astray));
    }
    Ok(out)
}

/// The outputs that the task declares and that are not there: a file must exist where the plan or the answer says, anything
/// else must have a value in the answer.
fn missing_outputs(order: &Order, task: &Task, root: &Path) -> Vec<String> {
    let given = order.given_outputs();
    let is_there = |path: &str| root.join(path).exists();
    let missing = task.outputs.iter().filter_map(|output| {
        let value = given.get(&output.name).filter(|value| !value.is_null());
        let planned = output.planned_path();
        if planned.is_some_and(is_there) {
            return None;
        }
        let texts: Vec<&str> = match value {
            Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
            Some(value) => value.as_str().into_iter().collect(),
            None => Vec::new(),
        };
        let absent = texts.into_iter().filter_map(exact_path).find(|path| !is_there(path));
        match (value, absent.filter(|_| output.is_file()), planned) {
            (Some(_), None, _) => None,
            (Some(_), Some(path), _) | (None, _, Some(path)) => {
                Some(format!("{} (there is no file {path})", output.name))
            }
            (None, _, None) => Some(format!("{} (the answer has no value for it)", output.name)),
        }
    });
    missing.collect()
}

/// Why the answer of a worker that only inspects is no evidence: there is none, it is no success, or it stops the
/// workflow in words or by a change.
fn unanswered(order: &Order, task: &Task, profile: &Profile) -> Vec<String> {
    let why = match &order.worker {
        None => Some("no worker was asked".to_owned()),
        Some(worker) if worker.status != WorkerStatus::Success => Some("it is no success".to_owned()),
        Some(worker) => stop_words::halt(crate::STAGE, profile, task, worker).map(|halt| halt.message),
    };
    why.into_iter().collect()
}

/// The report, if it does not exist or is not in a commit.
fn report_of(git: &Git, home: &Home, report: &str, dirty: &[String]) -> Result<Vec<String>, Fail> {
    let there = inside(home.root(), report).is_ok_and(|path| path.is_file());
    let known = git.ask(&Call::of(&["ls-files", "--error-unmatch", "--", report]))?.status.success();
    let committed = there && known && !dirty.iter().any(|path| path == report.trim_start_matches("./"));
    Ok(if committed { Vec::new() } else { vec![report.to_owned()] })
}

/// The lines of a review that say of an issue that it cannot be mended.
fn unfixable(profile: &Profile, home: &Home, report: &str) -> Result<Vec<String>, Fail> {
    let Ok(path) = inside(home.root(), report) else { return Ok(Vec::new()) };
    let bytes = fs::read_if_there(&path)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(stop_words::unfixable_in(profile, &text))
}

/// The commit before the first worker of the step began, as `worker-run` recorded it. Commits of an attempt that was
/// interrupted or refused are kept for the next one, which may find nothing left to do.
fn head_before(order: &Order, home: &Home) -> Result<Option<String>, Fail> {
    let records = Ledger::new(home.clone()).read_of(&order.plan.path)?;
    let mine = records.iter().filter(|record| {
        record.task.as_ref() == Some(&order.task.id)
            && record.fingerprint.as_ref() == Some(&order.task.fingerprint)
    });
    let mut before = None;
    for record in mine {
        match record.kind {
            Type::AttemptBegin if before.is_none() => {
                before = record.data.get("commit").and_then(|commit| commit.as_str()).map(str::to_owned);
            }
            Type::Tick | Type::Untick => before = None,
            _ => {}
        }
    }
    Ok(before)
}

fn told(id: &'static str, what: &str, found: Vec<String>) -> Found {
    let status = if found.is_empty() { Status::Pass } else { Status::Fail };
    let measured =
        if found.is_empty() { "as it should be".to_owned() } else { format!("{what}: {}", found.join(", ")) };
    (id, Outcome { status, stop_reason: StopReason::Exited, measured, needs_secret: false }, found)
}

#[cfg(test)]
mod tests {
    use super::checks;
    use config::profile::Profile;
    use dialects::PlanSnapshot;
    use ledger::{Entry, Ledger};
    use serde_json::json;
    use std::path::Path;
    use std::process::Command;
    use toolkit::files::root::Home;
    use wire::Order;
    use wire::gate::Status;
    use wire::punch::{SourceKind, Type};

    const PLAN: &str = "# P\n\n## TODOs\n\n### [ ] TODO 1: Step\n\n**Type**: work\n";

    fn git(root: &Path, args: &[&str]) -> String {
        let identity = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
        let output = Command::new("git").args(identity).args(args).current_dir(root).output().unwrap();
        assert!(output.status.success(), "git {args:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// An order of a step whose worker has ended, in a repository with one commit.
    fn step(root: &Path) -> (Order, PlanSnapshot, Home) {
        toolkit::files::fs::create(&root.join("PLAN.md"), PLAN.as_bytes()).unwrap();
        git(root, &["init", "-q"]);
        git(root, &["add", "-A"]);
        git(root, &["commit", "-q", "-m", "start"]);
        let field = PlanSnapshot::at(&root.join("PLAN.md"), root, None).unwrap();
        let mut task = field.plan.tasks[0].clone();
        task.report_path = Some("reports/1.md".to_owned());
        let order = json!({
            "schema": "order/1", "run": "r1", "attempt": 1, "why": {"ready": "x"}, "task": task,
            "plan": {"path": "PLAN.md", "dialect": "runbook", "root": root},
            "worker": {"status": "SUCCESS", "outcome": "done", "duration_ms": 1},
        });
        (serde_json::from_value(order).unwrap(), field, Home::of(root).unwrap())
    }

    fn begun(order: &Order, home: &Home, commit: &str) {
        let entry = Entry {
            plan: order.plan.path.clone(),
            task: Some(order.task.id.clone()),
            fingerprint: Some(order.task.fingerprint.clone()),
            attempt: Some(1),
            source: SourceKind::Supervisor,
            data: json!({ "commit": commit }),
            ..Entry::new(order.run.clone(), Type::AttemptBegin, "w", String::new())
        };
        Ledger::new(home.clone()).append(entry).unwrap();
    }

    #[test]
    fn a_step_leaves_a_clean_tree_its_report_and_a_new_commit() {
        let folder = tempfile::TempDir::new().unwrap();
        let root = folder.path();
        let (order, field, home) = step(root);
        begun(&order, &home, &git(root, &["rev-parse", "HEAD"]));
        let profile = Profile::of_dialect(&order.plan.dialect).unwrap();
        let failed = || {
            let found = checks(&order, &order.task, &field, profile, &home, &home).unwrap();
            let failed = found.into_iter().filter(|(_, outcome, _)| outcome.status == Status::Fail);
            failed.map(|(id, _, _)| id).collect::<Vec<_>>()
        };
        assert_eq!(failed(), ["step:report", "step:head-moved"]);
        std::fs::create_dir(root.join("reports")).unwrap();
        toolkit::files::fs::create(&root.join("reports/1.md"), b"done").unwrap();
        assert_eq!(failed(), ["step:clean-tree", "step:report", "step:head-moved"]);
        git(root, &["add", "-A"]);
        git(root, &["commit", "-q", "-m", "step"]);
        assert!(failed().is_empty());
        // An attempt after one that committed and was interrupted or refused may find nothing left to do.
        for code in ["crashed", "checks-failed"] {
            let halt = Entry {
                plan: order.plan.path.clone(),
                task: Some(order.task.id.clone()),
                fingerprint: Some(order.task.fingerprint.clone()),
                data: json!({ "halt": { "counts": true } }),
                ..Entry::new(order.run.clone(), Type::Halt, code, String::new())
            };
            Ledger::new(home.clone()).append(halt).unwrap();
            begun(&order, &home, &git(root, &["rev-parse", "HEAD"]));
            assert!(failed().is_empty(), "{code}");
        }
    }
}
