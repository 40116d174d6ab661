//! mocha: a line `5 passing (10ms)`, and `1 failing`, `2 pending` where there are some.

use crate::reports::Counts;

pub(crate) fn read(output: &str) -> Option<Counts> {
    let mut counts = Counts::counted();
    let mut found = false;
    for line in output.lines().map(str::trim) {
        let mut words = line.split(' ');
        let Some(count) = words.next().and_then(|word| word.parse::<u64>().ok()) else { continue };
        match (words.next(), words.next()) {
            (Some("passing"), None) => counts.passed += count,
            (Some("passing"), Some(time)) if time.starts_with('(') => counts.passed += count,
            (Some("failing"), None) => counts.failed += count,
            (Some("pending"), None) => counts.skipped += count,
            _ => continue,
        }
        found = true;
    }
    found.then_some(counts)
}
