//! TAP: one line `ok 1 - name` or `not ok 2 - name` a test; what is to do or skipped does not count.

use super::Counts;

pub(crate) fn read(output: &str) -> Option<Counts> {
    let mut counts = Counts::default();
    let mut found = false;
    for line in output.lines().map(str::trim_start) {
        let (failed, rest) = match line.strip_prefix("not ok ") {
            Some(rest) => (true, rest),
            None => match line.strip_prefix("ok ") {
                Some(rest) => (false, rest),
                None => continue,
            },
        };
        let number = rest.split(' ').next().unwrap_or_default();
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        found = true;
        let directive = rest.rsplit_once("# ").map(|(_, word)| word.to_ascii_lowercase());
        if directive.is_some_and(|word| word.starts_with("todo") || word.starts_with("skip")) {
            continue;
        }
        if failed {
            counts.failed += 1;
        } else {
            counts.passed += 1;
        }
    }
    found.then_some(counts)
}
