//! python's unittest: `Ran 3 tests in 0.001s`, then `OK (skipped=1)` or `FAILED (failures=1, errors=1)`.

use crate::reports::Counts;

pub(crate) fn read(output: &str) -> Option<Counts> {
    let mut counts = Counts::counted();
    let mut found = false;
    for line in output.lines().map(str::trim) {
        if let Some(ran) = ran(line) {
            found = true;
            counts.passed += ran;
        } else if let Some(list) = list(line) {
            let told = |name: &str| number(list, name).unwrap_or(0);
            found |= line.starts_with("FAILED") && list.contains('=');
            counts.failed += told("failures") + told("unexpected successes");
            counts.errors += told("errors");
            counts.skipped += told("skipped") + told("expected failures");
        } else if let Some(name) = line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: ")) {
            counts.failed_names.push(name.to_owned());
        }
    }
    counts.passed = counts.passed.saturating_sub(counts.failed + counts.errors + counts.skipped);
    found.then_some(counts)
}

fn list(line: &str) -> Option<&str> {
    line.strip_prefix("FAILED (").or_else(|| line.strip_prefix("OK ("))?.strip_suffix(')')
}

fn ran(line: &str) -> Option<u64> {
    let (count, rest) = line.strip_prefix("Ran ")?.split_once(' ')?;
    (rest.starts_with("test in ") || rest.starts_with("tests in ")).then(|| count.parse().ok())?
}

fn number(list: &str, name: &str) -> Option<u64> {
    list.split(", ").find_map(|part| part.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}
