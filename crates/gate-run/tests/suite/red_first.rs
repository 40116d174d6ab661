//! `--expect fail`: red means that a test ran and failed; nothing else counts.

use crate::harness::{Folder, Got, Verdict};

fn red(output: &str, exit: i32) -> Got {
    let folder = Folder::new();
    folder.write("report", output);
    folder.run(&["--expect", "fail", "--", "sh", "-c", &format!("cat report; exit {exit}")])
}

#[test]
fn a_failed_assertion_is_red_in_the_words_of_each_runner() {
    for report in [
        "E  assert 1 == 2\n1 failed, 2 passed in 0.03s\n",
        "test result: FAILED. 0 passed; 1 failed; 0 ignored\n",
        "Tests:       1 failed, 1 total\n",
        "--- FAIL: TestAdd (0.00s)\nFAIL\nFAIL\texample.com/x\t0.002s\n",
    ] {
        red(report, 1).exits(0).is("pass", "exited");
    }
}

#[test]
fn verify_red_took_any_failure_for_red() {
    for report in [
        "E  ModuleNotFoundError: No module named 'shop'\n1 error in 0.10s\n",
        "no tests ran in 0.00s\n",
        "error: could not compile `x` (lib test) due to 2 previous errors\n",
        "Test suite failed to run\n",
        "No tests found, exiting with code 1\n",
        "FAIL\texample.com/x [build failed]\n",
    ] {
        red(report, 1).exits(1).is("fail", "exited");
    }
}

#[test]
fn a_test_that_passes_is_not_red() {
    red("3 passed in 0.01s\n", 0).exits(1).is("fail", "exited");
}

#[test]
fn a_missing_tool_is_not_red() {
    red("sh: 1: pytest: not found\n", 127).exits(3).is("fault", "env_missing");
    red("/usr/bin/python3: No module named pytest\n", 1).exits(3).is("fault", "env_missing");
    Folder::new().run(&["--expect", "fail", "--", "./pytest"]).exits(3).is("fault", "env_missing");
}

#[test]
fn what_cannot_be_told_is_ambiguous() {
    red("something went wrong\n", 1).exits(3).is("fault", "ambiguous");
    red("3 passed in 0.01s\nteardown crashed\n", 1).exits(3).is("fault", "ambiguous");
}
