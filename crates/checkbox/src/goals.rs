//! `--goals`: what the plan calls done beside its tasks.
//!
//! A box is ticked when the latest result of its own command, seen by `gate-run` on the present tree, is a pass. What has
//! no command is for a person, who ticks it or defers it; until then it is open, and so is the plan.

use crate::args::Args;
use crate::by_hand::plan_path;
use crate::plan_file::PlanFile;
use dialects::write;
use serde_json::json;
use toolkit::kept::Records;
use toolkit::ledger::{Entry, Ledger};
use toolkit::output::Output;
use toolkit::proof;
use toolkit::root::{self, Home};
use toolkit::tree::{Ground, Tree};
use toolkit::{Exit, Fail};
use wire::plan::Criterion;
use wire::punch::{Punch, SourceKind, Trust, Type};
use wire::tick::{SCHEMA, TickDoc};
use wire::{State, TaskId, TreeHash};

/// Ticks every goal that is proved, and says where each one stands.
pub(crate) fn settle(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let path = plan_path(args)?;
    let home = Home::of(&root::find(path)?)?;
    let ledger = Ledger::new(home.clone());
    let clock = args.run.clock()?;
    let mut file = PlanFile::lock(&home, path, args.dialect.as_deref(), None)?;
    let plan = file.field.plan.source.path.clone();
    let goals = dialects::goals(&file.field.plan);
    let records = if goals.is_empty() { Records::default() } else { ledger.read_of(&plan)? };
    let tree = Tree::now(&home, &Ground::default())?.map(|tree| tree.hash);
    let proved = |goal: &&Criterion| !goal.checked && has_passed(&records, &plan, goal, tree.as_ref());
    let proved: Vec<&Criterion> = goals.iter().filter(proved).collect();
    for goal in &proved {
        // The record comes first, as with every tick.
        ledger.append(Entry {
            plan: plan.clone(),
            tree: tree.clone(),
            data: json!({ "text": goal.text }),
            source_hash: Some(proof::digest_of(goal)),
            ..Entry::new(args.run.run_id(&clock)?, Type::Tick, goal.id.clone(), clock.now())
        })?;
    }
    let edits: Vec<_> = proved.iter().map(|goal| write::tick_box(&file.field, &goal.span)).collect();
    file.set(&edits)?;
    let mut open = false;
    for goal in &goals {
        let ticked = proved.iter().any(|proved| proved.id == goal.id);
        let state = match () {
            () if goal.checked || ticked => State::Completed,
            () if goal.skip.is_some() || is_deferred(&records, &plan, goal) => State::Skipped,
            () => State::Pending,
        };
        open |= state == State::Pending;
        let document = TickDoc {
            schema: SCHEMA.to_owned(),
            plan: plan.clone(),
            task: TaskId::default(),
            title: goal.text.clone(),
            state,
            changed: ticked,
            criterion: Some(goal.id.clone()),
            line: Some(goal.span.line),
            commit: None,
        };
        out.document(&document, args.pretty)?;
    }
    Ok(if open { Exit::Stuck } else { Exit::Ok })
}

/// Whether its command passed on this tree, and nothing has said otherwise since.
fn has_passed(records: &[Punch], plan: &str, goal: &Criterion, tree: Option<&TreeHash>) -> bool {
    let about = |p: &&Punch| {
        p.plan == plan && p.task.is_none() && p.key == goal.id && p.source.kind == SourceKind::Gate
    };
    let last = records.iter().rev().find(about);
    last.is_some_and(|p| {
        p.kind == Type::GatePass
            && p.trust == Trust::Observed
            && p.source_hash.as_ref() == Some(&proof::digest_of(goal))
            && p.tree.as_ref() == tree
    })
}

/// Whether a person put it off. A goal is known by its place alone, which an edit moves, so its words count.
fn is_deferred(records: &[Punch], plan: &str, goal: &Criterion) -> bool {
    let deferred =
        |p: &Punch| p.plan == plan && p.task.is_none() && p.kind == Type::Override && p.key == "defer";
    records.iter().any(|p| deferred(p) && p.data["text"] == goal.text)
}
