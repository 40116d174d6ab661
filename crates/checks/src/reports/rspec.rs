//! rspec: `2 examples, 1 failure`; minitest: `3 runs, 3 assertions, 1 failures, 0 errors, 0 skips`.

use super::{Counts, before};

pub(crate) fn read(output: &str) -> Option<Counts> {
    let mut counts = Counts::default();
    let mut found = false;
    for line in output.lines().map(str::trim).filter(|line| is_summary(line)) {
        found = true;
        let ran = before(line, &["example", "examples", "runs", "tests"]);
        let failed = before(line, &["failure", "failures"]);
        let errors = before(line, &["error", "errors"]);
        counts.failed += failed;
        counts.errors += errors;
        counts.passed += ran.saturating_sub(failed + errors + before(line, &["pending", "skips"]));
    }
    found.then_some(counts)
}

fn is_summary(line: &str) -> bool {
    let mut parts = line.split(", ");
    let mut named = |words: &[&str]| {
        let part = parts.next().and_then(|part| part.split_once(' '));
        part.is_some_and(|(count, word)| count.parse::<u64>().is_ok() && words.contains(&word))
    };
    let first = named(&["example", "examples", "runs", "tests"]);
    first && named(&["failure", "failures", "assertions"])
}
