//! `checkbox adopt`: for every dialect the checks go in as added bytes, read back as the same checks, and come out again.

use crate::place::Place;
use dialects::PlanSnapshot;
use serde_json::{Value, json};
use std::path::Path;
use wire::plan::Kind;
use wire::{Plan, Task};

/// The dialect, the path of the plan, and its files.
type Fixture = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Plans with other shapes than the examples of the guide.
const MORE: &[Fixture] = &[
    (
        "spec-kit",
        "specs/1/tasks.md",
        &[(
            "specs/1/tasks.md",
            "# Tasks: Shop\n\n## Phase 1: Setup\r\n\r\n- [ ] T001 Make src/cart.py\r\n- [ ] T002 [P] Make src/till.py\r\n  - with a drawer\r\n\r\n**Checkpoint**: ready\r\n\r\n## Phase 2: Rest\r\n- [ ] T003 Last line without an end in src/x.py",
        )],
    ),
    (
        "kiro",
        "tasks.md",
        &[(
            "tasks.md",
            "# Implementation Plan\n\n- [ ] 1. Set up\n\n  - Take a spade\n  - _Requirements: 1.1_\n\n- [ ] 2. Build\n- [ ] 2.1 Walls\n  - four of them\n  - _Requirements: 1.2_\n",
        )],
    ),
    (
        "superpowers",
        "docs/plans/p.md",
        &[(
            "docs/plans/p.md",
            "# Shed Implementation Plan\n\n### Task 1: Walls\n\n**Files:**\n- Create: `walls.txt`\n\n**Step 1: Write it**\n\n```text\nwalls\n```\n\n---\n\n### Task 2: Roof\n\n- [ ] **Step 1: Write it**\n- [ ] **Step 2: Look**\n",
        )],
    ),
    (
        "headings",
        "P.md",
        &[(
            "P.md",
            "# Implementation Plan\n\n## Phase 1: Dig ⏳\n\nTake a spade.\n\n- deep\n- wide\n\n---\n\n## Phase 2: Build ⏳\nText.\n",
        )],
    ),
    (
        "plan-md",
        "PLAN.md",
        &[(
            "PLAN.md",
            "## TODOs\n\n### [ ] TODO 1: Dig\n\n**Type**: work\n\n**Acceptance Criteria**:\n\n*Functional:*\n- [ ] It is deep\n\n*Static:*\n- [ ] It is wide\n\n---\n\n### [ ] TODO 2: Build\n\n**Type**: work\n",
        )],
    ),
    (
        "taskmaster",
        "tasks.json",
        &[(
            "tasks.json",
            "{\n  \"tasks\": [\n    {\n      \"id\": 1,\n      \"title\": \"Dig\",\n      \"status\": \"pending\",\n      \"testStrategy\": \"Look into the pit.\",\n      \"subtasks\": [\n        {\"id\": 1, \"title\": \"Spade\", \"status\": \"pending\"}\n      ]\n    },\n    {\n      \"id\": 2,\n      \"title\": \"Build\",\n      \"status\": \"pending\"\n    }\n  ]\n}\n",
        )],
    ),
    (
        "beads",
        ".beads/issues.jsonl",
        &[(
            ".beads/issues.jsonl",
            "{\"id\":\"s-1\",\"title\":\"Dig\",\"status\":\"open\",\"issue_type\":\"task\",\"acceptance_criteria\":\"A pit\"}\n{\"id\":\"s-2\",\"title\":\"Build\",\"status\":\"open\",\"issue_type\":\"task\",\"notes\":\"x\"}\n",
        )],
    ),
    (
        "workflow",
        "s/WFS-shed",
        &[
            (
                "s/WFS-shed/TODO_LIST.md",
                "# Tasks: Shed\n\n## Task Progress\n- [ ] **IMPL-1**: Dig → [📋](./.task/IMPL-1.json)\n- [ ] **IMPL-2**: Build → [📋](./.task/IMPL-2.json)\n",
            ),
            ("s/WFS-shed/IMPL_PLAN.md", "# Plan\n"),
            ("s/WFS-shed/workflow-session.json", "{\"session_id\": \"WFS-shed\", \"status\": \"planning\"}"),
            (
                "s/WFS-shed/.task/IMPL-1.json",
                "{\n  \"id\": \"IMPL-1\",\n  \"title\": \"Dig\",\n  \"status\": \"pending\",\n  \"context\": {\n    \"requirements\": [\"deep\"],\n    \"acceptance\": [\n      \"a pit\"\n    ]\n  }\n}\n",
            ),
            (
                "s/WFS-shed/.task/IMPL-2.json",
                "{\n  \"id\": \"IMPL-2\",\n  \"title\": \"Build\",\n  \"status\": \"pending\",\n  \"depends_on\": [\"IMPL-1\"]\n}\n",
            ),
        ],
    ),
    (
        "taskmd",
        "tasks",
        &[
            ("tasks/1.md", "---\nid: \"1\"\ntitle: Dig\nstatus: pending\n---\n# Dig\n\nDeep.\n"),
            (
                "tasks/2.md",
                "---\r\nid: \"2\"\r\ntitle: Build\r\nstatus: pending\r\ndependencies: [\"1\"]\r\n---\r\n# Build\r\n",
            ),
        ],
    ),
    (
        "ccpm",
        "epics/shed",
        &[
            ("epics/shed/epic.md", "---\nname: shed\nstatus: open\n---\n# Shed\n"),
            (
                "epics/shed/001.md",
                "---\nname: Dig\nstatus: open\ndepends_on: []\nparallel: true\n---\n# Dig\n\n## Acceptance Criteria\n- [ ] deep\n",
            ),
            (
                "epics/shed/002.md",
                "---\nname: Build\nstatus: open\ndepends_on: [001]\nparallel: false\n---\n# Build\n",
            ),
        ],
    ),
    (
        "runbook",
        "plans/shed/runbook.md",
        &[(
            "plans/shed/runbook.md",
            "# Runbook: Shed\n\n**Type**: general\n\n### Phase 1: Ground\n\n## Step 1.1: Dig\n\n**Objective**: a pit\n\n**Implementation**:\nTake a spade.\n\n## Step 1.2: Build\n\n**Depends on**: Step 1.1\n",
        )],
    ),
    (
        "numbered",
        "PLAN.md",
        &[("PLAN.md", "# Shed\n\n## Implementation Steps\n\n1. Dig\n   - deep\n2. Build\n10. Paint\n")],
    ),
    (
        "checklist",
        "TODO.md",
        &[("TODO.md", "# Shed\n\n* [ ] Dig\n\t* [ ] deep\n* [ ] Build the `house`\n  it has walls\n")],
    ),
    (
        "tracker",
        "T.md",
        &[(
            "T.md",
            "| ID | Task | Status | Verification |\n|---|---|---|---|\n| A-1 | Dig | Todo | |\n| A-2 | Build | Done | `test -f x` |\n",
        )],
    ),
    (
        "tracker",
        "U.md",
        &[("U.md", "| ID | Task | Status |\n|---|---|---|\n| A-1 | Dig | Todo |\n| A-2 | Build | Todo |\n")],
    ),
    (
        "prd",
        "prd.json",
        &[(
            "prd.json",
            "{\n  \"userStories\": [\n    {\n      \"id\": \"US-1\",\n      \"title\": \"Dig\",\n      \"acceptanceCriteria\": [\n        \"A pit\",\n        \"deep\"\n      ],\n      \"passes\": false\n    },\n    {\n      \"id\": \"US-2\",\n      \"title\": \"Build\",\n      \"acceptanceCriteria\": [],\n      \"passes\": false\n    }\n  ]\n}\n",
        )],
    ),
    (
        "cursor",
        ".cursor/plans/a.plan.md",
        &[(
            ".cursor/plans/a.plan.md",
            "---\nname: Shed\ntodos:\n  - id: dig\n    content: Dig\n    status: pending\n  - id: build\n    content: Build\n    status: pending\n    dependencies:\n      - dig\n---\n# Shed\n",
        )],
    ),
    (
        "gsd",
        "01-01-PLAN.md",
        &[(
            "01-01-PLAN.md",
            "<tasks>\n\n<task type=\"auto\">\n  <name>Task 1: Dig</name>\n  <files>pit.md</files>\n  <action>Dig.</action>\n  <done>It is deep</done>\n</task>\n\n<task type=\"auto\">\n  <name>Task 2: Build</name>\n  <verify>Look at it</verify>\n</task>\n\n</tasks>\n",
        )],
    ),
    (
        "humanlayer",
        "thoughts/shared/plans/s.md",
        &[(
            "thoughts/shared/plans/s.md",
            "# Shed Implementation Plan\n\n## Phase 1: Dig\n\n### Success Criteria:\n\n#### Automated Verification:\n- [ ] Deep\n\n#### Manual Verification:\n- [ ] Nice\n\n---\n\n## Phase 2: Build\n\n### Success Criteria:\n\n#### Automated Verification:\n- [ ] It stands\n",
        )],
    ),
];

fn reads(place: &Place, path: &str, dialect: &str) -> Plan {
    let root = place.root().canonicalize().unwrap();
    let found = PlanSnapshot::at(&root.join(path), &root, Some(dialect)).unwrap().plan;
    let mut plan = Plan::clone(&found);
    for index in 0..plan.tasks.len() {
        if plan.tasks[index].detail.is_some() {
            let reference = serde_json::from_value(reference(&plan)).unwrap();
            let whole = PlanSnapshot::with_task(&reference, &plan.tasks[index].id.clone()).unwrap().plan;
            plan.tasks[index].criteria.clone_from(&whole.tasks[index].criteria);
        }
    }
    plan
}

fn reference(plan: &Plan) -> Value {
    let source = &plan.source;
    json!({ "path": source.path, "dialect": source.dialect, "root": source.root, "sha256": source.sha256 })
}

fn suggestion(plan: &Plan, task: &Task, check: &str, command: &str, clauses: &Value) -> String {
    json!({
        "schema": "suggestion/1", "plan": reference(plan), "task": task.id, "title": task.title,
        "fingerprint": task.fingerprint, "check": check, "command": command, "clauses": clauses,
        "kind": "name", "origin": "suggested", "reason": "the task says so", "sure": "medium",
        "trial": { "fit": true, "message": "fails now (exit 1)", "level": "proved" },
    })
    .to_string()
}

const END: &str = r#"{"schema":"end/1","answer":"done","orders":1}"#;

/// Two checks for each open task: one with quotes, bars and arrows, one with clauses.
fn suggestions(plan: &Plan) -> (String, Vec<String>) {
    let open: Vec<&Task> =
        plan.tasks.iter().filter(|task| !task.state.is_settled() && task.kind != Kind::Container).collect();
    let mut lines = String::new();
    for (number, task) in open.iter().enumerate() {
        let command = format!("test -f src/a{number}.py && grep -qw \"b 'c'\" src/a{number}.py");
        lines += &suggestion(plan, task, &format!("`{command}`"), &command, &json!([]));
        lines.push('\n');
        if !plan.source.dialect.starts_with("tracker") {
            let command = format!("grep -c '^x' src/a{number}.py");
            let clauses = json!([{ "clause": "number", "op": ">=", "value": "2" }]);
            lines += &suggestion(plan, task, &format!("`{command}` → >= 2"), &command, &clauses);
            lines.push('\n');
        }
    }
    lines += END;
    lines.push('\n');
    (lines, open.iter().map(|task| task.id.to_string()).collect())
}

/// Whether a text is another one with bytes added: it contains all its bytes in order.
fn is_only_more(old: &[u8], new: &[u8]) -> bool {
    let mut rest = new.iter();
    old.iter().all(|byte| rest.any(|other| other == byte))
}

fn goes_in_and_out(dialect: &str, path: &str, files: &[(&str, &str)]) {
    let place = Place::with("");
    place.git(&["init", "--quiet"]);
    for (name, text) in files {
        place.write(name, text);
    }
    let before = reads(&place, path, dialect);
    let (lines, open) = suggestions(&before);
    assert!(!open.is_empty(), "{dialect}: no open task");
    let got = place.fed(&["adopt", "--adopt=all"], &lines);
    got.exits(0);
    let told: Vec<Value> = got.lines();
    for line in told.iter().filter(|line| line["schema"] == "suggestion/1") {
        let now: Vec<String> = files.iter().map(|(name, _)| place.text(name)).collect();
        assert_eq!(line["adopted"], true, "{dialect}: {line}\n{}\n{}", got.err, now.join("\n====\n"));
    }
    let after = reads(&place, path, dialect);
    assert_eq!(before.tasks.len(), after.tasks.len());
    for (old, new) in before.tasks.iter().zip(&after.tasks) {
        assert_eq!((&old.id, old.state, &old.title), (&new.id, new.state, &new.title), "{dialect}");
        // Checks of the plan for every task without one of its own are not the task's.
        let own = |plan: &Plan, task: &Task| {
            let of_plan = |span| plan.gates.iter().any(|gate| gate.span == span);
            task.criteria.iter().filter(|one| one.runnable && !of_plan(one.span.clone())).count()
        };
        let more = own(&after, new) - own(&before, old);
        let wanted = told.iter().filter(|line| line["task"] == json!(new.id)).count();
        assert_eq!(more, wanted, "{dialect}: {}: {:?}", new.id, new.criteria);
        assert!(
            new.criteria.iter().all(|one| one.unclear.is_none())
                || old.criteria.iter().any(|one| one.unclear.is_some())
        );
    }
    for (name, old) in files {
        assert!(is_only_more(old.as_bytes(), place.text(name).as_bytes()), "{dialect}: {}", place.text(name));
    }
    place.run(&["adopt", "--undo", path, "--dialect", dialect]).exits(0);
    for (name, old) in files {
        assert_eq!(place.text(name), *old, "{dialect}: {name}");
    }
}

#[test]
fn every_dialect_takes_checks_in_its_own_form_and_gives_them_back() {
    for dialect in dialects::table() {
        let guide = dialects::guide(dialect).unwrap();
        // The list of a session stands in its folder.
        let path = if dialect.name == "workflow" {
            Path::new(guide.path).parent().unwrap().to_str().unwrap()
        } else {
            guide.path
        };
        goes_in_and_out(dialect.name, path, &[(guide.path, guide.example)]);
    }
}

#[test]
fn plans_of_other_shapes_do_so_too() {
    for (dialect, path, files) in MORE {
        goes_in_and_out(dialect, path, files);
    }
}

fn list() -> (Place, Plan) {
    let place = Place::with("# Plan\n\n- [ ] 1. Make the cart\n- [ ] 2. Make the till\n");
    let plan = reads(&place, "PLAN.md", "checklist");
    (place, plan)
}

#[test]
fn the_check_stands_below_its_task_and_the_adoption_is_on_record() {
    let (place, plan) = list();
    let line = suggestion(&plan, &plan.tasks[0], "`test -s cart`", "test -s cart", &json!([]));
    place
        .fed(&["adopt", "--adopt=suggested"], &format!("{line}\n{END}\n"))
        .exits(0)
        .says("adopted 1 check for 1 task");
    assert_eq!(
        place.text("PLAN.md"),
        "# Plan\n\n- [ ] 1. Make the cart\n  - Verify: `test -s cart`\n- [ ] 2. Make the till\n"
    );
    let ledger = place.text(".plantools/ledger.ndjson");
    let record: Value = serde_json::from_str(ledger.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&record["type"], &record["key"], &record["task"]),
        (&json!("override"), &json!("adopt"), &json!("1"))
    );
    assert_eq!(record["data"]["checks"][0]["origin"], "suggested");
    assert_eq!(record["fingerprint"], json!(reads(&place, "PLAN.md", "checklist").tasks[0].fingerprint));
}

#[test]
fn untried_unfit_and_outdated_suggestions_are_not_written() {
    let (place, plan) = list();
    let line = suggestion(&plan, &plan.tasks[0], "`test -s cart`", "test -s cart", &json!([]));
    let edited = |pointer: &str, value: Value| {
        let mut line: Value = serde_json::from_str(&line).unwrap();
        *line.pointer_mut(pointer).unwrap() = value;
        format!("{line}\n{END}\n")
    };
    let before = place.text("PLAN.md");
    for (lines, said) in [
        (edited("/trial", Value::Null), "gate-run try"),
        (edited("/trial/fit", json!(false)), "not adopted"),
        (edited("/fingerprint", json!("sha256:other")), "suggest again"),
        (edited("/task", json!("7")), "no task '7'"),
        (edited("/command", json!("test -s other")), "cannot-adopt"),
    ] {
        let got = place.fed(&["adopt", "--adopt=all"], &lines);
        got.exits(0).says(said);
        assert_eq!(got.lines()[0]["adopted"], false);
        assert_eq!(place.text("PLAN.md"), before);
    }
    let proposed = edited("/origin", json!("proposed"));
    place.fed(&["adopt", "--adopt=suggested"], &proposed).exits(0).says("1 not taken");
    place.fed(&["adopt", "--adopt=none"], &format!("{line}\n{END}\n")).exits(0).says("1 not taken");
    assert_eq!(place.text("PLAN.md"), before);
}

#[test]
fn undo_leaves_ticks_alone_and_refuses_what_was_edited_since() {
    let (place, plan) = list();
    let line = suggestion(&plan, &plan.tasks[0], "`test -s cart`", "test -s cart", &json!([]));
    place.fed(&["adopt", "--adopt=all"], &format!("{line}\n{END}\n")).exits(0);
    place.run(&["tick", "2", "--reason", "r", "PLAN.md"]).exits(0);
    place.run(&["adopt", "--undo", "PLAN.md"]).exits(0);
    assert_eq!(place.text("PLAN.md"), "# Plan\n\n- [ ] 1. Make the cart\n- [x] 2. Make the till\n");
    place.run(&["adopt", "--undo", "PLAN.md"]).exits(0).says("of 0 tasks");
    let plan = reads(&place, "PLAN.md", "checklist");
    let line = suggestion(&plan, &plan.tasks[0], "`test -s cart`", "test -s cart", &json!([]));
    place.fed(&["adopt", "--adopt=all"], &format!("{line}\n{END}\n")).exits(0);
    let edited = place.text("PLAN.md").replace("test -s cart", "test -s basket");
    place.write("PLAN.md", &edited);
    place.run(&["adopt", "--undo", "PLAN.md"]).exits(65).says("take it out by hand");
    assert_eq!(place.text("PLAN.md"), edited);
}

#[test]
fn undo_takes_a_column_out_of_rows_that_signs_have_made_longer() {
    let (place, _) = list();
    let text = "# Plan\n\n| # | Task | Files |\n|---|---|---|\n| 1.1 | Dig | - |\n| 1.2 | Level | - |\n";
    place.write("PLAN.md", text);
    let plan = reads(&place, "PLAN.md", "tracker");
    let line = suggestion(&plan, &plan.tasks[0], "`test -s cart`", "test -s cart", &json!([]));
    place.fed(&["adopt", "--adopt=all"], &format!("{line}\n{END}\n")).exits(0);
    for id in ["1.1", "1.2"] {
        place.run(&["tick", id, "--reason", "r", "PLAN.md"]).exits(0);
    }
    place.run(&["adopt", "--undo", "PLAN.md"]).exits(0);
    let ticked = text.replace("Dig", "Dig ✅").replace("Level", "Level ✅");
    assert_eq!(place.text("PLAN.md"), ticked);
}

#[test]
fn nobody_adopts_from_within_an_attempt() {
    let (place, plan) = list();
    let line = suggestion(&plan, &plan.tasks[0], "`test -s cart`", "test -s cart", &json!([]));
    let mut command = place.command(&["adopt", "--adopt=all"]);
    command.env("PLANTOOLS_ATTEMPT", "r/1/1");
    testbench::Got::fed(command, &format!("{line}\n{END}\n")).exits(1);
    place.fed(&["adopt"], &format!("{line}\n{END}\n"));
    assert!(!place.text("PLAN.md").contains("Verify"));
}
