//! cargo test: `test result: FAILED. 3 passed; 1 failed; 2 ignored`, once a binary.

use crate::reports::{Counts, before};

pub(crate) fn read(output: &str) -> Option<Counts> {
    let mut counts = Counts::counted();
    let mut found = false;
    for line in output.lines().map(str::trim) {
        if line.starts_with("test result: ") {
            found = true;
            counts.passed += before(line, &["passed"]);
            counts.failed += before(line, &["failed"]);
            counts.skipped += before(line, &["ignored"]);
        } else if line.starts_with("error: could not compile") {
            found = true;
            counts.errors += 1;
        } else if let Some(name) =
            line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED"))
        {
            counts.failed_names.push(name.to_owned());
        }
    }
    found.then_some(counts)
}
