//! `checkbox goals`: what the plan calls done beside its tasks.
//!
//! A box is ticked if the latest result of its own command, observed by `gate-run` on the present tree, is a pass.
//! A goal without a command needs a person, who ticks it or defers it; until then it is open, and so is the plan.

use crate::args::PlanArgs;
use crate::plan_file::PlanFile;
use dialects::write::{self, Change};
use ledger::proof;
use ledger::read_cache::Records;
use ledger::verdict::{self, Scope};
use ledger::{Entry, Ledger, unclear};
use repo::tree::{OwnFiles, Tree};
use serde_json::json;
use toolkit::cli::clock::RunArgs;
use toolkit::files::root::{self, Home};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::order::Tick;
use wire::plan::Criterion;
use wire::punch::{Punch, Type};
use wire::tick::{SCHEMA, TickDoc};
use wire::{Level, Plan, State, Task, TaskId, TreeHash};

/// Ticks every goal whose check passes, and says where each one stands.
pub(crate) fn settle(args: &PlanArgs, run: &RunArgs, out: &mut Output) -> Result<Exit, Fail> {
    let path = args.path()?;
    let home = Home::of(&root::find(path)?)?;
    let ledger = Ledger::new(home.clone());
    let clock = run.clock()?;
    let mut file = PlanFile::lock(&home, path, args.dialect.as_deref())?;
    let plan = file.field.plan.source.path.clone();
    let goals = dialects::goals(&file.field.plan);
    let records = if goals.is_empty() { Records::default() } else { ledger.read_of(&plan)? };
    let tree = Tree::now(&home, &OwnFiles::default())?.map(|tree| tree.hash);
    let holds = |goal: &&Criterion| !goal.checked && has_passed(&records, &plan, goal, tree.as_ref());
    let met: Vec<&Criterion> = goals.iter().filter(holds).collect();
    for goal in &met {
        // The record comes first, as with every tick.
        ledger.append(Entry {
            plan: plan.clone(),
            tree: tree.clone(),
            data: json!({ "text": goal.text }),
            source_hash: Some(proof::digest_of(goal)),
            ..Entry::new(run.run_id(&clock)?, Type::Tick, goal.id.clone(), clock.now())
        })?;
    }
    let edits: Vec<_> = met.iter().map(|goal| write::tick_box(&file.field, &goal.span)).collect();
    file.set(&edits)?;
    let mut open = holders(run, &home, &mut file)?;
    for goal in &goals {
        let ticked = met.iter().any(|met| met.id == goal.id);
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
            level: None,
            commit: None,
        };
        out.document(&document, args.pretty)?;
    }
    open |= sentences(&ledger, &file.field.plan)?;
    Ok(if open { Exit::Stuck } else { Exit::Ok })
}

/// Whether a success criterion of the whole plan that no command can show waits for a person.
fn sentences(ledger: &Ledger, plan: &Plan) -> Result<bool, Fail> {
    let mut open =
        plan.gates.iter().filter(|gate| gate.category == "success" && !gate.runnable && !gate.checked);
    let Some(first) = open.next() else { return Ok(false) };
    let path = &plan.source.path;
    let records = ledger.read_of(path)?;
    Ok(std::iter::once(first).chain(open).any(|gate| !unclear::is_settled(&records, path, gate)))
}

/// Ticks what holds tasks and has checks of its own, once they have passed on the present tree; whether one is left open.
fn holders(run: &RunArgs, home: &Home, file: &mut PlanFile) -> Result<bool, Fail> {
    let left: Vec<Task> = write::left_to_prove(&file.field).into_iter().cloned().collect();
    if left.is_empty() {
        return Ok(false);
    }
    let plan = file.field.plan.source.path.clone();
    let ledger = Ledger::new(home.clone());
    let records = ledger.read_of(&plan)?;
    let tree = Tree::now(home, &file.field.ground)?.map(|tree| tree.hash);
    let clock = run.clock()?;
    let mut open = false;
    for task in left {
        let runnable = task.criteria.iter().filter(|c| c.runnable && c.skip.is_none());
        if !runnable.clone().all(|c| passes(&records, &plan, &task, c, tree.as_ref())) {
            open = true;
            continue;
        }
        let passed: Vec<&Criterion> = runnable.filter(|c| c.boxed).collect();
        // Its parts were made before its own checks were asked, so that their result before the work is unknown.
        let criteria = passed.iter().map(|c| c.id.clone()).collect();
        let tick = Tick { criteria, level: Some(Level::Passes), ..Tick::default() };
        ledger.append(Entry {
            plan: plan.clone(),
            task: Some(task.id.clone()),
            fingerprint: Some(task.fingerprint.clone()),
            tree: tree.clone(),
            data: json!({ "tick": tick }),
            ..Entry::new(run.run_id(&clock)?, Type::Tick, task.id.to_string(), clock.now())
        })?;
        let now = &clock.now();
        let change = Change { task: &task, state: State::Completed, criteria: &passed, now, reason: "" };
        let edits = write::edits(&file.field, &change)?;
        file.set(&edits)?;
        // The container of this one is ticked with the last of its parts.
        if let Some(known) =
            std::sync::Arc::make_mut(&mut file.field.plan).tasks.iter_mut().find(|known| known.id == task.id)
        {
            known.state = State::Completed;
        }
    }
    Ok(open)
}

/// Whether the last result of a task's check is a pass on this tree.
fn passes(records: &[Punch], plan: &str, task: &Task, check: &Criterion, tree: Option<&TreeHash>) -> bool {
    let scope = Scope { key: Some(&check.id), ..Scope::of_task(plan, task) };
    let last = verdict::latest_observed(records, &scope);
    last.is_some_and(|p| verdict::counts(p, &proof::digest_of(check), tree))
}

/// Whether its command passed on this tree, with no other result since.
fn has_passed(records: &[Punch], plan: &str, goal: &Criterion, tree: Option<&TreeHash>) -> bool {
    let of_plan = records.iter().filter(|p| p.task.is_none());
    let last = verdict::latest_observed(
        of_plan,
        &Scope { plan: Some(plan), key: Some(&goal.id), ..Scope::default() },
    );
    last.is_some_and(|p| verdict::counts(p, &proof::digest_of(goal), tree))
}

/// Whether a person deferred it. A goal is only identified by its position, which an edit moves, so its text is
/// compared.
fn is_deferred(records: &[Punch], plan: &str, goal: &Criterion) -> bool {
    let deferred =
        |p: &Punch| p.plan == plan && p.task.is_none() && p.kind == Type::Override && p.key == "defer";
    records.iter().any(|p| deferred(p) && p.data["text"] == goal.text)
}
