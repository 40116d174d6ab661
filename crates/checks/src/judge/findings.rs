//! `0 errors`, `0 warnings`, `0 problems`: as a known tool reports it. A linter that is silent and exits 0 has none.

use super::{Run, Verdict, quoted};
use crate::commands::class::Classes;
use wire::plan::clause::{Finding, Op};

/// The verdict on a number of findings.
pub(super) fn judge(run: &Run<'_>, finding: Finding, op: Op, number: u64) -> Verdict {
    let nouns: &[&str] = match finding {
        Finding::Errors => &["error", "errors"],
        Finding::Warnings => &["warning", "warnings"],
        Finding::Problems => &[
            "problem",
            "problems",
            "issue",
            "issues",
            "violation",
            "violations",
            "offense",
            "offenses",
            "offence",
            "offences",
            "finding",
            "findings",
            "error",
            "errors",
            "warning",
            "warnings",
        ],
    };
    let mut counts: Vec<u64> = Vec::new();
    let mut reported: Option<&str> = None;
    let mut mentioned: Option<&str> = None;
    for line in run.both.lines() {
        let own = counts_in(line, nouns);
        if !own.is_empty() {
            counts.extend(own);
        } else if reports(line, nouns) {
            reported = reported.or(Some(line));
        } else if mentions(line, nouns) {
            mentioned = mentioned.or(Some(line));
        }
    }
    let word = finding.word();
    if let Some(most) = counts.iter().max() {
        let said = format!("it reports {most} {word}");
        let same = counts.iter().all(|count| op.holds(count.cmp(&number)));
        let none = counts.iter().all(|count| !op.holds(count.cmp(&number)));
        let of_none = number == 0 && op == Op::Eq;
        return match (same, none) {
            (true, _) if of_none && reported.or(mentioned).is_some() => Verdict::NoVerdict(format!(
                "{said}, and prints {}",
                quoted(reported.or(mentioned).unwrap_or_default())
            )),
            (true, _) => Verdict::Pass(said),
            (_, true) => Verdict::Fail(said),
            _ if of_none => Verdict::Fail(said),
            _ => Verdict::NoVerdict(format!("it reports several numbers of {word}")),
        };
    }
    if let Some(line) = reported {
        let said = format!("it prints {}", quoted(line));
        let may_hold = number > 0 || op != Op::Eq;
        return if may_hold { Verdict::NoVerdict(said) } else { Verdict::Fail(said) };
    }
    uncounted(run, finding, op, number, mentioned)
}

/// Nothing is counted and nothing reported.
fn uncounted(run: &Run<'_>, finding: Finding, op: Op, number: u64, mentioned: Option<&str>) -> Verdict {
    let word = finding.word();
    if !op.holds(0.cmp(&number)) {
        return Verdict::NoVerdict(format!("it reports no number of {word}"));
    }
    if let Some(line) = mentioned {
        return Verdict::NoVerdict(format!("it reports no number of {word}, and prints {}", quoted(line)));
    }
    // What is cut off may report some.
    if run.nature.streams.cuts && !run.both.trim().is_empty() {
        return Verdict::NoVerdict(format!("it shows only a part of its output, and no number of {word}"));
    }
    let reports_itself = [Classes::LINTER, Classes::BUILDER, Classes::RUNNER, Classes::TASK]
        .iter()
        .any(|class| run.nature.classes.has(*class));
    let silent = run.both.trim().is_empty();
    let calm = finding != Finding::Problems && run.stderr.trim().is_empty() && !is_alarmed(run.both);
    if reports_itself && !is_alarmed(run.both) || silent || calm {
        return Verdict::Pass(format!("it reports no {word}"));
    }
    Verdict::NoVerdict(format!("it reports no number of {word}, and prints {}", quoted(run.both)))
}

/// Words of a run that did not go well.
fn is_alarmed(text: &str) -> bool {
    let words = ["traceback", "exception", "panicked", "fatal", "failed", "failure"];
    text.lines().any(|line| {
        let lower = line.to_lowercase();
        let own = lower.split(|c: char| !c.is_alphanumeric());
        let denied = lower
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| matches!(word, "0" | "no" | "zero" | "without"));
        !denied && own.into_iter().any(|word| words.contains(&word))
    })
}

/// The numbers before or behind a noun: `3 errors`, `errors: 3`, `no errors`.
fn counts_in(line: &str, nouns: &[&str]) -> Vec<u64> {
    let lower = line.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if !nouns.contains(word) {
            continue;
        }
        let before =
            |back: usize| at.checked_sub(back).and_then(|at| words.get(at)).copied().unwrap_or_default();
        let number = |word: &str| match word {
            "no" | "zero" | "without" => Some(0),
            word => word.parse::<u64>().ok(),
        };
        // `3 type errors`, `no lint errors`
        let own = number(before(1)).or_else(|| {
            number(before(2)).filter(|_| !before(1).is_empty() && before(1).chars().all(char::is_alphabetic))
        });
        found.extend(own.or_else(|| behind(&lower, word)));
    }
    found
}

/// `errors: 3`, `errors=3`.
fn behind(lower: &str, noun: &str) -> Option<u64> {
    let (at, _) = lower.match_indices(noun).next()?;
    let rest = lower.get(at + noun.len()..)?.trim_start().strip_prefix([':', '='])?.trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let next = rest.get(digits..)?.chars().next();
    rest.get(..digits)?
        .parse()
        .ok()
        .filter(|_| next.is_none_or(|c| !c.is_alphanumeric() && c != ':' && c != '.'))
}

/// A line that reports a finding: `error: …`, `warning[E1]: …`, `x.c:1: error: …`, `ERROR …`.
fn reports(line: &str, nouns: &[&str]) -> bool {
    nouns.iter().any(|noun| {
        line.to_lowercase().match_indices(noun).any(|(at, _)| {
            let before = line.get(..at).and_then(|text| text.chars().next_back());
            let after = line.get(at + noun.len()..).and_then(|text| text.chars().next());
            let shouted =
                line.get(at..at + noun.len()).is_some_and(|word| word.chars().all(char::is_uppercase));
            let begins = before.is_none_or(|c| !c.is_alphanumeric() && c != '_');
            let named = line.get(..at).is_some_and(|text| text.ends_with(|c: char| c.is_alphabetic()))
                && matches!(after, Some(':'));
            // `error TS2322`
            let rest = line.get(at + noun.len()..).unwrap_or_default().trim_start();
            let letters = rest.bytes().take_while(u8::is_ascii_uppercase).count();
            let coded = letters > 1 && rest.as_bytes().get(letters).is_some_and(u8::is_ascii_digit);
            begins
                && (coded
                    || matches!(after, Some(':' | '['))
                    || shouted && after.is_none_or(|c| !c.is_alphanumeric()))
                || named
        })
    })
}

fn mentions(line: &str, nouns: &[&str]) -> bool {
    let lower = line.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| nouns.contains(&word))
}
