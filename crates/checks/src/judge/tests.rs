//! Clauses, outputs and verdicts.

use super::*;
use crate::grammar::clauses;
use crate::grammar::tokens::tokens;
use crate::synonyms::Synonyms;

fn clauses_of(command: &str, text: &str) -> Vec<Clause> {
    clauses::parse(&tokens(text), &nature(command), Synonyms::builtin())
        .unwrap_or_else(|| panic!("{command} {text}"))
}

fn verdict(command: &str, text: &str, exit: i32, stdout: &str) -> char {
    run(command, text, exit, Stages::Single, stdout, "")
}

fn run(command: &str, text: &str, exit: i32, stages: Stages, stdout: &str, stderr: &str) -> char {
    let both = format!("{stdout}{stderr}");
    let output = Output { stdout, stderr, both: &both, exit, stages, elapsed: Duration::from_millis(900) };
    match judge(command, &clauses_of(command, text), &output) {
        Verdict::Pass(_) => 'p',
        Verdict::Fail(_) => 'f',
        Verdict::NoVerdict(_) => 'n',
    }
}

#[test]
fn exit_0_is_part_of_every_check() {
    for (command, text, exit, stdout, wanted) in [
        ("./a", "", 0, "", 'p'),
        ("./a", "", 1, "", 'f'),
        ("./a", "→ `x`", 1, "x\n", 'f'),
        ("./a", "→ exit 2", 2, "", 'p'),
        ("./a", "→ exit 2", 1, "", 'f'),
        ("./a", "→ fails", 1, "", 'p'),
        ("./a", "→ fails", 0, "", 'f'),
        ("./a", "→ fails", 127, "", 'n'),
        ("./a", "→ fails", 137, "", 'n'),
        ("grep -rn x f", "→ no matches", 1, "", 'p'),
        ("grep -rn x f", "→ no matches", 0, "f:x\n", 'f'),
        ("grep -rn x f", "→ no matches", 2, "", 'n'),
        ("grep -c x f", "→ 0", 1, "0\n", 'p'),
        ("grep -c x f", "→ >= 2", 0, "3\n", 'p'),
        ("grep -q x f", "→ no matches", 2, "", 'n'),
        ("test -f x", "→ removed", 1, "", 'p'),
        ("test -f x", "→ removed", 0, "", 'f'),
        ("test $x -eq 0", "→ fails", 2, "", 'n'),
        ("diff a b", "→ not empty", 1, "< a\n", 'p'),
        ("diff a b", "→ identical", 1, "< a\n", 'f'),
    ] {
        assert_eq!(verdict(command, text, exit, stdout), wanted, "{command} {text} {exit} {stdout}");
    }
}

#[test]
fn a_literal_is_a_whole_line_and_found_text_is_a_whole_word() {
    for (text, stdout, wanted) in [
        ("→ `ok`", "first\n ok \n", 'p'),
        ("→ `ok`", "not ok\n", 'n'),
        ("→ `ok`", "broken\n", 'f'),
        ("→ contains `healthy`", "unhealthy\n", 'f'),
        ("→ contains `healthy`", "status: healthy.\n", 'p'),
        ("→ contains `2.0.0`", "12.0.0\n", 'f'),
        ("→ contains `2.0.0`", "2.0.0.1\n", 'f'),
        ("→ contains `3`", "13\n", 'f'),
        ("→ contains `3`", "3.5\n", 'f'),
        ("→ contains `3`", "a 3, b\n", 'p'),
        ("→ contains `ok`", "non-ok\n", 'n'),
        ("→ contains `成功`", "不成功\n", 'n'),
        ("→ exactly `a`", "a\n", 'p'),
        ("→ exactly `a`", "a\nb\n", 'f'),
        ("→ matches /^v\\d+$/", "x\nv12\n", 'p'),
        ("→ matches /^v\\d+$/", "v12a\n", 'f'),
        ("→ contains `ok`", "\u{1b}[32mok\u{1b}[0m\n", 'p'),
    ] {
        assert_eq!(verdict("./a", text, 0, stdout), wanted, "{text} {stdout}");
    }
}

#[test]
fn a_number_is_the_whole_output() {
    for (command, text, stdout, wanted) in [
        ("./a", "→ >= 80%", "Lines : 45% ( 90/200 )\n", 'n'),
        ("./a", "→ >= 80%", "81.5%\n", 'p'),
        ("./a", "→ >= 80%", "79.99%\n", 'f'),
        ("./a", "→ >= 80%", "81\n", 'n'),
        ("./a", "→ 3", "3\n", 'p'),
        ("./a", "→ 3", "13\n", 'f'),
        ("./a", "→ 3", "3 lines\n", 'n'),
        ("./a", "→ 1600", "1,600\n", 'p'),
        ("./a", "→ > -1", "0\n", 'p'),
        ("./a", "→ < 0.1", "0.09\n", 'p'),
        ("wc -l f", "→ 3", "3 f\n", 'p'),
        ("wc -l f g", "→ 3", "3 f\n4 g\n7 total\n", 'n'),
    ] {
        assert_eq!(verdict(command, text, 0, stdout), wanted, "{command} {text} {stdout}");
    }
}

#[test]
fn tests_are_counted_by_their_runner() {
    let cargo = "running 12 tests\ntest result: ok. 5 passed; 0 failed; 7 ignored; 0 measured\n";
    for (command, text, exit, stdout, wanted) in [
        ("cargo test", "→ 12 passed", 0, cargo, 'f'),
        ("cargo test", "→ 5 passed", 0, cargo, 'p'),
        ("cargo test", "→ 5 passed, 0 skipped", 0, cargo, 'f'),
        ("cargo test", "→ 12 tests", 0, cargo, 'n'),
        ("cargo test", "", 0, "test result: ok. 0 passed; 0 failed; 0 ignored\n", 'f'),
        ("go test -run X ./...", "→ PASS", 0, "ok  \tx\t0.1s [no tests to run]\n", 'f'),
        ("go test ./...", "→ PASS", 0, "ok  \tx\t0.1s\n?   \ty\t[no test files]\n", 'p'),
        ("go test ./...", "→ 3 passed", 0, "ok  \tx\t0.1s\n", 'n'),
        ("make test", "→ PASS", 0, "all fine\n", 'p'),
        ("make test", "→ PASS", 0, "3 of 12 failed\n", 'n'),
        ("make test", "→ PASS", 0, "1 failed, 2 passed in 0.1s\n", 'f'),
        ("./check.sh", "passes", 0, "FAIL\n", 'n'),
        ("sh t.sh", "", 0, "FAILED (failures=1)\n", 'f'),
        ("pytest", "→ 0 failed", 0, "3 passed in 0.1s\n", 'p'),
        ("pytest", "fails", 1, "1 failed in 0.1s\n", 'p'),
    ] {
        assert_eq!(verdict(command, text, exit, stdout), wanted, "{command} {text} {stdout}");
    }
}

#[test]
fn findings_are_counted_by_their_tool() {
    for (command, text, stdout, wanted) in [
        ("ruff check .", "→ 0 errors", "", 'p'),
        ("eslint .", "→ 0 errors", "✖ 3 problems (2 errors, 1 warning)\n", 'f'),
        ("eslint .", "→ 0 errors", "✖ 1 problem (0 errors, 1 warning)\n", 'p'),
        ("eslint .", "→ 0 warnings", "✖ 1 problem (0 errors, 1 warning)\n", 'f'),
        ("make lint", "→ 0 violations", "Found 0 violations\n", 'p'),
        ("make lint", "→ 0 violations", "Found 2 violations\n", 'f'),
        ("cargo build", "→ no warnings", "warning: unused variable\n", 'f'),
        ("cargo build", "→ no errors", "Compiling x\nFinished\n", 'p'),
        ("python3 a.py", "→ no errors", "hello\n", 'p'),
        ("python3 a.py", "→ no errors", "ERROR could not open\n", 'f'),
        ("python3 a.py", "→ no errors", "Traceback (most recent call last)\n", 'n'),
        ("python3 a.py", "→ no errors", "errors were found\n", 'n'),
        ("./a", "→ 0 errors", "0 errors in a\n3 errors in b\n", 'f'),
    ] {
        assert_eq!(verdict(command, text, 0, stdout), wanted, "{command} {text} {stdout}");
    }
}

#[test]
fn pipelines_are_judged_stage_by_stage() {
    let known = |stages: &[i32]| Stages::Known(stages.to_vec());
    for (command, text, exit, stages, stdout, wanted) in [
        ("npm test | tail -5", "→ exit 0", 1, known(&[1, 0]), "", 'f'),
        ("npm test | tail -5", "→ exit 0", 0, known(&[0, 0]), "", 'p'),
        ("npm test | head -1", "→ exit 0", 141, known(&[141, 0]), "", 'n'),
        ("seq 100000 | head -1", "→ `1`", 141, known(&[141, 0]), "1\n", 'p'),
        ("cat f | grep x | wc -l", "→ 0", 1, known(&[0, 1, 0]), "0\n", 'p'),
        ("cat f | grep x | wc -l", "→ 0", 1, known(&[1, 1, 0]), "0\n", 'n'),
        ("cli bad | grep -q x", "", 1, known(&[1, 0]), "", 'n'),
        ("! grep -q x f", "", 0, known(&[1]), "", 'p'),
        ("! grep -q x f", "", 0, known(&[2]), "", 'n'),
        ("! grep -q x f", "", 1, known(&[0]), "", 'f'),
        ("! cat f | grep -q x", "", 0, known(&[1, 1]), "", 'n'),
        ("a | b", "→ exit 0", 0, Stages::Unknown, "", 'n'),
        // A list that ended early.
        ("test -d src && ! grep -rq x src", "", 1, known(&[1]), "", 'f'),
        ("test -d src && ! grep -rq x src", "", 0, known(&[1]), "", 'p'),
        ("test -d src && ! grep -rq x src", "", 0, known(&[2]), "", 'n'),
        ("seq 9 | head -1 && c", "→ exit 0", 141, known(&[141, 0]), "", 'n'),
        ("cd a && seq 9 | head -1", "→ `1`", 141, known(&[141, 0]), "1\n", 'p'),
        ("cd a && grep x f | wc -l", "→ 0", 1, known(&[1, 0]), "0\n", 'p'),
    ] {
        assert_eq!(run(command, text, exit, stages, stdout, ""), wanted, "{command} {text}");
    }
}

#[test]
fn a_substitution_that_could_not_look_gives_no_verdict() {
    let command = "test \"$(cat f | wc -l)\" -eq 0";
    assert_eq!(run(command, "", 0, Stages::Single, "", "cat: f: No such file or directory\n"), 'n');
    assert_eq!(run(command, "", 0, Stages::Single, "", ""), 'p');
}

#[test]
fn json_time_and_standard_error() {
    for (text, stdout, stderr, wanted) in [
        ("→ json", "{\"a\":[1]}\n", "", 'p'),
        ("→ json", "{a}\n", "", 'f'),
        ("→ json /a/0 == 1", "{\"a\":[1.0]}\n", "", 'p'),
        ("→ json /a/0 > 1", "{\"a\":[1]}\n", "", 'f'),
        ("→ json /b", "{\"a\":1}\n", "", 'f'),
        ("→ json /a == \"x\"", "{\"a\":\"x\"}\n", "", 'p'),
        ("→ json /a > \"x\"", "{\"a\":\"y\"}\n", "", 'n'),
        ("→ not null", "null\n", "", 'f'),
        ("→ not null", "3\n", "", 'p'),
        ("→ stderr empty", "x\n", "", 'p'),
        ("→ stderr empty", "x\n", "y\n", 'f'),
        ("→ stderr contains `y`", "", "y\n", 'p'),
        ("→ within 1s", "", "", 'p'),
        ("→ within 500ms", "", "", 'f'),
    ] {
        assert_eq!(run("./a", text, 0, Stages::Single, stdout, stderr), wanted, "{text} {stdout} {stderr}");
    }
}

#[test]
fn a_console_block_must_match_wholly() {
    let console = |wanted: &str, printed: &str| {
        let lines = wanted.lines().map(str::to_owned).collect();
        let clauses = [Clause::Console { lines }];
        let output = Output {
            stdout: printed,
            stderr: "",
            both: printed,
            exit: 0,
            stages: Stages::Single,
            elapsed: Duration::ZERO,
        };
        matches!(judge("./a", &clauses, &output), Verdict::Pass(_))
    };
    for (wanted, printed, holds) in [
        ("a\nb", "a\nb\n", true),
        ("a", "a\nb\n", false),
        ("a\n...", "a\nb\nc\n", true),
        ("...\nc", "a\nb\nc\n", true),
        ("...\nb\n...\nd", "a\nb\nb\nc\nd\n", true),
        ("v[..] in [..]s", "v1.2 in 3s\n", true),
        ("v[..]", "w1\n", false),
        ("", "a\n", false),
        ("", "", true),
        ("...", "", true),
    ] {
        assert_eq!(console(wanted, printed), holds, "{wanted:?} {printed:?}");
    }
}
