//! cargo nextest: `Summary [ 0.005s] 3 tests run: 2 passed, 1 failed, 0 skipped`.

use crate::reports::{Counts, before};

pub(crate) fn read(output: &str) -> Option<Counts> {
    let mut counts = Counts::counted();
    let mut found = false;
    for line in output.lines().map(str::trim) {
        if line.starts_with("Summary [") && line.contains("run:") {
            found = true;
            counts.passed += before(line, &["passed"]);
            counts.failed += before(line, &["failed"]);
            counts.skipped += before(line, &["skipped"]);
        } else if line == "error: no tests to run" {
            found = true;
        } else if let Some((_, name)) = line.strip_prefix("FAIL [").and_then(|rest| rest.split_once("] ")) {
            let name = name.trim().to_owned();
            if !counts.failed_names.contains(&name) {
                counts.failed_names.push(name);
            }
        }
    }
    found.then_some(counts)
}
