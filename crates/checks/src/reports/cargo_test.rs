//! cargo test and nextest: `test result: FAILED. 3 passed; 1 failed`, once a binary, or one `Summary`.

use super::{Counts, before};

pub(crate) fn read(output: &str) -> Option<Counts> {
    let mut counts = Counts::default();
    let mut found = false;
    for line in output.lines().map(str::trim) {
        if line.starts_with("test result: ") || (line.starts_with("Summary [") && line.contains("run:")) {
            found = true;
            counts.passed += before(line, &["passed"]);
            counts.failed += before(line, &["failed"]);
        } else if line.starts_with("error: could not compile") {
            found = true;
            counts.errors += 1;
        }
    }
    found.then_some(counts)
}
