//! `orchestrate blame`: which task broke the check of a ticked one. The commits of the plan are bisected by that check, each
//! on a snapshot in a scratch worktree (`gate-run at`).
//!
//! The first end of the search is the commit of the task itself, whose tick says that the check passed there; the last is
//! the tree as it is now. So N commits between them take at most log2(N) runs, rounded up, and one for the tree as it is.

use crate::args::Wanted;
use crate::conductor;
use crate::find::locate::named_or_only;
use crate::find::profile::quoted;
use crate::history::undo;
use crate::stop_reason::Stop;
use crate::tools::{Tools, Words};
use serde_json::json;
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use toolkit::files::fs;
use toolkit::files::root::{self, Home};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::gate::Status;
use wire::report::Report;
use wire::tick::TickDoc;
use wire::{Gate, State, TaskId};

/// What is asked.
#[derive(Debug)]
pub(crate) struct Blame {
    pub(crate) id: Option<String>,
    /// Whether the task that broke it is opened and worked again.
    pub(crate) reopen: bool,
    /// The plan, and how it is carried out then.
    pub(crate) wanted: Wanted,
}

/// A ticked task and its check that does not pass any more.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Broken {
    task: TaskId,
    title: String,
    check: String,
}

/// A commit of the plan, and the result there if the check was run.
#[derive(Debug)]
struct Point {
    /// The tasks of the commit; none is the tree as it is now.
    done: Option<TickDoc>,
    gate: Option<Gate>,
}

/// What the search found.
enum Found {
    /// The check holds now.
    Holds,
    /// It passes at the first, and not at the second.
    Between(Box<(Point, Point)>),
    /// It cannot be told.
    Unknown(String),
}

/// Names who broke what; 1 if something is broken, 0 if nothing is, 3 if it cannot be told.
pub(crate) fn run(tools: &Tools, mut blame: Blame, out: &mut Output) -> Result<Exit, Stop> {
    let plan = named_or_only(tools, blame.wanted.plan.clone())?;
    let plan = std::path::absolute(&plan).unwrap_or(plan);
    let lock = undo::lock(tools, &plan)?;
    let mut first = broken(tools, &plan, blame.id.as_deref())?;
    let mut is_fresh = false;
    if first.is_empty() {
        // What has not failed yet may fail now; the checks say so themselves.
        let parent = plan.parent().unwrap_or(Path::new(".")).as_os_str().to_owned();
        let args: Words = [
            &["gate-run", "--json-only", "--when", "recheck", "--plan"].map(OsString::from)[..],
            &[plan.clone().into(), "--cwd".into(), parent],
        ]
        .concat();
        let said = tools.pipe(&[args])?;
        // A check that fails, or gives no verdict, is on record; anything else says that nothing was looked at.
        let answers = [Exit::Ok, Exit::No, Exit::NoVerdict].map(|exit| i32::from(exit.code()));
        if !answers.contains(&said.code) {
            return Err(said.stop());
        }
        first = broken(tools, &plan, blame.id.as_deref())?;
        is_fresh = true;
    }
    if first.is_empty() {
        out.line("every check of the ticked tasks holds")?;
        return Ok(Exit::Ok);
    }
    let (mut exit, mut reopened) = (Exit::Ok, Vec::new());
    for one in first {
        let search = Search { tools, plan: &plan, check: &one.check };
        let (found, runs) = search.find(&one, is_fresh)?;
        out.text(&told(&search, &one, &found, runs))?;
        match found {
            Found::Holds => {}
            Found::Unknown(_) => exit = Exit::NoVerdict,
            Found::Between(both) => {
                let (before, after) = *both;
                exit = if exit == Exit::NoVerdict { exit } else { Exit::No };
                if let Some(by) = after.done.as_ref().filter(|by| blame.reopen && by.task != one.task)
                    && !reopened.contains(&by.task)
                {
                    reopen(tools, &plan, &one, by, &before, &after)?;
                    reopened.push(by.task.clone());
                }
            }
        }
    }
    drop(lock);
    if reopened.is_empty() {
        return Ok(exit);
    }
    blame.wanted.plan = Some(plan);
    for task in reopened {
        // Its own checks hold already: what it has to make true again is the check of another task, and the run behind it
        // looks at that one.
        let reason = "opened again for the check of another task, which runs again at the end";
        let wanted = Wanted {
            plan: blame.wanted.plan.clone(),
            worker: blame.wanted.worker.clone(),
            jobs: 1,
            only: Some(task.to_string()),
            accept: Some("already-true".to_owned()),
            reason: Some(reason.to_owned()),
            ..Wanted::default()
        };
        let exit = conductor::carry_out(Tools::find()?, &wanted)?;
        if exit != Exit::Ok {
            return Ok(exit);
        }
    }
    conductor::carry_out(Tools::find()?, &blame.wanted)
}

/// The same at the end of a run that has just run the checks: what it found, for people.
pub(crate) fn after_a_run(tools: &Tools, plan: &Path) -> Result<String, Stop> {
    let mut text = String::new();
    for one in broken(tools, plan, None)? {
        let search = Search { tools, plan, check: &one.check };
        let (found, runs) = search.find(&one, true)?;
        text.push_str(&told(&search, &one, &found, runs));
    }
    if !text.is_empty() {
        let _ = writeln!(text, "next: orchestrate blame --reopen {}", quoted(plan.as_os_str()));
    }
    Ok(text)
}

/// The ticked tasks with a check whose last result is a failure; of a named task, its first check.
fn broken(tools: &Tools, plan: &Path, id: Option<&str>) -> Result<Vec<Broken>, Stop> {
    let args = ["--check", "--format", "json"].map(OsStr::new);
    // Its exit code says whether something is open.
    let report: Report = tools.ask("run-report", args.into_iter().chain([plan.as_os_str()]))?.json()?;
    let own = |task: &TaskId| id.is_none_or(|id| task.as_str() == id);
    let tasks = report.tasks.into_iter().filter(|line| line.state == State::Completed && own(&line.id));
    let mut found = Vec::new();
    for line in tasks {
        let failed = line.checks.iter().find(|check| check.status == "fail");
        // A person who names a task wants its check to be looked at, whatever is on record.
        let check = failed.or(line.checks.first().filter(|_| id.is_some()));
        found.extend(check.map(|check| Broken {
            task: line.id.clone(),
            title: line.title.clone(),
            check: check.id.clone(),
        }));
    }
    if let (Some(id), true) = (id, found.is_empty()) {
        let message = format!("task '{id}' is not ticked, or has no check that was run");
        return Err(Fail::new(Exit::No, "no-such-task", message).into());
    }
    Ok(found)
}

/// The search for one check.
struct Search<'a> {
    tools: &'a Tools,
    plan: &'a Path,
    check: &'a str,
}

impl Search<'_> {
    /// Bisects; `is_fresh` says that the check has just failed on the tree as it is. Also how often the check ran.
    fn find(&self, one: &Broken, is_fresh: bool) -> Result<(Found, usize), Stop> {
        let mut runs = 0;
        let mut last = Point { done: None, gate: None };
        if !is_fresh {
            let gate = self.at(None, &mut runs)?;
            match gate.status {
                Status::Pass => return Ok((Found::Holds, runs)),
                Status::Fault => return Ok((Found::Unknown(no_verdict("now", &gate)), runs)),
                Status::Fail => last.gate = Some(gate),
            }
        }
        let mut commits = self.commits()?;
        let Some(own) = commits.iter().rposition(|done| done.task == one.task) else {
            let why =
                format!("no commit of task {} is in the history, so there is nothing to bisect", one.task);
            return Ok((Found::Unknown(why), runs));
        };
        let rest = commits.split_off(own);
        let mut points: Vec<Point> = Vec::new();
        for done in rest {
            let is_same =
                |point: &Point| point.done.as_ref().is_some_and(|known| known.commit == done.commit);
            if !points.last().is_some_and(is_same) {
                points.push(Point { done: Some(done), gate: None });
            }
        }
        points.push(last);
        let (mut good, mut bad) = (0, points.len() - 1);
        while bad - good > 1 {
            let middle = good + (bad - good) / 2;
            let commit = points.get(middle).and_then(|point| point.done.as_ref()?.commit.clone());
            let gate = self.at(commit.as_deref(), &mut runs)?;
            match gate.status {
                Status::Pass => good = middle,
                Status::Fail => bad = middle,
                Status::Fault => {
                    let at = commit.unwrap_or_default();
                    return Ok((
                        Found::Unknown(no_verdict(&format!("at commit {}", short(&at)), &gate)),
                        runs,
                    ));
                }
            }
            if let Some(point) = points.get_mut(middle) {
                point.gate = Some(gate);
            }
        }
        let after = points.remove(bad);
        let before = points.remove(good);
        Ok((Found::Between(Box::new((before, after))), runs))
    }

    /// The check on the tree of a commit, or on the tree as it is.
    fn at(&self, commit: Option<&str>, runs: &mut usize) -> Result<Gate, Stop> {
        *runs += 1;
        let mut words: Words = vec!["gate-run".into(), "at".into()];
        words.extend(commit.map(|commit| format!("--commit={commit}").into()));
        words.extend(["--".into(), self.check.into(), self.plan.into()]);
        let said = self.tools.pipe(&[words])?;
        if said.out.is_empty() { Err(said.stop()) } else { Ok(said.json()?) }
    }

    /// The commits of the plan's tasks, oldest first.
    fn commits(&self) -> Result<Vec<TickDoc>, Stop> {
        let said =
            self.tools.ask("commit-run", ["rebuild-state".as_ref(), self.plan.as_os_str()])?.success()?;
        let text = String::from_utf8_lossy(&said.out).into_owned();
        let bad =
            |e: serde_json::Error| Fail::data("bad-answer", format!("commit-run gave no valid answer: {e}"));
        text.lines().map(|line| serde_json::from_str(line).map_err(|e| bad(e).into())).collect()
    }

    /// How many commits of others lie between two of the plan's.
    fn others(&self, before: &Point, after: &Point) -> usize {
        let commit = |point: &Point| point.done.as_ref().and_then(|done| done.commit.clone());
        let folder = root::find(self.plan).unwrap_or_default();
        let range = format!(
            "{}..{}",
            commit(before).unwrap_or_default(),
            commit(after).unwrap_or_else(|| "HEAD".to_owned())
        );
        let count = self.tools.git(&folder, &["rev-list", "--count", &range]);
        let count = count.and_then(|count| count.parse::<usize>().ok()).unwrap_or(0);
        count.saturating_sub(usize::from(after.done.is_some()))
    }
}

fn no_verdict(place: &str, gate: &Gate) -> String {
    format!("the check has no verdict {place}: {}", gate.measured.as_deref().unwrap_or("no result"))
}

/// The finding as text.
fn told(search: &Search<'_>, one: &Broken, found: &Found, runs: usize) -> String {
    let head = format!("task {} {}: its check {}", one.task, one.title, one.check);
    let runs = format!("  the check ran {runs} {}\n", if runs == 1 { "time" } else { "times" });
    match found {
        Found::Holds => format!("{head} holds\n{runs}"),
        Found::Unknown(why) => format!("{head} fails, and what broke it cannot be told: {why}\n{runs}"),
        Found::Between(both) => {
            let (before, after) = (&both.0, &both.1);
            let others = search.others(before, after);
            let others = match others {
                0 => String::new(),
                1 if after.done.is_none() => ", or 1 commit of others since".to_owned(),
                1 => ", or 1 commit of others before it".to_owned(),
                n if after.done.is_none() => format!(", or {n} commits of others since"),
                n => format!(", or {n} commits of others before it"),
            };
            let by = match &after.done {
                Some(by) => format!(
                    "task {} (commit {} '{}')",
                    by.task,
                    short(by.commit.as_deref().unwrap_or_default()),
                    by.title
                ),
                None => "what changed after the last commit of the plan".to_owned(),
            };
            format!(
                "{head} fails, broken by {by}{others}\n{}{}{runs}",
                line("before", before),
                line("after", after)
            )
        }
    }
}

/// What the check gave at a point.
fn line(when: &str, point: &Point) -> String {
    let at = match &point.done {
        Some(done) => {
            format!("task {}, commit {}", done.task, short(done.commit.as_deref().unwrap_or_default()))
        }
        None => "the tree as it is".to_owned(),
    };
    let Some(gate) = &point.gate else {
        let told = if when == "before" { "it passed when the task was ticked" } else { "it fails" };
        return format!("  {when} ({at}): {told}\n");
    };
    let measured = gate.measured.as_deref().unwrap_or("no result");
    let mut text = format!("  {when} ({at}): '{}', {measured}\n", gate.invocation);
    for shown in gate.last_output_lines.iter().rev().take(TAIL).rev().filter(|_| when == "after") {
        let _ = writeln!(text, "    | {shown}");
    }
    text
}

/// How many lines of the output are shown.
const TAIL: usize = 10;

/// Opens the task that broke it, with what was measured for its next worker.
fn reopen(
    tools: &Tools,
    plan: &Path,
    one: &Broken,
    by: &TickDoc,
    before: &Point,
    after: &Point,
) -> Result<(), Stop> {
    let home = Home::of(&root::find(plan)?)?;
    let gate = |point: &Point| point.gate.clone();
    let (after_gate, before_gate) = (gate(after), gate(before));
    let row = json!({
        "id": one.check,
        "command": after_gate.as_ref().map(|gate| gate.invocation.clone()),
        "expect": "as after the task before, where it passed",
        "reason": after_gate.as_ref().and_then(|gate| gate.measured.clone()),
        "before": before_gate.as_ref().and_then(|gate| gate.measured.clone()),
        "tail": after_gate.as_ref().map(|gate| gate.last_output_lines.clone()),
    });
    let file: PathBuf = home.folder("tmp")?.join(format!("blame-{}.json", std::process::id()));
    fs::create(&file, json!({ "failed": [row] }).to_string().as_bytes())?;
    let reason = format!(
        "the work broke the check {} of task {} '{}': keep what this task asks for, and make that check pass again",
        one.check, one.task, one.title
    );
    let args: Words = [
        &["untick", by.task.as_str(), "--reason", &reason, "--evidence"].map(OsString::from)[..],
        &[file.clone().into(), plan.into()],
    ]
    .concat();
    let said = tools.ask("checkbox", args)?.success();
    fs::remove(&file)?;
    said.map(|_| ())
}

fn short(hash: &str) -> &str {
    hash.get(..8).unwrap_or(hash)
}
