//! Gradle: `3 tests completed, 1 failed, 1 skipped`, only where a test failed; each failed one has a line `A > b FAILED`.
//! A module without tests has `> Task :app:test NO-SOURCE`.

use crate::reports::{Counts, before};

pub(crate) fn read(output: &str) -> Option<Counts> {
    let mut counts = Counts::counted();
    let mut found = false;
    let (mut idle, mut ran) = (false, false);
    for line in output.lines().map(str::trim) {
        if line.contains(" tests completed") || line.contains(" test completed") {
            found = true;
            let ran = line.split(' ').next().and_then(|count| count.parse::<u64>().ok()).unwrap_or(0);
            let (failed, skipped) = (before(line, &["failed"]), before(line, &["skipped"]));
            counts.failed += failed;
            counts.skipped += skipped;
            counts.passed += ran.saturating_sub(failed + skipped);
        } else if let Some(task) = line.strip_prefix("> Task ").map(str::to_lowercase) {
            // Of several modules, some may have no tests.
            idle |= task.ends_with("test no-source");
            ran |= task.ends_with("test")
                || task.ends_with("test up-to-date")
                || task.ends_with("test from-cache");
        } else if let Some(name) = line.strip_suffix(" FAILED").filter(|name| name.contains(" > ")) {
            counts.failed_names.push(name.to_owned());
        }
    }
    (found || idle && !ran).then_some(counts)
}
