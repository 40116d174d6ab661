//! Runs a single command. The exit code is gate-run's own, never the command's.

use crate::args::Args;
use crate::gates::records::{Records, bind};
use crate::run::budget::Budget;
use crate::run::check::{Check, Wanted};
use crate::run::logs::Keep;
use crate::run::missing::Markers;
use crate::run::progress::Progress;
use crate::run::retry;
use crate::run::runner::{RunLocation, Runner};
use config::LogRule;
use std::io::IsTerminal;
use toolkit::cli::{env, tool};
use toolkit::files::redact::Redact;
use toolkit::files::root::{self, Home};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::Gate;
use wire::gate::Status;

/// Runs one command. With a bead's name it is bound to the tree, its output is kept, and it is recorded.
pub(crate) fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let watch = Progress::alone(args);
    let records = match &args.bead_id {
        Some(_) => Some(Records::new(args, Home::of(&root::find(&args.cwd)?)?)?),
        None => None,
    };
    let tree = || match &records {
        Some(records) => records.tree(),
        None => Ok(None),
    };
    let runner = runner(args, &watch, records.as_ref())?;
    let wanted = if args.alone.expect == "fail" { Wanted::Red } else { Wanted::Clauses(Vec::new()) };
    let budget = Budget::alone(&args.budget);
    let check = Check::of_command(args.alone.gate_id.clone(), args.command.clone(), wanted, budget);
    let check = Check { env: args.alone.env.clone(), ..check };
    let before = tree()?;
    let mut gate = retry::run(&runner, &check, args.alone.retries.unwrap_or(0), &tree)?;
    if let Some(records) = &records {
        bind(&mut gate, before.as_ref(), tree()?.as_ref());
        records.typed(&gate)?;
    }
    say(args, &gate);
    out.document(&gate, args.show.pretty)?;
    Ok(exit_of([gate.status].into_iter()))
}

fn runner<'a>(args: &Args, watch: &'a Progress, records: Option<&Records>) -> Result<Runner<'a>, Fail> {
    let root = if records.is_some() { root::find(&args.cwd)? } else { args.cwd.clone() };
    let logs = match records {
        Some(records) => Some(Home::of(&root)?.folder(&format!("logs/{}", records.run))?),
        None => None,
    };
    let secrets = args.alone.env.iter().filter(|(name, _)| env::is_secret(name));
    let place =
        RunLocation { cwd: args.cwd.clone(), root, logs, bead: args.bead(), started: args.started()? };
    Ok(Runner {
        place,
        watch,
        redact: Redact::new(&[])?.and(secrets.map(|(_, value)| value.clone())),
        markers: Markers::new(&[])?,
        keep: Keep::of(&args.keep, &LogRule::default()),
        base: None,
    })
}

/// One line for a person at a terminal.
pub(crate) fn say(args: &Args, gate: &Gate) {
    // At the end of a plan a check that does not pass has no other line of its own.
    let is_told = args.plan.is_some() && gate.status != Status::Pass;
    if args.show.json_only || !(is_told || std::io::stderr().is_terminal()) {
        return;
    }
    let status = match gate.status {
        Status::Pass => "pass",
        Status::Fail => "FAIL",
        Status::Fault => "NO VERDICT",
    };
    let measured = gate.measured.as_deref().unwrap_or_default();
    tool::note(&format!("gate-run: {}: {status}, {measured} ({:.1} s)", gate.gate_id, gate.elapsed_seconds));
}

/// The exit code for several gates: a failure wins over a missing verdict, and that over a pass.
pub(crate) fn exit_of(statuses: impl Iterator<Item = Status>) -> Exit {
    statuses.fold(Exit::Ok, |exit, status| match (exit, status) {
        (Exit::No, _) | (_, Status::Fail) => Exit::No,
        (Exit::NoVerdict, _) | (_, Status::Fault) => Exit::NoVerdict,
        _ => exit,
    })
}
