//! What a step of a runbook must leave behind: a clean tree, its report in a commit, a new commit, submodules in
//! place. Looked at right after the worker, before we write anything.

use crate::outcome::Outcome;
use dialects::Field;
use toolkit::Fail;
use toolkit::fs;
use toolkit::git::{Call, Git};
use toolkit::ledger::Ledger;
use toolkit::proof::{CLEAN_TREE, REPORT, REVIEW};
use toolkit::root::{Home, has_git, inside};
use wire::Order;
use wire::gate::{Status, StopReason};
use wire::plan::Kind;
use wire::punch::Type;

/// The dialect whose workers commit.
const DIALECT: &str = "runbook";

/// Each check with its id, its outcome, and what was found.
pub(crate) type Found = (&'static str, Outcome, Vec<String>);

/// The checks of an order that a worker has done; none for other dialects, and none without git.
pub(crate) fn checks(order: &Order, field: &Field, home: &Home, place: &Home) -> Result<Vec<Found>, Fail> {
    if order.plan.dialect != DIALECT || order.worker.is_none() || !has_git(home.root()) {
        return Ok(Vec::new());
    }
    let git = Git::new(place.clone());
    let dirty: Vec<_> = git
        .status()?
        .into_iter()
        .filter(|(_, path)| !field.ground.is_own(path))
        .map(|(_, path)| path)
        .collect();
    let mut out = vec![told(CLEAN_TREE, "uncommitted changes", dirty.clone())];
    if let Some(report) = &order.task.report_path {
        out.push(told(REPORT, "report missing or not committed", report_of(&git, place, report, &dirty)?));
        if order.task.kind == Kind::Checkpoint {
            out.push(told(REVIEW, "the reviewer could not mend", unfixable(place, report)?));
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

/// The report, if it is not there or not in a commit.
fn report_of(git: &Git, home: &Home, report: &str, dirty: &[String]) -> Result<Vec<String>, Fail> {
    let there = inside(home.root(), report).is_ok_and(|path| path.is_file());
    let known = git.ask(&Call::of(&["ls-files", "--error-unmatch", "--", report]))?.status.success();
    let committed = there && known && !dirty.iter().any(|path| path == report.trim_start_matches("./"));
    Ok(if committed { Vec::new() } else { vec![report.to_owned()] })
}

/// The lines of a review that say of an issue that it cannot be mended.
fn unfixable(home: &Home, report: &str) -> Result<Vec<String>, Fail> {
    let Ok(path) = inside(home.root(), report) else { return Ok(Vec::new()) };
    let bytes = fs::read_if_there(&path)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let plain = |line: &str| line.replace(['*', '_', '`'], "").trim_start_matches(['-', '#', ' ']).to_owned();
    let says = |line: &String| {
        let status = line.strip_prefix("Status").map(|rest| rest.trim_start_matches([':', ' ']));
        status.unwrap_or(line).starts_with("UNFIXABLE")
    };
    Ok(text.lines().map(plain).filter(says).collect())
}

/// The commit before the first worker of the step began, as `worker-run` wrote it down. What an attempt had committed that was
/// cut off or refused is there for the next, which may find nothing left to do.
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
    use dialects::Field;
    use serde_json::json;
    use std::path::Path;
    use std::process::Command;
    use toolkit::ledger::{Entry, Ledger};
    use toolkit::root::Home;
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
    fn step(root: &Path) -> (Order, Field, Home) {
        toolkit::fs::create(&root.join("PLAN.md"), PLAN.as_bytes()).unwrap();
        git(root, &["init", "-q"]);
        git(root, &["add", "-A"]);
        git(root, &["commit", "-q", "-m", "start"]);
        let field = Field::at(&root.join("PLAN.md"), root, None).unwrap();
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
        let failed = || {
            let found = checks(&order, &field, &home, &home).unwrap();
            let failed = found.into_iter().filter(|(_, outcome, _)| outcome.status == Status::Fail);
            failed.map(|(id, _, _)| id).collect::<Vec<_>>()
        };
        assert_eq!(failed(), ["step:report", "step:head-moved"]);
        std::fs::create_dir(root.join("reports")).unwrap();
        toolkit::fs::create(&root.join("reports/1.md"), b"done").unwrap();
        assert_eq!(failed(), ["step:clean-tree", "step:report", "step:head-moved"]);
        git(root, &["add", "-A"]);
        git(root, &["commit", "-q", "-m", "step"]);
        assert!(failed().is_empty());
        // Whoever comes after an attempt that committed, and was cut off or refused, may find nothing left to do.
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
