//! `orchestrate`: carry a plan to its end, one round of the pipe after the other.
//!
//! It finds the plan, takes its lock, runs the command lines of the workflow's profile, relays signals, keeps budgets,
//! shows the board, asks, repeats, ends. Always true: it has no state of its own, so running it again is resuming; what
//! decides (what is ready, how often a task may be tried) is asked of the tools; the tools are known by their JSON and
//! their exit codes, never by their sentences; every way out is one of the reasons in [`stop_reason`].

mod args;
mod checks;
mod conductor;
mod find;
mod history;
mod init;
mod lock;
mod mcp;
mod preflight;
mod round;
mod show;
mod stop_reason;
mod tools;

use crate::args::{Args, Job, Wanted};
use crate::conductor::course::Course;
use crate::show::console::Console;
use crate::stop_reason::Stop;
use crate::tools::Tools;
use toolkit::cli::tool;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};

/// The command.
pub fn main() -> std::process::ExitCode {
    tool::main::<Args>(revision::COMMIT)
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}

fn run(job: Job, out: &mut Output) -> Result<Exit, Fail> {
    let mut tools = Tools::find()?;
    let done = match job {
        Job::Init { dry_run, accept } => init::init(&tools, dry_run, accept.as_deref(), out),
        Job::MergeDriver(wanted) => init::merge_driver::run(&tools, &wanted),
        Job::AddPlugin { client, dry_run } => {
            init::plugins::install(&tools, client, dry_run, out).map_err(Stop::from)
        }
        Job::RemovePlugin { client, dry_run } => {
            init::plugins::undo(&tools, client, dry_run).map_err(Stop::from)
        }
        Job::Checks { plan, adopt } => checks::run(&tools, plan, adopt, out),
        Job::UndoChecks { plan } => checks::undo(&tools, plan),
        Job::Mcp(plan) => mcp::serve(tools, plan, out).map_err(Stop::from),
        Job::Relay(socket) => mcp::relay(&socket, out).map_err(Stop::from),
        Job::Blame(blame) => history::blame::run(&tools, *blame, out),
        Job::Undo(undo) => {
            tools.run = Some(conductor::run_id(false)?);
            history::undo::run(&tools, &undo, out)
        }
        Job::Doctor => preflight::doctor(&tools, out).map_err(Stop::from),
        Job::Plans => find::plans::list(&tools, out).map_err(Stop::from),
        Job::Ask(request, wanted) => Course::chart(&tools, &wanted, true)
            .and_then(|course| Ok(request.leave(&course.lock_file(&tools)?)?))
            .map(|()| Exit::Ok),
        Job::DryRun(wanted) => dry_run(&tools, &wanted, out),
        Job::PrintPipe(wanted) => print_pipe(&tools, &wanted, out),
        Job::CarryOut(wanted) if wanted.worktree => history::own_tree::carry_out(tools, wanted),
        Job::CarryOut(wanted) => conductor::carry_out(tools, &wanted),
    };
    match done {
        Ok(exit) | Err(Stop::Said(exit)) => Ok(exit),
        Err(Stop::Fail(fail)) => Err(fail),
        Err(Stop::Reason(reason, sentence)) => {
            tool::note(&format!("orchestrate: {sentence}"));
            Ok(reason.exit())
        }
    }
}

/// Prints the prompts of what would run next.
fn dry_run(tools: &Tools, wanted: &Wanted, out: &mut Output) -> Result<Exit, Stop> {
    let course = Course::chart(tools, wanted, true)?;
    let stages = course.values.expand(tools, &course.profile.round)?;
    let names: Vec<_> =
        stages.iter().filter_map(|words| words.first()).map(|name| name.to_string_lossy()).collect();
    let orders = &stages.get(..2).unwrap_or_default().to_vec();
    let prompts = [orders.clone(), vec![vec!["handoff".into(), "--prompt".into()]]].concat();
    // The orders alone first: the message of the stage that fails is enough.
    tools.pipe(orders)?.success()?;
    Console::new(false).note(&format!("profile: {}, pipe: {}", course.profile.name, names.join(" | ")));
    out.bytes(&tools.pipe(&prompts)?.success()?.out)?;
    Ok(Exit::Ok)
}

/// Prints the pipe of the next round.
fn print_pipe(tools: &Tools, wanted: &Wanted, out: &mut Output) -> Result<Exit, Stop> {
    let course = Course::chart(tools, wanted, true)?;
    let stages = course.values.expand(tools, course.pipe())?;
    out.line(&find::profile::shown(&stages))?;
    Ok(Exit::Ok)
}
