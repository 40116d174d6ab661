//! `session-export`: what was thought, and is the chain whole?
//!
//! In go orders, out come the same orders with `session`. A dialect that keeps no thinking sessions has none to
//! export: the order passes on and says so. Alone, `summary` says what a session file holds; the file is never
//! touched.

mod args;

use args::{Args, Command};
use std::path::Path;
use toolkit::input::Input;
use toolkit::output::Output;
use toolkit::stage::{carry, order_of, set};
use toolkit::{Exit, Fail, tool};
use wire::OrderLine;
use wire::order::SessionLink;

/// The command.
pub fn main() -> std::process::ExitCode {
    tool::main::<Args>()
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}

fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    match &args.command {
        Some(Command::Summary { file, pretty }) => summary(file.as_deref(), *pretty, out),
        None => carry(args.file.as_deref(), out, link),
    }
}

fn link(line: &mut OrderLine) -> Result<(), Fail> {
    let order = order_of(line)?;
    let skipped = Some(format!("the dialect '{}' keeps no thinking sessions", order.plan.dialect));
    set(line, "session", &SessionLink { skipped, ..SessionLink::default() })
}

fn summary(file: Option<&Path>, pretty: bool, out: &mut Output) -> Result<Exit, Fail> {
    let input = Input::open(file)?;
    let name = input.name.to_string_lossy().into_owned();
    let session = sessions::read(&name, &input.bytes()?)?;
    out.document(&session, pretty)?;
    Ok(Exit::Ok)
}
