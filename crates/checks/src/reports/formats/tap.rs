//! TAP: one line `ok 1 - name` or `not ok 2 - name` a test; one that is to do or skipped is skipped.

use crate::reports::Counts;

pub(crate) fn read(output: &str) -> Option<Counts> {
    let mut counts = Counts::counted();
    let mut found = false;
    for line in output.lines().map(str::trim_start) {
        // A plan of no tests.
        found |= line == "1..0" || line.starts_with("1..0 ");
        let (failed, rest) = match line.strip_prefix("not ok ") {
            Some(rest) => (true, rest),
            None => match line.strip_prefix("ok ") {
                Some(rest) => (false, rest),
                None => continue,
            },
        };
        let (number, name) = rest.split_once(' ').unwrap_or((rest, ""));
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        found = true;
        let directive = rest.rsplit_once("# ").map(|(_, word)| word.to_ascii_lowercase());
        if directive.is_some_and(|word| word.starts_with("todo") || word.starts_with("skip")) {
            counts.skipped += 1;
        } else if failed {
            counts.failed += 1;
            counts.failed_names.push(name.trim_start_matches(['-', ' ']).to_owned());
        } else {
            counts.passed += 1;
        }
    }
    found.then_some(counts)
}
