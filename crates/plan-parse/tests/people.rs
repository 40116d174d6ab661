//! `plan-parse` as people run it: lint, explain, expand and the output on stderr.

#![expect(clippy::unwrap_used, reason = "a tool that cannot be started fails the test")]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};
use wire::{Plan, TaskId};

fn run(args: &[&str]) -> Output {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    Command::new(env!("CARGO_BIN_EXE_plan-parse")).args(args).current_dir(folder).output().unwrap()
}

fn stdout(args: &[&str]) -> String {
    String::from_utf8(run(args).stdout).unwrap()
}

fn plan(args: &[&str]) -> Plan {
    serde_json::from_str(&stdout(args)).unwrap()
}

#[test]
fn the_policy_of_a_plan_is_asked_for_by_a_word() {
    let of = |args: &[&str], what: &str| stdout(&[&["-q", "--show", what], args].concat());
    let said: Vec<String> = ["profile", "attempts", "max-jobs", "between", "approval"]
        .map(|what| of(&["three.md"], what).trim_end().to_owned())
        .to_vec();
    assert_eq!(said, ["execute", "4", "0", "", "no"]);
    let round = of(&["three.md"], "round");
    let stages: Vec<&str> = round.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!((stages.first(), stages.last(), stages.len()), (Some(&"plan-parse"), Some(&"run-report"), 13));
    let facts: serde_json::Value = serde_json::from_str(&of(&["three.md"], "facts")).unwrap();
    assert_eq!((&facts["schema"], &facts["profile"]), (&"facts/1".into(), &"execute".into()));
    let named = ["--profile", "execute-task", "three.md"];
    assert_eq!((of(&named, "max-jobs").as_str(), of(&named, "approval").as_str()), ("1\n", "yes\n"));
    assert_eq!(run(&["--show", "round", "--profile", "nope", "three.md"]).status.code(), Some(2));
    assert_eq!(run(&["--show", "path", "--profile", "execute", "three.md"]).status.code(), Some(2));
}

#[test]
fn substeps_are_the_eighteen_tasks_of_the_source() {
    let plan = plan(&["--expand", "substeps", "--mode", "pr", "three.md"]);
    let numbers = |ids: &[TaskId]| -> Vec<usize> {
        ids.iter().map(|id| plan.tasks.iter().position(|task| task.id == *id).unwrap() + 1).collect()
    };
    let rows: Vec<_> = plan.tasks.iter().map(|t| (t.title.as_str(), numbers(&t.depends_on))).collect();
    let expected: [(&str, &[usize]); 18] = [
        ("Init:State Begin", &[]),
        ("1.1:Worker — Config setup", &[1]),
        ("1.2:Verify", &[2]),
        ("1.3:Context", &[3]),
        ("1.4:Checkbox", &[4]),
        ("1.5:Commit", &[5]),
        ("2.1:Worker — API", &[6]),
        ("2.2:Verify", &[7]),
        ("2.3:Context", &[8]),
        ("2.4:Checkbox", &[9]),
        ("3.1:Worker — Utils", &[1]),
        ("3.2:Verify", &[11]),
        ("3.3:Context", &[12]),
        ("3.4:Checkbox", &[13]),
        ("3.5:Commit", &[14]),
        ("Finalize:Residual Commit", &[6, 10, 15]),
        ("Finalize:State Complete", &[16]),
        ("Finalize:Report", &[17]),
    ];
    assert_eq!(rows, expected.map(|(title, before)| (title, before.to_vec())));
    let said = |at: usize, key: &str| plan.tasks[at - 1].extra[key].as_str().unwrap().to_owned();
    assert_eq!(said(1, "activeForm"), "Beginning PR state");
    assert_eq!(said(2, "activeForm"), "1.1: Running Worker");
    assert_eq!(said(2, "description"), "### [ ] TODO 1: Config setup\n\n**Type**: work", "the whole section");
    assert_eq!(said(3, "activeForm"), "1.2: Verifying");
    assert!(said(3, "description").starts_with("Check the verification result for TODO 1."));
    assert!(said(6, "description").ends_with("\nPush: YES"), "{}", said(6, "description"));
    assert!(said(16, "description").contains("miscellaneous changes"));
    assert_eq!(said(18, "activeForm"), "Generating report");
    let rounds = graph::Graph::of(&plan).unwrap().rounds(true);
    let rounds: Vec<Vec<u32>> = rounds.iter().map(|round| round.iter().map(|i| i + 1).collect()).collect();
    let expected: [&[u32]; 13] = [
        &[1],
        &[2, 11],
        &[3, 12],
        &[4, 13],
        &[5, 14],
        &[6, 15],
        &[7],
        &[8],
        &[9],
        &[10],
        &[16],
        &[17],
        &[18],
    ];
    assert_eq!(rounds, expected.map(<[u32]>::to_vec));
}

#[test]
fn substeps_of_a_local_run_have_no_state() {
    let plan = plan(&["--expand", "substeps", "three.md"]);
    let ids: Vec<_> = plan.tasks.iter().map(|task| task.id.as_str()).collect();
    assert_eq!(plan.tasks.len(), 16);
    assert_eq!(ids.first(), Some(&"1.1"));
    assert_eq!(ids.last(), Some(&"Finalize:Report"));
    assert!(plan.tasks[0].depends_on.is_empty());
    assert!(plan.tasks.iter().all(|task| task.mark.is_none()));
}

#[test]
fn lint_finds_what_the_table_promises() {
    let out = run(&["--lint", "lint.md"]);
    assert_eq!(out.status.code(), Some(1));
    let plan: Plan = serde_json::from_slice(&out.stdout).unwrap();
    let other = self::plan(&["--lint", "three.md"]);
    let all = plan.diagnostics.iter().chain(&other.diagnostics);
    let found: BTreeSet<_> = all.map(|found| found.code.as_str()).collect();
    let listed = stdout(&["--list-rules"]);
    let rows = listed.lines().filter(|row| row.split_whitespace().nth(1) != Some("error"));
    for code in rows.filter_map(|row| row.split_whitespace().next()) {
        assert!(found.contains(code), "'{code}' is not found, only {found:?}");
    }
}

#[test]
fn lint_says_where() {
    let plan = plan(&["--lint", "lint.md"]);
    let said = |code: &str| -> Vec<(u64, &str)> {
        let own = plan.diagnostics.iter().filter(|found| found.code == code);
        own.map(|found| (found.line, found.message.as_str())).collect()
    };
    assert_eq!(
        said("undeclared-output"),
        [
            (53, "'${todo-1.outputs.b}' is no output that task '1' declares"),
            (56, "'${todo-9.outputs.c}' names task '9', which does not exist"),
        ]
    );
    assert_eq!(
        said("shared-file"),
        [(75, "tasks '3' and '5' both write 'src/shared.rs' and do not wait for each other")]
    );
    assert_eq!(said("group-dependency"), [(45, "task '2' shares a group with task '1', which it waits for")]);
    assert_eq!(said("forward-dependency"), [(61, "task '3' depends on task '4' further down (line 71)")]);
    assert_eq!(said("type-mismatch").len(), 1);
}

#[test]
fn a_plan_without_findings_is_clean() {
    let out = run(&["--lint", "--quiet", "clean.md"]);
    assert_eq!(
        out.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&run(&["--lint", "clean.md"]).stderr)
    );
    assert!(out.stderr.is_empty());
}

#[test]
fn every_error_is_listed_with_its_line_and_a_caret() {
    let out = run(&["errors.md"]);
    assert_eq!(out.status.code(), Some(65));
    assert!(out.stdout.is_empty());
    let text = String::from_utf8(out.stderr).unwrap();
    assert!(
        text.contains("errors.md:1:6: warning: unknown mark '?' is taken as not done [unknown-mark]"),
        "{text}"
    );
    assert!(text.contains("  1 | ### [?] TODO 1: one\n    |      ^\n"), "{text}");
    for code in ["[duplicate-id]", "[self-dependency]"] {
        assert_eq!(text.matches(code).count(), 1, "{text}");
    }
    assert_eq!(text.matches("is used on lines").count(), 1, "each error is printed once: {text}");
    assert!(text.ends_with("plan-parse: the plan has 2 errors: fix them first\n"), "{text}");
}

#[test]
fn one_line_of_json_is_all_that_a_program_gets() {
    let out = run(&["--error-format=json", "errors.md"]);
    assert_eq!(out.status.code(), Some(65));
    let text = String::from_utf8(out.stderr).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("\"code\":\"duplicate-id\""), "{text}");
}

#[test]
fn explain_accounts_for_every_line() {
    let text = stdout(&["--explain", "explain.md"]);
    assert_eq!(text, include_str!("explain.txt"));
}

#[test]
fn a_folder_that_is_no_plan_is_named_as_it_was_given() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().to_str().unwrap();
    let output = run(&[name]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(65));
    assert!(said.starts_with(&format!("plan-parse: {name}:")) && said.contains("not a plan"), "{said}");
}
