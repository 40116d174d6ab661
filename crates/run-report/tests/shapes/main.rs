//! The report of each workflow in the form of its source: once for completed work and once for stopped work.
//!
//! The output is compared with a file of `tests/shapes`; `BLESS=1` rewrites those files.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a case that cannot be set up fails the test")]
#![expect(clippy::disallowed_methods, reason = "a test lays out its own files")]

mod house;

use house::{Crew, House};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use wire::punch::Type;

/// The progress of a case.
#[derive(Clone, Copy, PartialEq)]
enum Far {
    /// All three tasks are proved, the second after a claim that was false.
    Done,
    /// The third failed three times and went to a person.
    Stopped,
}

/// One workflow: its plan, its files, and the mark of a task that is done.
struct Case {
    name: &'static str,
    plan: &'static str,
    files: &'static [(&'static str, &'static str)],
    open: &'static str,
    done: &'static str,
}

const CASES: [Case; 4] = [
    Case {
        name: "plan-md",
        plan: ".dev/specs/tally/PLAN.md",
        files: &[
            (".dev/specs/tally/PLAN.md", PLAN),
            (".dev/specs/tally/context/learnings.md", "## TODO 1\n- This project has no build step\n"),
            (".dev/specs/tally/context/issues.md", "## TODO 2\n- [ ] The old list has a wrong sum\n"),
        ],
        open: " ",
        done: "x",
    },
    Case {
        name: "handoff",
        plan: "packet.json",
        files: &[("packet.json", PACKET)],
        open: "pending",
        done: "complete",
    },
    Case {
        name: "runbook",
        plan: "plans/tally",
        files: &[("plans/tally/runbook.md", RUNBOOK)],
        open: "",
        done: "",
    },
    Case {
        name: "workflow",
        plan: ".workflow/active/WFS-tally",
        files: &[
            (".workflow/active/WFS-tally/TODO_LIST.md", LIST),
            (
                ".workflow/active/WFS-tally/IMPL_PLAN.md",
                "# Plan\n\n## 4. Implementation Strategy\n\n**Execution Model**: Sequential\n",
            ),
            (
                ".workflow/active/WFS-tally/workflow-session.json",
                "{\"session_id\":\"WFS-tally\",\"status\":\"active\"}\n",
            ),
        ],
        open: " ",
        done: "x",
    },
];

const PLAN: &str = "# Tally\n\n> Counts things.\n\n## Dependency Graph\n\n| TODO | Requires (Inputs) | Produces (Outputs) | Type |\n|---|---|---|---|\n| 1 | - | `list` (file) | work |\n| 2 | `todo-1.list` | `sum` (file) | work |\n| 3 | `todo-2.sum` | - | work |\n\n## TODOs\n\n### [@1@] TODO 1: Write the list\n\n**Type**: work\n\n**Outputs**:\n- `list` (file): `list.txt`\n\n**Acceptance Criteria**:\n\n*Functional:*\n- [@1@] It is there: `test -f list.txt`\n\n### [@2@] TODO 2: Add it up\n\n**Type**: work\n\n**Outputs**:\n- `sum` (file): `sum.txt`\n\n**Acceptance Criteria**:\n\n*Functional:*\n- [@2@] The sum is right: `cat sum.txt` → 6\n\n*Static:*\n- [@2@] It is a number: `grep -cE '^[0-9]+$' sum.txt` → 1\n\n### [@3@] TODO 3: Tell it\n\n**Type**: work\n\n**Acceptance Criteria**:\n\n*Runtime:*\n- [@3@] It tells: `sh tell.sh`\n- [@3@] Somebody likes it\n";
const PACKET: &str = r#"{
  "handoff_schema": "v1",
  "task_id": "tally-1",
  "subtasks": [
    {"id": 1, "description": "Write the list", "status": "@1@"},
    {"id": 2, "description": "Add it up", "status": "@2@"},
    {"id": 3, "description": "Tell it", "status": "@3@"}
  ],
  "success_criteria": ["`sh tell.sh` passes", "Somebody likes it"]
}
"#;
const RUNBOOK: &str = "---\nname: tally\nmodel: haiku\n---\n\n# Tally Runbook\n\n## Step 1: Write the list\n\n**Execution Model**: haiku\n**Report Path**: `plans/tally/reports/step-1.md`\n\nWrite it.\n\n## Step 2: Add it up\n\n**Execution Model**: haiku\n**Report Path**: `plans/tally/reports/step-2.md`\n\nAdd.\n\n## Step 3: Tell it\n\n**Execution Model**: haiku\n**Report Path**: `plans/tally/reports/step-3.md`\n\nTell.\n";
const LIST: &str = "# Tasks: Tally\n\n## Task Progress\n- [@1@] **IMPL-1**: Write the list → [📋](./.task/IMPL-1.json)\n- [@2@] **IMPL-2**: Add it up → [📋](./.task/IMPL-2.json)\n- [@3@] **IMPL-3**: Tell it → [📋](./.task/IMPL-3.json)\n";

#[test]
fn each_workflow_gets_its_own_report() {
    for case in &CASES {
        for far in [Far::Done, Far::Stopped] {
            let house = House::of(case, far);
            let word = if far == Far::Done { "done" } else { "stopped" };
            for format in ["text", "md"] {
                compare(&format!("{}.{word}.{format}", case.name), &house.report(format));
            }
        }
    }
}

#[test]
fn the_list_of_a_workflow_session_is_its_todo_list() {
    let house = House::of(&CASES[3], Far::Stopped);
    compare("workflow.stopped.todowrite", &house.report("todowrite"));
}

#[test]
fn the_figures_tell_what_was_measured() {
    let house = House::of(&CASES[0], Far::Stopped);
    let report: Value = serde_json::from_str(&house.report("json")).unwrap();
    let numbers = &report["numbers"];
    assert_eq!(numbers["stands"]["done"], 2);
    assert_eq!(numbers["stands"]["human"], 1);
    assert_eq!(numbers["attempts"], 6);
    assert_eq!((&numbers["first_pass"], &numbers["tried"]), (&json!(1), &json!(3)));
    assert_eq!(numbers["first_pass_rate"], 0.333);
    assert_eq!(numbers["false_claims"], 1);
    // Six workers of a minute each, one after the other.
    assert_eq!(numbers["worker_ms"], 360_000);
    assert_eq!(
        numbers["critical_ms"],
        numbers["worker_ms"].as_u64().unwrap() + numbers["gate_ms"].as_u64().unwrap()
    );
    assert_eq!(report["tasks"][1]["false_claims"], json!(["2:1"]));
    assert_eq!(report["tasks"][1]["history"][0]["result"], "halted");
    assert_eq!(report["tasks"][2]["stand"], "human");
    assert_eq!(report["ledger"]["ok"], true);
    assert_eq!(report["gates"][0]["id"], "gate:lint");
}

#[test]
fn the_end_is_ten_lines_with_the_next_command() {
    for case in &CASES {
        for (far, word) in [(Far::Done, "done"), (Far::Stopped, "stopped")] {
            let house = House::of(case, far);
            let text = house.answer(&["--end"], 0);
            compare(&format!("{}.{word}.end", case.name), &text);
            assert!(text.lines().count() <= 10, "{text}");
            let names_a_command = text.contains("\nnext: ") || text.contains("\nfull report: ");
            assert!(names_a_command && !text.contains("(none)"), "{text}");
        }
    }
}

#[test]
fn a_plan_without_an_option_is_asked_how_it_ended() {
    let house = House::of(&CASES[0], Far::Stopped);
    assert_eq!(house.answer(&[], 0), house.answer(&["--end"], 0));
    let folder = House::of(&CASES[3], Far::Stopped);
    assert_eq!(folder.answer(&[], 0), folder.answer(&["--end"], 0));
}

#[test]
fn the_end_of_a_long_plan_is_ten_lines_too() {
    let mut house = House::of(&CASES[0], Far::Stopped);
    for number in 4..40 {
        house.add(&format!("\n### [ ] TODO {number}: More\n\n**Type**: work\n"));
    }
    for task in 3..20 {
        house.halt(task, 1, "it broke", &[]);
    }
    let text = house.answer(&["--end"], 0);
    compare("plan-md.long.end", &text);
    assert!(text.lines().count() <= 10, "{text}");
}

#[test]
fn the_records_of_a_plan_are_events() {
    for (far, exit) in [(Far::Done, 4), (Far::Stopped, 0)] {
        let house = House::of(&CASES[0], far);
        let text = house.answer(&["--once", "--format", "ndjson"], exit);
        let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(events.iter().all(|event| event["schema"] == "event/1" && event["run"] == "r1"), "{text}");
        let kinds: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
        let first = ["run", "attempt", "attempt", "check", "tick", "commit"];
        assert_eq!(kinds[..6], first, "{text}");
        assert_eq!(kinds.iter().filter(|kind| **kind == "run").count(), 1);
        let halts: Vec<&Value> = events.iter().filter(|event| event["event"] == "halt").collect();
        assert_eq!(halts[0]["code"], "checks-failed");
        match far {
            Far::Done => {
                assert_eq!((kinds.last(), &events.last().unwrap()["answer"]), (Some(&"end"), &json!("done")));
            }
            Far::Stopped => assert!(!kinds.contains(&"end"), "{text}"),
        }
    }
}

#[test]
fn a_record_that_was_changed_is_told() {
    let house = House::of(&CASES[0], Far::Done);
    let path = house.folder.path().join(".plantools/ledger.ndjson");
    let text =
        fs::read_to_string(&path).unwrap().replacen("\"duration_ms\":60000", "\"duration_ms\":60001", 1);
    fs::write(&path, text).unwrap();
    let report: Value = serde_json::from_str(&house.report("json")).unwrap();
    assert_eq!(report["ledger"]["ok"], false);
    assert_eq!(report["ledger"]["problems"], json!(["line 2 was edited: its hash does not fit"]));
}

#[test]
fn records_of_an_earlier_text_count_for_nothing() {
    let house = House::of(&CASES[0], Far::Done);
    let path = house.folder.path().join(CASES[0].plan);
    let text = fs::read_to_string(&path).unwrap().replace("Write the list", "Write another list");
    fs::write(&path, text).unwrap();
    let report: Value = serde_json::from_str(&house.report("json")).unwrap();
    assert_eq!(report["tasks"][0]["stand"], "unverified");
    assert_eq!(report["tasks"][0]["attempts"], 0);
    assert!(report["tasks"][0]["outdated"].as_u64().unwrap() >= 4);
    assert_eq!(report["tasks"][1]["stand"], "done");
}

#[test]
fn which_machine_and_tree_did_what_is_told_where_there_were_several() {
    for case in &CASES {
        let house = House::on(case, Far::Done, Crew { hosts: &["one", "two"], lease: None });
        for format in ["text", "md"] {
            compare(&format!("{}.hosts.{format}", case.name), &house.report(format));
        }
        let report: Value = serde_json::from_str(&house.report("json")).unwrap();
        let hosts =
            json!([{ "name": "one", "attempts": 2, "done": 2 }, { "name": "two", "attempts": 2, "done": 1 }]);
        assert_eq!(report["hosts"], hosts, "{}", case.name);
        let attempt = &report["tasks"][1]["history"][1];
        assert_eq!(
            (&attempt["host"], &attempt["worktree"]),
            (&json!("two"), &json!(".plantools/worktrees/1-2"))
        );
        let page = house.report("html");
        assert!(page.contains(r#""hosts":[{"name":"one","attempts":2,"done":2}"#), "{}", case.name);
    }
}

#[test]
fn one_machine_is_told_only_where_the_plan_was_shared() {
    let alone = House::on(&CASES[0], Far::Done, Crew { hosts: &["one"], lease: None });
    compare("plan-md.done.text", &alone.report("text"));
    compare("plan-md.done.md", &alone.report("md"));
    let report: Value = serde_json::from_str(&alone.report("json")).unwrap();
    assert_eq!(report.get("hosts"), None);
    let shared = House::on(&CASES[0], Far::Done, Crew { hosts: &["one"], lease: Some(60) });
    let text = shared.report("text");
    assert!(
        text.contains(
            "✓ 1 Write the list (1/1 checks, 1 attempt, 11111111, on one in .plantools/worktrees/0-1)"
        ),
        "{text}"
    );
    assert!(text.contains("- Hosts: one (4 attempts, 3 done)\n"), "{text}");
}

#[test]
fn a_result_that_another_machine_took_over_is_told_of_both() {
    let mut house = House::on(&CASES[0], Far::Stopped, Crew { hosts: &["one"], lease: Some(60) });
    house.attempt(2, 4, &[]);
    house.run = "r2";
    house.record(
        2,
        Type::Takeover,
        "shell",
        Some(4),
        json!({ "host": "two", "place": "two", "pid": 1, "lease_seconds": 60 }),
    );
    house.tick(2, 4);
    let report: Value = serde_json::from_str(&house.report("json")).unwrap();
    let attempt = report["tasks"][2]["history"].as_array().unwrap().last().unwrap();
    assert_eq!((&attempt["host"], &attempt["taken_over_by"]), (&json!("one"), &json!("two")));
    assert_eq!((&attempt["run"], &attempt["result"]), (&json!("r1"), &json!("ticked")));
    assert_eq!(report["hosts"][1], json!({ "name": "two", "attempts": 0, "done": 0, "takeovers": 1 }));
    let text = house.report("text");
    assert!(text.contains("on one in .plantools/worktrees/2-4, taken over by two"), "{text}");
    assert!(text.contains("two (0 attempts, 0 done, 1 taken over)"), "{text}");
}

/// Compares with the file of that name, or writes it.
#[track_caller]
fn compare(name: &str, got: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shapes").join(format!("{name}.txt"));
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, got).unwrap();
        return;
    }
    let wanted = fs::read_to_string(&path).expect("the file that it is compared with");
    assert_eq!(got, wanted, "{name}: if this is right, write it anew with BLESS=1");
}
