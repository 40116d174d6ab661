//! dotnet test: `Failed!  - Failed: 1, Passed: 2, Skipped: 0, Total: 3`, one a project.

use crate::reports::Counts;

pub(crate) fn read(output: &str) -> Option<Counts> {
    let mut counts = Counts::counted();
    let mut found = false;
    for line in output.lines().map(str::trim) {
        if let Some((verdict, list)) = line.split_once(" - ")
            && matches!(verdict.trim(), "Passed!" | "Failed!" | "Skipped!")
        {
            found = true;
            let told = |name: &str| {
                list.split(',')
                    .find_map(|part| part.trim().strip_prefix(name)?.trim().parse::<u64>().ok())
                    .unwrap_or(0)
            };
            counts.failed += told("Failed:");
            counts.passed += told("Passed:");
            counts.skipped += told("Skipped:");
        } else if line.starts_with("No test is available in") || line.starts_with("No test matches") {
            found = true;
        } else if let Some(name) = line.strip_prefix("Failed ").and_then(|rest| rest.rsplit_once(" [")) {
            counts.failed_names.push(name.0.to_owned());
        }
    }
    found.then_some(counts)
}
