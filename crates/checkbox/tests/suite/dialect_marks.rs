//! Every dialect is marked in its own way, in all of its places.

use crate::place::Place;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;

const LIST: &str = "# Tasks: Login\n\n## Task Progress\n\
    - [ ] **IMPL-1**: Make the table → [📋](./.task/IMPL-1.json)\n\
    - [ ] **IMPL-10**: Use it → [📋](./.task/IMPL-10.json) (depends_on: IMPL-1)\n\n\
    ## Status Legend\n- `- [ ]` = Pending\n- `- [~]` = In progress\n- `- [x]` = Completed\n";
const TASK: &str = "{\n  \"id\": \"IMPL-1\",\n  \"title\": \"Make the table\",\n  \"status\": \"pending\",\n  \"depends_on\": [],\n  \
    \"convergence\": {\"criteria\": [\"`true`\"]}\n}\n";
const SESSION: &str = "{\"session_id\": \"WFS-login\", \"status\": \"planning\"}";

fn session() -> Place {
    let place = Place::with("");
    place.write("s/WFS-login/TODO_LIST.md", LIST).write("s/WFS-login/IMPL_PLAN.md", "# Plan\n");
    place.write("s/WFS-login/.task/IMPL-1.json", TASK);
    place.write("s/WFS-login/.task/IMPL-10.json", TASK.replace("IMPL-1", "IMPL-10"));
    place.write("s/WFS-login/workflow-session.json", SESSION);
    place
}

#[test]
fn a_session_is_told_in_its_list_its_task_file_and_its_own_file() {
    let place = session();
    place.write("s/WFS-login/.summaries/IMPL-1-summary.md", "# Task: IMPL-1\n");
    place.run(&["tick", "IMPL-1", "--reason", "r", "s/WFS-login"]).exits(0);
    let done = "- [x] **IMPL-1**: Make the table → [📋](./.task/IMPL-1.json) | [✅](./.summaries/IMPL-1-summary.md)\n";
    let wanted = LIST.replace("- [ ] **IMPL-1**: Make the table → [📋](./.task/IMPL-1.json)\n", done);
    assert_eq!(place.text("s/WFS-login/TODO_LIST.md"), wanted);
    let task = place.text("s/WFS-login/.task/IMPL-1.json");
    let history = "\"status\": \"completed\",\n  \"status_history\": [{ \"from\": \"pending\", \"to\": \"completed\", \
                   \"changed_at\": \"2026-01-31T12:00:00Z\" }],\n";
    assert_eq!(task, TASK.replace("\"status\": \"pending\",\n", history));
    let own: Value = serde_json::from_str(&place.text("s/WFS-login/workflow-session.json")).unwrap();
    assert_eq!(own["status"], "active");
    assert_eq!(own["execution_started_at"], "2026-01-31T12:00:00Z");
    place.run(&["untick", "IMPL-1", "--reason", "r", "s/WFS-login"]).exits(0);
    assert_eq!(place.text("s/WFS-login/TODO_LIST.md"), LIST);
    let task: Value = serde_json::from_str(&place.text("s/WFS-login/.task/IMPL-1.json")).unwrap();
    assert_eq!(task["status"], "pending");
    assert_eq!(task["status_history"].as_array().unwrap().len(), 2);
    assert_eq!(place.text("s/WFS-login/.task/IMPL-10.json"), TASK.replace("IMPL-1", "IMPL-10"));
}

#[test]
fn the_file_of_a_task_with_subtasks_follows_them() {
    let place = session();
    let item = |id: &str| format!("- [ ] **{id}**: Part → [📋](./.task/{id}.json)\n");
    let list = format!(
        "# Tasks: Login\n\n## Task Progress\n- ▸ **IMPL-1**: Make the table → [📋](./.task/IMPL-1.json)\n  {}  {}",
        item("IMPL-1.1"),
        item("IMPL-1.2")
    );
    place.write("s/WFS-login/TODO_LIST.md", list);
    for id in ["IMPL-1.1", "IMPL-1.2"] {
        place.write(&format!("s/WFS-login/.task/{id}.json"), TASK.replace("IMPL-1", id));
    }
    let status = || {
        let file: Value = serde_json::from_str(&place.text("s/WFS-login/.task/IMPL-1.json")).unwrap();
        file["status"].as_str().unwrap().to_owned()
    };
    for (verb, id, wanted) in [
        ("tick", "IMPL-1.1", "active"),
        ("tick", "IMPL-1.2", "completed"),
        ("untick", "IMPL-1.2", "active"),
        ("untick", "IMPL-1.1", "pending"),
    ] {
        place.run(&[verb, id, "--reason", "r", "s/WFS-login"]).exits(0);
        assert_eq!(status(), wanted, "{verb} {id}");
    }
}

#[test]
fn work_begins_with_the_mark_of_the_lists_own_legend() {
    let place = session();
    let order = place.order("s/WFS-login", "IMPL-1");
    let line = serde_json::to_string(&order).unwrap();
    let got = place.stage_with(std::slice::from_ref(&order), &["begin"]);
    assert_eq!(got.exits(0).out.trim_end(), line, "an order passes as it is");
    let text = place.text("s/WFS-login/TODO_LIST.md");
    assert!(text.contains("- [~] **IMPL-1**:") && text.contains("- [ ] **IMPL-10**:"), "{text}");
    assert_eq!(place.order("s/WFS-login", "IMPL-1").task.fingerprint, order.task.fingerprint);
    let task: Value = serde_json::from_str(&place.text("s/WFS-login/.task/IMPL-1.json")).unwrap();
    assert_eq!(task["status"], "active");
}

#[test]
fn a_task_file_that_is_no_json_is_left_as_it_is() {
    let place = session();
    place.write("s/WFS-login/.task/IMPL-1.json", "{\"status\": \"pending\", 9,166}");
    place.run(&["tick", "IMPL-1", "--reason", "r", "s/WFS-login"]).exits(0);
    assert_eq!(place.text("s/WFS-login/.task/IMPL-1.json"), "{\"status\": \"pending\", 9,166}");
    assert!(place.text("s/WFS-login/TODO_LIST.md").contains("- [x] **IMPL-1**"));
}

const RUNBOOK: &str = "# Runbook: Small\n\n**Type**: general\n\n## Weak Orchestrator Metadata\n\n**Total Steps**: 2\n\n\
    ### Phase 1: Base (type: general)\n\n## Step 1.1: Make it\n\n**Objective**: make it\n\n## Step 1.2: Use it\n\n**Objective**: use it\n";

#[test]
fn a_runbooks_progress_is_one_line_a_step() {
    let place = Place::with("");
    place.write("plans/small/runbook.md", RUNBOOK);
    let plan = "plans/small/runbook.md";
    place.run(&["tick", "1.1", "--reason", "r", plan]).exits(0);
    let text = place.text("plans/small/progress.md");
    assert!(
        text.contains("## Step Execution\n\n- ✓ Step 1.1: Make it - Completed at 2026-01-31T12:00:00Z\n"),
        "{text}"
    );
    assert!(text.contains("**Status**: In Progress\n") && text.contains("Steps failed: 0\n"), "{text}");
    assert_eq!(place.text(plan), RUNBOOK, "the runbook itself is never changed");
    place.run(&["state", "1.2=failed", "--reason", "no table", plan]).exits(0);
    let text = place.text("plans/small/progress.md");
    assert!(
        text.contains("- ✗ Step 1.2: Use it - Failed at 2026-01-31T12:00:00Z\n  - Error: no table\n"),
        "{text}"
    );
    assert!(text.contains("Current status: Blocked on Step 1.2\n"), "{text}");
    place.write("plans/small/progress.md", text.replace("## Summary", "My own note.\n\n## Summary"));
    place.run(&["tick", "1.2", "--reason", "r", plan]).exits(0);
    let text = place.text("plans/small/progress.md");
    assert!(text.contains("- ✓ Step 1.2") && !text.contains('✗') && !text.contains("no table"), "{text}");
    assert!(text.contains("My own note.\n"), "{text}");
    place.run(&["untick", "1.1", "--reason", "r", plan]).exits(0);
    assert!(!place.text("plans/small/progress.md").contains("Step 1.1"));
}

#[test]
fn a_step_of_a_runbook_that_is_a_box_is_ticked_there_too() {
    let place = Place::with("");
    let plan = "plans/small/runbook.md";
    let boxed = format!("{RUNBOOK}\n- [ ] Step 1.3: Sell it\n");
    place.write(plan, boxed.clone());
    place.run(&["tick", "1.3", "--reason", "r", plan]).exits(0);
    assert_eq!(place.text(plan), boxed.replace("[ ] Step 1.3", "[x] Step 1.3"));
    assert!(place.text("plans/small/progress.md").contains("- ✓ Step 1.3: Sell it - Completed"));
    place.run(&["untick", "1.3", "--reason", "r", plan]).exits(0);
    assert_eq!(place.text(plan), boxed);
    place.run(&["state", "1.3=failed", "--reason", "nobody buys", plan]).exits(0);
    assert_eq!(place.text(plan), boxed, "no mark of a box says failed");
    assert!(place.text("plans/small/progress.md").contains("- ✗ Step 1.3: Sell it - Failed"));
}

#[test]
fn data_gets_the_word_of_its_dialect() {
    let master = "{\n  \"master\": {\n    \"tasks\": [\n      {\"id\": 1, \"title\": \"One\", \"status\": \"pending\"},\n      \
                  {\"id\": 2, \"title\": \"Two\"}\n    ]\n  }\n}\n";
    let place = Place::with("");
    place.write("tasks.json", master);
    place.run(&["tick", "1", "--reason", "r", "tasks.json"]).exits(0);
    place.run(&["state", "2=in_progress", "--reason", "r", "tasks.json"]).exits(0);
    let wanted =
        master.replace("pending", "done").replace("{\"id\": 2,", "{\"id\": 2,\"status\": \"in-progress\",");
    assert_eq!(place.text("tasks.json"), wanted);
    place.run(&["state", "2=failed", "--reason", "r", "tasks.json"]).exits(65).says("no mark");
}

#[test]
fn a_tracker_whose_program_is_installed_is_told_by_it() {
    let place = Place::on_disk("");
    let issues =
        "{\"id\":\"bd-1\",\"title\":\"One\",\"status\":\"open\",\"issue_type\":\"task\",\"priority\":1}\n";
    place.write(".beads/issues.jsonl", issues);
    let plan = ".beads/issues.jsonl";
    let found = place.run(&["list", "--text", plan]);
    assert!(found.out.contains("bd-1"), "{found:?}");
    place.run(&["tick", "bd-1", "--reason", "r", plan]).exits(0);
    assert_eq!(
        place.text(plan),
        issues.replace("open", "closed"),
        "without the program the file is all there is"
    );
    place.write(plan, issues);
    place.write("bin/bd", "#!/bin/sh\nprintf '%s\\n' \"$*\" >> calls\n");
    std::fs::set_permissions(place.path("bin/bd"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", place.path("bin").display());
    let mut command = place.command(&["tick", "bd-1", "--reason", "it works", plan]);
    assert!(command.env("PATH", path).output().unwrap().status.success());
    assert_eq!(place.text("calls"), "close bd-1 --reason it works\nexport -o .beads/issues.jsonl\n");
    assert_eq!(place.text(plan), issues, "the tracker writes its own file");
}

#[test]
fn todo_lists_get_the_word_they_use() {
    let todo = "# Todo\n\n1. Report the runtime — status: pending\n2. Do it — status: pending\n";
    let place = Place::with(todo);
    place.run(&["tick", "2", "--reason", "r", "--dialect", "handoff", "PLAN.md"]).exits(0);
    assert_eq!(place.text("PLAN.md"), todo.replace("Do it — status: pending", "Do it — status: complete"));
}
