//! A person's own ticks: exact ids, a reason, a record.

use crate::args::Args;
use crate::plan_file::PlanFile;
use serde_json::json;
use std::fmt::Write;
use std::path::Path;
use toolkit::ledger::{Entry, Ledger};
use toolkit::output::Output;
use toolkit::root::{self, Home};
use toolkit::{Exit, Fail};
use wire::plan::State;
use wire::punch::{SourceKind, Trust, Type};
use wire::tick::{SCHEMA, TickDoc};
use wire::{Plan, Task};

/// Ticks or clears one box.
pub(crate) fn change(args: &Args, id: &str, out: &mut Output) -> Result<Exit, Fail> {
    let path = plan_path(args)?;
    let home = Home::of(&root::find(path)?)?;
    let file = PlanFile::lock(&home, path, args.dialect.as_deref())?;
    let task = find(&file.field.plan, id)?;
    let state = if args.tick.is_some() { State::Completed } else { State::Pending };
    let span = task.mark.clone().ok_or_else(|| Fail::data("no-box", format!("task '{id}' has no box")))?;
    if task.state != state {
        record(args, &home, &file.field.plan, task)?;
    }
    let changed = task.state != state && file.set(&[(span.clone(), file.field.word(&span, state))])?;
    let document = TickDoc {
        schema: SCHEMA.to_owned(),
        plan: file.field.plan.source.path.clone(),
        task: task.id.clone(),
        title: task.title.clone(),
        state,
        changed,
    };
    out.document(&document, args.pretty)?;
    Ok(Exit::Ok)
}

/// Lists the tasks with their boxes.
pub(crate) fn list(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let path = plan_path(args)?;
    let plan = dialects::open(path, &root::find(path)?, args.dialect.as_deref())?;
    let mut text = String::new();
    for task in &plan.tasks {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:<12} {:<8} {}", task.state.word(), task.id.as_str(), task.title);
    }
    out.text(&text)?;
    Ok(Exit::Ok)
}

fn plan_path(args: &Args) -> Result<&Path, Fail> {
    let path = args.file.as_deref().filter(|p| *p != Path::new("-"));
    path.ok_or_else(|| Fail::usage("name the plan file"))
}

/// Exact ids only: `1` is never `10`.
fn find<'a>(plan: &'a Plan, id: &str) -> Result<&'a Task, Fail> {
    plan.tasks.iter().find(|t| t.id.as_str() == id).ok_or_else(|| {
        let known: Vec<_> = plan.tasks.iter().take(50).map(|t| t.id.as_str()).collect();
        Fail::new(
            Exit::No,
            "no-such-task",
            format!("there is no task '{id}'; tasks are {}", known.join(", ")),
        )
    })
}

fn record(args: &Args, home: &Home, plan: &Plan, task: &Task) -> Result<(), Fail> {
    let clock = args.run.clock()?;
    let kind = if args.tick.is_some() { Type::Override } else { Type::Untick };
    Ledger::new(home.clone()).append(Entry {
        plan: plan.source.path.clone(),
        task: Some(task.id.clone()),
        fingerprint: Some(task.fingerprint.clone()),
        attempt: None,
        run: args.run.run_id(&clock)?,
        kind,
        key: if args.tick.is_some() { "tick" } else { "untick" }.to_owned(),
        observed_at: clock.now(),
        tree: None,
        source: SourceKind::Human,
        source_path: None,
        trust: Trust::Typed,
        data: json!({ "reason": args.reason }),
        source_hash: None,
    })?;
    Ok(())
}
