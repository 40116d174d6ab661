//! Maven: `Tests run: 5, Failures: 1, Errors: 0, Skipped: 0`, for each class and for all; the last one is the sum.

use super::Counts;

pub(crate) fn read(output: &str) -> Option<Counts> {
    let mut found: Option<Counts> = None;
    for line in output.lines() {
        let Some(at) = line.find("Tests run: ") else { continue };
        let told = |name: &str| {
            let rest = line[at..].split_once(name)?.1;
            rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u64>().ok()
        };
        let (Some(ran), Some(failed)) = (told("Tests run: "), told("Failures: ")) else { continue };
        let (errors, skipped) = (told("Errors: ").unwrap_or(0), told("Skipped: ").unwrap_or(0));
        let before = found.unwrap_or_default();
        // A module that is well does not undo one that is not.
        found = Some(Counts {
            passed: before.passed.max(ran.saturating_sub(failed + errors + skipped)),
            failed: before.failed.max(failed),
            errors: before.errors.max(errors),
        });
    }
    found
}
