//! `--end`: the end of a run in at most ten lines: what is done, what is open and why, and the next command.

use super::figures::{self, is_complete, standing};
use crate::plain_text::{clip, count, plain, span};
use config::proof::Accept;
use ledger::pins::{PINS_TOUCHED, PLAN_TOUCHED};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use toolkit::cli::shell_word;

use wire::report::{Line, Numbers, Report, Stand};

/// How many open items have a line of their own; one more line counts the others.
const NAMED: usize = 5;
/// The longest line of an open item.
const WIDE: usize = 160;
/// The halts of a task whose plan, configuration or hooks changed since its first attempt.
const CHANGED: [&str; 3] = ["pin-changed", PINS_TOUCHED, PLAN_TOUCHED];

/// How the run's command line named the worker: the words before the plan, and those behind it. The next command has them too.
#[derive(Debug, Default)]
pub(crate) struct WorkerWords {
    pub(crate) before: String,
    pub(crate) behind: String,
}

/// The command line of another run.
struct Again<'a> {
    plan: &'a str,
    worker: &'a WorkerWords,
}

impl Again<'_> {
    /// The command with these options, each with a space behind it.
    fn with(&self, options: &str) -> String {
        let WorkerWords { before, behind } = self.worker;
        format!("orchestrate {options}{before}{}{behind}", self.plan)
    }
}

/// The end of a plan; `path` is the plan as the user named it.
pub(crate) fn write(path: &Path, worker: &WorkerWords, report: &Report) -> String {
    let mut lines = vec![head(report)];
    if let Some(numbers) = &report.numbers {
        lines.extend(evidence(numbers));
        lines.extend(work(numbers, report));
    }
    let plan = shell_word::path(&path.to_string_lossy());
    lines.extend(open(&plan, report));
    let again = Again { plan: &plan, worker };
    lines.extend(next(&again, report));
    lines.into_iter().map(|line| line + "\n").collect()
}

fn head(report: &Report) -> String {
    let done = report.tasks.iter().filter(|line| line.stand.is_settled()).count();
    let word = if report.open.is_empty() && is_complete(report) { "done" } else { "not done" };
    format!("{word}: {}, {done} of {}", plain(&report.plan), count(report.tasks.len() as u64, "task"))
}

/// How many tasks are settled on which evidence, and how many without a tick of ours: skipped, or ticked elsewhere.
fn evidence(numbers: &Numbers) -> Option<String> {
    let mut words = vec![figures::evidence(numbers)];
    // An overridden task has the level `accepted`.
    let others =
        [Stand::Unverified, Stand::Skipped].into_iter().filter(|stand| standing(numbers, *stand) > 0);
    words.extend(others.map(|stand| format!("{} {}", standing(numbers, stand), stand.word())));
    words.retain(|word| !word.is_empty());
    (!words.is_empty()).then(|| format!("evidence: {}", words.join(", ")))
}

fn work(numbers: &Numbers, report: &Report) -> Option<String> {
    if numbers.attempts == 0 {
        return None;
    }
    let commits: HashSet<&str> = report.tasks.iter().filter_map(|line| line.commit.as_deref()).collect();
    let mut words = vec![count(numbers.attempts, "attempt")];
    let counted = [(report.files.len(), "changed file"), (commits.len(), "commit")];
    words.extend(counted.into_iter().filter(|(n, _)| *n > 0).map(|(n, noun)| count(n as u64, noun)));
    if numbers.false_claims > 0 {
        words.push(count(numbers.false_claims, "false claim"));
    }
    words.push(format!("workers {}, checks {}", span(numbers.worker_ms), span(numbers.gate_ms)));
    Some(format!("work: {}", words.join(", ")))
}

/// What is open, with a reason; tasks without one are only counted.
fn open(plan: &str, report: &Report) -> Vec<String> {
    let of_task = |line: &Line| format!("task {}: {}", line.id, line.state.word());
    let waits: HashSet<String> =
        report.tasks.iter().filter(|line| line.halt.is_none()).map(of_task).collect();
    let (idle, told): (Vec<&String>, Vec<&String>) =
        report.open.iter().partition(|item| waits.contains(*item));
    let room = if idle.is_empty() { NAMED } else { NAMED - 1 };
    let shown = if told.len() > room { room - 1 } else { told.len() };
    let failed: HashMap<String, &Line> =
        report.tasks.iter().filter_map(|line| Some((told_of(line)?, line))).collect();
    let words = |item: &&String| match failed.get(*item) {
        Some(line) => failure(line),
        None => plain(item),
    };
    let mut lines: Vec<String> =
        told[..shown].iter().map(|item| format!("open: {}", clip(&words(item), WIDE))).collect();
    if told.len() > shown {
        lines.push(format!("open: {} more, see: run-report --check {plan}", told.len() - shown));
    }
    match idle.len() {
        0 => {}
        1 => lines.push("open: 1 task that was not begun".to_owned()),
        n => lines.push(format!("open: {n} tasks that were not begun")),
    }
    lines
}

/// The item of [`Report::open`] for a task that was refused.
fn told_of(line: &Line) -> Option<String> {
    let halt = line.halt.as_ref()?;
    Some(format!("task {}: {}, {}", line.id, line.state.word(), halt.message))
}

/// Why a task is open: the refusal, and the first check that failed with its result.
fn failure(line: &Line) -> String {
    let message = line.halt.as_ref().map_or("", |halt| halt.message.as_str());
    let attempts =
        if line.attempts > 0 { format!(" ({})", count(line.attempts, "attempt")) } else { String::new() };
    let ran = line.history.last().map(|attempt| attempt.gates.as_slice()).unwrap_or_default();
    let check = ran
        .iter()
        .find(|ran| ran.status != "pass")
        .and_then(|ran| Some(format!("; `{}`: {}", plain(&ran.command), plain(ran.measured.as_deref()?))));
    format!(
        "task {} {}{attempts}: {}{}",
        plain(line.id.as_str()),
        plain(&line.title),
        plain(message),
        check.unwrap_or_default()
    )
}

/// The command to run next, and another one where there is a choice.
fn next(again: &Again<'_>, report: &Report) -> Vec<String> {
    let plan = again.plan;
    let first = |wanted: fn(&Line) -> bool| report.tasks.iter().find(|line| wanted(line));
    let is_failed = |line: &Line| {
        let elsewhere = matches!(line.stand, Stand::Running | Stand::Waiting);
        line.halt.is_some() && !line.stand.is_settled() && !elsewhere
    };
    if let Some(halt) = first(is_failed).and_then(|line| line.halt.as_ref()) {
        if CHANGED.contains(&halt.code.as_str()) {
            return vec![format!("next: {}", again.with("--accept-change REASON "))];
        }
        return vec![
            format!("next: fix the cause, then: {}", again.with("")),
            format!("  or: without a change: {}", again.with("--retry ")),
        ];
    }
    let is_running = first(|line| line.stand == Stand::Running).is_some();
    if let Some(line) = first(|line| line.stand == Stand::Waiting).filter(|_| !is_running) {
        return accept(again, line);
    }
    vec![match () {
        () if is_running => {
            format!("next: run-report --follow {plan}")
        }
        () if first(|line| line.stand == Stand::Pending).is_some() => format!("next: {}", again.with("")),
        () => settle(again, report),
    }]
}

/// The ways out where a task waits for its level to be accepted.
fn accept(again: &Again<'_>, line: &Line) -> Vec<String> {
    let word = line.level.map_or("LEVEL", |level| Accept::of(level).map_or(level.word(), Accept::word));
    let accept = again.with(&format!("--accept {word} --reason WHY "));
    if line.checks.iter().any(|check| check.command.is_some()) {
        return vec![format!("next: add a check that fails until the work is done, or accept it: {accept}")];
    }
    vec![
        format!("next: add a check below the task, or find one: orchestrate checks {}", again.plan),
        format!("  or: accept it: {accept}"),
    ]
}

/// The next command where no task is left to a worker.
fn settle(again: &Again<'_>, report: &Report) -> String {
    let plan = again.plan;
    if let Some(line) = report.tasks.iter().find(|line| line.stand == Stand::Human) {
        let id = shell_word::quoted(line.id.as_str());
        return format!("next: do task {id}, then: checkbox tick {id} {plan} --reason WHY");
    }
    if let Some(line) = report.tasks.iter().find(|line| line.stand == Stand::Unverified) {
        let id = shell_word::quoted(line.id.as_str());
        return format!("next: if task {id} is done, say why: checkbox tick {id} {plan} --reason WHY");
    }
    if let Some(goal) = report.goals.iter().find(|goal| goal.open) {
        return format!("next: checkbox criterion {} {plan} --reason WHY", shell_word::quoted(&goal.id));
    }
    if report.open.is_empty() {
        format!("full report: run-report --final {plan}")
    } else {
        format!("next: settle the open items, then: {}", again.with(""))
    }
}
