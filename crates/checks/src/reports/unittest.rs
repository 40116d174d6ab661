//! python's unittest: `Ran 3 tests in 0.001s`, then `OK` or `FAILED (failures=1, errors=1)`.

use super::Counts;

pub(crate) fn read(output: &str) -> Option<Counts> {
    let mut counts = Counts::default();
    let mut found = false;
    for line in output.lines().map(str::trim) {
        if let Some(ran) = ran(line) {
            found = true;
            counts.passed += ran;
        } else if let Some(list) = line.strip_prefix("FAILED (").and_then(|rest| rest.strip_suffix(')')) {
            let told = |name: &str| number(list, name).unwrap_or(0);
            found |= list.contains('=');
            counts.failed += told("failures") + told("unexpected successes");
            counts.errors += told("errors");
        }
    }
    counts.passed = counts.passed.saturating_sub(counts.failed + counts.errors);
    found.then_some(counts)
}

fn ran(line: &str) -> Option<u64> {
    let (count, rest) = line.strip_prefix("Ran ")?.split_once(' ')?;
    (rest.starts_with("test in ") || rest.starts_with("tests in ")).then(|| count.parse().ok())?
}

fn number(list: &str, name: &str) -> Option<u64> {
    list.split(", ").find_map(|part| part.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}
