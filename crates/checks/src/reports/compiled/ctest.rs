//! ctest: `67% tests passed, 1 tests failed out of 3`.

use crate::reports::Counts;

pub(crate) fn read(output: &str) -> Option<Counts> {
    let mut counts = Counts::counted();
    let mut found = false;
    for line in output.lines().map(str::trim) {
        if let Some((head, total)) = line.split_once(" tests failed out of ")
            && let Some(failed) = head.rsplit(' ').next().and_then(|count| count.parse::<u64>().ok())
            && let Ok(total) = total.trim().parse::<u64>()
        {
            found = true;
            counts.failed += failed;
            counts.passed += total.saturating_sub(failed);
        } else if line.starts_with("No tests were found") {
            found = true;
        } else if let Some(name) = line.strip_suffix(" (Failed)").and_then(|rest| rest.split_once(" - ")) {
            counts.failed_names.push(name.1.to_owned());
        } else if line.ends_with("***Skipped") || line.ends_with(" (Skipped)") {
            counts.skipped += u64::from(line.ends_with(" (Skipped)"));
        }
    }
    found.then_some(counts)
}
