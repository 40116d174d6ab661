//! jest and vitest: a line `Tests: 1 failed, 4 passed, 5 total`, in vitest without the colon and with bars.

use super::{Counts, before};

pub(crate) fn read(output: &str) -> Option<Counts> {
    let mut counts = Counts::default();
    let mut found = false;
    for line in output.lines().map(str::trim) {
        if is_summary(line) {
            found = true;
            counts.passed += before(line, &["passed"]);
            counts.failed += before(line, &["failed"]);
        } else if line.ends_with("Test suite failed to run") {
            found = true;
            counts.errors += 1;
        } else if line.starts_with("No tests found") || line.starts_with("No test files found") {
            found = true;
        }
    }
    found.then_some(counts)
}

fn is_summary(line: &str) -> bool {
    let rest = line.strip_prefix("Tests:").or_else(|| line.strip_prefix("Tests  "));
    rest.is_some_and(|rest| rest.trim_start().starts_with(|c: char| c.is_ascii_digit()))
}
