//! Whether what a command did and printed meets the clauses of its check: pass, fail, or no verdict and why.
//!
//! One function, [`judge`], with the exact meanings of plantools-checks(7). The exit status is judged first, stage by
//! stage; then each clause. A failure outweighs a missing verdict, and a missing verdict is never a pass.

mod console;
mod findings;
mod literals;
mod numbers;
mod status;
mod tests_clause;

use crate::commands::class::{Nature, nature};
use crate::reports;
use regex::Regex;
use std::time::Duration;
use wire::plan::Clause;
use wire::plan::clause::{JsonValue, Op};

/// What a command did and printed.
#[derive(Debug, Clone)]
pub struct Output<'o> {
    /// Standard output, all of it.
    pub stdout: &'o str,
    /// Standard error, all of it.
    pub stderr: &'o str,
    /// Both in the order in which they were printed, where that is known; otherwise one behind the other.
    pub both: &'o str,
    /// The exit status of the shell.
    pub exit: i32,
    /// The exit status of each stage of the last pipeline.
    pub stages: Stages,
    /// Wall-clock time.
    pub elapsed: Duration,
}

/// The exit status of each stage of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stages {
    /// There is no pipeline and no `!`: the exit status is the command's own.
    Single,
    /// Each stage, the last one without its `!`.
    Known(Vec<i32>),
    /// The stages cannot be told apart.
    Unknown,
}

/// The verdict on one run of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Every clause holds; what was measured.
    Pass(String),
    /// A clause does not hold.
    Fail(String),
    /// The output has not the form that the clause needs, or the command could not look.
    NoVerdict(String),
}

impl Verdict {
    /// What was measured, or why there is no verdict.
    pub fn text(&self) -> &str {
        match self {
            Verdict::Pass(text) | Verdict::Fail(text) | Verdict::NoVerdict(text) => text,
        }
    }
}

/// The verdict on a check.
pub fn judge(command: &str, clauses: &[Clause], output: &Output<'_>) -> Verdict {
    let stdout = reports::without_colours(output.stdout);
    let stderr = reports::without_colours(output.stderr);
    let both = reports::without_colours(output.both);
    let run = Run { command, nature: nature(command), output, stderr: &stderr, both: &both };
    let status = status::judge(&run, clauses);
    let Verdict::Pass(exit) = status else { return status };
    let mut measured = vec![exit];
    let mut open: Option<Verdict> = None;
    for clause in clauses {
        match run.clause(clause, &stdout) {
            Verdict::Pass(text) if text.is_empty() => {}
            Verdict::Pass(text) => measured.push(text),
            fail @ Verdict::Fail(_) => return fail,
            none @ Verdict::NoVerdict(_) => open = open.or(Some(none)),
        }
    }
    if let Some(line) = blind_substitution(command, &stderr) {
        return Verdict::NoVerdict(format!("a part of the command could not look: {}", quoted(line)));
    }
    open.unwrap_or_else(|| {
        tests_clause::against(&run, clauses).unwrap_or_else(|| Verdict::Pass(measured.join(", ")))
    })
}

/// The exit status of `$(…)` is lost: what it complains about is all that is known of it.
fn blind_substitution<'e>(command: &str, stderr: &'e str) -> Option<&'e str> {
    let complains = |line: &&str| {
        [
            "No such file or directory",
            "not found",
            "cannot open",
            "can't open",
            "Permission denied",
            "Is a directory",
        ]
        .iter()
        .any(|said| line.contains(said))
    };
    (command.contains("$(") || command.contains("<(")).then(|| stderr.lines().find(complains)).flatten()
}

/// Whether the verdict on these clauses needs standard output apart from standard error.
pub fn needs_streams(clauses: &[Clause]) -> bool {
    !clauses.is_empty() && !clauses.iter().any(|clause| matches!(clause, Clause::Console { .. }))
}

/// Whether the clauses ask for a failure, for nothing or for zero, so that a command that could not look would meet them.
pub fn wants_absence(clauses: &[Clause]) -> bool {
    clauses.iter().any(|clause| match clause {
        Clause::Fails | Clause::Empty => true,
        Clause::Exit { code } => *code != 0,
        Clause::Number { op, value } => {
            matches!(op, Op::Eq | Op::Le | Op::Lt | Op::Ne | Op::Ge) && !(*op == Op::Ge && value != "0")
        }
        Clause::Line { text } | Clause::Exactly { text } => text == "0",
        Clause::Stderr { of } => matches!(**of, Clause::Empty),
        _ => false,
    })
}

/// Whether the clauses ask for a status other than 0.
pub fn wants_failure(clauses: &[Clause]) -> bool {
    clauses.iter().any(|clause| {
        matches!(clause, Clause::Fails) || matches!(clause, Clause::Exit { code } if *code != 0)
    })
}

/// Whether the clauses ask for this very exit status.
pub fn wants_code(clauses: &[Clause], wanted: i32) -> bool {
    clauses.iter().any(|clause| matches!(clause, Clause::Exit { code } if *code == wanted))
}

/// One run with what is known of its command.
struct Run<'r> {
    command: &'r str,
    nature: Nature,
    output: &'r Output<'r>,
    stderr: &'r str,
    both: &'r str,
}

impl Run<'_> {
    /// The verdict on one clause about `text`, which is standard output or standard error.
    fn clause(&self, clause: &Clause, text: &str) -> Verdict {
        match clause {
            // The status is judged before.
            Clause::Exit { .. } | Clause::Fails => Verdict::Pass(String::new()),
            Clause::Empty if text.trim().is_empty() => Verdict::Pass("printed nothing".to_owned()),
            Clause::Empty => Verdict::Fail(format!("printed {}", quoted(text))),
            Clause::NotEmpty if text.trim().is_empty() => Verdict::Fail("printed nothing".to_owned()),
            Clause::NotEmpty => Verdict::Pass(format!("printed {}", quoted(text))),
            Clause::Line { text: wanted } => literals::line(wanted, text),
            Clause::Contains { text: wanted } => literals::contains(wanted, text),
            Clause::Exactly { text: wanted } => literals::exactly(wanted, text),
            Clause::Matches { pattern } => matches(pattern, text),
            Clause::Number { op, value } => numbers::judge(*op, value, text, self.command),
            Clause::Tests { count, op, number } => tests_clause::count(self, *count, *op, *number),
            Clause::TestsPass => tests_clause::pass(self),
            Clause::Findings { finding, op, number } => findings::judge(self, *finding, *op, *number),
            Clause::Json { pointer, op, value } => json(pointer.as_deref(), *op, value.as_ref(), text),
            Clause::Stderr { of } => match self.clause(of, self.stderr) {
                Verdict::Pass(text) => Verdict::Pass(format!("stderr: {text}")),
                Verdict::Fail(text) => Verdict::Fail(format!("stderr: {text}")),
                Verdict::NoVerdict(text) => Verdict::NoVerdict(format!("stderr: {text}")),
            },
            Clause::Within { milliseconds } => {
                let took = self.output.elapsed.as_millis();
                let text = format!("took {took} ms");
                if took <= u128::from(*milliseconds) { Verdict::Pass(text) } else { Verdict::Fail(text) }
            }
            Clause::Console { lines } => console::judge(lines, self.both),
        }
    }
}

fn matches(pattern: &str, text: &str) -> Verdict {
    let Ok(pattern) = Regex::new(pattern) else {
        return Verdict::NoVerdict(format!("/{pattern}/ is no regular expression"));
    };
    match text.lines().find(|line| pattern.is_match(line)) {
        Some(line) => Verdict::Pass(format!("printed {}", quoted(line))),
        None => Verdict::Fail(format!("no line matches; printed {}", quoted(text))),
    }
}

fn json(pointer: Option<&str>, op: Option<Op>, value: Option<&JsonValue>, text: &str) -> Verdict {
    let parsed = match serde_json::from_str::<serde_json::Value>(text.trim()) {
        Ok(parsed) => parsed,
        Err(error) if pointer.is_none() => return Verdict::Fail(format!("no JSON: {error}")),
        Err(error) => return Verdict::NoVerdict(format!("no JSON: {error}")),
    };
    let Some(pointer) = pointer else { return Verdict::Pass("printed JSON".to_owned()) };
    let Some(found) = parsed.pointer(pointer) else {
        return Verdict::Fail(format!("JSON has nothing at {pointer}"));
    };
    let (Some(op), Some(JsonValue(wanted))) = (op, value) else {
        return Verdict::Pass(format!("JSON has {pointer}"));
    };
    let text = format!("JSON has {} at '{pointer}'", quoted(&found.to_string()));
    let order = match (found, wanted) {
        (serde_json::Value::Number(found), serde_json::Value::Number(wanted)) => {
            numbers::compare(&found.to_string(), &wanted.to_string())
        }
        _ if found == wanted => Some(std::cmp::Ordering::Equal),
        // Of two other values only whether they are equal can be told.
        _ if matches!(op, Op::Eq | Op::Ne) => Some(std::cmp::Ordering::Less),
        _ => None,
    };
    match order {
        Some(order) if op.holds(order) => Verdict::Pass(text),
        Some(_) => Verdict::Fail(text),
        None => Verdict::NoVerdict(format!("{text}, which cannot be compared so")),
    }
}

/// The beginning of a text, on one line.
fn quoted(text: &str) -> String {
    const SHOWN: usize = 60;
    let text = text.trim();
    let line = text.lines().next().unwrap_or_default();
    let short: String = line.chars().take(SHOWN).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("'{short}{more}'")
}

#[cfg(test)]
mod tests;
