//! A step that asks to see a test fail before the work is done.
//!
//! Such a step is true before the change and false after it, so its result is never judged with the finished work.

use crate::labels::{self, Label};
use crate::located::{Located, Role};

/// The stated failure, where a step asks for one.
pub fn failure_before(located: &Located<'_>) -> Option<String> {
    if located.role != Role::Step {
        return None;
    }
    let results = located.parts.iter().filter_map(|part| match labels::label(&part.text)? {
        (Label::Expected, rest) => Some(rest),
        _ => None,
    });
    let results: Vec<&str> = results.filter(|rest| !rest.is_empty()).collect();
    if !results.is_empty() {
        let fails = results.iter().all(|rest| begins_with_failure(rest));
        return fails.then(|| results.join("; "));
    }
    let name = located.parts.first()?;
    sees_failure(&name.text).then(|| name.text.clone().into_owned())
}

/// `FAIL`, `FAIL with "x"`, `Tests fail: …`.
fn begins_with_failure(text: &str) -> bool {
    let mut words = words(text);
    match words.next().as_deref() {
        Some("fail" | "fails" | "failing" | "failed" | "failure") => true,
        Some("all" | "test" | "tests" | "the" | "both") => {
            words.take(3).any(|word| FAILS.contains(&word.as_str()))
        }
        _ => false,
    }
}

/// `Run the test to verify it fails`, `Verify the test fails (not defined)`.
fn sees_failure(name: &str) -> bool {
    let clause = name.split(['(', '—', '–', '`']).next().unwrap_or_default();
    let words: Vec<String> = words(clause).collect();
    let asks =
        |word: &String| matches!(word.as_str(), "verify" | "confirm" | "see" | "watch" | "ensure" | "check");
    let negated =
        |word: &String| matches!(word.as_str(), "no" | "not" | "never" | "nothing" | "without" | "if");
    words.last().is_some_and(|last| FAILS.contains(&last.as_str()))
        && words.iter().any(asks)
        && !words.iter().any(negated)
}

const FAILS: &[&str] = &["fail", "fails", "failing", "failure"];

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use markdown::Extent;

    fn step(text: &str) -> Option<String> {
        failure_before(&Located::text(text, Extent::default()).as_step())
    }

    #[test]
    fn a_step_that_sees_a_failure_is_known() {
        for text in [
            "Run the test to verify it fails",
            "Verify the tests fail (not defined)",
            "Expected: FAIL with \"x\"",
            "Expected: all tests fail",
        ] {
            assert!(step(text).is_some(), "{text}");
        }
        for text in [
            "Verify no test fails",
            "Expected: PASS",
            "Run the tests",
            "Expected: 0 failed",
            "Handle what fails",
        ] {
            assert!(step(text).is_none(), "{text}");
        }
        let text = "Expected: FAIL";
        assert!(failure_before(&Located::text(text, Extent::default())).is_none(), "a criterion is no step");
    }
}
