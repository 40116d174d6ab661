//! Rows about one plan.

use super::{Row, here};
use crate::conductor::course::Course;
use crate::conductor::words;
use crate::find::profile::quoted;
use crate::tools::{Tools, Words};
use config::ConfigArgs;
use repo::git::locks;
use serde::Deserialize;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use toolkit::{Exit, Fail};
use wire::facts::Facts;
use wire::plan::Diagnostic;

/// How a plan is read and who works on it: the first stage of the pipe, and the one of the worker.
#[derive(Debug)]
pub(super) struct Stages {
    parse: Words,
    worker: Words,
    /// The card that each task must meet.
    card: Option<OsString>,
    /// What the workers must report, since the run has a budget of it.
    reports: Vec<&'static str>,
}

impl Stages {
    /// As a run has them.
    pub(super) fn of(pipe: &[Words]) -> Self {
        let worker = pipe.iter().find(|words| words.first().is_some_and(|name| name == WORKER_RUN));
        let punch = pipe.iter().find(|words| words.first().is_some_and(|name| name == "punch"));
        let card = punch.and_then(|words| words.iter().skip_while(|word| *word != "--card").nth(1)).cloned();
        let worker = worker.cloned().unwrap_or_default();
        let limits = pipe.iter().find(|words| words.first().is_some_and(|name| name == "dag-next"));
        let limits = limits.map(|words| words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>());
        let limits = limits.unwrap_or_default();
        let is_asked = |flag: &str| limits.iter().any(|word| word == flag);
        let per_day = limits.iter().skip_while(|word| *word != "--budget-per-day").nth(1);
        let of_tokens = per_day.map(|amount| amount.ends_with("tokens"));
        let mut reports = Vec::new();
        if is_asked("--budget-cost") || of_tokens == Some(false) {
            reports.push("cost");
        }
        if is_asked("--budget-tokens") || of_tokens == Some(true) {
            reports.push("tokens");
        }
        Self { parse: pipe.first().cloned().unwrap_or_default(), worker, card, reports }
    }

    /// For a plan without a chosen worker.
    pub(super) fn plain(plan: &Path) -> Self {
        let mut parse = words(&["plan-parse", "--quiet"]);
        parse.push(plan.into());
        Self { parse, worker: words(&[WORKER_RUN]), card: None, reports: Vec::new() }
    }
}

/// The rows about a plan, for a run of it and for `orchestrate doctor`.
pub(super) fn rows(tools: &Tools, facts: &Facts, stages: &Stages) -> Result<Vec<Row>, Fail> {
    let mut rows: Vec<Row> = worker(tools, stages)?.into_iter().collect();
    rows.extend(text(facts));
    rows.extend(card(tools, facts, stages)?);
    rows.extend(programs(tools, facts)?);
    rows.extend(named_files(tools, facts));
    Ok(rows)
}

/// The worker of every open task, asked of worker-run itself with the stage's own words.
fn worker(tools: &Tools, stages: &Stages) -> Result<Option<Row>, Fail> {
    let Some((_, args)) = stages.worker.split_first() else { return Ok(None) };
    let mut parse = stages.parse.clone();
    parse.insert(1.min(parse.len()), "--agents".into());
    let plan = tools.pipe(&[parse])?;
    // A plan that cannot be read yet is for the workflow's own first words.
    if plan.code != 0 {
        return Ok(None);
    }
    let mut ask: Words = words(&[WORKER_RUN, "--preflight", "--error-format=json"]);
    ask.extend(stages.reports.iter().map(|what| format!("--reports={what}").into()));
    ask.extend(args.iter().cloned());
    let said = tools.pipe_with(&[ask], &[], Some(&plan.out))?;
    // No such file, program, worker or agent.
    let exit = Exit::from_code(said.code)
        .filter(|exit| matches!(exit, Exit::Data | Exit::NoInput | Exit::Unavailable | Exit::Config));
    let failure = said.failure();
    let message = failure.as_ref().map_or_else(|| said.err.clone(), |failure| failure.message.clone());
    let fix = match failure.as_ref().map(|failure| failure.code.as_str()) {
        Some(NO_WORKER) => "orchestrate --worker NAME",
        Some("reports-no-cost" | "reports-no-tokens") => "",
        _ => "orchestrate --dry-run",
    };
    Ok(exit.map(|exit| Row { code: failure.map(|failure| failure.code), ..Row::fail(exit, message, fix) }))
}

/// Gates that the card of a task asks for and that are not configured: no task can meet it.
fn card(tools: &Tools, facts: &Facts, stages: &Stages) -> Result<Option<Row>, Fail> {
    let Some(card) = &stages.card else { return Ok(None) };
    let said = tools.ask("punch", [OsStr::new("lint"), OsStr::new("--in"), OsStr::new(&facts.root), card])?;
    let Ok(lint) = said.json::<LintDoc>() else { return Ok(None) };
    let missing: Vec<&str> =
        lint.findings.iter().filter(|f| f.code == "unknown-gate").map(|f| f.row.as_str()).collect();
    let name = card.to_string_lossy();
    let fact = || {
        format!("no task can meet the card '{name}', since no gate is configured for {}", missing.join(", "))
    };
    let fix = format!("write [cards.{name}] with the gates that there are in plantools.toml");
    Ok((!missing.is_empty()).then(|| Row::warn(fact(), fix)))
}

/// What is read of the answer of `punch lint`.
#[derive(Deserialize)]
struct LintDoc {
    findings: Vec<Finding>,
}

#[derive(Deserialize)]
struct Finding {
    code: String,
    #[serde(default)]
    row: String,
}

const WORKER_RUN: &str = "worker-run";
/// The code word of worker-run where no worker was chosen.
pub(super) const NO_WORKER: &str = "no-worker";

/// Programs that checks of open tasks start and that are not installed. An earlier task may install them.
fn programs(tools: &Tools, facts: &Facts) -> Result<Option<Row>, Fail> {
    let left: Vec<&String> = facts.programs.iter().filter(|name| tools.whereis(name).is_none()).collect();
    if left.is_empty() {
        return Ok(None);
    }
    // The shell has commands and words of its own.
    let script = "for name; do command -v -- \"$name\" > /dev/null || printf '%s\\n' \"$name\"; done";
    let words = ["-c", script, "sh"].into_iter().chain(left.iter().map(|name| name.as_str()));
    let missing = tools.ask("sh", words)?.line().lines().map(str::to_owned).collect::<Vec<_>>();
    let fix = || format!("command -v {}", missing.join(" "));
    let fact =
        || format!("checks of open tasks start programs that are not installed: {}", missing.join(", "));
    Ok((!missing.is_empty()).then(|| Row::warn(fact(), fix())))
}

/// Whether commits and pushes can be made.
pub(super) fn repository(tools: &Tools, course: &Course) -> Vec<Row> {
    let root = Path::new(&course.facts.root);
    if !toolkit::files::root::has_git(root) {
        return Vec::new();
    }
    let mut rows = Vec::new();
    rows.extend(here::identity(tools, root));
    rows.extend(under_way(root));
    rows.extend(signing(tools, root));
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
        let fact = format!("the branch '{branch}' has no upstream, so nothing can be pushed");
        rows.push(Row::fail(Exit::Data, fact, fix));
    }
    rows
}

/// What a person or a git that was killed has left half done: no commit could be made.
fn under_way(root: &Path) -> Option<Row> {
    if let Some((why, end)) = locks::under_way(root) {
        return Some(Row::fail(Exit::Busy, format!("{why}, so nothing can be committed"), end));
    }
    // A lock of our own is taken away with what it stands for.
    let lock = locks::there(root).into_iter().next()?;
    let is_ours = root.join(".plantools/committing").exists();
    let lock = lock.display().to_string();
    (!is_ours && !locks::are_held(root)).then(|| {
        let fact = format!("'{lock}' was left by a git that was killed, so nothing can be committed");
        Row::fail(Exit::Busy, fact, format!("rm {}", quoted(OsStr::new(&lock))))
    })
}

/// Whether git can sign, where its settings ask for signed commits.
fn signing(tools: &Tools, root: &Path) -> Option<Row> {
    let signs =
        tools.git(root, &["config", "--type=bool", "commit.gpgSign"]).is_some_and(|word| word == "true");
    let tried =
        || tools.git(root, &["commit-tree", "-S", "-m", "can it be signed?", "HEAD^{tree}"]).is_some();
    let has_head = || tools.git(root, &["rev-parse", "--verify", "--quiet", "HEAD"]).is_some();
    let fact = "git is told to sign commits and cannot, so nothing can be committed";
    (signs && has_head() && !tried())
        .then(|| Row::fail(Exit::Config, fact, "git commit-tree -S -m test HEAD^{tree}"))
}

/// Lines that probably should be tasks, tasks without a check, and checks that are not clear.
fn text(facts: &Facts) -> Vec<Row> {
    let mut rows = Vec::new();
    for found in facts.diagnostics.iter().filter(|found| LOST.contains(&found.code.as_str())) {
        rows.push(Row::warn(
            format!("{}:{}: {} [{}]", found.path, found.line, found.message, found.code),
            "",
        ));
    }
    for found in unclear(facts) {
        rows.push(Row::warn(
            format!("{}:{}: {}", found.path, found.line, found.message),
            format!("checkbox fix {}", quoted(OsStr::new(&facts.path))),
        ));
    }
    rows.extend(unchecked(facts));
    rows
}

/// The diagnostics about checks that a person must read.
pub(super) fn unclear(facts: &Facts) -> impl Iterator<Item = &Diagnostic> {
    facts.diagnostics.iter().filter(|found| found.code == UNCLEAR)
}

/// A task is ticked on a check that ran; without one of its own it needs a gate that runs before each tick.
fn unchecked(facts: &Facts) -> Option<Row> {
    const SHOWN: usize = 5;
    let config = ConfigArgs::default().load(Path::new(&facts.root)).ok()?;
    let profile = config.profile_named(&facts.profile).ok()?;
    let moments = profile.task_gates;
    // Where the worker commits, its report and its commit are checks of every task.
    if facts.unchecked.is_empty()
        || profile.worker_commits
        || config.gates.iter().any(|gate| gate.runs_at_any(&moments))
    {
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
    Some(Row::warn(fact, format!("orchestrate checks {}", facts.path)))
}

/// Diagnostics about lines that look like tasks and are none, and about an order of work that is lost.
const LOST: [&str; 11] = [
    "heading-without-box",
    "heading-without-blank",
    "item-without-blank",
    "box-not-understood",
    "task-unclosed",
    // A session whose order of work is not told, or not understood.
    "no-impl-plan",
    "order-not-understood",
    "no-phases",
    "task-in-no-phase",
    "condition-asked",
    "unclear-rule",
];

/// The code word of a check that is not understood.
const UNCLEAR: &str = "unclear-check";

/// Whether the files of a session disagree. It opens every task's file, so a run does not ask.
pub(super) fn disagreements(tools: &Tools, plan: &Path, shown: &str) -> Result<Option<Row>, Fail> {
    if !plan.join(SESSION).exists() {
        return Ok(None);
    }
    let args = ["--quiet", "--reconcile"].map(OsStr::new).into_iter().chain([plan.as_os_str()]);
    let said = tools.ask("plan-parse", args)?;
    let text = "the files of the session disagree; TODO_LIST.md decides";
    Ok((said.code == 1).then(|| Row::warn(text, format!("plan-parse --reconcile --format text {shown}"))))
}

/// The file by which the folder of a session is known.
const SESSION: &str = "workflow-session.json";

/// Files of open tasks that a person has changed: a run leaves them alone, and the task cannot be committed.
fn named_files(tools: &Tools, facts: &Facts) -> Vec<Row> {
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
