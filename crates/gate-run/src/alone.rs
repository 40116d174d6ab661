//! Used alone: one command, or the gates of the configuration for one moment.

use crate::args::Args;
use crate::check::{Budget, Check, Place, run};
use toolkit::output::Output;
use toolkit::redact::Redact;
use toolkit::root::{self, Home};
use toolkit::{Exit, Fail};
use wire::gate::Status;

/// Runs one command and answers by exit code, never by the command's own.
pub(crate) fn command(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let check = Check {
        id: args.gate_id.clone(),
        argv: args.command.clone(),
        line: None,
        expect: None,
        budget: Budget::of(args, None, None, None, None),
    };
    let place = Place {
        cwd: args.cwd.clone(),
        root: args.cwd.clone(),
        logs: None,
        bead: args.bead_id.clone(),
        started: args.run.clock()?.now(),
    };
    let gate = run(&check, &place, &Redact::new(&[])?)?;
    out.document(&gate, args.pretty)?;
    Ok(exit_of([gate.status].into_iter()))
}

/// Runs every gate of a moment, all of them, and answers for the whole.
pub(crate) fn set(args: &Args, moment: &str, out: &mut Output) -> Result<Exit, Fail> {
    let root = root::find(&args.cwd)?;
    let home = Home::of(&root)?;
    let config = args.config.load(&root)?;
    let redact = Redact::new(&config.redact.patterns)?;
    let clock = args.run.clock()?;
    let run_id = args.run.run_id(&clock)?;
    let place = Place {
        cwd: root.clone(),
        root: root.clone(),
        logs: Some(home.folder(&format!("logs/{run_id}"))?),
        bead: args.bead_id.clone(),
        started: clock.now(),
    };
    let mut statuses = Vec::new();
    for gate in config.gates.iter().filter(|g| g.runs_at(moment)) {
        let check = Check::of_gate(
            gate,
            Budget::of(args, Some(&config), gate.timeout_seconds, gate.stall_seconds, gate.tail_lines),
        );
        let gate = run(&check, &place, &redact)?;
        statuses.push(gate.status);
        out.document(&gate, args.pretty)?;
    }
    Ok(exit_of(statuses.into_iter()))
}

fn exit_of(statuses: impl Iterator<Item = Status>) -> Exit {
    statuses.fold(Exit::Ok, |exit, status| match (exit, status) {
        (Exit::No, _) | (_, Status::Fail) => Exit::No,
        (Exit::NoVerdict, _) | (_, Status::Fault) => Exit::NoVerdict,
        _ => exit,
    })
}
