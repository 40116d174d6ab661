//! `--end`: the end of a run in at most ten lines: what is done, what is open and why, and the next command.

use super::figures::{is_complete, standing};
use crate::plain_text::{clip, count, plain, span};
use ledger::pins::{PINS_TOUCHED, PLAN_TOUCHED};
use std::collections::HashSet;
use std::path::Path;
use toolkit::cli::shell_word;
use wire::report::{Line, Numbers, Report, Stand};

/// How many open items have a line of their own; one more line counts the others.
const NAMED: usize = 5;
/// The longest line of an open item.
const WIDE: usize = 160;
/// The halts of a task whose plan, configuration or hooks changed since its first attempt.
const CHANGED: [&str; 3] = ["pin-changed", PINS_TOUCHED, PLAN_TOUCHED];

/// The end of a plan; `path` is the plan as the user named it.
pub(crate) fn write(path: &Path, report: &Report) -> String {
    let mut lines = vec![head(report)];
    if let Some(numbers) = &report.numbers {
        lines.extend(evidence(numbers));
        lines.extend(work(numbers, report));
    }
    lines.extend(open(report));
    lines.push(format!("next: {}", next(&shell_word::path(&path.to_string_lossy()), report)));
    lines.into_iter().map(|line| line + "\n").collect()
}

fn head(report: &Report) -> String {
    let done = report.tasks.iter().filter(|line| line.stand.is_settled()).count();
    let word = if report.open.is_empty() && is_complete(report) { "done" } else { "not done" };
    format!("{word}: {}, {done} of {}", plain(&report.plan), count(report.tasks.len() as u64, "task"))
}

/// How many tasks are settled on which evidence. This is the one line about levels of evidence.
fn evidence(numbers: &Numbers) -> Option<String> {
    let settled = Stand::ALL.iter().filter(|stand| stand.is_settled() || **stand == Stand::Unverified);
    let words: Vec<String> = settled
        .filter(|&&stand| standing(numbers, stand) > 0)
        .map(|&stand| {
            format!(
                "{} {}",
                standing(numbers, stand),
                if stand == Stand::Done { "proved" } else { stand.word() }
            )
        })
        .collect();
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
fn open(report: &Report) -> Vec<String> {
    let waits: HashSet<String> = report
        .tasks
        .iter()
        .filter(|line| line.halt.is_none())
        .map(|line| format!("task {}: {}", line.id, line.state.word()))
        .collect();
    let (idle, told): (Vec<&String>, Vec<&String>) =
        report.open.iter().partition(|item| waits.contains(*item));
    let room = if idle.is_empty() { NAMED } else { NAMED - 1 };
    let shown = if told.len() > room { room - 1 } else { told.len() };
    let mut lines: Vec<String> =
        told[..shown].iter().map(|item| format!("open: {}", clip(&plain(item), WIDE))).collect();
    if told.len() > shown {
        lines.push(format!("open: {} more items", told.len() - shown));
    }
    if !idle.is_empty() {
        let others = if told.is_empty() { "" } else { "other " };
        lines.push(format!("open: {}{}", others, count(idle.len() as u64, "task")));
    }
    lines
}

/// The command to run next.
fn next(plan: &str, report: &Report) -> String {
    let first = |wanted: fn(&Line) -> bool| report.tasks.iter().find(|line| wanted(line));
    let halt = |line: &Line| line.halt.as_ref().map(|halt| halt.code.clone()).unwrap_or_default();
    let is_failed =
        |line: &Line| line.halt.is_some() && !line.stand.is_settled() && line.stand != Stand::Running;
    if let Some(line) = first(is_failed) {
        return if CHANGED.contains(&halt(line).as_str()) {
            format!("orchestrate --accept-change REASON {plan}")
        } else {
            format!("fix the cause, then: orchestrate {plan} (without a change: orchestrate --retry {plan})")
        };
    }
    if first(|line| line.stand == Stand::Running).is_some() {
        return format!("run-report --follow {plan}");
    }
    if first(|line| line.stand == Stand::Pending).is_some() {
        return format!("orchestrate {plan}");
    }
    if let Some(line) = first(|line| line.stand == Stand::Human) {
        let id = shell_word::quoted(line.id.as_str());
        return format!("do task {id}, then: checkbox tick {id} {plan} --reason WHY");
    }
    if let Some(goal) = report.goals.iter().find(|goal| goal.open) {
        return format!("checkbox criterion {} {plan} --reason WHY", shell_word::quoted(&goal.id));
    }
    if report.open.is_empty() {
        return format!("run-report --final {plan} prints the whole report");
    }
    format!("settle what is open, then: orchestrate {plan}")
}
