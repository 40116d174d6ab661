//! `PHPUnit`: `OK (3 tests, 5 assertions)`, or `Tests: 3, Assertions: 5, Failures: 1, Skipped: 1.`

use crate::reports::{Counts, before};

pub(crate) fn read(output: &str) -> Option<Counts> {
    let mut counts = Counts::counted();
    let mut found = false;
    for line in output.lines().map(str::trim) {
        if let Some(list) = line.strip_prefix("OK (").filter(|list| list.contains("assertion")) {
            found = true;
            counts.passed += before(list, &["test", "tests"]);
        } else if line.starts_with("Tests: ") && line.contains("Assertions: ") {
            found = true;
            let told = |name: &str| {
                line.trim_end_matches('.')
                    .split(", ")
                    .find_map(|part| part.strip_prefix(name)?.trim().parse::<u64>().ok())
                    .unwrap_or(0)
            };
            let (failed, errors) = (told("Failures:"), told("Errors:"));
            let skipped = told("Skipped:") + told("Incomplete:");
            counts.failed += failed;
            counts.errors += errors;
            counts.skipped += skipped;
            counts.passed += told("Tests:").saturating_sub(failed + errors + skipped);
        } else if line.starts_with("No tests executed!") {
            found = true;
        }
    }
    found.then_some(counts)
}
