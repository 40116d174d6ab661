//! node --test: `# tests 3`, `# pass 2`, `# fail 1` of its TAP, or the same behind `ℹ`.

use crate::reports::Counts;

pub(crate) fn read(output: &str) -> Option<Counts> {
    let mut counts = Counts::counted();
    let (mut tests, mut pass) = (None, None);
    for line in output.lines().map(str::trim) {
        let Some(rest) = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ ")) else {
            if let Some(name) = line.strip_prefix("✖ ").and_then(|name| name.rsplit_once(" (")) {
                counts.failed_names.push(name.0.to_owned());
            }
            continue;
        };
        let Some((name, count)) = rest.split_once(' ') else { continue };
        let Ok(count) = count.trim().parse::<u64>() else { continue };
        match name {
            "tests" => tests = Some(count),
            "pass" => pass = Some(count),
            "fail" | "cancelled" => counts.failed += count,
            "skipped" | "todo" => counts.skipped += count,
            _ => {}
        }
    }
    tests?;
    counts.passed = pass?;
    counts.failed_names.dedup();
    Some(counts)
}
