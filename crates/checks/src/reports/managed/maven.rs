//! Maven: `Tests run: 5, Failures: 1, Errors: 0, Skipped: 0`, for each class with its time, and for each module without.

use crate::reports::Counts;

pub(crate) fn read(output: &str) -> Option<Counts> {
    let mut modules = Counts::counted();
    let mut classes = Counts::counted();
    let (mut of_module, mut of_class, mut none) = (false, false, false);
    for line in output.lines() {
        none |= line.contains("No tests to run");
        let Some(at) = line.find("Tests run: ") else { continue };
        let told = |name: &str| {
            let rest = line.get(at..)?.split_once(name)?.1;
            rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u64>().ok()
        };
        let (Some(ran), Some(failed)) = (told("Tests run: "), told("Failures: ")) else { continue };
        let (errors, skipped) = (told("Errors: ").unwrap_or(0), told("Skipped: ").unwrap_or(0));
        let by_class = line.contains("Time elapsed");
        let counts = if by_class { &mut classes } else { &mut modules };
        of_class |= by_class;
        of_module |= !by_class;
        counts.passed += ran.saturating_sub(failed + errors + skipped);
        counts.failed += failed;
        counts.errors += errors;
        counts.skipped += skipped;
    }
    match (of_module, of_class) {
        (true, _) => Some(modules),
        (false, true) => Some(classes),
        _ => none.then_some(modules),
    }
}
