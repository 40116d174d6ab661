//! A whole plan surveyed: what is done, how that is known, what is open.

use dialects::Field;
use std::collections::BTreeSet;
use std::path::Path;
use toolkit::git::Git;
use toolkit::ledger::Ledger;
use toolkit::root::{self, Home};
use toolkit::standing::{self, Standing};
use toolkit::{Fail, fs};
use wire::plan::State;
use wire::punch::{Punch, Type};
use wire::report::{Line, Proof, Report, SCHEMA};
use wire::{Plan, Task};

/// Surveys a plan.
pub(crate) fn of(path: &Path) -> Result<Report, Fail> {
    let root = root::find(path)?;
    let field = Field::at(path, &root, None)?;
    let home = Home::of(&root)?;
    let plan = &field.plan;
    let records: Vec<Punch> =
        Ledger::new(home.clone()).read()?.into_iter().filter(|p| p.plan == plan.source.path).collect();
    let standings =
        standing::of_plan(&records, &plan.source.path, plan.tasks.iter().map(|t| (&t.id, &t.fingerprint)));
    let none = Standing::default();
    let tasks: Vec<Line> =
        plan.tasks.iter().map(|t| line(t, standings.get(&t.id).unwrap_or(&none), &records)).collect();
    let mut open: Vec<String> =
        tasks.iter().zip(&plan.tasks).filter_map(|(line, task)| open_of(line, task)).collect();
    for task in plan.tasks.iter().filter(|t| t.commit.is_some() && t.state == State::Completed) {
        let standing = standings.get(&task.id).unwrap_or(&none);
        if root::has_git(&root) && standing.tick.is_some() && !standing.committed {
            open.push(format!("task {}: its commit is owed", task.id));
        }
    }
    if root::has_git(&root) {
        let dirty: Vec<_> = Git::new(home).status()?.into_iter().map(|(_, path)| path).collect();
        if !dirty.is_empty() {
            open.push(format!("the tree is not clean: {}", dirty.join(", ")));
        }
    }
    Ok(Report {
        schema: SCHEMA.to_owned(),
        plan: plan.source.path.clone(),
        title: plan.title.clone(),
        answer: None,
        tasks,
        files: files(&records),
        learnings: noted(plan, &root, "learnings.md", "- ")?,
        issues: noted(plan, &root, "issues.md", "- [ ] ")?,
        open,
    })
}

fn open_of(line: &Line, task: &Task) -> Option<String> {
    match line.state {
        State::Completed if line.proof == Proof::Unverified => {
            Some(format!("task {}: ticked, and nothing on record says why", task.id))
        }
        State::Completed | State::Skipped => None,
        state => {
            let why = line.halt.as_ref().map(|h| format!(", {}", h.message)).unwrap_or_default();
            Some(format!("task {}: {}{why}", task.id, state.word()))
        }
    }
}

fn line(task: &Task, standing: &Standing, records: &[Punch]) -> Line {
    let mine = || {
        records.iter().filter(|p| {
            p.task.as_ref() == Some(&task.id) && p.fingerprint.as_ref() == Some(&task.fingerprint)
        })
    };
    let passed = |id: &str| {
        let last = mine()
            .rev()
            .find(|p| p.key == id && matches!(p.kind, Type::GatePass | Type::GateFail | Type::GateFault));
        last.is_some_and(|p| p.kind == Type::GatePass)
    };
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let overridden =
        mine().any(|p| p.kind == Type::Override && (p.key == "tick" || p.key == "accept-unproved"));
    let proof = match task.state {
        State::Completed if overridden => Proof::Overridden,
        State::Completed if standing.tick.is_some() => Proof::Verified,
        State::Completed => Proof::Unverified,
        _ => Proof::None,
    };
    let commit = mine().rev().find(|p| p.kind == Type::Commit && p.key != "skipped").map(|p| p.key.clone());
    let claims: BTreeSet<String> = mine()
        .filter_map(|p| p.data.pointer("/detail/mismatches")?.as_array().cloned())
        .flatten()
        .filter_map(|v| v.as_str().map(str::to_owned))
        .collect();
    let open = task.state != State::Completed && task.state != State::Skipped;
    Line {
        id: task.id.clone(),
        title: task.title.clone(),
        state: task.state,
        proof,
        attempts: count(mine().filter(|p| p.kind == Type::AttemptEnd).count()),
        criteria: count(task.criteria.len()),
        passed: count(task.criteria.iter().filter(|c| passed(&c.id)).count()),
        manual: count(task.criteria.iter().filter(|c| !c.runnable && c.skip.is_none()).count()),
        commit,
        false_claims: claims.into_iter().collect(),
        halt: standing.halt.as_ref().filter(|_| open).map(|(halt, _)| halt.clone()),
        in_round: false,
    }
}

fn files(records: &[Punch]) -> Vec<String> {
    let ends = records.iter().filter(|p| p.kind == Type::AttemptEnd);
    let files = ends.filter_map(|p| p.data.get("changed_files")?.as_array().cloned()).flatten();
    files.filter_map(|f| f.as_str().map(str::to_owned)).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The items of a context file.
fn noted(plan: &Plan, root: &Path, name: &str, bullet: &str) -> Result<Vec<String>, Fail> {
    let folder = dialects::context::dir(&plan.source.path, &plan.source.dialect);
    let text = fs::read_if_there(&root.join(folder).join(name))?.unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    Ok(text.lines().filter_map(|l| l.strip_prefix(bullet)).map(str::to_owned).collect())
}
