//! bun test: ` 3 pass`, ` 1 fail`, ` 2 skip`, then `Ran 4 tests across 1 file`.

use crate::reports::Counts;

pub(crate) fn read(output: &str) -> Option<Counts> {
    let mut counts = Counts::counted();
    let mut ran = false;
    for line in output.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("(fail) ") {
            counts.failed_names.push(name.split(" [").next().unwrap_or(name).to_owned());
        }
        ran |= line.starts_with("Ran ") && line.contains(" across ");
        let Some((count, word)) = line.split_once(' ') else { continue };
        let Ok(count) = count.parse::<u64>() else { continue };
        match word {
            "pass" => counts.passed += count,
            "fail" => counts.failed += count,
            "skip" | "todo" => counts.skipped += count,
            "error" | "errors" => counts.errors += count,
            _ => {}
        }
    }
    ran.then_some(counts)
}
