//! The README's console blocks, run from top to bottom in the demo's repository.
//!
//! `$` begins a command, `? N` is its exit status where that is not 0, `...` stands for any lines and `[..]` for any
//! text within a line.

use pipeline_tests::{bench, workspace};

#[test]
fn every_console_block_of_the_readme_does_what_it_shows() {
    let readme = std::fs::read_to_string(workspace().join("README.md")).unwrap();
    let cases = cases(&readme);
    assert!(cases.len() >= 5, "the README shows too little");
    let bench = bench!(demo);
    for case in cases {
        let got = bench.sh(&case.command).run();
        got.exits(case.status);
        let out = got.out();
        assert!(matches(&case.expected, &out.lines().collect::<Vec<_>>()), "$ {}\n{out}", case.command);
    }
}

#[test]
fn the_readme_has_the_two_commands_and_ci_calls_the_second() {
    let readme = std::fs::read_to_string(workspace().join("README.md")).unwrap();
    assert!(readme.contains("```sh\ncargo build --release && scripts/demo\n```"));
    assert!(readme.contains("```sh\nscripts/check\n```"));
    let ci = std::fs::read_to_string(workspace().join(".ci/run")).unwrap();
    assert!(ci.lines().any(|line| line.trim() == "scripts/check"));
}

struct Case {
    command: String,
    status: i32,
    expected: Vec<String>,
}

fn cases(readme: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut inside = false;
    for line in readme.lines() {
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ if !inside => {}
            _ => match (line.strip_prefix("$ "), cases.last_mut()) {
                (Some(command), _) => {
                    cases.push(Case { command: command.to_owned(), status: 0, expected: Vec::new() });
                }
                (None, Some(case)) => match line.strip_prefix("? ").and_then(|n| n.parse().ok()) {
                    Some(status) => case.status = status,
                    None => case.expected.push(line.to_owned()),
                },
                (None, None) => panic!("a console block must begin with a command: {line}"),
            },
        }
    }
    cases
}

/// Whether lines fit what is expected.
fn matches(expected: &[String], lines: &[&str]) -> bool {
    match expected.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == "..." => (0..=lines.len()).any(|skip| matches(rest, &lines[skip..])),
        Some((first, rest)) => {
            lines.split_first().is_some_and(|(line, more)| fits(first, line) && matches(rest, more))
        }
    }
}

fn fits(pattern: &str, line: &str) -> bool {
    match pattern.split_once("[..]") {
        None => pattern == line,
        Some((before, after)) => line.strip_prefix(before).is_some_and(|rest| {
            (0..=rest.len()).filter(|at| rest.is_char_boundary(*at)).any(|at| fits(after, &rest[at..]))
        }),
    }
}
