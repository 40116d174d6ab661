//! pytest: the last line says `1 failed, 2 passed in 0.03s`, with or without a frame of `=`.

use super::{Counts, before};

pub(crate) fn read(output: &str) -> Option<Counts> {
    let summary =
        output.lines().rev().map(|line| line.trim_matches(['=', ' '])).find(|line| is_summary(line))?;
    Some(Counts {
        passed: before(summary, &["passed", "xpassed"]),
        failed: before(summary, &["failed"]),
        errors: before(summary, &["error", "errors"]),
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
