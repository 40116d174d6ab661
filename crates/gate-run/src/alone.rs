//! Used alone: one command. It answers by exit code, never by the command's own.

use crate::args::Args;
use crate::budget::Budget;
use crate::check::{Check, Wanted};
use crate::logs::Keep;
use crate::missing::Markers;
use crate::records::{Records, bind};
use crate::retry;
use crate::runner::{Place, Runner};
use crate::watch::Watch;
use std::io::IsTerminal;
use toolkit::config::LogRule;
use toolkit::output::Output;
use toolkit::redact::Redact;
use toolkit::root::{self, Home};
use toolkit::{Exit, Fail, env, tool};
use wire::Gate;
use wire::gate::Status;

/// Runs one command. With a bead's name it is bound to the tree, its output is kept, and it is recorded.
pub(crate) fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let watch = Watch::alone(args);
    let records = match &args.bead_id {
        Some(_) => Some(Records::new(args, Home::of(&root::find(&args.cwd)?)?)?),
        None => None,
    };
    let tree = || match &records {
        Some(records) => records.tree(),
        None => Ok(None),
    };
    let runner = runner(args, &watch, records.as_ref())?;
    let wanted = if args.alone.expect == "fail" { Wanted::Red } else { Wanted::Expect(None) };
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

fn runner<'a>(args: &Args, watch: &'a Watch, records: Option<&Records>) -> Result<Runner<'a>, Fail> {
    let root = if records.is_some() { root::find(&args.cwd)? } else { args.cwd.clone() };
    let logs = match records {
        Some(records) => Some(Home::of(&root)?.folder(&format!("logs/{}", records.run))?),
        None => None,
    };
    let secrets = args.alone.env.iter().filter(|(name, _)| env::is_secret(name));
    let place = Place { cwd: args.cwd.clone(), root, logs, bead: args.bead(), started: args.started()? };
    Ok(Runner {
        place,
        watch,
        redact: Redact::new(&[])?.and(secrets.map(|(_, value)| value.clone())),
        markers: Markers::new(&[])?,
        keep: Keep::of(&args.keep, &LogRule::default()),
        base: None,
    })
}

/// One line for a person who looks.
pub(crate) fn say(args: &Args, gate: &Gate) {
    if args.show.json_only || !std::io::stderr().is_terminal() {
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

/// The answer for several: one that failed says no, else one without a verdict leaves it open.
pub(crate) fn exit_of(statuses: impl Iterator<Item = Status>) -> Exit {
    statuses.fold(Exit::Ok, |exit, status| match (exit, status) {
        (Exit::No, _) | (_, Status::Fail) => Exit::No,
        (Exit::NoVerdict, _) | (_, Status::Fault) => Exit::NoVerdict,
        _ => exit,
    })
}
