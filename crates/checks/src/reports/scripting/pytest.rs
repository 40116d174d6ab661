//! pytest: the last line says `1 failed, 2 passed, 3 skipped in 0.03s`, with or without a frame of `=`.

use crate::reports::{Counts, before};

pub(crate) fn read(output: &str) -> Option<Counts> {
    let summary =
        output.lines().rev().map(|line| line.trim_matches(['=', ' '])).find(|line| is_summary(line))?;
    let failed = output
        .lines()
        .filter_map(|line| line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR ")));
    let names = failed.filter(|name| name.contains("::") || name.contains(".py"));
    Some(Counts {
        passed: before(summary, &["passed", "xpassed"]),
        failed: before(summary, &["failed"]),
        errors: before(summary, &["error", "errors"]),
        skipped: before(summary, &["skipped", "xfailed"]),
        failed_names: names.map(|name| name.split(" - ").next().unwrap_or(name).trim().to_owned()).collect(),
        ..Counts::counted()
    })
}

/// `… in 0.03s`, or `… in 61.20s (0:01:01)`, with a count or `no tests ran` before it.
fn is_summary(line: &str) -> bool {
    let Some((said, time)) = line.rsplit_once(" in ") else { return false };
    let time = time.split(' ').next().unwrap_or_default();
    let seconds = time.strip_suffix('s').is_some_and(|t| t.parse::<f64>().is_ok());
    let first = said.split(' ').next().unwrap_or_default();
    seconds && (said == "no tests ran" || first.parse::<u64>().is_ok())
}
