//! vitest: a line `Tests  1 failed | 2 passed | 1 skipped (4)`.

use crate::reports::{Counts, before};

pub(crate) fn read(output: &str) -> Option<Counts> {
    let mut counts = Counts::counted();
    let mut found = false;
    for line in output.lines().map(str::trim) {
        let summary = line.strip_prefix("Tests  ").map(str::trim_start);
        if summary.is_some_and(|rest| {
            rest.starts_with(|c: char| c.is_ascii_digit()) || rest.starts_with("no tests")
        }) {
            found = true;
            counts.passed += before(line, &["passed"]);
            counts.failed += before(line, &["failed"]);
            counts.skipped += before(line, &["skipped", "todo"]);
        } else if line.starts_with("No test files found") {
            found = true;
        } else if let Some(name) = line.strip_prefix("FAIL  ") {
            if name.contains(" > ") {
                counts.failed_names.push(name.trim().to_owned());
            } else {
                counts.errors += u64::from(name.contains(" [ "));
            }
        }
    }
    found.then_some(counts)
}
