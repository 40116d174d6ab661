//! `checkbox list`: the tasks with their boxes, one `tick/1` a line, or a table for people.

use crate::args::PlanArgs;
use std::fmt::Write;
use toolkit::files::root;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::tick::{SCHEMA, TickDoc};

/// Lists the ids of the tasks that are open.
pub(crate) fn open(args: &PlanArgs, out: &mut Output) -> Result<Exit, Fail> {
    let path = args.path()?;
    let plan = dialects::open(path, &root::find(path)?, args.dialect.as_deref())?;
    for task in plan.tasks.iter().filter(|task| !task.state.is_settled()) {
        out.shown(&format!("{}\n", task.id))?;
    }
    Ok(Exit::Ok)
}

/// Lists the tasks in the order of the plan.
pub(crate) fn print(args: &PlanArgs, text: bool, out: &mut Output) -> Result<Exit, Fail> {
    let path = args.path()?;
    let plan = dialects::open(path, &root::find(path)?, args.dialect.as_deref())?;
    if !text {
        for task in &plan.tasks {
            let document = TickDoc {
                schema: SCHEMA.to_owned(),
                plan: plan.source.path.clone(),
                task: task.id.clone(),
                title: task.title.clone(),
                state: task.state,
                changed: false,
                criterion: None,
                line: Some(task.mark.as_ref().map_or(task.span.line, |mark| mark.line)),
                level: None,
                commit: None,
            };
            out.document(&document, args.pretty)?;
        }
        return Ok(Exit::Ok);
    }
    let mut text = String::new();
    for task in &plan.tasks {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:<12} {:<8} {}", task.state.word(), task.id.as_str(), task.title);
    }
    out.shown(&text)?;
    Ok(Exit::Ok)
}
