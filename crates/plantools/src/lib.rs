//! All tools as one executable, for packages.
//!
//! It is the tool whose name it was called by; installed under thirteen names it is a sixth of the size of thirteen
//! executables, and the processes of a pipe share their pages. `plantools TOOL …` calls a tool too, and
//! `plantools link DIR` makes the names.

mod link;

use clap::Command;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::ExitCode;
use toolkit::cli::tool;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};

/// One tool: its name, its whole `main`, its command line.
type Row = (&'static str, fn() -> ExitCode, fn() -> Command);

const TOOLS: [Row; 13] = [
    ("plan-parse", plan_parse::main, plan_parse::command),
    ("dag-next", dag_next::main, dag_next::command),
    ("dag-export", dag_export::main, dag_export::command),
    ("handoff", handoff::main, handoff::command),
    ("worker-run", worker_run::main, worker_run::command),
    ("gate-run", gate_run::main, gate_run::command),
    ("punch", punch::main, punch::command),
    ("session-export", session_export::main, session_export::command),
    ("context-save", context_save::main, context_save::command),
    ("checkbox", checkbox::main, checkbox::command),
    ("commit-run", commit_run::main, commit_run::command),
    ("run-report", run_report::main, run_report::command),
    ("orchestrate", orchestrate::main, orchestrate::command),
];

/// Runs the tool whose name it was called by.
pub fn main() -> ExitCode {
    let mut arguments = std::env::args_os();
    let called = arguments.next().unwrap_or_default();
    let name = Path::new(&called).file_name().unwrap_or_default();
    if let Some((_, run, _)) = TOOLS.iter().find(|(tool, ..)| name == *tool) {
        return run();
    }
    match within(arguments.collect()) {
        Ok(exit) => exit.into(),
        Err(fail) => {
            tool::say("plantools", tool::ErrorFormat::Text, &fail);
            fail.exit.into()
        }
    }
}

/// Called by its own name: the first argument says which tool.
fn within(arguments: Vec<OsString>) -> Result<Exit, Fail> {
    let mut arguments = arguments.into_iter();
    let first = arguments.next().unwrap_or_default();
    if first == "link" {
        return linked(arguments);
    }
    let Some((name, ..)) = TOOLS.iter().find(|(tool, ..)| first == *tool) else {
        return other(&first.to_string_lossy());
    };
    let itself = std::env::current_exe()
        .map_err(|error| Fail::new(Exit::Unavailable, "no-executable", error.to_string()))?;
    // Only comes back when it could not be started.
    let error = std::process::Command::new(itself).arg0(name).args(arguments).exec();
    Err(Fail::new(Exit::Unavailable, "no-executable", error.to_string()))
}

/// `plantools link [--remove] DIR`.
fn linked(arguments: impl Iterator<Item = OsString>) -> Result<Exit, Fail> {
    let words: Vec<OsString> = arguments.collect();
    let (remove, folder) = match words.as_slice() {
        [folder] if !folder.as_encoded_bytes().starts_with(b"-") => (false, folder),
        [option, folder] if option == "--remove" => (true, folder),
        _ => return Err(Fail::usage("usage: plantools link [--remove] DIR")),
    };
    let mut out = Output::stdout();
    let exit = link::run(Path::new(folder), &TOOLS.map(|(name, ..)| name), remove, &mut out)?;
    out.flush()?;
    Ok(exit)
}

fn other(word: &str) -> Result<Exit, Fail> {
    let mut out = Output::stdout();
    match word {
        "" | "-h" | "--help" => {
            out.text("Usage: plantools TOOL [ARGUMENTS]\n\n")?;
            for (name, _, command) in TOOLS {
                let about = command().get_about().map(ToString::to_string).unwrap_or_default();
                out.text(&format!("  {name:<15} {about}\n"))?;
            }
            out.text("  link DIR        Make a link for each of these names in DIR; with --remove, take them away\n")?;
            out.text("\nEach is also a command of its own; see its --help and plantools(7).\n")?;
        }
        "-V" | "--version" => {
            let line = concat!("plantools ", env!("CARGO_PKG_VERSION"), "\n");
            out.text(&tool::with_commit(line, revision::COMMIT))?;
        }
        _ => {
            let names: Vec<_> = TOOLS.iter().map(|(name, ..)| *name).collect();
            return Err(Fail::usage(format!("no tool is named '{word}'; there are {}", names.join(", "))));
        }
    }
    out.flush()?;
    Ok(Exit::Ok)
}
