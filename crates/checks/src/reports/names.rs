//! The names of tests in the reports of known runners: those that failed, and all of them where the report lists all.

use crate::reports::without_colours;
use std::collections::BTreeSet;

/// The tests that a report names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// Tests that failed.
    pub failed: BTreeSet<String>,
    /// Tests that passed; empty where the report does not list them.
    pub passed: BTreeSet<String>,
}

/// How a line of a runner's report names a test: the test, and whether it passed.
type Reader = fn(&str) -> Option<(String, bool)>;

const READERS: [Reader; 8] = [cargo_test, tap, pytest, go_test, unittest, marked, rspec, maven];

/// The names in some output; `None` if no known report names a test.
pub fn find(output: &str) -> Option<Names> {
    let plain = without_colours(output);
    let mut best = Names::default();
    for read in READERS {
        let mut names = Names::default();
        for (name, passed) in plain.lines().filter_map(|line| read(line.trim_end())) {
            let set = if passed { &mut names.passed } else { &mut names.failed };
            set.insert(name);
        }
        // A name that is reported twice failed if one report says so.
        names.passed.retain(|name| !names.failed.contains(name));
        let count = |names: &Names| (names.failed.len(), names.passed.len());
        if count(&names) > count(&best) {
            best = names;
        }
    }
    (best != Names::default()).then_some(best)
}

/// `test a::b ... ok`, `test a::b ... FAILED`.
fn cargo_test(line: &str) -> Option<(String, bool)> {
    let (name, result) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    match result.split(' ').next()? {
        "ok" => Some((name.to_owned(), true)),
        "FAILED" => Some((name.to_owned(), false)),
        _ => None,
    }
}

/// `ok 1 - name`, `not ok 2 - name`; what is marked TODO or SKIP is neither.
fn tap(line: &str) -> Option<(String, bool)> {
    let line = line.trim_start();
    let (rest, passed) = match line.strip_prefix("not ok ") {
        Some(rest) => (rest, false),
        None => (line.strip_prefix("ok ")?, true),
    };
    let (number, name) = rest.split_once(' ')?;
    number.parse::<u64>().ok()?;
    let (name, directive) = name.split_once(" # ").unwrap_or((name, ""));
    let is_marked = ["TODO", "SKIP"].iter().any(|word| directive.to_ascii_uppercase().starts_with(word));
    (!is_marked).then(|| (name.trim_start_matches("- ").trim().to_owned(), passed))
}

/// `FAILED tests/test_a.py::test_b - why`, `tests/test_a.py::test_b PASSED  [ 50%]`.
fn pytest(line: &str) -> Option<(String, bool)> {
    for word in ["FAILED ", "ERROR "] {
        if let Some(rest) = line.strip_prefix(word) {
            let name = rest.split(" - ").next()?.trim();
            return name.contains(".py").then(|| (name.to_owned(), false));
        }
    }
    let (name, rest) = line.split_once(' ')?;
    let result = rest.trim_start().split(' ').next()?;
    let passed = match result {
        "PASSED" | "XPASS" => true,
        "FAILED" | "ERROR" => false,
        _ => return None,
    };
    name.contains("::").then(|| (name.to_owned(), passed))
}

/// `--- FAIL: TestA/sub (0.00s)`.
fn go_test(line: &str) -> Option<(String, bool)> {
    let line = line.trim_start();
    let (rest, passed) = match line.strip_prefix("--- FAIL: ") {
        Some(rest) => (rest, false),
        None => (line.strip_prefix("--- PASS: ")?, true),
    };
    Some((rest.split(" (").next()?.to_owned(), passed))
}

/// `FAIL: test_a (mod.Case.test_a)`, `test_a (mod.Case) ... ok`.
fn unittest(line: &str) -> Option<(String, bool)> {
    for word in ["FAIL: ", "ERROR: "] {
        if let Some(rest) = line.strip_prefix(word) {
            return rest.ends_with(')').then(|| (rest.to_owned(), false));
        }
    }
    let (name, result) = line.rsplit_once(" ... ")?;
    let passed = match result {
        "ok" => true,
        "FAIL" | "ERROR" => false,
        _ => return None,
    };
    (name.contains(" (") && !line.starts_with("test ")).then(|| (name.to_owned(), passed))
}

/// `✓ adds (3 ms)`, `✕ subtracts`: jest, mocha, vitest.
fn marked(line: &str) -> Option<(String, bool)> {
    let line = line.trim_start();
    let mark = line.chars().next()?;
    let passed = match mark {
        '✓' | '✔' | '√' => true,
        '✕' | '✗' | '×' | '✖' => false,
        _ => return None,
    };
    let name = line[mark.len_utf8()..].trim();
    let name = name.rsplit_once(" (").filter(|(_, time)| time.ends_with("s)")).map_or(name, |(name, _)| name);
    (!name.is_empty()).then(|| (name.to_owned(), passed))
}

/// `rspec ./spec/a_spec.rb:3 # adds`.
fn rspec(line: &str) -> Option<(String, bool)> {
    let (_, name) = line.strip_prefix("rspec ")?.split_once(" # ")?;
    Some((name.to_owned(), false))
}

/// `[ERROR]   CalcTest.adds:12 expected…`.
fn maven(line: &str) -> Option<(String, bool)> {
    let word = line.strip_prefix("[ERROR]")?.trim_start().split([' ', ':']).next()?;
    let (class, method) = word.rsplit_once('.')?;
    let is_name =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_.$".contains(c));
    (is_name(class) && is_name(method) && class.contains("Test")).then(|| (word.to_owned(), false))
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn each_runner_names_its_tests() {
        for (output, failed, passed) in [
            ("test a::b ... ok\ntest a::c ... FAILED\n", "a::c", "a::b"),
            ("1..3\nok 1 - adds\nnot ok 2 - subtracts\nnot ok 3 - later # TODO x\n", "subtracts", "adds"),
            (
                "FAILED tests/test_a.py::test_b - assert 1 == 2\n1 failed in 0.1s\n",
                "tests/test_a.py::test_b",
                "",
            ),
            ("tests/t.py::a PASSED [50%]\ntests/t.py::b FAILED [100%]\n", "tests/t.py::b", "tests/t.py::a"),
            ("--- FAIL: TestAdd (0.00s)\n--- PASS: TestSub (0.00s)\n", "TestAdd", "TestSub"),
            ("FAIL: test_a (m.C.test_a)\nRan 3 tests in 0.1s\n", "test_a (m.C.test_a)", ""),
            ("  ✓ adds (3 ms)\n  ✕ subtracts (1 ms)\n", "subtracts", "adds"),
            ("rspec ./spec/a_spec.rb:3 # adds\n", "adds", ""),
            ("[ERROR]   CalcTest.adds:12 expected 1\n", "CalcTest.adds", ""),
        ] {
            let names = find(output).unwrap_or_default();
            assert_eq!(names.failed.into_iter().collect::<Vec<_>>().join(","), failed, "{output}");
            assert_eq!(names.passed.into_iter().collect::<Vec<_>>().join(","), passed, "{output}");
        }
        for output in ["", "1 failed, 2 passed in 0.1s", "error: it failed", "ok then"] {
            assert_eq!(find(output), None, "{output}");
        }
    }
}
