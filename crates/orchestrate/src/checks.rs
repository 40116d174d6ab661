//! `orchestrate checks PLAN`: checks for the tasks that have none. Suggestions first, which need no agent; then, for the
//! tasks that are left, proposals of the worker that `[agents] check` names. Each is tried, and adopted as asked.

use crate::args::Adopt;
use crate::find::locate::named_or_only;
use crate::stop_reason::Stop;
use crate::tools::{Said, Tools, Words, code_of, not_started};
use config::ConfigArgs;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Stdio};
use toolkit::cli::tool::note;
use toolkit::files::root;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::Plan;
use wire::order::CHECK;
use wire::plan::Kind;

/// Finds, tries and adopts checks.
pub(crate) fn run(
    tools: &Tools,
    plan: Option<PathBuf>,
    adopt: Adopt,
    out: &mut Output,
) -> Result<Exit, Stop> {
    let plan = named_or_only(tools, plan)?;
    let config = ConfigArgs::default().load(&root::find(&plan)?)?;
    let shown = plan.display().to_string();
    let before = unchecked(tools, &plan)?;
    if before.is_empty() {
        note("orchestrate: every open task has a check");
        return Ok(Exit::Ok);
    }
    if adopt == Adopt::Ask && std::fs::File::open("/dev/tty").is_err() {
        let message = "no terminal to ask on: name '--adopt=all', '--adopt=suggested' or '--adopt=none'";
        return Err(Fail::usage(message).into());
    }
    let take: OsString = format!("--adopt={}", adopt.word()).into();
    let end =
        || vec![words(&["gate-run", "try"]), [words(&["checkbox", "adopt"]), vec![take.clone()]].concat()];
    let suggest = [words(&["plan-parse", "--suggest"]), vec![plan.clone().into()]].concat();
    let said = watched(tools, &[vec![suggest], end()].concat())?;
    show(&said, adopt, out)?;
    try_edited(tools, &said)?;
    // A person who stops is asked no more, and costs no agent.
    let is_stopped = adopt == Adopt::Ask && said.code == 1;
    let left = unchecked(tools, &plan)?;
    let may_ask = matches!(adopt, Adopt::Ask | Adopt::All) && !left.is_empty() && !is_stopped;
    if may_ask && config.agents.contains_key(CHECK) {
        note(&format!("orchestrate: asking for checks of {} tasks", left.len()));
        let parse = [words(&["plan-parse"]), vec![plan.clone().into()]].concat();
        let ask = vec![
            parse,
            words(&["dag-next", "--unchecked"]),
            words(&["handoff", "--for", CHECK]),
            words(&["worker-run"]),
        ];
        let said = watched(tools, &[ask, end()].concat())?;
        show(&said, adopt, out)?;
        try_edited(tools, &said)?;
    } else if may_ask {
        note(
            "orchestrate: no agent proposes checks; name one with check = \"NAME\" below [agents] in plantools.toml",
        );
    }
    if adopt == Adopt::None {
        note(&format!(
            "orchestrate: nothing was written; take them: orchestrate checks --adopt=all {shown}, or without '--adopt' one by one"
        ));
        return Ok(Exit::Ok);
    }
    tell(before.len(), &unchecked(tools, &plan)?, &shown);
    Ok(Exit::Ok)
}

/// Tries the checks that a person wrote, as any other, and adopts those that are fit.
fn try_edited(tools: &Tools, said: &Said) -> Result<(), Stop> {
    let (mut edited, mut end) = (String::new(), String::new());
    for line in String::from_utf8_lossy(&said.out).lines() {
        match serde_json::from_str::<wire::plan::suggestion::Suggestion>(line) {
            Ok(one) if one.trial.is_none() && one.adopted.is_none() => {
                edited.push_str(line);
                edited.push('\n');
            }
            Ok(_) => {}
            Err(_) => end = format!("{line}\n"),
        }
    }
    if edited.is_empty() {
        return Ok(());
    }
    let stages = [words(&["gate-run", "try"]), words(&["checkbox", "adopt", "--adopt=all"])];
    let said = tools.pipe_with(&stages, &[], Some((edited + &end).as_bytes()))?.success()?;
    said.err.lines().for_each(note);
    Ok(())
}

/// Takes adopted checks out of the plan again.
pub(crate) fn undo(tools: &Tools, plan: Option<PathBuf>) -> Result<Exit, Stop> {
    let plan = named_or_only(tools, plan)?;
    let stage = [words(&["checkbox", "adopt", "--undo"]), vec![plan.into()]].concat();
    watched(tools, &[stage])?;
    Ok(Exit::Ok)
}

fn words(list: &[&str]) -> Words {
    list.iter().map(OsString::from).collect()
}

/// With `--adopt=none` the suggestions are the answer; else what was adopted is in the plan, and the tools say so.
fn show(said: &Said, adopt: Adopt, out: &mut Output) -> Result<(), Fail> {
    if adopt != Adopt::None {
        return Ok(());
    }
    for line in String::from_utf8_lossy(&said.out).lines() {
        let Ok(one) = serde_json::from_str::<wire::plan::suggestion::Suggestion>(line) else { continue };
        let Some(trial) = &one.trial else { continue };
        let code = if trial.fit { String::new() } else { format!(" [{}]", trial.code) };
        out.shown(&format!(
            "{} {}\n  Verify: {}\n    {}{code}\n",
            one.task, one.title, one.check, trial.message
        ))?;
    }
    Ok(())
}

/// The open tasks without a check that can be run.
fn unchecked(tools: &Tools, plan: &Path) -> Result<Vec<String>, Stop> {
    let read = |more: Words| -> Result<Plan, Stop> {
        let words = [words(&["plan-parse"]), more, vec![plan.into()]].concat();
        Ok(tools.pipe(&[words])?.success()?.json()?)
    };
    let is_bare = |task: &&wire::Task| {
        matches!(task.kind, Kind::Work | Kind::Verification)
            && !task.state.is_settled()
            && !task.criteria.iter().any(|one| one.runnable)
    };
    let mut plan = read(Words::new())?;
    // The checks of a task with a file of its own stand there.
    let apart = plan.tasks.iter().filter(is_bare).filter(|task| task.detail.is_some());
    let load: Words = apart.flat_map(|task| ["--load".into(), task.id.to_string().into()]).collect();
    if !load.is_empty() {
        plan = read(load)?;
    }
    Ok(plan.tasks.iter().filter(is_bare).map(|task| task.id.to_string()).collect())
}

fn tell(before: usize, left: &[String], plan: &str) {
    let got = before.saturating_sub(left.len());
    if left.is_empty() {
        note(&format!(
            "orchestrate: all {got} tasks without a check have one now; commit the plan, then run: orchestrate {plan}"
        ));
        return;
    }
    let named: Vec<&str> = left.iter().take(10).map(String::as_str).collect();
    let more = if left.len() > named.len() { ", …" } else { "" };
    note(&format!(
        "orchestrate: {got} of {before} tasks without a check have one now; without one: {}{more}. Write 'Verify: `COMMAND`' \
         below a task, or accept what gates show: plantools.toml(5), [proof] accept",
        named.join(", ")
    ));
}

/// Runs a pipe whose programs speak to the terminal themselves, and returns the output of the last.
fn watched(tools: &Tools, stages: &[Words]) -> Result<Said, Stop> {
    let mut children = Vec::new();
    let mut previous: Option<ChildStdout> = None;
    for words in stages {
        let (program, args) = words.split_first().ok_or_else(|| Fail::usage("a command line is empty"))?;
        let input = previous.take().map_or_else(Stdio::null, Stdio::from);
        let child = tools.command(program).args(args).stdin(input).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|e| not_started(program, &e))?;
        previous = child.stdout.take();
        children.push(child);
    }
    let mut out = Vec::new();
    if let Some(mut reader) = previous {
        reader.read_to_end(&mut out).map_err(|e| Fail::io(Path::new("a pipe"), &e))?;
    }
    let mut code = 0;
    for mut child in children {
        let ended = child.wait().map_err(|e| Fail::io(Path::new("a tool"), &e))?;
        code = if code == 0 { code_of(ended) } else { code };
    }
    // A stage that halted an order says no and goes on.
    let said = Said { code, out, err: String::new() };
    if matches!(code, 0 | 1) { Ok(said) } else { Err(said.stop()) }
}
