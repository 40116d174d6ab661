//! `XCTest`, as swift test and xcodebuild run it: `Executed 12 tests, with 1 failure (0 unexpected) in 0.1 seconds`.
//! Suites within suites have a line each; the largest is the sum.

use crate::reports::{Counts, before};

pub(crate) fn read(output: &str) -> Option<Counts> {
    let mut found: Option<(u64, u64, u64)> = None;
    let mut failed_names = Vec::new();
    for line in output.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("Executed ").filter(|rest| rest.contains(" with ")) {
            let ran = before(line, &["test", "tests"]);
            let failed = before(rest, &["failure", "failures"]);
            let skipped = before(rest, &["skipped"]);
            let most = found.unwrap_or_default();
            found = Some((most.0.max(ran), most.1.max(failed), most.2.max(skipped)));
        } else if let Some(rest) = line.strip_prefix("Test Case '")
            && let Some((name, how)) = rest.split_once("' ")
            && how.starts_with("failed")
        {
            failed_names.push(name.to_owned());
        }
    }
    let (ran, failed, skipped) = found?;
    let passed = ran.saturating_sub(failed + skipped);
    Some(Counts { passed, failed, skipped, failed_names, ..Counts::counted() })
}
