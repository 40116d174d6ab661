//! An order's tick: on proof that is derived again.

use crate::STAGE;
use crate::args::Args;
use crate::plan_file::PlanFile;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use toolkit::Fail;
use toolkit::config::Config;
use toolkit::proof::{self, Lack};
use toolkit::root::{Home, inside};
use toolkit::stage::{Desk, order_of, set};
use toolkit::tree::Tree;
use wire::order::{Category, Halt, Tick};
use wire::plan::{Criterion, Span};
use wire::punch::{Punch, Type};
use wire::{Order, OrderLine, State, Task, TreeHash};

/// Ticks one order's task, if it is proved, and sets `tick`.
pub(crate) fn tick(args: &Args, desk: &Desk, line: &mut OrderLine) -> Result<(), Fail> {
    let order = order_of(line)?;
    if let Some(halt) = &order.halt {
        let skipped = Some(format!("halted by {}: {}", halt.stage, halt.code));
        return set(line, "tick", &Tick { skipped, ..Tick::default() });
    }
    let root = Path::new(&order.plan.root);
    let home = Home::of(root)?;
    let config = args.config.load(root)?;
    let path = inside(root, &order.plan.path)?;
    let file = PlanFile::lock(&home, &path, Some(&order.plan.dialect))?;
    let whole = Tree::now(&home, &file.field.ground)?;
    let tree = whole.as_ref().map(|t| t.hash.clone());
    let records = desk.ledger(&order)?.read()?;
    let Some(task) = file.field.task(&order.task.id, &order.task.fingerprint) else {
        let message = format!("task '{}' changed after it was handed out", order.task.id);
        return refuse(desk, line, &order, "plan-changed", message);
    };
    if let Err(message) = proved(&records, &order, task, tree.as_ref(), &config) {
        return refuse(desk, line, &order, "no-proof", message);
    }
    let passed: Vec<&Criterion> =
        task.criteria.iter().filter(|c| c.boxed && is_ticked_with(&records, &order, task, c)).collect();
    let spans: Vec<&Span> = passed.iter().map(|c| &c.span).chain(task.mark.as_ref()).collect();
    let Some(last) = spans.last() else {
        return refuse(desk, line, &order, "no-box", format!("task '{}' has no box", task.id));
    };
    let tick = Tick {
        changed: false,
        mark: Some(file.field.word(last, State::Completed).to_owned()),
        criteria: passed.iter().filter(|c| !c.checked).map(|c| c.id.clone()).collect(),
        manual: task
            .criteria
            .iter()
            .filter(|c| !c.runnable && c.skip.is_none())
            .map(|c| c.id.clone())
            .collect(),
        skipped: None,
    };
    // The record comes first: a crash between the two leaves a tick to be made again, never a commit forgotten.
    let mut entry = desk.entry(&order, Type::Tick, task.id.to_string());
    entry.tree = tree;
    entry.data = json!({ "tick": tick, "files": proved_files(&records, &order, whole.as_ref()) });
    desk.ledger(&order)?.append(entry)?;
    let boxes: Vec<(Span, &str)> =
        spans.into_iter().map(|span| (span.clone(), file.field.word(span, State::Completed))).collect();
    let changed = file.set(&boxes)?;
    set(line, "tick", &Tick { changed, ..tick })
}

/// What the attempts at the task changed, as it is in the tree that proves it: a commit that is owed is held against
/// this when something else has changed since.
fn proved_files(records: &[Punch], order: &Order, tree: Option<&Tree>) -> BTreeMap<String, String> {
    let Some(tree) = tree else { return BTreeMap::new() };
    let ends = records.iter().filter(|p| {
        p.kind == Type::AttemptEnd && p.plan == order.plan.path && p.task.as_ref() == Some(&order.task.id)
    });
    let files = ends.filter_map(|p| p.data.get("changed_files")?.as_array().cloned()).flatten();
    let files = files.filter_map(|f| f.as_str().map(str::to_owned));
    files.map(|path| (path.clone(), tree.entries.get(&path).cloned().unwrap_or_default())).collect()
}

/// A criterion's box is ticked when it passed. Where a task has no box of its own its state is that of its boxes, so
/// those that nobody can run are ticked with it.
fn is_ticked_with(records: &[Punch], order: &Order, task: &Task, criterion: &Criterion) -> bool {
    has_passed(records, order, criterion) || (task.mark.is_none() && !criterion.runnable)
}

/// Whether the task is proved, and a card passed where one is asked for; else why not.
fn proved(
    records: &[Punch],
    order: &Order,
    task: &Task,
    tree: Option<&TreeHash>,
    config: &Config,
) -> Result<(), String> {
    proof::proved(records, &order.plan.path, task, &order.run, tree, config).map_err(|lack| match lack {
        Lack::NothingToRun => "nothing was run that could prove it".to_owned(),
        Lack::Missing(keys) => format!("no pass on the present tree for {}", keys.join(", ")),
    })?;
    let Some(card) = &config.defaults.card else { return Ok(()) };
    let judged = records.iter().rev().find(|p| {
        about(p, order) && p.kind == Type::Checkpoint && p.key == *card && p.attempt == Some(order.attempt)
    });
    match judged.and_then(|p| p.data.pointer("/card/status")).and_then(|v| v.as_str()) {
        Some("pass") => Ok(()),
        Some(other) => Err(format!("card '{card}' did not pass: {other}")),
        None => Err(format!("card '{card}' was not judged")),
    }
}

fn has_passed(records: &[Punch], order: &Order, criterion: &Criterion) -> bool {
    let last = records.iter().rev().find(|p| {
        about(p, order)
            && p.key == criterion.id
            && matches!(p.kind, Type::GatePass | Type::GateFail | Type::GateFault)
    });
    last.is_some_and(|p| {
        p.kind == Type::GatePass && p.source_hash.as_deref() == Some(&proof::digest_of(criterion))
    })
}

fn about(punch: &Punch, order: &Order) -> bool {
    punch.plan == order.plan.path
        && punch.task.as_ref() == Some(&order.task.id)
        && punch.fingerprint.as_ref() == Some(&order.task.fingerprint)
        && punch.run == order.run
}

fn refuse(desk: &Desk, line: &mut OrderLine, order: &Order, code: &str, message: String) -> Result<(), Fail> {
    set(line, "tick", &Tick { skipped: Some(message.clone()), ..Tick::default() })?;
    let halt = Halt {
        stage: STAGE.into(),
        code: code.into(),
        category: Category::Unknown,
        message,
        retry: true,
        counts: true,
        not_before: None,
    };
    desk.halt(line, order, &halt)
}
