//! jest: a line `Tests: 1 failed, 2 skipped, 4 passed, 7 total`.

use crate::reports::{Counts, before};

pub(crate) fn read(output: &str) -> Option<Counts> {
    let mut counts = Counts::counted();
    let mut found = false;
    for line in output.lines().map(str::trim) {
        if line.starts_with("Tests:") && line.ends_with(" total") {
            found = true;
            counts.passed += before(line, &["passed"]);
            counts.failed += before(line, &["failed"]);
            counts.skipped += before(line, &["skipped", "todo"]);
        } else if line.ends_with("Test suite failed to run") {
            found = true;
            counts.errors += 1;
        } else if line.starts_with("No tests found") {
            found = true;
        } else if let Some(name) = line.strip_prefix("● ").filter(|name| name.contains(" › ")) {
            counts.failed_names.push(name.to_owned());
        }
    }
    found.then_some(counts)
}
