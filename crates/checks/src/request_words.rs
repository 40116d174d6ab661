//! The words that ask for a check: `Run:` and `Verify:` before a command, `Expected:` and `Output:` before its result.

use crate::commands::{self, Shape};
use crate::expectation::judge;
use markdown::code_spans;
use wire::plan::{Criterion, ExpectKind};

/// What a label asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// A command that is to be run: `Run:`, `Run again:`.
    Run,
    /// Something that must hold, a command or not: `Verify:`, `**Verification:**`.
    Check,
    /// What the command above gives: `Expected:`, `Output:`.
    Expected,
}

/// What a line asks for, and the text behind its label.
pub fn label(line: &str) -> Option<(Asked, &str)> {
    let text = line.trim_start_matches([' ', '\t', '>']);
    if let Some(head) = text.strip_prefix('#') {
        let name = head.trim_matches(['#', ' ', '\t', ':', '*']);
        return (named(name)? == Asked::Check).then_some((Asked::Check, ""));
    }
    let item = markdown::marks::after_bullet(text);
    let bare = item.unwrap_or(text).trim_start_matches(['*', '_']);
    let (name, rest) = bare.split_once([':', '：'])?;
    let asked = named(name)?;
    // `- Output: a list` is what a function gives.
    if item.is_some() && asked == Asked::Expected && !name.to_lowercase().starts_with("expect") {
        return None;
    }
    Some((asked, rest.trim_start_matches(['*', '_']).trim()))
}

/// What a name means as a label: `Verify (integration)`, `Also verify`, `Run again`.
pub fn named(name: &str) -> Option<Asked> {
    // Most lines have no colon so near to their beginning.
    if name.len() > LONGEST {
        return None;
    }
    let plain = name.split('(').next().unwrap_or(name).trim_matches(['*', '_', ' ']).to_lowercase();
    if EXPECTED.contains(&plain.as_str()) {
        return Some(Asked::Expected);
    }
    let words: Vec<&str> = plain.split_whitespace().collect();
    let (first, last) = (*words.first()?, *words.last()?);
    if words.len() > 3 {
        return None;
    }
    if matches!(first, "run" | "rerun" | "re-run" | "execute") || last == "run" {
        return Some(Asked::Run);
    }
    let asks = |word: &str| CHECKS.contains(&word);
    (CRITERIA.contains(&plain.as_str()) || asks(first) || asks(last)).then_some(Asked::Check)
}

const LONGEST: usize = 48;

const EXPECTED: &[&str] = &[
    "expected",
    "expect",
    "expected result",
    "expected results",
    "expected output",
    "expected outcome",
    "output",
];

const CHECKS: &[&str] =
    &["verify", "verification", "validate", "validation", "confirm", "check", "checks", "qa"];

const CRITERIA: &[&str] = &["acceptance", "acceptance criteria", "success criteria", "done when"];

/// The commands of a line behind its label as one, and what stands behind them: ``Run: `a` and `b` — Expected: PASS``.
pub fn commands(rest: &str) -> Option<(String, &str)> {
    let mut all: Vec<&str> = Vec::new();
    let mut end = 0;
    for span in code_spans::spans(rest) {
        let inner = rest.get(span.inner.start..span.inner.end)?.trim();
        let between = rest.get(end..span.at.start)?.trim().trim_start_matches(',').trim();
        let joins = matches!(between, "" | "and" | "then" | "and then" | "&" | "&&" | ";" | "+");
        if !all.is_empty() && (!joins || commands::shape(inner) == Shape::Other) {
            break;
        }
        all.push(inner);
        end = span.at.end;
    }
    let joined = all.join(" && ");
    (!joined.is_empty()).then(|| (joined, rest.get(end..).unwrap_or_default()))
}

/// What the rest of a line behind its commands says of the result; a remark says nothing.
pub fn result_of(after: &str) -> Option<&str> {
    let after = after.trim_matches([' ', '\t', '.', ',', ';', '(', ')', '-', '—', '–', '*', '_']);
    if let Some((Asked::Expected, rest)) = label(after) {
        return Some(rest);
    }
    let arrow = ["→", "⇒", "=>", ">"].iter().find_map(|arrow| after.strip_prefix(arrow));
    if let Some(said) = arrow {
        return Some(said.trim());
    }
    let lower = after.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    let about =
        words.any(|word| matches!(word, "fail" | "fails" | "expect" | "expected" | "should" | "must"));
    about.then_some(after)
}

/// A sentence that asks for a command: ``Run `make` and make sure that it passes``, ``Verify with `make` ``.
pub fn sentence(text: &str) -> Option<Criterion> {
    let open = text.find('`')?;
    let lead = text.get(..open)?.to_lowercase();
    let mut words = lead.split_whitespace();
    let asks =
        words.next().is_some_and(|word| VERBS.contains(&word)) && words.all(|word| FILL.contains(&word));
    let (command, after) = commands(text.get(open..)?).filter(|_| asks)?;
    if commands::shape(&command) != Shape::Command {
        return None;
    }
    let after = after.trim_matches([' ', '\t', '-', '—', '–', ':', ',', '.']);
    let criterion = Criterion { command: Some(command.clone()), runnable: true, ..Criterion::default() };
    if after.is_empty() || is_praise(after) {
        return Some(criterion);
    }
    let said = result_of(after).unwrap_or(after);
    let expect = judge(&command, said);
    let runnable = expect.kind != ExpectKind::Unclear;
    // What is no result and asks for none is what the command is run for.
    let asked = lead.starts_with("verify") || ASKS.iter().any(|word| after.to_lowercase().starts_with(word));
    (runnable || asked || said.len() < after.len()).then_some(Criterion {
        runnable,
        expect: Some(expect),
        ..criterion
    })
}

const VERBS: &[&str] =
    &["run", "rerun", "re-run", "execute", "verify", "confirm", "check", "validate", "ensure"];
const FILL: &[&str] = &["again", "with", "that", "by", "running", "using", "the", "command"];
const ASKS: &[&str] = &["and ", "to verify", "to confirm", "to check", "to make sure", "must", "should"];

/// Whether a sentence only tells what is done: ``Run `npm install` `` asks for no result.
pub fn is_work(text: &str, told: &Criterion) -> bool {
    let runs = text.get(..3).is_some_and(|word| word.eq_ignore_ascii_case("run")) || text.starts_with("Exec");
    let ends = text.trim_end_matches(['.', ' ', ':']).ends_with('`');
    runs && ends && told.expect.is_none()
}

/// Whether words say nothing but that the command succeeds.
pub fn is_praise(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let praised = |word: &&str| {
        matches!(*word, "pass" | "passes" | "passing" | "passed" | "succeeds" | "succeed" | "green" | "works")
    };
    let known = |word: &&str| praised(word) || PLAIN.contains(word);
    let ends = words.iter().position(praised);
    let before = matches!(words.get(ends.map_or(0, |at| at + 1)), Some(&"before"));
    let told = if before { words.get(..=ends.unwrap_or(0)).unwrap_or_default() } else { &words };
    ends.is_some() && told.iter().all(known) && !lower.contains('`')
}

const PLAIN: &[&str] = &[
    "must",
    "should",
    "all",
    "tests",
    "test",
    "and",
    "make",
    "sure",
    "that",
    "it",
    "they",
    "this",
    "confirm",
    "verify",
    "check",
    "ensure",
    "to",
    "the",
    "everything",
    "still",
    "checks",
    "is",
    "are",
    "build",
    "suite",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_known_by_their_words() {
        for (line, asked) in [
            ("Run: `x`", Some((Asked::Run, "`x`"))),
            ("**Run again:** `x`", Some((Asked::Run, "`x`"))),
            ("- Verify (integration): `x`", Some((Asked::Check, "`x`"))),
            ("Also verify:", Some((Asked::Check, ""))),
            ("#### Verification", Some((Asked::Check, ""))),
            ("> Expected: PASS", Some((Asked::Expected, "PASS"))),
            ("Output: `x`", Some((Asked::Expected, "`x`"))),
            ("- Output: a list", None),
            ("The run of things: one", None),
            ("# Expected", None),
            ("Run", None),
        ] {
            assert_eq!(label(line), asked, "{line}");
        }
    }

    #[test]
    fn a_sentence_asks_for_a_command_that_must_pass() {
        let told = |text: &str| sentence(text).map(|told| (told.command.unwrap(), told.runnable));
        let yes = |command: &str| Some((command.to_owned(), true));
        assert_eq!(told("run `go test ./...` - must pass before task 2"), yes("go test ./..."));
        assert_eq!(told("Run `make test` — must pass"), yes("make test"));
        assert_eq!(told("Run `make test` and make sure that it passes"), yes("make test"));
        assert_eq!(told("Verify with `make test`"), yes("make test"));
        assert_eq!(told("Verify that `make test` fails"), yes("make test"));
        assert_eq!(told("Run `make test` and look at the colours").map(|told| told.1), Some(false));
        assert_eq!(told("run `go get x` to see"), None);
        assert_eq!(told("run `shelf` and confirm it"), None);
        assert_eq!(told("run tests"), None);
    }
}
