//! `dag-export`: the same graph for eyes and for other engines.
//!
//! In goes a `plan/1` document, out comes the graph in another form. Always true: labels are escaped for the
//! form that they stand in; an id never reaches a shell or a make recipe unquoted; nothing is written but the
//! output.

mod args;
mod order;
mod to;

use crate::args::Args;
use toolkit::cli::tool;
use toolkit::stream::input::Input;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::Plan;

/// The command.
pub fn main() -> std::process::ExitCode {
    tool::main::<Args>(revision::COMMIT)
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}

fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    if args.list_targets {
        for target in to::TARGETS {
            out.text(&format!("{:<10} {}\n", target.name, target.about))?;
        }
        return Ok(Exit::Ok);
    }
    let names: Vec<_> = to::TARGETS.iter().map(|t| t.name).collect();
    let target = to::TARGETS.iter().find(|t| t.name == args.target);
    let target = target.ok_or_else(|| {
        Fail::usage(format!("'{}' is no target; targets are {}", args.target, names.join(", ")))
    })?;
    let plan: Plan = Input::open(args.file.as_deref())?.document(wire::plan::SCHEMA)?;
    if plan.tasks.is_empty() {
        return Err(Fail::data("no-tasks", "the plan has no tasks"));
    }
    let graph =
        order::graph(&plan, target.reader).map_err(|trouble| Fail::data("bad-graph", trouble.to_string()))?;
    if let Some(cycle) = graph.cycle() {
        let task = |i: &u32| &plan.tasks[*i as usize];
        let name = |i: &u32| format!("{} (line {})", task(i).id, task(i).span.line);
        let names: Vec<_> = cycle.iter().chain(cycle.first()).map(name).collect();
        return Err(Fail::data("cycle", format!("tasks wait for each other: {}", names.join(" -> "))));
    }
    out.text(&(target.write)(&plan, &graph))?;
    Ok(Exit::Ok)
}
