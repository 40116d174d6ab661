//! Reading plans in JSON: taskmaster, beads, spec.json, plan/v1, plan-content.

#![expect(clippy::unwrap_used, reason = "a text that does not parse fails the test")]

use crate::asked::asked;
use dialects::{blanked, body, mark_for, read, set_mark};
use markdown::Text;
use wire::plan::{Kind, Plan};
use wire::{State, TaskId};

fn plan(text: &str, dialect: &str) -> Plan {
    let plan = read(&Text { path: "plan.json", bytes: text.as_bytes() }, None).unwrap();
    assert_eq!(plan.source.dialect, dialect);
    plan
}

fn edges(plan: &Plan) -> Vec<String> {
    let edge = |id: &TaskId, to: &TaskId| format!("{id}>{to}");
    plan.tasks.iter().flat_map(|t| t.depends_on.iter().map(|to| edge(&t.id, to))).collect()
}

fn codes(plan: &Plan) -> Vec<&str> {
    plan.diagnostics.iter().map(|found| found.code.as_str()).collect()
}

/// Every mark can be ticked, which changes one state and nothing else.
fn ticks(text: &str, before: &Plan) {
    for (index, task) in before.tasks.iter().enumerate() {
        let mark = task.mark.as_ref().unwrap();
        let current = String::from_utf8(body(text.as_bytes(), mark).to_vec()).unwrap();
        let done = mark_for(&before.source.dialect, &current, State::Completed);
        let bytes = set_mark(text.as_bytes(), mark, done);
        let after = read(&Text { path: "plan.json", bytes: &bytes }, None).unwrap();
        assert_eq!(after.source.dialect, before.source.dialect);
        for (number, (old, new)) in before.tasks.iter().zip(&after.tasks).enumerate() {
            assert_eq!(old.fingerprint, new.fingerprint);
            assert_eq!(new.state, if number == index { State::Completed } else { old.state });
        }
        let path = "plan.json";
        assert_eq!(blanked(before, path, text.as_bytes()), blanked(&after, path, &bytes));
    }
}

#[test]
fn taskmaster_has_tags_subtasks_and_siblings() {
    let text = r#"{"web": {"tasks": [{"id": 1, "title": "W", "status": "review", "dependencies": []}]},
      "master": {"tasks": [
        {"id": 1, "title": "A", "status": "done", "dependencies": [], "testStrategy": "- `cargo test`\n- look"},
        {"id": "2", "title": "B", "status": "deferred", "dependencies": [1], "subtasks": [
          {"id": 1, "title": "b1", "status": "in-progress", "dependencies": []},
          {"id": 2, "title": "b2", "status": "pending", "dependencies": [1, "1", "2.1"]},
          {"id": 3, "title": "b3", "status": "cancelled", "dependencies": [2]}]}]}}"#;
    let plan = plan(text, "taskmaster");
    let told: Vec<_> = plan.tasks.iter().map(|t| (t.id.as_str(), t.state)).collect();
    assert_eq!(
        told,
        [
            ("web:1", State::InProgress),
            ("1", State::Completed),
            ("2", State::Blocked),
            ("2.1", State::InProgress),
            ("2.2", State::Pending),
            ("2.3", State::Skipped),
        ]
    );
    assert_eq!(edges(&plan), ["2>1", "2.2>2.1", "2.3>2.2"]);
    assert_eq!(plan.tasks[2].kind, Kind::Container);
    assert_eq!(plan.tasks[1].criteria.iter().map(|c| c.runnable).collect::<Vec<_>>(), [true, false]);
    ticks(text, &plan);
}

#[test]
fn older_taskmaster_files_have_one_list() {
    let text = "\u{feff}{\r\n \"tasks\": [\r\n  {\"id\": 1, \"title\": \"A\", \"status\": \"odd\", \"dependencies\": [7]}]}";
    let plan = plan(text, "taskmaster");
    assert_eq!(codes(&plan), ["dangling-dependency", "unknown-status"]);
    ticks(text, &plan);
}

#[test]
fn beads_have_blocks_parents_and_tombstones() {
    let text = concat!(
        r#"{"id":"s-1","title":"Epic","status":"open","issue_type":"epic"}"#,
        "\n",
        r#"{"id":"s-2","title":"A","status":"closed","issue_type":"task","dependencies":[{"issue_id":"s-2","depends_on_id":"s-1","type":"parent-child"}]}"#,
        "\n\n",
        r#"{"id":"s-3","title":"B","status":"open","issue_type":"task","acceptance_criteria":"- [ ] `make`\n- nice","dependencies":[{"depends_on_id":"s-2","type":"blocks"},{"depends_on_id":"s-4","type":"blocks"},{"depends_on_id":"s-1","type":"relates-to"}]}"#,
        "\n",
        r#"{"id":"s-4","title":"X","status":"tombstone","issue_type":"task"}"#,
        "\n",
        r#"{"id":"s-5","title":"Lone","status":"in_progress","issue_type":"epic"}"#,
    );
    let plan = plan(text, "beads");
    let told: Vec<_> = plan.tasks.iter().map(|t| (t.id.as_str(), t.kind, t.state)).collect();
    assert_eq!(
        told,
        [
            ("s-1", Kind::Container, State::Pending),
            ("s-2", Kind::Work, State::Completed),
            ("s-3", Kind::Work, State::Pending),
            ("s-5", Kind::Work, State::InProgress),
        ]
    );
    assert_eq!(plan.tasks[1].parent, Some(TaskId::from("s-1")));
    assert_eq!(edges(&plan), ["s-3>s-2"]);
    assert_eq!(plan.tasks[2].criteria.len(), 2);
    assert_eq!(plan.tasks[2].span.line, 4);
    assert_eq!(codes(&plan), ["deleted-dependency", "tombstone"]);
    ticks(text, &plan);
}

#[test]
fn a_line_that_is_no_issue_is_an_error() {
    let text = "{\"id\":\"a\",\"title\":\"A\",\"status\":\"open\",\"priority\":1}\n{\"id\":\n";
    let fail = read(&Text { path: "i.jsonl", bytes: text.as_bytes() }, Some("beads")).unwrap_err();
    assert_eq!((fail.code, fail.line), ("bad-json", Some(2)));
}

#[test]
fn a_formula_in_toml_is_read_with_its_places() {
    let text = "# how\nformula = \"release\"\nversion = 1\n\n[vars.v]\nrequired = true\n\n[[steps]]\nid = \"bump\"\ntitle = \"Bump\"\n\n[[steps]]\nid = \"tag\"\nneeds = [\"bump\"]\ntype = \"human\"\ndescription = \"\"\"\nTag it.\n\"\"\"\n";
    let plan = read(&Text { path: "x.formula.toml", bytes: text.as_bytes() }, None).unwrap();
    assert_eq!((plan.source.dialect.as_str(), plan.title.as_str()), ("beads", "release"));
    assert_eq!(edges(&plan), ["tag>bump"]);
    assert_eq!(plan.tasks[1].kind, Kind::Human);
    assert_eq!((plan.tasks[0].span.line, plan.tasks[1].span.line), (8, 12));
    assert_eq!(body(text.as_bytes(), &plan.tasks[0].span), b"[[steps]]\nid = \"bump\"\ntitle = \"Bump\"");
    let broken = read(&Text { path: "x.formula.toml", bytes: b"formula = \n" }, Some("beads")).unwrap_err();
    assert_eq!((broken.code, broken.line), ("bad-toml", Some(1)));
}

#[test]
fn a_formula_has_steps_and_no_states() {
    let text = r#"{"formula": "f", "steps": [{"id": "a", "title": "A", "labels": ["mode:code", "phase:1"]},
        {"id": "b", "title": "B", "needs": ["a"], "children": [{"id": "b1", "title": "C", "depends_on": ["a"]}]}]}"#;
    let plan = plan(text, "beads");
    assert_eq!(edges(&plan), ["b>a", "b1>a"]);
    assert_eq!(plan.tasks[0].agent.as_deref(), Some("code"));
    assert_eq!(plan.tasks[2].parent, Some(TaskId::from("b")));
    assert!(plan.tasks.iter().all(|task| task.mark.is_none() && task.state == State::Pending));
}

#[test]
fn spec_json_has_checks_scenarios_and_inputs() {
    let text = r#"{"meta": {"name": "shelf"}, "requirements": [{"id": "R1", "behavior": "b", "scenarios": [
          {"id": "R1-S1", "given": "g", "when": "w", "then": "t", "verify": {"type": "command", "run": "npm test", "expect": {"exit_code": 0}}},
          {"id": "R1-S2", "given": "g", "when": "w", "then": "t", "verify": {"type": "instruction", "ask": "ok?"}}]}],
        "tasks": [
          {"id": "T1", "action": "Do", "type": "work", "status": "done", "summary": "did", "file_scope": ["src/"],
           "acceptance_criteria": {"scenarios": ["R1-S1", "R1-S2", "R9-S9"], "checks": [{"type": "build", "run": "npm run build"}]}},
          {"id": "T2", "action": "More", "type": "verification", "status": "pending", "fulfills": ["R1"],
           "inputs": [{"from_task": "T1", "artifact": "store"}]}]}"#;
    let plan = plan(text, "spec.json");
    let first: Vec<_> = plan.tasks[0].criteria.iter().map(|c| (c.category.as_str(), c.runnable)).collect();
    assert_eq!(first, [("scenario", true), ("scenario", false), ("scenario", false), ("build", true)]);
    assert!(asked(&plan.tasks[0].criteria[0]).ends_with(" → exit 0"));
    assert_eq!((plan.tasks[1].kind, plan.tasks[1].criteria.len()), (Kind::Verification, 2));
    assert_eq!(edges(&plan), ["T2>T1"]);
    assert_eq!(codes(&plan), ["input-dependency"]);
    ticks(text, &plan);
}

#[test]
fn plan_v1_is_told_apart_by_its_contracts() {
    let text = r#"{"schema": "plan/v1", "meta": {"goal": "g"}, "contracts": {}, "tasks": [
        {"id": "T1", "layer": "L1", "action": "A", "depends_on": ["T2"], "status": "running"},
        {"id": "T2", "layer": "L0", "action": "B", "depends_on": ["T1"], "status": "pending"}]}"#;
    let plan = plan(text, "plan/v1");
    assert_eq!(plan.tasks[0].state, State::InProgress);
    assert_eq!(plan.tasks[0].phase.as_deref(), Some("L1"));
    assert_eq!(codes(&plan), ["cycle"]);
    ticks(text, &plan);
}

#[test]
fn plan_content_names_products_instead_of_tasks() {
    let text = r#"{"objectives": {"core": "Memo"}, "todos": [
        {"id": "todo-1", "title": "A", "type": "work", "outputs": [{"name": "path", "type": "file", "value": "a.html"}],
         "acceptanceCriteria": {"functional": ["`test -f a.html`"]}},
        {"id": "todo-final", "title": "V", "type": "verification"}],
      "dependencyGraph": [{"todo": "todo-1", "requires": [], "produces": ["path"]}, {"todo": "todo-final", "requires": ["path"], "produces": []}],
      "commitStrategy": [{"afterTodo": "todo-1", "message": "feat: memo", "files": ["a.html"], "condition": "always"}]}"#;
    let plan = plan(text, "plan-content");
    assert_eq!(edges(&plan), ["todo-final>todo-1"]);
    assert_eq!(plan.tasks[0].commit.as_ref().unwrap().message, "feat: memo");
    assert_eq!(plan.tasks[1].kind, Kind::Verification);
    assert!(plan.tasks[0].criteria[0].runnable);
}

#[test]
fn other_json_is_no_plan() {
    for text in [
        "{}",
        "[]",
        "{\"tasks\": []}",
        "{\"tasks\": [1]}",
        "{\"$schema\": \"x\", \"properties\": {\"tasks\": {}}}",
        "{",
    ] {
        let fail = read(&Text { path: "x.json", bytes: text.as_bytes() }, None).unwrap_err();
        assert_eq!(fail.code, "not-a-plan", "{text}");
    }
}

#[test]
fn issues_may_stand_in_one_list() {
    let text = r#"[
{"id": "k", "title": "all", "status": "open", "issue_type": "epic"},
{"id": "k.1", "title": "one", "status": "closed", "issue_type": "task", "dependencies": [{"issue_id": "k.1", "depends_on_id": "k", "type": "parent-child"}]},
{"id": "k.2", "title": "two", "status": "open", "issue_type": "task", "dependencies": [{"issue_id": "k.2", "depends_on_id": "k.1", "type": "blocks"}]}
]"#;
    let plan = read(&Text { path: "list.json", bytes: text.as_bytes() }, None).unwrap();
    assert_eq!(plan.source.dialect, "beads");
    let told: Vec<_> = plan.tasks.iter().map(|task| (task.id.as_str(), task.depends_on.len())).collect();
    assert_eq!(told, [("k", 0), ("k.1", 0), ("k.2", 1)]);
    let mark = plan.tasks[2].mark.as_ref().unwrap();
    assert_eq!(body(text.as_bytes(), mark), b"open");
}

#[test]
fn an_epic_of_another_name_holds_the_stories_after_it() {
    let text = "development_status:\n  epic-1: contexted\n  1-1-dig: done\n  epic-1-retrospective: optional\n  supp-epic-1: in-progress\n\
                \u{20} se1-1-walls: backlog\n  se1-2-roof: backlog\n  supp-epic-1-retrospective: optional\n";
    let plan = read(&Text { path: "sprint-status.yaml", bytes: text.as_bytes() }, None).unwrap();
    let told: Vec<(&str, &str, Kind)> = plan
        .tasks
        .iter()
        .map(|task| (task.id.as_str(), task.parent.as_ref().map_or("-", TaskId::as_str), task.kind))
        .collect();
    assert_eq!(
        told,
        [
            ("epic-1", "-", Kind::Container),
            ("1-1", "epic-1", Kind::Work),
            ("epic-1-retrospective", "-", Kind::Human),
            ("supp-epic-1", "-", Kind::Container),
            ("se1-1", "supp-epic-1", Kind::Work),
            ("se1-2", "supp-epic-1", Kind::Work),
            ("supp-epic-1-retrospective", "-", Kind::Human),
        ]
    );
    assert_eq!(plan.tasks[0].state, State::InProgress);
}
