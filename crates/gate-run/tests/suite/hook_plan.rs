//! As a hook with a known plan: the criteria are the plan's, whatever the worker reports.

use crate::harness::{ACCEPTS, Folder, Got};
use ledger::{Entry, Ledger};
use serde_json::{Value, json};
use toolkit::files::root::Home;
use wire::punch::{SourceKind, Trust, Type};

const PLAN: &str = "# Shop\n\n## TODOs\n\n### [ ] TODO 1: Config setup\n\n**Type**: work\n\n**Acceptance Criteria**:\n\n*Functional:*\n- [ ] `test -f made` → exit 0\n- [ ] `wc -l < made` → >= 2\n- [ ] It looks right\n\n### [ ] TODO 2: API\n\n**Type**: work\n\n**Acceptance Criteria**:\n\n*Functional:*\n- [ ] `test -f api`\n";

fn shop() -> Folder {
    Folder::with_git(&[("PLAN.md", PLAN)])
}

/// The event after a worker with these instructions that reports one command as passed.
fn event(folder: &Folder, description: &str, command: &str) -> Value {
    let report = json!({"acceptance_criteria": [{"id": "a", "category": "static", "command": command, "status": "PASS"}]});
    json!({
        "cwd": folder.path(), "hook_event_name": "PostToolUse", "tool_name": "Task",
        "tool_input": {"subagent_type": "worker", "description": description, "prompt": "## TASK"},
        "tool_response": {"content": [{"type": "text", "text": report.to_string()}]},
    })
}

fn block(folder: &Folder, args: &[&str], event: &Value) -> String {
    let answer = folder.feed(&[&["--hook"], args].concat(), &event.to_string()).exits(0).json();
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
}

#[test]
fn criteria_came_from_the_workers_own_report() {
    let folder = shop();
    let event = event(&folder, "Implement: 1.1:Worker — Config setup", "true");
    assert!(
        block(&folder, &[], &event).contains("skip: 1\nreasons:\n"),
        "without a plan there is nothing to run"
    );
    let said = block(&folder, &["--plan", "PLAN.md"], &event);
    let wanted =
        "status: FAILED\npass: 0\nfail: 2\nskip: 1\nfailed_items:\n  - 1:1:functional:test -f made\n";
    assert!(said.contains(wanted), "{said}");
    folder.write("made", "1\n2\n");
    let said = block(&folder, &["--plan", "PLAN.md"], &event);
    assert!(said.contains("status: VERIFIED\npass: 2\nskip: 1\n"), "{said}");
    assert!(!folder.has("= 2"), "no comparison reaches the shell");
}

#[test]
fn a_lie_about_a_criterion_of_the_plan_is_a_mismatch() {
    let folder = shop();
    let event = event(&folder, "TODO 2", "test -f api");
    let said = block(&folder, &["--plan", "PLAN.md"], &event);
    assert!(said.contains("pass: 0\nfail: 1\n"), "the same command counts once: {said}");
    assert!(said.contains("mismatches:\n  - 2:1: the worker said PASS, measured: exit 1\n"), "{said}");
}

#[test]
fn what_a_worker_adds_can_fail_but_never_make_a_verdict() {
    let folder = shop();
    folder.write("api", "");
    assert!(
        block(&folder, &["--plan", "PLAN.md"], &event(&folder, "TODO 2", "touch ran")).contains("VERIFIED")
    );
    assert!(!folder.has("ran"), "a worker got a shell by its report");
    folder.write(ACCEPTS.0, ACCEPTS.1);
    let verdict = |command: &str| block(&folder, &["--plan", "PLAN.md"], &event(&folder, "TODO 2", command));
    assert!(verdict("true").contains("status: VERIFIED\npass: 1\n"));
    assert!(verdict("false").contains("status: FAILED\npass: 1\nfail: 1\n"));
}

#[test]
fn no_report_is_needed_where_the_plan_has_criteria() {
    let folder = shop();
    folder.write("api", "");
    let mut event = event(&folder, "TODO 2", "true");
    event["tool_response"] = json!("All done, trust me.");
    assert!(block(&folder, &["--plan", "PLAN.md"], &event).contains("status: VERIFIED\npass: 1\n"));
}

#[test]
fn a_worker_whose_task_cannot_be_told_is_a_failed_block() {
    let folder = shop();
    for (description, plan) in [("d", "PLAN.md"), ("TODO 1 and TODO 2", "PLAN.md"), ("TODO 1", "NONE.md")] {
        let said = block(&folder, &["--plan", plan], &event(&folder, description, "true"));
        assert!(said.contains("status: FAILED\npass: 0\n") && said.contains("cannot verify"), "{said}");
    }
}

#[test]
fn the_end_of_a_worker_is_judged_by_the_plan_that_its_first_message_is_about() {
    let folder = shop();
    let sent = json!({"type": "user", "message": {"role": "user", "content": "## TASK\nTODO 2: API"}});
    let said = json!({"type": "assistant", "message": {"content": [{"type": "text", "text": "Done."}]}});
    folder.write(".git/t.jsonl", format!("{sent}\n{said}\n"));
    let event = json!({
        "hook_event_name": "SubagentStop", "cwd": folder.path(), "agent_type": "shop:worker",
        "agent_transcript_path": folder.path().join(".git/t.jsonl"),
    });
    let answer = folder.feed(&["--hook", "--plan", "PLAN.md"], &event.to_string()).exits(0).json();
    assert!(answer["reason"].as_str().unwrap().contains("- 2:1:functional:test -f api\n"), "{answer}");
}

#[test]
fn a_pass_through_a_hook_is_called_a_pass_and_nothing_more() {
    let folder = shop();
    let said = |folder: &Folder| block(folder, &["--plan", "PLAN.md"], &event(folder, "TODO 2", "true"));
    assert!(said(&folder).contains("level: unproved\n"), "{}", said(&folder));
    folder.write("api", "");
    assert!(said(&folder).contains("level: passes\n===="), "{}", said(&folder));
    // An unclear check holds the box here as well.
    folder.write(
        "PLAN.md",
        PLAN.replace("- [ ] `test -f api`", "- [ ] `test -f api`\n- [ ] `cat api` → as it should be"),
    );
    let said = said(&folder);
    assert!(said.contains("status: FAILED") && said.contains("  - unclear-check: line "), "{said}");
    assert!(said.contains("level: unproved\n"), "{said}");
}

#[test]
fn inside_an_attempt_gates_alone_are_called_gates_only_once_something_changed() {
    let plan = PLAN.replace("\n**Acceptance Criteria**:\n\n*Functional:*\n- [ ] `test -f api`\n", "");
    let gates = "[[gates]]\nid = \"t\"\ninvocation = \"true\"\nwhen = [\"task\"]\n";
    let folder = Folder::with_git(&[("PLAN.md", &plan), ("plantools.toml", gates)]);
    let field = dialects::PlanSnapshot::at(&folder.path().join("PLAN.md"), folder.path(), None).unwrap();
    let home = Home::of(&folder.path().canonicalize().unwrap()).unwrap();
    let tree = repo::tree::Tree::now(&home, &field.ground).unwrap().map(|tree| tree.hash);
    begin_on(&folder, tree);
    let event = json!({"hook_event_name": "Stop", "cwd": folder.path()}).to_string();
    let answer = || {
        let mut command = folder.command(&["--hook"]);
        command.env("PLANTOOLS_ATTEMPT", "r1/2/1");
        Got::fed(command, &event).exits(0).json()["systemMessage"].as_str().unwrap().to_owned()
    };
    assert!(answer().contains("level: unproved\n"), "{}", answer());
    folder.write("api", "x");
    assert!(answer().contains("level: gates only\n"), "{}", answer());
}

/// The record that `worker-run` writes when an attempt at the second task begins.
fn begin(folder: &Folder) {
    begin_on(folder, None);
}

fn begin_on(folder: &Folder, tree: Option<wire::TreeHash>) {
    let root = folder.path().canonicalize().unwrap();
    let plan = dialects::open(&root.join("PLAN.md"), &root, None).unwrap();
    let entry = Entry {
        plan: "PLAN.md".to_owned(),
        task: Some(plan.tasks[1].id.clone()),
        fingerprint: Some(plan.tasks[1].fingerprint.clone()),
        attempt: Some(1),
        run: "r1".into(),
        kind: Type::AttemptBegin,
        key: "w".to_owned(),
        observed_at: String::new(),
        tree,
        source: SourceKind::Supervisor,
        source_path: None,
        trust: Trust::Observed,
        data: json!({"dialect": "plan-md"}),
        source_hash: None,
    };
    Ledger::new(Home::of(&root).unwrap()).append(entry).unwrap();
}

#[test]
fn inside_an_attempt_the_end_of_a_turn_is_judged_by_its_task_and_nothing_is_recorded() {
    let gates = "[[gates]]\nid = \"t\"\ninvocation = \"test -s api\"\nwhen = [\"task\"]\n[[gates]]\nid = \"e\"\ninvocation = \"false\"\n";
    let folder = Folder::with_git(&[("PLAN.md", PLAN), ("plantools.toml", gates)]);
    begin(&folder);
    let event = json!({"hook_event_name": "Stop", "cwd": folder.path()}).to_string();
    let answer = |mark: &str| {
        let mut command = folder.command(&["--hook"]);
        command.env("PLANTOOLS_ATTEMPT", mark);
        Got::fed(command, &event).exits(0).json()
    };
    let reason = answer("r1/2/1")["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("fail: 2\n") && reason.contains("- 2:1:functional:test -f api\n"), "{reason}");
    assert!(reason.contains("- t:gate:test -s api\n") && !reason.contains("e:gate"), "{reason}");
    folder.write("api", "x");
    assert!(answer("r1/2/1")["systemMessage"].as_str().unwrap().contains("status: VERIFIED\npass: 2\n"));
    assert_eq!(folder.ledger().len(), 1, "the ledger is the supervisor's while a worker runs");
    assert!(
        answer("r9/2/1")["reason"].as_str().unwrap().contains("e:gate"),
        "a mark without a record is none"
    );
    folder.write("PLAN.md", PLAN.replace("test -f api", "true"));
    assert!(answer("r1/2/1")["reason"].as_str().unwrap().contains("no longer in the plan"));
}
