//! Clauses about tests: what a known runner reports of itself.

use super::{Run, Verdict};
use crate::commands::class::Classes;
use crate::reports::{self, Counts};
use wire::plan::Clause;
use wire::plan::clause::{Count, Op};

/// A number of tests, as a known runner reports it.
pub(super) fn count(run: &Run<'_>, count: Count, op: Op, number: u64) -> Verdict {
    let (name, counts) = match one(run) {
        Ok(found) => found,
        Err(why) => return Verdict::NoVerdict(why),
    };
    let (own, word) = match count {
        Count::Passed => (counts.passed, "passed"),
        Count::Failed => (counts.failed + counts.errors, "failed"),
        Count::Skipped => (counts.skipped, "skipped"),
        Count::Tests => (counts.passed + counts.failed + counts.errors, "tests"),
    };
    let said = format!("{name} reports {own} {word}");
    let no_failure = count == Count::Failed && own == 0;
    if !counts.counted && !no_failure {
        return Verdict::NoVerdict(format!("{name} does not tell how many tests ran"));
    }
    let holds = op.holds(own.cmp(&number));
    if count == Count::Tests && counts.skipped > 0 {
        // Whether a skipped test counts is anybody's guess.
        let with = op.holds((own + counts.skipped).cmp(&number));
        if with != holds {
            return Verdict::NoVerdict(format!("{said} and {} skipped", counts.skipped));
        }
    }
    if holds { Verdict::Pass(said) } else { Verdict::Fail(said) }
}

/// Tests ran, and none failed. The exit status is judged before.
pub(super) fn pass(run: &Run<'_>) -> Verdict {
    let all = reports::all(run.both);
    if let Some(said) = failure(&all) {
        return Verdict::Fail(format!("exit 0, and {said}"));
    }
    if all.is_empty()
        && let Some(line) = speaks_of_failure(run.both)
    {
        return Verdict::NoVerdict(format!("exit 0, but it prints {}", super::quoted(line)));
    }
    Verdict::Pass(
        all.first()
            .map(|(name, counts)| format!("{name} reports {} passed", counts.passed))
            .unwrap_or_default(),
    )
}

/// What speaks against a run that succeeded: a test runner that ran no test never passes, and one that reports failures
/// has not succeeded.
pub(super) fn against(run: &Run<'_>, clauses: &[Clause]) -> Option<Verdict> {
    let is_runner = run.nature.classes.has(Classes::RUNNER) || run.nature.manner.runs_tests;
    let by_status =
        clauses.iter().all(|clause| matches!(clause, Clause::Exit { .. } | Clause::Within { .. }));
    if super::wants_failure(clauses) || !is_runner && !by_status {
        return None;
    }
    let all = reports::all(run.both);
    // A runner prints a report; the target of a project may be silent.
    if run.nature.classes.has(Classes::RUNNER)
        && !run.nature.classes.has(Classes::TASK)
        && run.both.trim().is_empty()
    {
        return Some(Verdict::NoVerdict("the test runner reports nothing".to_owned()));
    }
    // Whatever ran the tests, their report is about the work.
    if let Some(said) = failure(&all) {
        return Some(Verdict::Fail(format!("exit 0, and {said}")));
    }
    let idle = (is_runner || run.nature.classes.has(Classes::TASK))
        && !all.is_empty()
        && all.iter().all(|(_, counts)| !counts.ran());
    idle.then(|| Verdict::Fail(format!("{} ran no tests", all.first().map_or("it", |(name, _)| name))))
}

fn failure(all: &[(&'static str, Counts)]) -> Option<String> {
    all.iter()
        .find(|(_, counts)| counts.failed + counts.errors > 0)
        .map(|(name, counts)| format!("{name} reports {} failed", counts.failed + counts.errors))
}

/// The one report of a run.
fn one(run: &Run<'_>) -> Result<(&'static str, Counts), String> {
    let mut all = reports::all(run.both);
    match all.len() {
        1 => all.pop().ok_or_else(String::new),
        0 => Err("no report of a known test runner".to_owned()),
        _ => {
            let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
            Err(format!("there are several reports: {}", names.join(", ")))
        }
    }
}

/// A line that speaks of failures in the words of no known runner.
fn speaks_of_failure(text: &str) -> Option<&str> {
    text.lines().find(|line| {
        let shouts = line
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .any(|word| matches!(word, "FAIL" | "FAILED" | "FAILURE" | "ERROR" | "FATAL" | "BROKEN"));
        let words: Vec<String> = line
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        let is_bad = |word: &str| {
            matches!(
                word,
                "failed"
                    | "failures"
                    | "failure"
                    | "failing"
                    | "fail"
                    | "fails"
                    | "error"
                    | "errors"
                    | "broken"
            )
        };
        let counted = words.windows(2).any(|pair| match pair {
            [number, word] => is_bad(word) && number.parse::<u64>().is_ok_and(|number| number > 0),
            _ => false,
        });
        let stated = words
            .iter()
            .any(|word| matches!(word.as_str(), "failed" | "fails" | "failing" | "broken"))
            && !words.iter().any(|word| matches!(word.as_str(), "0" | "no" | "zero" | "none" | "without"));
        shouts
            || counted
            || stated
            || line.contains(['✗', '✘', '❌', '✖'])
            || line.trim_start().starts_with("not ok")
    })
}
