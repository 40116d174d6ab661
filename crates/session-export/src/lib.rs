//! `session-export`: what was thought, and is the chain whole?
//!
//! In go orders, out come the same orders with `session`: the task's own link, grown from the last link of the chain
//! by what the worker thought. An order whose chain is broken halts; a plan that keeps no chain passes on and says so.
//! Alone it looks at sessions (`summary`, `verify`, `chain`, `resume`), keeps a live one (`think`, `import`, `export`,
//! `clear`, `serve`) and hands work over (`packet`, `result`, `interchange`).
//!
//! Always true: a file that is only looked at is never touched; what is written is written whole or not at all, and no
//! thought that another has kept is lost by it.

mod args;
mod hand;
mod keep;
mod link;
mod look;
pub mod outside;
mod recorded;
mod serve;
mod worker;

use crate::args::{Args, Command};
use toolkit::cli::tool;
use toolkit::files::root;
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

fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let clock = args.run.clock()?;
    match &args.command {
        None => link::carry(args, out),
        Some(Command::Summary { file, source, form }) => look::summary(file.as_deref(), *source, *form, out),
        Some(Command::Verify(asked)) => look::verify(asked, &clock, out),
        Some(Command::Chain(asked)) => look::chain(asked, out),
        Some(Command::Resume(asked)) => look::resume(asked, out),
        Some(Command::Think(thought)) => keep::think(thought, &clock, out),
        Some(Command::Import { file, live }) => keep::import(file, live, &clock, out),
        Some(Command::Export(asked)) => keep::export(asked, &clock, out),
        Some(Command::Clear { live }) => keep::clear(live, &clock, out),
        Some(Command::Packet(asked)) => hand::packet(asked, out),
        Some(Command::Result { file, model, pretty }) => {
            hand::result(file.as_deref(), model.as_deref(), *pretty, out)
        }
        Some(Command::Interchange { file, client, session }) => {
            hand::interchange(file, client.as_deref(), session.as_deref(), out)
        }
        Some(Command::Serve { live }) => serve::serve(live, &clock, out),
    }
}

/// The root of the folder that we are in.
fn here() -> Result<std::path::PathBuf, Fail> {
    root::find(std::path::Path::new("."))
}
