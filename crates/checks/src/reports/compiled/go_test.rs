//! go test: one `--- FAIL: Name` a test, one line a package that begins with `ok`, `FAIL` or `?` and a tab. Without `-v`
//! a package that passed is all that is said of its tests.

use crate::reports::Counts;

pub(crate) fn read(output: &str) -> Option<Counts> {
    let mut counts = Counts::default();
    let mut found = false;
    let mut packages = 0;
    let (mut named, mut unnamed, mut nested) = (0_u64, 0_u64, false);
    for line in output.lines() {
        let verdict = line.trim_start();
        nested |= verdict.len() < line.len() && verdict.starts_with("--- ");
        if let Some(name) = verdict.strip_prefix("--- FAIL: ") {
            found = true;
            counts.failed += 1;
            counts.failed_names.push(name.split(' ').next().unwrap_or_default().to_owned());
        } else if verdict.starts_with("--- PASS: ") {
            found = true;
            named += 1;
        } else if verdict.starts_with("--- SKIP: ") {
            found = true;
            counts.skipped += 1;
        } else if let Some((verdict, package)) = line.split_once('\t') {
            match verdict.trim() {
                "FAIL" if package.ends_with("[build failed]") || package.ends_with("[setup failed]") => {
                    found = true;
                    counts.errors += 1;
                }
                "ok" if !package.ends_with("[no tests to run]") => {
                    found = true;
                    unnamed += 1;
                }
                "FAIL" => {
                    found = true;
                    packages += 1;
                }
                "ok" => found = true,
                "?" if package.ends_with("[no test files]") => found = true,
                _ => {}
            }
        }
    }
    counts.counted = named > 0 && !nested;
    counts.passed = if named > 0 { named } else { unnamed };
    // Of a package whose tests are not named nothing says how many failed.
    if counts.failed == 0 {
        counts.errors += packages;
    }
    found.then_some(counts)
}
