//! deno test: `ok | 3 passed | 0 failed (10ms)`, `FAILED | 2 passed | 1 failed | 1 ignored (10ms)`.

use crate::reports::{Counts, before};

pub(crate) fn read(output: &str) -> Option<Counts> {
    let mut counts = Counts::counted();
    let mut found = false;
    for line in output.lines().map(str::trim) {
        let summary = line.strip_prefix("ok | ").or_else(|| line.strip_prefix("FAILED | "));
        if summary.is_some_and(|rest| rest.contains(" passed")) {
            found = true;
            counts.passed += before(line, &["passed"]);
            counts.failed += before(line, &["failed"]);
            counts.skipped += before(line, &["ignored"]);
        } else if line == "error: No test modules found" {
            found = true;
        } else if let Some((name, _)) = line.split_once(" => ").filter(|(_, file)| file.starts_with('.')) {
            counts.failed_names.push(name.to_owned());
        }
    }
    counts.failed_names.dedup();
    found.then_some(counts)
}
