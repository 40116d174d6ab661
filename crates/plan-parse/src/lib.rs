//! `plan-parse`: what does the plan say, and where exactly?
//!
//! In goes a plan file of any dialect, out comes one `plan/1` document. Always true: every task of the plan is
//! in it or named in a diagnostic; a plan with no tasks is an error, never "complete"; every byte range lies in
//! the file as it is on disk.

mod args;
mod expand;
mod reconcile;
mod report;

use args::Args;
use dialects::{Ask, Text};
use std::path::Path;
use toolkit::input::Input;
use toolkit::output::Output;
use toolkit::root::{self, Home};
use toolkit::{Exit, Fail, sha, tool};
use wire::Plan;

/// The command.
pub fn main() -> std::process::ExitCode {
    tool::main::<Args>()
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}

fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    if args.list_dialects {
        out.text(&report::dialects())?;
        return Ok(Exit::Ok);
    }
    if args.lock_file {
        out.text(&lock_file(args.file.as_deref().unwrap_or(Path::new("-")))?)?;
        return Ok(Exit::Ok);
    }
    if args.reconcile {
        return reconcile::run(args, out);
    }
    let plan = read(args)?;
    report::diagnostics(&plan, args.quiet);
    if let Some(fail) = dialects::errors(&plan) {
        return Err(fail);
    }
    if args.strict && !plan.diagnostics.is_empty() {
        let count = plan.diagnostics.len();
        return Err(Fail::data("strict", format!("{count} warnings, and --strict allows none")));
    }
    let plan = expand::plan(plan, args.expand.as_deref())?;
    out.document(&plan, args.pretty)?;
    Ok(Exit::Ok)
}

fn read(args: &Args) -> Result<Plan, Fail> {
    let dialect = args.dialect.as_deref();
    let Some(path) = args.file.as_deref().filter(|path| *path != Path::new("-")) else {
        return read_stdin(args, dialect);
    };
    let root = root::find(path)?;
    let mut plan = dialects::open_with(path, &root, &ask(args))?;
    for file in plan.source.files.clone().iter().filter(|_| args.with_body) {
        add_bodies(&mut plan, &file.path, &toolkit::fs::read(&root.join(&file.path))?);
    }
    Ok(plan)
}

/// What the command line asks of the reader.
fn ask(args: &Args) -> Ask {
    Ask {
        session: args.session.clone(),
        load: args.load.clone(),
        prepared: args.prepared,
        ..Ask::dialect(args.dialect.as_deref())
    }
}

fn read_stdin(args: &Args, dialect: Option<&str>) -> Result<Plan, Fail> {
    let bytes = Input::open(args.file.as_deref())?.bytes()?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Fail::data("empty-input", "input is empty, expected a plan"));
    }
    let mut plan = dialects::read(&Text { path: "-", bytes: &bytes }, dialect)?;
    plan.source.root = root::find(Path::new("."))?.to_string_lossy().into_owned();
    add_bodies(&mut plan, "-", &bytes);
    Ok(plan)
}

/// A plan from standard input cannot be read again, so each task carries its text.
fn add_bodies(plan: &mut Plan, path: &str, bytes: &[u8]) {
    for task in plan.tasks.iter_mut().filter(|task| task.span.path == path) {
        let body = dialects::body(bytes, &task.span);
        task.body = Some(String::from_utf8_lossy(body).into_owned());
    }
}

/// One lock for one plan, however its path is written.
fn lock_file(path: &Path) -> Result<String, Fail> {
    let real = path.canonicalize().map_err(|e| Fail::io(path, &e))?;
    let digest = sha::hex(real.as_os_str().as_encoded_bytes());
    let locks = Home::of(&root::find(path)?)?.folder("locks")?;
    Ok(format!("{}/run-{}\n", locks.display(), &digest[..16]))
}
