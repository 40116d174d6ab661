//! The report of each source workflow, from its example carried out, compared with the files of `workflows/PROFILE/reports`.
//!
//! What differs from run to run is masked: times, lengths of time, digests and names of runs. `BLESS=1` writes the files
//! anew.

use crate::project::{carried, project};
use pipeline_tests::{Bench, workspace};
use regex::Regex;

#[test]
fn orchestration_complete() {
    let bench = project("execute", "");
    let got = carried(&bench, &["shop"], 0);
    is_in_the_readme("execute", &got.out());
    is_as_kept("execute", "orchestration-complete.txt", from("═══", &got.out()));
}

#[test]
fn a_plan_that_stopped() {
    let bench = project("execute", "2 1 silent\n2 2 silent\n2 3 silent\n2 4 silent\n");
    let got = carried(&bench, &["shop"], 5);
    is_as_kept("execute", "stopped.txt", from("═══", &got.out()));
}

#[test]
fn task_execution_complete() {
    let bench = Bench::workflow(env!("CARGO_BIN_EXE_t-plantools"), "execute-task");
    let got = bench.carry_out(&["shelf-7"]).run();
    is_in_the_readme("execute-task", &got.out());
    is_as_kept("execute-task", "waits-for-approval.md", from("# Task Execution", &got.exits(5).out()));
    bench.check("checkbox criterion plan:2 --reason 'I read them' .kilocode/todo/shelf-7.md", 0);
    let got = bench.carry_out(&["--approve", "shelf-7"]).run();
    is_as_kept("execute-task", "task-execution-complete.md", from("# Task Execution", &got.exits(0).out()));
}

#[test]
fn progress_and_completion() {
    let bench = project("orchestrate-runbook", "");
    let got = carried(&bench, &["tally"], 0);
    is_in_the_readme("orchestrate-runbook", &got.out());
    is_as_kept("orchestrate-runbook", "completion.txt", &got.out());
    is_as_kept("orchestrate-runbook", "progress.md", &bench.text("plans/tally/progress.md"));
}

#[test]
fn workflow_summary() {
    let bench = Bench::workflow(env!("CARGO_BIN_EXE_t-plantools"), "workflow-execute");
    let got = bench.carry_out(&["--resume-session", "WFS-shop"]).run();
    is_in_the_readme("workflow-execute", &got.out());
    is_as_kept("workflow-execute", "summary.txt", from("# Workflow Execution", &got.exits(0).out()));
    let summary = bench.text(".workflow/archives/WFS-shop/.summaries/IMPL-1-summary.md");
    is_as_kept("workflow-execute", "task-summary.md", &summary);
}

/// What is printed from the head of the report on; the lines of the rounds come before it.
#[track_caller]
fn from<'t>(head: &str, text: &'t str) -> &'t str {
    &text[text.find(head).unwrap_or_else(|| panic!("no '{head}' in\n{text}"))..]
}

/// The run in the README of a workflow is the one of today; `…` stands for lines that are left out.
#[track_caller]
fn is_in_the_readme(profile: &str, printed: &str) {
    let path = workspace().join("tests/workflows").join(profile).join("README.md");
    let page = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let recorded =
        page.split_once("<!-- recorded -->\n```text\n").and_then(|(_, rest)| rest.split_once("\n```\n"));
    let (recorded, _) = recorded.unwrap_or_else(|| panic!("{} has no recorded run", path.display()));
    let mut lines = printed.lines().map(masked);
    for line in recorded.lines().filter(|line| *line != "…") {
        assert!(
            lines.any(|printed| printed == masked(line)),
            "{}: '{line}' is not printed, or earlier:\n{printed}",
            path.display()
        );
    }
}

/// Holds a text against the file that is kept, once what differs from run to run is masked.
#[track_caller]
#[expect(clippy::disallowed_methods, reason = "a test writes what it is told to keep")]
fn is_as_kept(profile: &str, name: &str, text: &str) {
    let path = workspace().join("tests/workflows").join(profile).join("reports").join(name);
    let text = masked(text);
    if std::env::var_os("BLESS").is_some() {
        let made = std::fs::create_dir_all(path.parent().unwrap_or(&path));
        made.and_then(|()| std::fs::write(&path, &text))
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert_eq!(text, kept, "{} (BLESS=1 keeps what is printed now)", path.display());
}

fn masked(text: &str) -> String {
    let masks = [
        (r"\b\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(\.\d+)?( ?UTC|Z|\+00:00)?)?", "TIME"),
        (r"\b\d+ h( \d+ min)?\b|\b\d+ min( \d+ s)?\b|\b\d+(\.\d+)? m?s\b", "LONG"),
        (r"\b\d{8}T?\d{6}[-\w]*", "RUN"),
        (r"\b[0-9a-f]{7,40}\b", "HASH"),
        (r"\b\d+ %", "PART"),
        (r"\b\d+\.\d at once, \d+\.\d possible", "N at once, N possible"),
        (r"\b\d+ records", "N records"),
    ];
    masks.iter().fold(text.to_owned(), |text, (pattern, mask)| {
        Regex::new(pattern).unwrap_or_else(|e| panic!("{e}")).replace_all(&text, *mask).into_owned()
    })
}
