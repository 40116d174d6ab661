//! go test: one `--- FAIL: Name` a test, one line a package that begins with `ok`, `FAIL` or `?` and a tab.

use super::Counts;

pub(crate) fn read(output: &str) -> Option<Counts> {
    let mut counts = Counts::default();
    let mut found = false;
    let mut packages = 0;
    for line in output.lines() {
        let named = |verdict: &str| line.trim_start().starts_with(verdict);
        if named("--- FAIL: ") {
            found = true;
            counts.failed += 1;
        } else if named("--- PASS: ") {
            found = true;
            counts.passed += 1;
        } else if let Some((verdict, package)) = line.split_once('\t') {
            match verdict.trim() {
                "FAIL" if package.ends_with("[build failed]") || package.ends_with("[setup failed]") => {
                    found = true;
                    counts.errors += 1;
                }
                // Without `-v` a package that passed is all that is said of its tests.
                "ok" if !package.ends_with("[no tests to run]") => {
                    found = true;
                    counts.passed += 1;
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
    // Of a package whose tests are not named nobody knows how many failed.
    if counts.failed == 0 {
        counts.errors += packages;
    }
    found.then_some(counts)
}
