//! The page of `run-report` in a headless Chromium: `tests/browser/run.py` says what is looked at.

#![expect(clippy::disallowed_methods, reason = "the browser of the machine is found by its HOME")]

use pipeline_tests::{bench, workspace};

#[test]
fn the_page_opens_finds_and_runs_nothing_that_is_not_its_own() {
    let bench = bench!(bare);
    if bench.lacks("python3") {
        return;
    }
    let script = workspace().join("tests/browser/run.py");
    let tools = bench.outside().join("bin");
    let got = bench
        .command("python3")
        .args(["-B".as_ref(), script.as_os_str(), tools.as_os_str()])
        .env("HOME", &std::env::var("HOME").unwrap_or_default())
        .within(300)
        .run();
    // 77: there is no browser, and the script has said so on standard error.
    assert!(got.status == 0 || got.status == 77, "{got:?}");
    if got.status == 77 {
        bench.sh("cat >&2").stdin(&got.stderr).run();
    }
}
