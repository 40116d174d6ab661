//! Rows about one plan.

use super::{Row, here};
use crate::conductor::course::Course;
use crate::conductor::words;
use crate::find::profile::quoted;
use crate::tools::{Said, Tools, Words};
use config::ConfigArgs;
use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use toolkit::{Exit, Fail};
use wire::facts::Facts;
use wire::plan::Severity;

/// The worker of the next tasks, asked of worker-run itself with the stage's own words.
pub(super) fn worker(tools: &Tools, stages: &[Words], orders: &[u8]) -> Result<Option<Row>, Fail> {
    let stage = stages.iter().find(|words| words.first().is_some_and(|name| name == WORKER_RUN));
    let Some((_, args)) = stage.and_then(|words| words.split_first()) else { return Ok(None) };
    let mut ask: Words = words(&[WORKER_RUN, "--worker-dry-run", "--error-format=json"]);
    ask.extend(args.iter().cloned());
    let said = fed(tools, &ask, orders)?;
    // No such file, program or worker; any other answer is about the prompt that is not there yet.
    let exit = Exit::from_code(said.code)
        .filter(|exit| matches!(exit, Exit::NoInput | Exit::Unavailable | Exit::Config));
    Ok(exit
        .map(|exit| Row::fail(exit, said.failure().map(|failure| failure.message).unwrap_or(said.err), "")))
}

const WORKER_RUN: &str = "worker-run";

/// The same for a plan that nobody has chosen a worker for.
pub(super) fn next_worker(tools: &Tools, plan: &Path) -> Result<Vec<Row>, Fail> {
    let mut parse = words(&["plan-parse", "--quiet"]);
    parse.push(plan.into());
    let orders = tools.pipe(&[parse, words(&["dag-next"])])?;
    let said = fed(tools, &words(&[WORKER_RUN, "--worker-dry-run", "--error-format=json"]), &orders.out)?;
    let failure = said.failure().filter(|_| said.code != 0);
    Ok(match failure.as_ref().map(|failure| failure.code.as_str()) {
        Some("no-worker") => vec![Row::warn(
            "no worker is configured",
            "orchestrate --worker NAME, or [defaults] worker in plantools.toml",
        )],
        Some("unknown-worker" | "worker-missing") => {
            let message = failure.map(|failure| failure.message).unwrap_or_default();
            vec![Row::fail(
                Exit::Config,
                message,
                format!("orchestrate --dry-run {}", quoted(plan.as_os_str())),
            )]
        }
        _ => Vec::new(),
    })
}

/// Runs a tool with this on its standard input.
fn fed(tools: &Tools, words: &Words, input: &[u8]) -> Result<Said, Fail> {
    let (program, args) = words.split_first().ok_or_else(|| Fail::usage("a command line is empty"))?;
    let started = tools
        .command(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = started.map_err(|e| crate::tools::not_started(program, &e))?;
    let pipe = child.stdin.take();
    let got = std::thread::scope(|scope| {
        // A tool that reads nothing may have ended by now.
        scope.spawn(move || pipe.map(|mut pipe| pipe.write_all(input)));
        child.wait_with_output()
    });
    let got = got.map_err(|e| crate::tools::not_started(program, &e))?;
    Ok(Said {
        code: crate::tools::code_of(got.status),
        out: got.stdout,
        err: String::from_utf8_lossy(&got.stderr).into_owned(),
    })
}

/// Whether commits and pushes can be made.
pub(super) fn repository(tools: &Tools, course: &Course) -> Vec<Row> {
    let root = Path::new(&course.facts.root);
    if !toolkit::files::root::has_git(root) {
        return Vec::new();
    }
    let mut rows = Vec::new();
    rows.extend(here::identity(tools, root));
    let pushes = !course.values.get("push").is_empty();
    let branch = tools.git(root, &["branch", "--show-current"]).unwrap_or_default();
    if pushes && branch.is_empty() {
        rows.push(Row::fail(
            Exit::Data,
            "no branch is checked out, so nothing can be pushed",
            "git switch BRANCH",
        ));
    } else if pushes && tools.git(root, &["rev-parse", "--symbolic-full-name", "@{upstream}"]).is_none() {
        let fix = format!("git push --set-upstream origin {}", quoted(OsStr::new(&branch)));
        rows.push(Row::warn(format!("the branch '{branch}' has no upstream"), fix));
    }
    rows
}

/// What was probably meant as a task and is none, tasks without a check, and checks that are not clear.
pub(super) fn text(facts: &Facts) -> Vec<Row> {
    let mut rows = Vec::new();
    for found in facts.diagnostics.iter().filter(|found| LOST.contains(&found.code.as_str())) {
        rows.push(Row::warn(
            format!("{}:{}: {} [{}]", found.path, found.line, found.message, found.code),
            "",
        ));
    }
    for found in facts
        .diagnostics
        .iter()
        .filter(|found| found.severity == Severity::Warning && UNCLEAR.contains(&found.code.as_str()))
    {
        rows.push(Row::warn(
            format!("{}:{}: {}", found.path, found.line, found.message),
            format!("checkbox fix {}", facts.path),
        ));
    }
    rows.extend(unchecked(facts));
    rows
}

/// A task is ticked on a check that ran; without one of its own it needs a gate that runs before each tick.
fn unchecked(facts: &Facts) -> Option<Row> {
    const SHOWN: usize = 5;
    let config = ConfigArgs::default().load(Path::new(&facts.root)).ok()?;
    let moments = config.profile_named(&facts.profile).ok()?.task_gates;
    if facts.unchecked.is_empty() || config.gates.iter().any(|gate| gate.runs_at_any(&moments)) {
        return None;
    }
    let mut shown: Vec<String> = facts.unchecked.iter().take(SHOWN).map(ToString::to_string).collect();
    if let Some(more) = facts.unchecked.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        shown.push(format!("and {more} more"));
    }
    let tasks = if facts.unchecked.len() == 1 { "task" } else { "tasks" };
    let fact = format!(
        "no check, and so no tick, for {tasks} {}: add a line \"Verify: `command`\" below each",
        shown.join(", ")
    );
    Some(Row::warn(fact, ""))
}

/// Diagnostics about lines that look like tasks and are none.
const LOST: [&str; 5] = [
    "heading-without-box",
    "heading-without-blank",
    "item-without-blank",
    "box-not-understood",
    "task-unclosed",
];

/// Diagnostics about checks that a person must read.
const UNCLEAR: [&str; 2] = ["unclear-check", "check-not-understood"];

/// Agents and models of the plan that no row of `[agents]` names.
pub(super) fn agents(facts: &Facts) -> Vec<Row> {
    let Ok(config) = ConfigArgs::default().load(Path::new(&facts.root)) else { return Vec::new() };
    let is_known = |name: &str| {
        let name = name.trim_start_matches('@');
        config.agents.keys().any(|known| known.trim_start_matches('@') == name)
    };
    let unknown = facts.agents.iter().filter(|name| !is_known(name));
    unknown
        .map(|name| {
            let text = format!("the plan names '{name}', and no row of [agents] says which worker that is");
            Row::warn(text, format!("add to [agents] in plantools.toml: {name} = \"WORKER\""))
        })
        .collect()
}

/// Files of open tasks that a person has changed: a run leaves them alone, and the task cannot be committed.
pub(super) fn named_files(tools: &Tools, facts: &Facts) -> Vec<Row> {
    let root = Path::new(&facts.root);
    // Once a run has begun, the files may be what it left.
    let has_begun = root.join(".plantools/ledger.ndjson").exists();
    if facts.files.is_empty() || has_begun || !toolkit::files::root::has_git(root) {
        return Vec::new();
    }
    let changed = tools
        .git(root, &["-c", "core.quotePath=false", "status", "--porcelain", "--untracked-files=all"])
        .unwrap_or_default();
    let changed: Vec<&str> = changed.lines().filter_map(|line| line.get(3..)).collect();
    let named: Vec<&str> =
        facts.files.iter().map(String::as_str).filter(|file| changed.contains(file)).collect();
    if named.is_empty() {
        return Vec::new();
    }
    let text = format!("changed and not committed, and named by open tasks: {}", named.join(", "));
    vec![Row::warn(text, format!("git commit -- {}", named.join(" ")))]
}
