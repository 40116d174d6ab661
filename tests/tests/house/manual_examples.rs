//! The examples of the manual pages, run from top to bottom, each page in a repository of its own.
//!
//! `$` begins a command and `>` goes on with it. An example may answer no, have no verdict, or say that all is done
//! (0, 1, 3 to 6); a wrong command line, an input that is not there and every other failure is a page that lies.

use pipeline_tests::{Bench, DEMO_PLAN, TOOLS, bench, workspace};

/// The exit codes that are answers.
const ANSWERS: [i32; 6] = [0, 1, 3, 4, 5, 6];

/// Saved orders as the pages name them, with the stage that reads them first.
const SAVED: [(&str, &str, &str); 4] = [
    ("handoff", "orders.ndjson", "plan-parse PLAN.md | dag-next"),
    ("worker-run", "ready.ndjson", "handoff orders.ndjson"),
    ("gate-run", "worked.ndjson", "worker-run --worker shell ready.ndjson"),
    ("context-save", "checked.ndjson", "gate-run worked.ndjson"),
];

#[test]
fn every_example_of_a_tool_runs() {
    for tool in TOOLS {
        runs(&format!("crates/{tool}/man.md"), &scene(tool));
    }
}

#[test]
fn every_example_of_orchestrate_runs() {
    runs("crates/orchestrate/man.md", &scene("plan-parse"));
}

#[test]
fn what_help_shows_first_is_among_the_examples() {
    let bench = bench!(bare);
    for tool in TOOLS {
        let page = commands(&read(&format!("crates/{tool}/man.md")));
        let help = bench.command(tool).args(["--help"]).run().exits(0).out();
        for line in help.lines().skip(2).take(3) {
            let shown = line.trim_start().split("  ").next().unwrap_or_default();
            assert!(page.iter().any(|command| command == shown), "{tool}(1) has no example '{shown}'");
        }
    }
}

fn runs(page: &str, bench: &Bench) {
    let commands = commands(&read(page));
    assert!(commands.len() >= 3, "{page} has {} examples", commands.len());
    for command in commands {
        // A command that follows a plan goes on until it is stopped.
        let line = if command.contains("--follow") {
            format!("timeout -s INT 2 {command}")
        } else {
            command.clone()
        };
        let got = bench.sh(&line).env("PLANTOOLS_NOW", "2026-01-31T12:00:00Z").within(120).run();
        let first = command.split_whitespace().next().unwrap_or_default();
        if got.status == 127 && !TOOLS.contains(&first) && bench.lacks(first) {
            continue;
        }
        let answers = ANSWERS.contains(&got.status) || command.contains("--follow") && got.status == 124;
        assert!(answers, "{page}: {command}\n{got:?}");
    }
}

/// The demo with its plan at the top, and the orders that come before a tool saved.
fn scene(tool: &str) -> Bench {
    let bench = bench!(demo);
    let plan = bench.text(DEMO_PLAN).replace(".dev/specs/greeter/", "");
    bench.git(&["rm", "--quiet", DEMO_PLAN]);
    bench.write("PLAN.md", plan);
    bench.commit_all("chore: the plan stands at the top");
    // What is saved beside the work must not look like work.
    bench.write(".git/info/exclude", "*.ndjson\n");
    let stage = |name: &str| TOOLS.iter().position(|tool| *tool == name);
    for (reader, file, line) in SAVED.iter().filter(|(reader, ..)| stage(reader) <= stage(tool)) {
        bench.sh(&format!("{line} > {file}")).run().exits(0);
        assert!(bench.path(file).exists(), "{reader}");
    }
    if tool == "session-export" {
        let think = "session-export think --stage problem-definition --tag interpretation 'It is slow'";
        let line = format!("{think} && session-export export --to session.json && session-export clear");
        bench.sh(&line).run().exits(0);
    }
    if tool == "worker-run" {
        bench.write("worker.sh", "cat > /dev/null\necho '{\"status\": \"SUCCESS\"}'\n");
    }
    bench
}

/// The commands of a page's examples.
fn commands(page: &str) -> Vec<String> {
    let examples = page.split("\n## Examples\n").nth(1).unwrap_or_default();
    let examples = examples.split("\n## ").next().unwrap_or_default();
    let mut found: Vec<String> = Vec::new();
    for line in examples.lines() {
        match (line.strip_prefix("$ "), line.strip_prefix("> ")) {
            (Some(command), _) => found.push(command.to_owned()),
            (None, Some(more)) => {
                let last = found.pop().unwrap_or_default();
                found.push(format!("{last}\n{more}"));
            }
            (None, None) => {}
        }
    }
    found
}

fn read(name: &str) -> String {
    std::fs::read_to_string(workspace().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}
