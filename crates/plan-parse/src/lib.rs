//! `plan-parse`: the content of a plan, with exact positions.
//!
//! The input is a plan file of any dialect; the output is one `plan/1` document. `plan-parse merge` merges three versions of
//! one for git. Always true: every task of the
//! plan is in it or named in a diagnostic; a plan with no tasks is an error, never "complete"; every byte range
//! lies in the file as it is on disk.

mod args;
mod artifacts;
mod document;
mod expand;
mod facts;
mod follow;
mod lint;
pub mod merge;
mod reconcile;
mod report;
mod sources;
mod suggest;

use crate::args::{Args, Prepared, Question, Show};
use crate::expand::Expand;
use crate::sources::Sources;
use config::profile::Profile;
use dialects::{Ask, Followed, Taken};
use markdown::{Outline, Text};
use std::io::IsTerminal;
use std::path::Path;
use toolkit::cli::format::Form;
use toolkit::cli::tool;
use toolkit::cli::tool::ErrorFormat;
use toolkit::files::root::{self, Home};
use toolkit::files::{fs, lock};
use toolkit::stream::input::Input;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::Plan;
use wire::plan::{Diagnostic, Severity};

/// The command.
pub fn main() -> std::process::ExitCode {
    tool::main::<Args>(revision::COMMIT)
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}

fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    if let Some(Question::Merge(asked)) = &args.question {
        return merge::command::run(asked);
    }
    if args.list_dialects || args.list_rules {
        out.text(&match (args.list_rules, args.json || args.format.named() == Some(Form::Json)) {
            (true, _) => lint::list(),
            (false, true) => report::dialects_as_json(),
            (false, false) => report::dialects(),
        })?;
        return Ok(Exit::Ok);
    }
    table(args)?;
    if args.lock_file {
        out.text(&lock_file(args.file.as_deref().unwrap_or(Path::new("-")))?)?;
        return Ok(Exit::Ok);
    }
    if args.reconcile {
        return reconcile::run(args, out);
    }
    if args.explain {
        return explain(args, out);
    }
    if args.follow {
        return follow::run(args, out);
    }
    if args.each {
        return each(args, out);
    }
    // A profile that is named need not be looked up by the plan, which may be one that cannot be read.
    if let (Some(show), Some(name)) = (args.show, &args.profile) {
        let path = args.file.as_deref().unwrap_or(Path::new("-"));
        let profile = args.config.load(&root::find(path)?)?.profile_named(name)?;
        let policy = policy(&profile, show)
            .ok_or_else(|| Fail::usage("'--profile' goes with '--show' of what a profile says"))?;
        out.shown(&format!("{policy}\n"))?;
        return Ok(Exit::Ok);
    }
    let (mut plan, (sources, exit)) = checked(args)?;
    if args.show == Some(Show::Facts) {
        let config = args.config.load(Path::new(&plan.source.root))?;
        out.document(&facts::of(&plan, &config)?, args.pretty)?;
        return Ok(exit);
    }
    if let Some(show) = args.show {
        let fact = fact(args, &plan, show)?;
        if !fact.is_empty() {
            out.shown(&format!("{fact}\n"))?;
        }
        return Ok(exit);
    }
    if args.suggest {
        suggest::run(&plan, &sources, args.format.is_text(), out)?;
        return Ok(exit);
    }
    if let Some(shape) = args.expand {
        plan = expand::expand(plan, &sources, shape, args.mode)?;
        if args.format.is_text() && shape == Expand::ExecuteTask {
            out.text(&dialects::expand::todo_list(&plan))?;
            return Ok(exit);
        }
    }
    // A person who asks what is wrong with a plan reads the findings.
    let for_a_person = args.format.named().is_none() && std::io::stdout().is_terminal();
    if args.lint && (args.format.is_text() || for_a_person) {
        return Ok(exit);
    }
    if args.format.is_text() {
        return Err(Fail::usage(
            "'--format text' goes with '--lint', '--suggest', '--reconcile' or '--expand execute-task'",
        ));
    }
    document::write(&mut plan, args.pretty, out)?;
    // The process ends here: freeing a large plan would be wasted work.
    std::mem::forget(plan);
    Ok(exit)
}

/// Prints the plan for each line that asks for it: all of it, or what was ticked since.
fn each(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let mut asked = Input::open(None)?;
    let mut line = Vec::new();
    let mut followed: Option<Followed> = None;
    while asked.line(&mut line)? {
        if let Some(ticks) = followed.as_mut().and_then(Followed::ticks) {
            out.document(&ticks, false)?;
            continue;
        }
        let (mut plan, _) = checked(args)?;
        document::write(&mut plan, false, out)?;
        followed = if args.with_body { None } else { Followed::of(&plan, &ask(args)) };
    }
    Ok(Exit::Ok)
}

/// The plan, with its diagnostics printed, if it can be handed on; its sources, and what the rules say.
fn checked(args: &Args) -> Result<(Plan, (Sources, Exit)), Fail> {
    let (mut plan, sources) = read(args)?;
    unaccounted(&mut plan, &sources);
    let exit = if args.lint { lint(&mut plan, &sources) } else { Exit::Ok };
    // A task's file that is no JSON is restored by a run, which asks for the facts first.
    let is_broken = |found: &Diagnostic| found.code == "broken-json";
    let mut errors = plan.diagnostics.iter().filter(|found| found.severity == Severity::Error);
    if args.show != Some(Show::Facts) || !errors.all(is_broken) {
        if args.manners.error_format == ErrorFormat::Text {
            report::diagnostics(&plan, &sources, args.quiet);
            sound(args, &plan).map_err(|fail| counted(&plan, fail))?;
        }
        sound(args, &plan)?;
    }
    Ok((plan, (sources, exit)))
}

/// The table of synonyms of the project that the plan belongs to.
fn table(args: &Args) -> Result<(), Fail> {
    let path = args.file.as_deref().filter(|path| *path != Path::new("-")).unwrap_or(Path::new("."));
    let root = root::find(path)?;
    let rule =
        if args.config.is_named() { args.config.load(&root)?.checks } else { config::checks::at(&root)? };
    dialects::set_checks(&rule)
}

/// One fact about a plan; empty where it has none.
fn fact(args: &Args, plan: &Plan, show: Show) -> Result<String, Fail> {
    let source = &plan.source;
    let stated = |key: &str| plan.extra.get(key).and_then(|stated| stated.as_str()).unwrap_or_default();
    Ok(match show {
        Show::Dialect => source.dialect.clone(),
        Show::Root => source.root.clone(),
        Show::Path => source.path.clone(),
        Show::Location => Path::new(&source.root).join(&source.path).to_string_lossy().into_owned(),
        Show::Bead => stated("bead_id").to_owned(),
        Show::Type => stated("type").to_owned(),
        Show::Artifacts => artifacts::shown(plan, &args.config.load(Path::new(&source.root))?)?,
        _ => {
            let profile = args.config.load(Path::new(&source.root))?.profile(&source.dialect)?;
            policy(&profile, show).unwrap_or_default()
        }
    })
}

/// What a profile says; `None` where that is a fact about the plan.
fn policy(profile: &Profile, show: Show) -> Option<String> {
    let lines = |text: &str| text.trim_matches('\n').to_owned();
    Some(match show {
        Show::Profile => profile.name.clone(),
        Show::Attempts => profile.attempts.to_string(),
        Show::MaxJobs => profile.max_jobs.to_string(),
        Show::Approval => (if profile.approval { "yes" } else { "no" }).to_owned(),
        Show::ApprovalTask => profile.approval_task.clone(),
        Show::PlanFile => lines(&profile.plan_file),
        Show::Prepare => lines(&profile.prepare),
        Show::Round => lines(&profile.round),
        Show::Follow => lines(&profile.follow),
        Show::Review => lines(profile.review_pipe()),
        Show::RestoreIf => lines(&profile.restore_if),
        Show::Restore => lines(&profile.restore),
        Show::Between => lines(&profile.between),
        Show::Settle => lines(&profile.settle),
        Show::Repair => lines(&profile.repair),
        Show::Halted => lines(&profile.halted),
        Show::Reviews => lines(&profile.reviews),
        Show::Finish => lines(&profile.finish),
        Show::Unfinished => lines(&profile.unfinished),
        Show::Ended => lines(&profile.ended),
        Show::Dialect
        | Show::Root
        | Show::Path
        | Show::Location
        | Show::Facts
        | Show::Bead
        | Show::Type
        | Show::Artifacts => {
            return None;
        }
    })
}

/// Whether a plan can be handed on: it has no errors, and no warnings where they count as such.
fn sound(args: &Args, plan: &Plan) -> Result<(), Fail> {
    if let Some(fail) = dialects::errors(plan) {
        return Err(fail);
    }
    let warnings = plan.diagnostics.iter().filter(|found| found.severity == Severity::Warning).count();
    if args.strict && warnings > 0 {
        return Err(Fail::data("strict", format!("{warnings} warnings, and --strict allows none")));
    }
    Ok(())
}

/// The failure of a plan whose errors were printed: it counts them.
fn counted(plan: &Plan, fail: Fail) -> Fail {
    match plan.diagnostics.iter().filter(|found| found.severity == Severity::Error).count() {
        0 => fail,
        1 => Fail::new(fail.exit, fail.code, "the plan has 1 error: fix it first".to_owned()),
        n => Fail::new(fail.exit, fail.code, format!("the plan has {n} errors: fix them first")),
    }
}

/// Adds the findings of the rules to the diagnostics; the answer is no if one is a warning.
fn lint(plan: &mut Plan, sources: &Sources) -> Exit {
    // The rules cannot check the order of a plan with errors.
    if dialects::errors(plan).is_none() {
        let found = lint::lint(&lint::LintContext::new(plan, sources));
        plan.diagnostics.extend(found);
        plan.diagnostics.sort_by(|one, other| {
            (&one.path, one.line, one.column).cmp(&(&other.path, other.line, other.column))
        });
    }
    let warns = plan.diagnostics.iter().any(|found| found.severity <= Severity::Warning);
    if warns { Exit::No } else { Exit::Ok }
}

/// Warns of each line that looks like a task and that nothing accounts for.
fn unaccounted(plan: &mut Plan, sources: &Sources) {
    let mut found = Vec::new();
    for file in plan.source.files.iter().filter(|file| sources::is_text(&file.path)) {
        let bytes = sources.bytes(&file.path).unwrap_or_default();
        if std::str::from_utf8(bytes).is_ok_and(|text| dialects::is_accounted_for(&file.path, text, plan)) {
            continue;
        }
        let outline = Outline::new(&Text { path: &file.path, bytes });
        for account in
            dialects::explain(&outline, plan).iter().filter(|account| account.taken == Taken::Unknown)
        {
            let message = format!("'{}' looks like a task and is not read as one", account.text);
            found.push(Diagnostic {
                severity: Severity::Warning,
                code: "not-accounted-for".to_owned(),
                message,
                path: file.path.clone().into(),
                line: account.line,
                column: None,
                task: None,
                offer: None,
            });
        }
    }
    if !found.is_empty() {
        plan.diagnostics.extend(found);
        plan.diagnostics.sort_by_key(|found| (found.line, found.column));
    }
}

/// Accounts for every line that looks like a task; the answer is no if one is left.
fn explain(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let dialect = args.dialect.as_deref();
    let path = args.file.as_deref().filter(|path| *path != Path::new("-"));
    let (plan, sources) = match path {
        Some(path) if path.is_dir() => read(args)?,
        Some(path) => {
            let bytes = fs::read(path)?;
            let name = path.to_string_lossy();
            let plan = dialects::unchecked(&Text { path: &name, bytes: &bytes }, dialect)?;
            (plan, Sources::one(&name, bytes))
        }
        None => {
            let bytes = Input::open(args.file.as_deref())?.bytes()?;
            let plan = dialects::unchecked(&Text { path: "-", bytes: &bytes }, dialect)?;
            (plan, Sources::one("-", bytes))
        }
    };
    let mut exit = Exit::Ok;
    for file in plan.source.files.iter().filter(|file| sources::is_text(&file.path)) {
        let bytes = sources.bytes(&file.path).unwrap_or_default();
        let accounts = dialects::explain(&Outline::new(&Text { path: &file.path, bytes }), &plan);
        out.shown(&report::accounts(&file.path, &accounts))?;
        out.shown(&report::checks(&file.path, &plan))?;
        if accounts.iter().any(|account| account.taken == Taken::Unknown) {
            exit = Exit::No;
        }
    }
    Ok(exit)
}

fn read(args: &Args) -> Result<(Plan, Sources), Fail> {
    let dialect = args.dialect.as_deref();
    let Some(path) = args.file.as_deref().filter(|path| *path != Path::new("-")) else {
        return read_stdin(args, dialect);
    };
    let root = root::find(path)?;
    let mut plan = dialects::open_with(path, &root, &ask(args))?;
    for file in plan.source.files.clone().iter().filter(|_| args.with_body) {
        add_bodies(&mut plan, &file.path, &fs::read(&root.join(&file.path))?);
    }
    let sources = Sources::of(&plan);
    Ok((plan, sources))
}

/// The reader's options from the command line.
fn ask(args: &Args) -> Ask {
    Ask {
        session: args.session.clone(),
        load: args.load.clone(),
        agents: args.agents,
        prepared: args.prepared.is_some_and(|when| when == Prepared::Always || has_steps(args)),
        ..Ask::dialect(args.dialect.as_deref())
    }
}

/// Whether the plan's folder has step files.
fn has_steps(args: &Args) -> bool {
    args.file.as_deref().is_some_and(|path| path.join("steps").is_dir())
}

fn read_stdin(args: &Args, dialect: Option<&str>) -> Result<(Plan, Sources), Fail> {
    let bytes = Input::open(args.file.as_deref())?.bytes()?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Fail::data("empty-input", "input is empty, expected a plan"));
    }
    let mut plan = dialects::read(&Text { path: "-", bytes: &bytes }, dialect)?;
    plan.source.root = root::find(Path::new("."))?.to_string_lossy().into_owned();
    add_bodies(&mut plan, "-", &bytes);
    Ok((plan, Sources::one("-", bytes)))
}

/// A plan from standard input cannot be read again, so each task carries its text.
fn add_bodies(plan: &mut Plan, path: &str, bytes: &[u8]) {
    for task in plan.tasks.iter_mut().filter(|task| task.span.path == path) {
        let body = dialects::body(bytes, &task.span);
        task.body = Some(String::from_utf8_lossy(body).into_owned());
    }
}

/// The lock of one plan, the same however the path is written. Fails if it, a file that a run writes beside it, or the
/// run's log is a link: the caller writes them without a tool.
fn lock_file(path: &Path) -> Result<String, Fail> {
    let home = Home::of(&root::find(path)?)?;
    let lock = lock::of_run(&home, path)?;
    let beside =
        ["pause", "stop", "end", "start", "pull", "undo"].map(|request| lock.with_extension(request));
    let log = home.folder("logs")?.join(lock.with_extension("log").file_name().unwrap_or_default());
    home.folder("tmp")?;
    match beside.iter().chain([&lock, &log, &home.path("reviews")]).find_map(|path| fs::link_at(path)) {
        Some(fail) => Err(fail),
        None => Ok(format!("{}\n", lock.display())),
    }
}
