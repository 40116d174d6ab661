//! The sources' own templates, field by field: prompts, contracts, lists, notes, progress and reports.
//!
//! A file of `workflows/PROFILE/templates` has the fields of one template in their order, one a line; `…` stands for what
//! differs. Every field must be there, in this order; lines of ours may stand between them.

use crate::project::{carried, project};
use pipeline_tests::{Bench, bench, workspace};
use serde_json::{Value, json};
use std::fmt::Write;

const TODO: &str = ".kilocode/todo/shelf-7.md";
const SESSION: &str = ".workflow/active/WFS-shop";

fn example(name: &str) -> Bench {
    Bench::workflow(env!("CARGO_BIN_EXE_t-plantools"), name)
}

fn template(profile: &str, name: &str) -> String {
    let path = workspace().join("tests/workflows").join(profile).join("templates").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Holds a text against a template.
#[track_caller]
fn holds(profile: &str, name: &str, text: &str) {
    let mut lines = text.lines();
    for field in template(profile, name).lines() {
        assert!(
            lines.any(|line| is(field, line)),
            "{profile}/{name}: '{field}' is not there, or too early:\n{text}"
        );
    }
}

/// Whether a line has the words of a field, with anything in the place of each `…`.
fn is(field: &str, line: &str) -> bool {
    let mut parts = field.split('…');
    let Some(mut rest) = line.trim_end().strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut last = None;
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
        last = Some(part);
    }
    rest.is_empty() || last.is_some_and(|part| part.is_empty() || rest.ends_with(part))
}

/// The whole answer has every member of the template, with the same value unless that is `…`.
#[track_caller]
fn has(template: &Value, found: &Value, at: &str) {
    match template {
        Value::Object(members) => {
            for (name, value) in members {
                assert!(found.get(name).is_some(), "no {at}/{name} in {found:#}");
                has(value, &found[name], &format!("{at}/{name}"));
            }
        }
        Value::Array(items) => {
            for (n, value) in items.iter().enumerate() {
                has(value, found.get(n).unwrap_or(&Value::Null), &format!("{at}/{n}"));
            }
        }
        Value::String(text) if text == "…" => {
            assert!(found.as_str().is_some_and(|text| !text.is_empty()), "{at} is {found}");
        }
        value => assert_eq!(value, found, "{at}"),
    }
}

#[test]
fn todo_list_of_execute_task() {
    let bench = example("execute-task");
    bench.story("subtask-1 * hopeless");
    bench.carry_out(&["shelf-7"]).run().exits(5);
    holds("execute-task", "todo-list", &bench.text(TODO));
    assert_eq!(bench.text(TODO).lines().count(), 7, "and no other line: {}", bench.text(TODO));
    let packet = ".kilocode/handoff/shelf-7.json";
    let fresh = bench.check(&format!("plan-parse --expand execute-task --text {packet}"), 0).out();
    let boxes: Vec<&str> = fresh.lines().filter_map(|line| line.get(..4)).collect();
    assert_eq!(boxes, ["[ ] "; 7], "at the start all lines are open: {fresh}");
}

#[test]
fn prompts_of_execute_task() {
    let bench = example("execute-task");
    bench.carry_out(&["shelf-7"]).env("PLANTOOLS_RUN", "r1").run().exits(5);
    for (task, name) in [
        ("pre-execution-gate", "prompt-gate"),
        ("subtask-1", "prompt-subtask"),
        ("subtask-3", "prompt-tests"),
        ("subtask-4", "prompt-gates"),
    ] {
        holds("execute-task", name, &bench.text(&format!(".plantools/work/r1/{task}/1/prompt.md")));
    }
}

#[test]
fn final_report_of_execute_task() {
    let bench = example("execute-task");
    let got = bench.carry_out(&["shelf-7"]).run();
    got.exits(5);
    holds("execute-task", "final-report", &got.out());
}

#[test]
fn contracts_of_the_line_of_execute_task() {
    let bench = example("execute-task");
    // A gate that prints nothing for longer than it may.
    bench.program("tools/lint", "#!/bin/sh\n# Lint.\n[ ! -f src/count.sh ] || sleep 4\n");
    let fitter = ".kilocode/fitter.toml";
    bench.write(fitter, bench.text(fitter).replace("stall_seconds = 10", "stall_seconds = 2"));
    bench.commit_all("a slow gate");
    bench.story("fitter * idle");
    bench.carry_out(&["shelf-7"]).env("PLANTOOLS_RUN", "r1").run().exits(5);
    let asked = format!("plan-parse -q {TODO} | dag-next --max-attempts 9 | handoff --for fitter --prompt");
    holds("execute-task", "line-fault-contract", &bench.check(&asked, 0).out());
}

#[test]
fn lists_of_workflow_execute() {
    let bench = example("workflow-execute");
    let got = bench.carry_out(&["--jobs", "2", "."]).run();
    got.exits(0);
    let lists: Vec<Value> = got.out().lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let last = lists.last().unwrap_or_else(|| panic!("no list: {got:?}"));
    let mut told = String::new();
    for todo in last["todos"].as_array().into_iter().flatten() {
        assert_eq!(todo["status"], "completed", "{last}");
        let word = |name: &str| todo[name].as_str().unwrap_or_default().to_owned();
        let _ = writeln!(told, "{}\n{}", word("content"), word("activeForm"));
    }
    assert_eq!(told, template("workflow-execute", "todowrite"));
}

#[test]
fn prompt_of_workflow_execute() {
    let bench = example("workflow-execute");
    bench.carry_out(&["."]).env("PLANTOOLS_RUN", "r1").run().exits(0);
    holds("workflow-execute", "prompt", &bench.text(".plantools/work/r1/IMPL-1/1/prompt.md"));
}

#[test]
fn package_of_workflow_execute() {
    let bench = example("workflow-execute");
    for (name, text) in [("guidance", "G"), ("analysis-api", "A"), ("conflicts", "C")] {
        bench.write(&format!("{SESSION}/.process/{name}.md"), text);
    }
    let place = |name: &str| format!("{SESSION}/.process/{name}.md");
    let package = json!({ "brainstorm_artifacts": {
        "synthesis_output": { "path": place("synthesis") }, "guidance_specification": { "path": place("guidance") },
        "role_analyses": [{ "path": place("analysis-api") }], "conflict_resolution": { "path": place("conflicts") },
    }});
    bench.write(&format!("{SESSION}/.process/context-package.json"), package.to_string());
    let file = format!("{SESSION}/.task/IMPL-3.json");
    let mut task: Value = serde_json::from_str(&bench.text(&file)).unwrap_or_default();
    task["context"]["inherited"] = json!({ "from": "shop", "context": ["prices are whole cents"] });
    let step = json!({ "step": "load", "action": "Read what was decided", "command": format!("Read({})", place("synthesis")),
        "output_to": "synthesis", "on_error": "fail" });
    task["flow_control"]["pre_analysis"] = json!([step]);
    bench.write(&file, task.to_string());
    bench.commit_all("artifacts");
    bench.carry_out(&["."]).env("PLANTOOLS_RUN", "r1").run().exits(0);
    let packet: Value =
        serde_json::from_str(&bench.text(".plantools/work/r1/IMPL-3/1/packet.json")).unwrap_or_default();
    let template: Value =
        serde_json::from_str(&template("workflow-execute", "package.json")).unwrap_or_else(|e| panic!("{e}"));
    has(&template, &packet, "");
}

#[test]
fn prompts_of_a_runbook() {
    let bench = project("orchestrate-runbook", "1.1 1 fail\n1.1 2 fixed\n");
    carried(&bench, &["tally"], 0);
    for (prompt, name) in
        [("1.1-1", "prompt-step"), ("1.1-2", "prompt-diagnostic"), ("checkpoint-1-1", "prompt-checkpoint")]
    {
        holds("orchestrate-runbook", name, &bench.text(&format!("../home/prompt-{prompt}")));
    }
}

#[test]
fn progress_of_a_runbook() {
    let bench = project("orchestrate-runbook", "1.2 1 hang\n");
    let got = carried(&bench, &["tally"], 5);
    holds("orchestrate-runbook", "progress.md", &bench.text("plans/tally/progress.md"));
    holds("orchestrate-runbook", "log", &got.out());
    // Before the first failure it is in progress.
    let bench = project("orchestrate-runbook", "");
    carried(&bench, &["--only", "1.1", "tally"], 0);
    let progress = bench.text("plans/tally/progress.md");
    assert!(progress.contains("\n**Status**: In Progress\n") && progress.contains("1/3"), "{progress}");
}

#[test]
fn prompt_of_execute() {
    let bench = project("execute", "");
    carried(&bench, &["shop"], 0);
    holds("execute", "prompt", &bench.text("../home/prompt-2-1"));
}

#[test]
fn notes_of_execute() {
    let bench = project("execute", "");
    carried(&bench, &["shop"], 0);
    let note = |name: &str| bench.text(&format!(".dev/specs/shop/context/{name}"));
    let outputs: Value = serde_json::from_str(&note("outputs.json")).unwrap_or_default();
    assert_eq!(outputs["todo-1"], json!({ "prices": "data/prices.txt" }));
    assert_eq!(note("learnings.md"), "## 1\n- prices are whole numbers\n");
    assert_eq!(note("issues.md"), "## 2\n- [ ] the list is not sorted\n");
    assert_eq!(note("decisions.md"), "## 3\n- plain words\n");
}

#[test]
fn report_of_execute() {
    let bench = project("execute", "");
    let got = carried(&bench, &["shop"], 0);
    holds("execute", "report", &got.out());
}

#[test]
fn halt_entry_of_execute() {
    let bench = project("execute", "1 1 fail\n1 2 fail\n1 3 fail\n1 4 fail\n");
    carried(&bench, &["--on-halt", "stop", "shop"], 5);
    let issues = bench.text(".dev/specs/shop/context/issues.md");
    holds("execute", "issues.md", &issues);
    let head = regex::Regex::new(r"(?m)^## \[\d{4}-\d\d-\d\d \d\d:\d\d\] TODO 1: Prices Failed$");
    assert!(head.is_ok_and(|head| head.is_match(&issues)), "{issues}");
}

#[test]
fn verification_result_of_execute() {
    let bench = bench!(empty);
    bench.write("plantools.toml", "[defaults]\naccept = \"worker-commands\"\n");
    let criterion = |id: &str, command: &str| json!({"id": id, "category": "static", "description": id, "command": command, "status": "PASS"});
    let answer =
        json!({"outputs": {}, "acceptance_criteria": [criterion("a", "true"), criterion("b", "false")]});
    let event = json!({
        "hook_event_name": "PostToolUse", "tool_name": "Task", "cwd": bench.repo().to_string_lossy(),
        "tool_input": {"subagent_type": "worker", "prompt": "x"},
        "tool_response": {"content": [{"type": "text", "text": format!("```json\n{answer}\n```\n")}]},
    });
    bench.write("../home/event.json", event.to_string());
    let got = bench.check("gate-run --hook < ../home/event.json", 0).json();
    assert_eq!(got["hookSpecificOutput"]["hookEventName"], "PostToolUse");
    holds(
        "execute",
        "verification-result",
        got["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default(),
    );
}
