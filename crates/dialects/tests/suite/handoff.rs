//! Reading packets, todo lists and preparation summaries, and the run made from a packet.

#![expect(clippy::unwrap_used, reason = "a text that does not parse fails the test")]

use dialects::{body, expand, mark_for, open, read, set_mark};
use markdown::Text;
use wire::plan::{Kind, Model, Plan};
use wire::{State, TaskId};

fn plan(path: &str, text: &str) -> Plan {
    let plan = read(&Text { path, bytes: text.as_bytes() }, None).unwrap();
    assert_eq!(plan.source.dialect, "handoff");
    assert_eq!(plan.strategy.as_ref().unwrap().model, Model::Sequential);
    plan
}

fn told(plan: &Plan) -> Vec<(&str, &str, State)> {
    plan.tasks.iter().map(|t| (t.id.as_str(), t.title.as_str(), t.state)).collect()
}

const PACKET: &str = r#"{
  "task_id": "shelf-1", "session_export": "prep.json", "decision": {"approach": "small"},
  "success_criteria": ["`cargo test` passes", "it is nice"],
  "subtasks": [
    {"id": 1, "description": "Parse", "status": "complete"},
    {"id": 2, "description": "Print", "status": "pending", "files": ["src/out.rs"]}
  ],
  "tests": ["`cargo test out`"]
}"#;

#[test]
fn a_packet_has_its_subtasks_in_order() {
    let plan = plan("packet.json", PACKET);
    assert_eq!(told(&plan), [("1", "Parse", State::Completed), ("2", "Print", State::Pending)]);
    assert_eq!((plan.title.as_str(), plan.gates.len()), ("shelf-1", 3));
    let mark = plan.tasks[1].mark.as_ref().unwrap();
    assert_eq!(body(PACKET.as_bytes(), mark), b"pending");
    let ticked = set_mark(PACKET.as_bytes(), mark, mark_for("handoff", "pending", State::Completed));
    let after = read(&Text { path: "packet.json", bytes: &ticked }, None).unwrap();
    assert_eq!(after.tasks[1].state, State::Completed);
    assert_eq!(after.tasks[1].fingerprint, plan.tasks[1].fingerprint);
}

#[test]
fn the_first_json_block_of_a_message_is_a_packet_too() {
    let text = format!("# Do it\r\n\r\n```json\r\n{PACKET}\r\n```\r\n\r\n- [ ] something else\r\n");
    let plan = plan("message.md", &text);
    assert_eq!(plan.tasks.len(), 2);
    assert_eq!(body(text.as_bytes(), plan.tasks[0].mark.as_ref().unwrap()), b"complete");
}

#[test]
fn a_packet_for_one_worker_is_one_task() {
    let text = r#"{"handoff_schema": "composability.handoff_packet.v1", "task_id": "a.1", "objective": "Draft",
        "evidence": [{"path": "a.md", "purpose": "x", "required": true}], "success_criteria": ["`test -f b.md`"],
        "constraints": ["no code"], "risks": []}"#;
    let plan = plan("p.json", text);
    assert_eq!(told(&plan), [("a.1", "Draft", State::Pending)]);
    assert!(plan.tasks[0].criteria[0].runnable);
    assert_eq!(plan.tasks[0].must_not, ["no code"]);
    let text = r#"{"task_id": "a", "subtask_index": 2, "subtask_description": "Print", "files": ["x.rs"], "success_criteria": "works"}"#;
    let plan = read(&Text { path: "p.json", bytes: text.as_bytes() }, None).unwrap();
    assert_eq!(plan.tasks[0].id, TaskId::from("2"));
}

#[test]
fn the_last_state_of_a_todo_list_in_fences_counts() {
    let list = |a: &str, b: &str| {
        format!(
            "```python\ntodos=\"\"\"\n[{a}] Runtime Model Report (x)\n[{b}] Subtask 1: Parse\n[ ] Complete: done\n\"\"\"\n```\n"
        )
    };
    let other = "```\n[ ] Import\n[ ] Export\n```\n";
    let text = format!("# W\n\n{}\n{other}\n{}", list(" ", " "), list("x", "-"));
    let plan = plan("todo.md", &text);
    assert_eq!(
        told(&plan),
        [
            ("runtime-report", "Runtime Model Report (x)", State::Completed),
            ("subtask-1", "Subtask 1: Parse", State::InProgress),
            ("complete", "Complete: done", State::Pending),
        ]
    );
    let codes: Vec<_> = plan.diagnostics.iter().map(|found| found.code.as_str()).collect();
    assert_eq!(codes, ["earlier-list", "other-list"]);
}

#[test]
fn a_subtask_is_known_by_its_letter_or_number() {
    let plan = plan("todo.md", "[x] Subtask A: Look\n[ ] Subtask 2b: Plan\n[ ] Subtask: none\n");
    assert_eq!(
        plan.tasks.iter().map(|t| t.id.as_str()).collect::<Vec<_>>(),
        ["subtask-a", "subtask-2b", "3"]
    );
}

#[test]
fn a_bare_list_is_a_plan_and_a_bulleted_one_can_be_read_so() {
    let plan = plan("todo.md", "[ ] Same\n[ ] Same\n[?] Other\n");
    assert_eq!(plan.tasks.iter().map(|t| t.id.as_str()).collect::<Vec<_>>(), ["1", "2", "3"]);
    assert_eq!(plan.diagnostics[0].code, "unknown-mark");
    let text = Text { path: "t.md", bytes: b"```\n-[ ] a\n* [x] b\n1. [~] c\n```\n" };
    assert!(read(&text, None).is_err());
    assert_eq!(read(&text, Some("handoff")).unwrap().tasks.len(), 3);
}

#[test]
fn lines_with_a_status_have_a_word_for_a_box() {
    let text = "```\nupdate_todo_list:\n  1. Parse — status: complete\n  2. Print (all of it) â€” status: failed\n  3. Tell - status: pending\n  4. the status: of it\n```\n";
    let plan = plan("todo.md", text);
    assert_eq!(
        told(&plan),
        [
            ("1", "Parse", State::Completed),
            ("2", "Print (all of it)", State::Failed),
            ("3", "Tell", State::Pending),
        ]
    );
    assert_eq!(body(text.as_bytes(), plan.tasks[2].mark.as_ref().unwrap()), b"pending");
}

#[test]
fn a_preparation_summary_is_a_plan() {
    let text = "## Preparation Summary\n\n### Success Criteria\n- [x] one\n- [ ] `make test`\n\n\
        ### Implementation Subtasks (for execute phase)\n1. **Parse**\n   - Files: `a.rs`, b.rs\n   - Success: `cargo test parse`\n\
        2. Print — files: c.rs — success: it prints\n\n### Risks\n- Risk: none\n";
    let plan = plan("prep.md", text);
    assert_eq!(told(&plan), [("1", "Parse", State::Pending), ("2", "Print", State::Pending)]);
    assert_eq!(plan.tasks[0].files.len(), 2);
    assert!(plan.tasks[0].criteria[0].runnable);
    assert_eq!(plan.tasks[1].criteria[0].text, "it prints");
    assert_eq!((plan.gates.len(), plan.gates[0].checked, plan.gates[1].boxed), (2, true, true));
}

#[test]
fn a_thought_may_hold_the_plan() {
    let text = r#"{"thoughts": [{"thought": "Implementation subtasks:\n 1. Parse — files: a.rs — success: works\n 2. Print",
        "stage": "Conclusion", "tags": ["subtask-plan"]}]}"#;
    let plan = plan("session.json", text);
    assert_eq!(told(&plan), [("1", "Parse", State::Pending), ("2", "Print", State::Pending)]);
    assert_ne!(plan.tasks[0].fingerprint, plan.tasks[1].fingerprint);
}

#[test]
fn a_packet_expands_to_the_whole_run() {
    let run = expand::execute_task(&plan("packet.json", PACKET)).unwrap();
    let told: Vec<_> = run
        .tasks
        .iter()
        .map(|t| (t.id.as_str(), t.kind, t.depends_on.first().map(TaskId::as_str).unwrap_or_default()))
        .collect();
    assert_eq!(
        told,
        [
            ("runtime-report", Kind::Human, ""),
            ("pre-execution-gate", Kind::Verification, "runtime-report"),
            ("subtask-1", Kind::Work, "pre-execution-gate"),
            ("subtask-2", Kind::Work, "subtask-1"),
            ("subtask-3", Kind::Work, "subtask-2"),
            ("subtask-4", Kind::Verification, "subtask-3"),
            ("complete", Kind::Human, "subtask-4"),
        ]
    );
    let list = expand::todo_list(&run);
    assert!(list.contains("[x] Subtask 1: Parse\n[ ] Subtask 2: Print\n[ ] Subtask 3: Add/update tests\n"));
    let again = plan("todo.md", &list);
    let ids = |plan: &Plan| plan.tasks.iter().map(|t| (t.id.clone(), t.kind, t.state)).collect::<Vec<_>>();
    assert_eq!(ids(&again), ids(&run));
}

#[test]
fn a_todo_list_takes_what_its_subtasks_ask_for_from_the_packet() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        toolkit::files::fs::create(&path, text.as_bytes()).unwrap();
        path
    };
    let list = "[x] Subtask 1: Parse\n[ ] Subtask 2: Print\n[ ] Subtask 3: Run quality gates\n";
    let todo = write(".kilocode/todo/shelf-1.md", list);
    let bare = open(&todo, folder.path(), None).unwrap();
    assert!(bare.tasks.iter().all(|task| task.criteria.is_empty()));
    write(
        ".kilocode/handoff/shelf-1.json",
        &PACKET.replace(
            "src/out.rs\"]",
            "src/out.rs\"], \"success_criteria\": [\"`true`\"], \"constraints\": [\"no `a.rs`\"]",
        ),
    );
    let plan = open(&todo, folder.path(), None).unwrap();
    let second = &plan.tasks[1];
    assert_eq!(
        (second.criteria[0].id.as_str(), second.files[0].path.as_str()),
        ("subtask-2:1", "src/out.rs")
    );
    assert_eq!(second.must_not, ["no `a.rs`"]);
    assert_ne!(second.fingerprint, bare.tasks[1].fingerprint);
    assert_eq!((plan.gates.len(), plan.extra["task_id"].as_str()), (3, Some("shelf-1")));
    assert_eq!(plan.extra[wire::plan::PACKET], ".kilocode/handoff/shelf-1.json");
    assert_eq!(plan.tasks[2].extra[wire::plan::GATES], "end");
    let files: Vec<_> = plan.source.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(files, [".kilocode/todo/shelf-1.md", ".kilocode/handoff/shelf-1.json"]);
}

#[test]
fn only_a_handoff_expands() {
    let plan = read(&Text { path: "x.md", bytes: b"- [ ] a\n" }, None).unwrap();
    assert_eq!(expand::execute_task(&plan).unwrap_err().code, "not-a-packet");
}

#[test]
fn a_list_that_begins_like_data_is_a_list_even_where_the_dialect_is_named() {
    let text = "[x] Runtime Model Report\n[ ] Subtask 1: Parse\n[ ] Subtask 2: Print\n";
    let named = read(&Text { path: "todo.md", bytes: text.as_bytes() }, Some("handoff")).unwrap();
    assert_eq!(told(&named), told(&plan("todo.md", text)));
    let packet = read(&Text { path: "packet.json", bytes: PACKET.as_bytes() }, Some("handoff")).unwrap();
    assert_eq!(told(&packet), told(&plan("packet.json", PACKET)));
}
