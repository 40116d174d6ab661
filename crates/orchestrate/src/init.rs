//! `orchestrate init`: a plantools.toml whose gates were tried here.
//!
//! Only tests run before each tick: a check that says nothing about the work, like a formatter, must not be the only
//! proof of a task. A candidate whose program is missing is left in the file as a comment with the reason; one that fails
//! is a gate all the same, for that is what a gate is for.

mod candidates;
pub(crate) mod merge_driver;
pub(crate) mod plugins;

use crate::find::locate::{places, top};
use crate::find::profile::quoted;
use crate::init::candidates::Candidate;
use crate::show::terminal;
use crate::stop_reason::Stop;
use crate::tools::Tools;
use config::proof::Accept;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use toolkit::cli::{env, tool};
use toolkit::files::fs;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};

/// Writes the configuration, or prints it.
pub(crate) fn init(
    tools: &Tools,
    dry_run: bool,
    accept: Option<&str>,
    out: &mut Output,
) -> Result<Exit, Stop> {
    let top = top(tools);
    let path = top.join(config::NAME);
    if path.exists() && !dry_run {
        let message = "plantools.toml is there already and stays as it is; 'orchestrate doctor' looks at it, 'orchestrate \
                       init --dry-run' prints a new one";
        return Err(Fail::new(Exit::No, "already-there", message).into());
    }
    let asks = !dry_run && terminal::is_there();
    let level = if accept.is_none() && asks { ask_level() } else { None };
    let text = configuration(tools, &top, asks, accept.or(level))?;
    if dry_run {
        out.text(&text)?;
        return Ok(Exit::Ok);
    }
    // A file that appeared in this moment is not overwritten.
    fs::create_new(&path, text.as_bytes())?;
    tool::note(
        "orchestrate: wrote plantools.toml; read it, then run: orchestrate doctor; a plan without checks gets \
         some by: orchestrate checks PLAN",
    );
    Ok(Exit::Ok)
}

/// The levels that may tick, the strictest first, each with its meaning.
const LEVELS: [(Accept, &str); 5] = [
    (Accept::Proved, "a check of the task failed before the work and passes after it"),
    (Accept::Passes, "a check of the task passes after the work"),
    (Accept::Reviewed, "another worker has reviewed the change"),
    (Accept::AlreadyTrue, "a check of the task passes, and passed before the work as well"),
    (Accept::Gates, "the gates pass, and the work changed something"),
];

/// Asks a person which level of evidence ticks.
fn ask_level() -> Option<&'static str> {
    let shown: Vec<String> =
        LEVELS.iter().map(|(level, about)| format!("{:<12} {about}", level.word())).collect();
    let chosen = terminal::choose("which evidence is enough to tick a box?", &shown)?;
    LEVELS.get(chosen).map(|(level, _)| level.word())
}

/// The table `[proof]`; without a choice the profile of each workflow decides.
fn proof(accept: Option<&str>) -> String {
    let mut text = "\n# The weakest level of evidence that ticks a box, the strictest first:\n".to_owned();
    for (level, about) in LEVELS {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "#   {:<12} {about}", level.word());
    }
    text.push_str("# Without it the workflow decides (most: \"passes\").\n[proof]\n");
    let _ = match accept {
        Some(level) => writeln!(text, "accept = \"{level}\""),
        None => writeln!(text, "# accept = \"{}\"", config::proof::DEFAULT_ACCEPT.word()),
    };
    text
}

fn configuration(tools: &Tools, top: &Path, asks: bool, accept: Option<&str>) -> Result<String, Fail> {
    let mut text = "# The configuration of plantools; plantools.toml(5) explains every key.\n\n".to_owned();
    text.push_str(&defaults(tools));
    text.push_str(&proof(accept));
    // Taken in, and so pinned with the configuration; a gate that calls it would let a worker rewrite it.
    if top.join("fitter.toml").exists() {
        text.push_str(
            "\n# The gates of the source workflow, at their own moments.\n[fitter]\nfile = \"fitter.toml\"\n",
        );
    }
    text.push_str("\n# Checks beyond those of the plan. \"task\": before a box is ticked, \"end\": when every task is done.\n");
    let candidates = candidates::find(top);
    if candidates.is_empty() {
        text.push_str(
            "# Nothing was recognised here; a gate is any command that exits with 0 when all is well:\n\
             # [[gates]]\n# id = \"test\"\n# invocation = \"sh test.sh\"\n# when = [\"end\"]\n",
        );
    }
    for candidate in &candidates {
        text.push_str(&gate(tools, top, candidate, asks)?);
    }
    text.push_str(
        "\n# Refuses new comments that silence a linter or a type checker.\n\
         [[gates]]\nid = \"no-new-suppressions\"\ninvocation = \"no-new-suppressions\"\nwhen = [\"end\"]\n",
    );
    let mut plans = places::plans(tools, top);
    if plans.is_empty() {
        plans.push(PathBuf::from("PLAN.md"));
    }
    text.push_str("\n# Then:\n");
    for plan in plans {
        // Writing to a string cannot fail; the same below.
        let _ = writeln!(text, "#   orchestrate --dry-run {}", quoted(plan.as_os_str()));
    }
    Ok(text)
}

/// The agents that are installed: the first is the worker, the others are named.
fn defaults(tools: &Tools) -> String {
    let clients = config::workers::CLIENTS.iter().filter(|name| **name != "plain");
    let found: Vec<&str> = clients.copied().filter(|name| tools.whereis(name).is_some()).collect();
    let Some(first) = found.first() else {
        return "[defaults]\n# No agent was found. \"shell\" runs the sh blocks of the tasks themselves.\n# worker = \"claude\"\n"
            .to_owned();
    };
    format!(
        "[defaults]\n# Who does the work. Installed: {}. \"shell\" runs the sh blocks of the tasks themselves.\n\
         worker = \"{first}\"\n\n[workers.{first}]\npermissions = \"edit\" # \"all\" lets it run commands without being \
         asked\ntimeout_seconds = 1800\n",
        found.join(" ")
    )
}

/// How one try of a candidate ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tried {
    Passes,
    Fails,
    TooLong,
    CannotRun,
}

/// A candidate as a gate, after one try.
fn gate(tools: &Tools, top: &Path, candidate: &Candidate, asks: bool) -> Result<String, Fail> {
    let limit = env::get("PLANTOOLS_TRY_SECONDS").unwrap_or_else(|| "60".to_owned());
    tool::note(&format!("orchestrate: trying {}: {}", candidate.id, candidate.command));
    let began = Instant::now();
    let args = ["--no-log", "--json-only", "--timeout-seconds", &limit, "--stall-seconds", "0", "--cwd"];
    let args = args.iter().map(|arg| std::ffi::OsStr::new(*arg)).chain([top.as_os_str()]);
    let command = ["--", "sh", "-c", candidate.command.as_str()].map(std::ffi::OsStr::new);
    let said = tools.ask("gate-run", args.chain(command))?;
    let stopped = said.json::<wire::Gate>().ok().map(|gate| gate.stop_reason);
    let tried = match said.code {
        0 => Tried::Passes,
        1 => Tried::Fails,
        _ if stopped == Some(wire::gate::StopReason::Timeout) => Tried::TooLong,
        _ => Tried::CannotRun,
    };
    let words = match tried {
        Tried::Passes => "passes".to_owned(),
        Tried::Fails => "fails at present, so no task waits for it yet".to_owned(),
        Tried::TooLong => format!("took longer than {limit} seconds"),
        Tried::CannotRun => "cannot run here, so it is left out: a program or setting is missing".to_owned(),
    };
    tool::note(&format!("orchestrate:   {words}"));
    let red = if tried == Tried::Fails { ", red now" } else { "" };
    let question = format!("take '{}' as the gate '{}'{red}?", candidate.command, candidate.id);
    let is_left_out = tried == Tried::CannotRun || asks && !terminal::yes(&question);
    let mark = if is_left_out { "# " } else { "" };
    let when = if candidate.is_test && tried != Tried::Fails { "\"task\", \"end\"" } else { "\"end\"" };
    let mut text = format!(
        "\n# Tried: {words} ({} s).\n{mark}[[gates]]\n{mark}id = \"{}\"\n{mark}invocation = '{}'\n{mark}when = [{when}]\n",
        began.elapsed().as_secs(),
        candidate.id,
        candidate.command
    );
    if let Some(fix) = &candidate.fix {
        let _ = writeln!(text, "{mark}fix = '{fix}'");
    }
    Ok(text)
}
