//! rspec: `2 examples, 1 failure, 1 pending`; minitest: `3 runs, 3 assertions, 1 failures, 0 errors, 0 skips`.

use crate::reports::{Counts, before};

pub(crate) fn read(output: &str) -> Option<Counts> {
    let mut counts = Counts::counted();
    let mut found = false;
    for line in output.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("rspec ")
            && let Some((place, _)) = rest.split_once(" # ")
        {
            counts.failed_names.push(place.to_owned());
        }
        if !is_summary(line) {
            continue;
        }
        found = true;
        let ran = before(line, &["example", "examples", "runs", "tests"]);
        let failed = before(line, &["failure", "failures"]);
        let errors = before(line, &["error", "errors"]);
        let skipped = before(line, &["pending", "skips"]);
        counts.failed += failed;
        counts.errors += errors;
        counts.skipped += skipped;
        counts.passed += ran.saturating_sub(failed + errors + skipped);
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
