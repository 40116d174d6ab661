//! `--adapt`: if a worker failed because a task is missing, adds that task to the plan; the failed task waits for
//! it.
//!
//! Halting comes before adapting, and adapting before another attempt: a halt that needs a person stays one. The
//! words of the new task are the worker's; its checks are the plan's: exactly those of the failed task that did not
//! pass. One level deep, at most three for each task, and nothing outside the scope of the plan.

pub(crate) mod added_task;

use crate::adapt::added_task::Addition;
use crate::plan_file::PlanFile;
use ledger::recorder::Recorder;
use serde_json::json;
use std::path::Path;
use toolkit::Fail;
use toolkit::files::root::{Home, inside};
use wire::order::{Adaptation, Adapted, Category, CriterionStatus, Halt};
use wire::plan::Criterion;
use wire::punch::{SourceKind, Trust, Type};
use wire::{Order, Task};

/// Adds the task that the worker of a halted order asks for; `None` if it asks for none, or the halt is final.
pub(crate) fn add(desk: &Recorder, order: &Order, halt: &Halt) -> Result<Option<Adapted>, Fail> {
    let asked = order.worker.as_ref().and_then(|worker| worker.adaptation.as_ref());
    let Some(asked) = asked.filter(|_| halt.retry && halt.counts && halt.category != Category::EnvError)
    else {
        return Ok(None);
    };
    let root = Path::new(&order.plan.root);
    let home = Home::of(root)?;
    let path = inside(root, &order.plan.path)?;
    let mut file = PlanFile::lock(&home, &path, Some(&order.plan.dialect))?;
    let found = match wanted(&file, order, asked) {
        Err(fail) if fail.code == "cannot-add" => Err(fail.message),
        other => Ok(other?),
    };
    let mut data = json!({ "asked": asked, "reason": found.as_ref().err().unwrap_or(&asked.reason) });
    // A refused request needs a person.
    let (kind, key) = if found.is_ok() { (Type::Override, "add") } else { (Type::Escalation, "add-refused") };
    let mut entry = desk.entry(order, kind, key.to_owned());
    if let Ok(addition) = &found {
        entry.task = Some(addition.task.id.clone());
        entry.fingerprint = Some(addition.task.fingerprint.clone());
        entry.attempt = None;
        addition.note_in(&mut data);
    }
    (entry.source, entry.trust, entry.data) = (SourceKind::Worker, Trust::Typed, data);
    desk.ledger(order)?.append(entry)?;
    Ok(Some(match found {
        Ok(Addition { task, edit, .. }) => {
            file.set(&[edit])?;
            Adapted { task: Some(task.id), refused: None }
        }
        Err(message) => Adapted { task: None, refused: Some(message) },
    }))
}

fn wanted(file: &PlanFile, order: &Order, asked: &Adaptation) -> Result<Addition, Fail> {
    let bad = |message: &str| Err(Fail::data("cannot-add", message));
    if !asked.within_scope {
        return bad("it is outside of what the plan asks for: a person decides");
    }
    let Some(after) = file.field.handed_out(order) else {
        return bad("the task changed after it was handed out");
    };
    let checks = unproved(order, &after);
    if checks.is_empty() {
        return bad("no check of the task could prove it");
    }
    let body = body(order, asked, &checks);
    let addition = added_task::read_with(file, &after, &shown(&asked.title), &body)?;
    let task = &addition.task;
    let same =
        |(new, old): (&Criterion, &&Criterion)| new.command == old.command && new.clauses == old.clauses;
    if task.criteria.len() != checks.len() || !task.criteria.iter().zip(&checks).all(same) {
        return bad("the plan would not be read with the checks that prove it");
    }
    Ok(addition)
}

/// The checks that failed; if none did, all that can be run.
fn unproved<'t>(order: &Order, task: &'t Task) -> Vec<&'t Criterion> {
    let failed = |criterion: &&Criterion| {
        let measured = order.verdict.iter().flat_map(|verdict| &verdict.criteria);
        measured.into_iter().any(|m| m.id == criterion.id && m.status == CriterionStatus::Fail)
    };
    let runnable = || task.criteria.iter().filter(|c| c.runnable && c.skip.is_none());
    let some: Vec<_> = runnable().filter(failed).collect();
    if some.is_empty() { runnable().collect() } else { some }
}

fn body(order: &Order, asked: &Adaptation, checks: &[&Criterion]) -> String {
    let mut text = format!(
        "**Type**: work\n\n**Reason**: {} (the worker of TODO {}, attempt {})\n\n**Blocks**: TODO {}\n",
        shown(&asked.reason),
        order.task.id,
        order.attempt,
        order.task.id
    );
    if !asked.steps.is_empty() {
        text.push_str("\n**Steps**:\n");
        text.extend(asked.steps.iter().map(|step| format!("- [ ] {}\n", shown(step))));
    }
    text.push_str("\n**Acceptance Criteria**:\n");
    text.extend(checks.iter().map(|check| format!("- [ ] {}\n", check.text)));
    text
}

/// A worker's words on one line, without characters that could begin a block, hide text or end a construct.
fn shown(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.replace(['`', '<', '*', '|', '['], "'").chars().take(300).collect()
}
