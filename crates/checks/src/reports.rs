//! What test runners report of themselves: one file a runner, one row a file.
//!
//! A reader gives nothing for output that is not its runner's. The words are those of the runner's own summary, so a
//! failed assertion, a test that could not be collected and an empty run are told apart.

mod compiled;
mod formats;
mod javascript;
mod managed;
pub mod names;
mod scripting;

use compiled::{cargo_test, ctest, go_test, nextest, xctest};
use formats::{junit, tap};
use javascript::{bun, deno, jest, mocha, node_test, vitest};
use managed::{dotnet, gradle, maven};
use scripting::{phpunit, pytest, rspec, unittest};

/// What a run of tests came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that ran and failed.
    pub failed: u64,
    /// What could not be collected, compiled or set up.
    pub errors: u64,
    /// Tests that were skipped, ignored, or left to do.
    pub skipped: u64,
    /// Whether the numbers are numbers of tests: some runners only name packages.
    pub counted: bool,
    /// The tests that failed, where the runner names them.
    pub failed_names: Vec<String>,
}

impl Counts {
    /// No test yet, of a runner that counts them.
    fn counted() -> Self {
        Self { counted: true, ..Self::default() }
    }

    /// Whether any test ran to its end.
    pub fn ran(&self) -> bool {
        self.passed + self.failed > 0
    }
}

/// A runner's name and the reader of its report.
type Reader = (&'static str, fn(&str) -> Option<Counts>);

const READERS: &[Reader] = &[
    ("pytest", pytest::read),
    ("nextest", nextest::read),
    ("cargo test", cargo_test::read),
    ("jest", jest::read),
    ("vitest", vitest::read),
    ("deno test", deno::read),
    ("go test", go_test::read),
    ("unittest", unittest::read),
    ("node --test", node_test::read),
    ("bun test", bun::read),
    ("mocha", mocha::read),
    ("rspec", rspec::read),
    ("PHPUnit", phpunit::read),
    ("dotnet test", dotnet::read),
    ("Maven", maven::read),
    ("Gradle", gradle::read),
    ("ctest", ctest::read),
    ("XCTest", xctest::read),
    ("JUnit", junit::read),
    ("TAP", tap::read),
];

/// The names of the runners whose reports are known.
pub fn runners() -> impl Iterator<Item = &'static str> {
    READERS.iter().map(|(name, _)| *name)
}

/// The report in some output, with the name of the runner that wrote it.
pub fn find(output: &str) -> Option<(&'static str, Counts)> {
    let plain = without_colours(output);
    READERS.iter().find_map(|(name, read)| Some((*name, read(&plain)?)))
}

/// All reports in some output. A runner that writes TAP too is one report.
pub fn all(output: &str) -> Vec<(&'static str, Counts)> {
    let plain = without_colours(output);
    let mut found: Vec<(&str, Counts)> =
        READERS.iter().filter_map(|(name, read)| Some((*name, read(&plain)?))).collect();
    if found.len() > 1 {
        found.retain(|(name, _)| !matches!(*name, "TAP" | "JUnit"));
    }
    found
}

/// The number right before a word: `2` in `1 passed, 2 failed` for `failed`.
fn before(line: &str, words: &[&str]) -> u64 {
    let tokens: Vec<_> = line.split(|c: char| !c.is_ascii_alphanumeric()).filter(|t| !t.is_empty()).collect();
    let pairs = tokens.windows(2).filter(|pair| words.contains(&pair[1]));
    pairs.filter_map(|pair| pair[0].parse::<u64>().ok()).sum()
}

/// Text without the escape sequences of terminals.
pub(crate) fn without_colours(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            out.push(c);
        } else if chars.next_if_eq(&'[').is_some() {
            // A control sequence ends at its first letter.
            while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Counts, find};

    fn counts(passed: u64, failed: u64, errors: u64) -> (u64, u64, u64) {
        (passed, failed, errors)
    }

    #[test]
    fn each_runner_is_known_by_its_own_words() {
        let cases = [
            ("==== 1 failed, 2 passed in 0.03s ====", "pytest", counts(2, 1, 0)),
            ("1 failed in 0.03s", "pytest", counts(0, 1, 0)),
            ("!!!! Interrupted: 1 error during collection !!!!\n1 error in 0.10s", "pytest", counts(0, 0, 1)),
            ("no tests ran in 0.00s", "pytest", counts(0, 0, 0)),
            ("test result: FAILED. 3 passed; 1 failed; 0 ignored", "cargo test", counts(3, 1, 0)),
            (
                "error: could not compile `x` (lib test) due to 1 previous error",
                "cargo test",
                counts(0, 0, 1),
            ),
            (
                "     Summary [   0.005s] 3 tests run: 2 passed, 1 failed, 0 skipped",
                "nextest",
                counts(2, 1, 0),
            ),
            (
                "Test Suites: 1 failed, 1 total\nTests:       1 failed, 4 passed, 5 total",
                "jest",
                counts(4, 1, 0),
            ),
            ("  \u{25cf} Test suite failed to run\nTests:       0 total", "jest", counts(0, 0, 1)),
            ("No tests found, exiting with code 1", "jest", counts(0, 0, 0)),
            ("\u{1b}[31m Tests  1 failed\u{1b}[39m | 2 passed (3)", "vitest", counts(2, 1, 0)),
            ("--- FAIL: TestAdd (0.00s)\nFAIL\nFAIL\texample.com/x\t0.002s", "go test", counts(0, 1, 0)),
            ("FAIL\texample.com/x [build failed]", "go test", counts(0, 0, 1)),
            ("ok  \texample.com/x\t0.002s", "go test", counts(1, 0, 0)),
            ("?   \texample.com/x\t[no test files]", "go test", counts(0, 0, 0)),
            ("FAIL\texample.com/x\t0.002s", "go test", counts(0, 0, 1)),
            ("Ran 3 tests in 0.001s\n\nFAILED (failures=1, errors=1)", "unittest", counts(1, 1, 1)),
            ("FAILED (failures=1)", "unittest", counts(0, 1, 0)),
            ("Ran 2 tests in 0.001s\n\nOK", "unittest", counts(2, 0, 0)),
            ("  5 passing (10ms)\n  1 failing", "mocha", counts(5, 1, 0)),
            ("2 examples, 1 failure", "rspec", counts(1, 1, 0)),
            ("3 runs, 3 assertions, 1 failures, 0 errors, 0 skips", "rspec", counts(2, 1, 0)),
            ("[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 1", "Maven", counts(3, 1, 0)),
            ("ok | 3 passed | 0 failed (10ms)", "deno test", counts(3, 0, 0)),
            ("FAILED | 2 passed | 1 failed | 1 ignored (1s)", "deno test", counts(2, 1, 0)),
            (
                " 3 pass\n 1 fail\n 2 skip\n 4 expect() calls\nRan 4 tests across 1 file. [9.00ms]",
                "bun test",
                counts(3, 1, 0),
            ),
            (
                "# tests 3\n# suites 0\n# pass 2\n# fail 1\n# cancelled 0\n# skipped 0\n# todo 0",
                "node --test",
                counts(2, 1, 0),
            ),
            ("\u{2139} tests 0\n\u{2139} pass 0\n\u{2139} fail 0", "node --test", counts(0, 0, 0)),
            ("OK (3 tests, 5 assertions)", "PHPUnit", counts(3, 0, 0)),
            ("FAILURES!\nTests: 3, Assertions: 5, Failures: 1, Skipped: 1.", "PHPUnit", counts(1, 1, 0)),
            (
                "Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: 9 ms - x.dll",
                "dotnet test",
                counts(2, 1, 0),
            ),
            ("AppTest > adds FAILED\n3 tests completed, 1 failed", "Gradle", counts(2, 1, 0)),
            ("67% tests passed, 1 tests failed out of 3", "ctest", counts(2, 1, 0)),
            ("No tests were found!!!", "ctest", counts(0, 0, 0)),
            (
                "Executed 12 tests, with 1 failure (0 unexpected) in 0.1 (0.2) seconds",
                "XCTest",
                counts(11, 1, 0),
            ),
            (
                "<testsuites tests=\"3\" failures=\"1\" errors=\"0\"><testsuite name=\"a\" tests=\"3\" failures=\"1\"/></testsuites>",
                "JUnit",
                counts(2, 1, 0),
            ),
            ("1..3\nok 1 - a\nnot ok 2 - b\nnot ok 3 - c # TODO later", "TAP", counts(1, 1, 0)),
        ];
        for (output, name, wanted) in cases {
            let Some((found, Counts { passed, failed, errors, .. })) = find(output) else {
                panic!("{output}")
            };
            assert_eq!((found, (passed, failed, errors)), (name, wanted), "{output}");
        }
    }

    #[test]
    fn skipped_tests_are_counted_apart_and_failed_ones_named() {
        for (output, skipped, names) in [
            (
                "FAILED a.py::test_x - assert 1\n1 failed, 2 passed, 3 skipped in 0.03s",
                3,
                vec!["a.py::test_x"],
            ),
            ("test a::b ... FAILED\ntest result: FAILED. 3 passed; 1 failed; 7 ignored", 7, vec!["a::b"]),
            ("--- FAIL: TestAdd (0.00s)\n--- SKIP: TestX (0.00s)\nFAIL\tx\t0.002s", 1, vec!["TestAdd"]),
            (
                "FAIL: test_a (x.T)\nRan 3 tests in 0.001s\n\nFAILED (failures=1, skipped=1)",
                1,
                vec!["test_a (x.T)"],
            ),
            (
                "\u{25cf} sum \u{203a} adds\nTests:       1 failed, 2 skipped, 4 passed, 7 total",
                2,
                vec!["sum \u{203a} adds"],
            ),
            ("not ok 2 - b\nok 3 - c # SKIP no", 1, vec!["b"]),
        ] {
            let Some((_, counts)) = find(output) else { panic!("{output}") };
            assert_eq!(
                (counts.skipped, counts.failed_names),
                (skipped, names.into_iter().map(str::to_owned).collect()),
                "{output}"
            );
        }
    }

    #[test]
    fn other_output_is_no_report() {
        for output in [
            "",
            "not ok",
            "ok then 3",
            "2 examples, and more",
            "1 failing test",
            "error: 3 failed",
            "ok",
            "FAIL",
            "all tests passed in the end",
        ] {
            assert_eq!(find(output), None, "{output}");
        }
    }
}
