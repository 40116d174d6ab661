//! Reading a session folder, one trait of real sessions at a time.

#![expect(clippy::unwrap_used, reason = "a text that does not parse fails the test")]
#![expect(clippy::disallowed_methods, reason = "a test lays out its own files")]

use dialects::{Ask, Plan, blanked, body, errors, open_with, read, reconcile, set_mark};
use markdown::Text;
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use tempfile::TempDir;
use wire::plan::{Kind, Model, Severity};
use wire::{State, Task};

const LIST: &str = "TODO_LIST.md";

/// A project with one active session `WFS-a` that has these files.
fn session(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    for (name, text) in files {
        write(root.path(), &format!(".workflow/active/WFS-a/{name}"), text);
    }
    root
}

fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn open(root: &TempDir) -> Plan {
    open_with(root.path(), root.path(), &Ask::default()).unwrap()
}

fn load(root: &TempDir, id: &str) -> Plan {
    let ask = Ask { load: vec![id.to_owned()], ..Ask::default() };
    open_with(root.path(), root.path(), &ask).unwrap()
}

/// A list without its session folder.
fn list(text: &str) -> Plan {
    read(&Text { path: LIST, bytes: text.as_bytes() }, Some("workflow")).unwrap()
}

fn task<'p>(plan: &'p Plan, id: &str) -> &'p Task {
    plan.tasks.iter().find(|task| task.id.as_str() == id).unwrap()
}

fn ids(plan: &Plan) -> Vec<&str> {
    plan.tasks.iter().map(|task| task.id.as_str()).collect()
}

fn needs(plan: &Plan, id: &str) -> Vec<String> {
    task(plan, id).depends_on.iter().map(|id| id.0.clone()).collect()
}

fn codes(plan: &Plan) -> Vec<&str> {
    plan.diagnostics.iter().map(|found| found.code.as_str()).collect()
}

fn opened(plan: &Plan) -> Vec<&str> {
    plan.source.files.iter().map(|file| file.path.rsplit('/').next().unwrap()).collect()
}

const TWO: &str = "\
# Tasks: Two things

## Task Progress
- [x] **IMPL-001**: Lay the base → [📋](./.task/IMPL-001.json) | [✅](./.summaries/IMPL-001-summary.md)
- [ ] **IMPL-002**: Build → on it | then rest → [📋](./.task/IMPL-002.json)
  - Dependencies: IMPL-001

## Status Legend
- `- [ ]` = Pending task
- `- [x]` = Completed task
";

#[test]
fn the_list_decides_and_task_files_stay_closed() {
    let root = session(&[
        (LIST, TWO),
        ("IMPL_PLAN.md", "**Execution Model**: Sequential\n"),
        ("workflow-session.json", "{\"session_id\": \"WFS-a\", \"status\": \"active\"}"),
        (".task/IMPL-001.json", "{\"id\": \"IMPL-001\", \"status\": \"pending\", \"depends_on\": []}"),
        (".task/IMPL-002.json", "not even JSON"),
    ]);
    let plan = open(&root);
    assert_eq!(plan.title, "Two things");
    assert_eq!(ids(&plan), ["IMPL-001", "IMPL-002"]);
    assert_eq!(task(&plan, "IMPL-002").title, "Build → on it | then rest");
    assert_eq!(task(&plan, "IMPL-001").state, State::Completed);
    assert_eq!(needs(&plan, "IMPL-002"), ["IMPL-001"]);
    // The list states the dependencies of the second task; about the first it says nothing.
    assert_eq!(opened(&plan), [LIST, "IMPL_PLAN.md", "IMPL-001.json", "workflow-session.json"]);
    assert_eq!(
        task(&plan, "IMPL-002").detail.as_ref().unwrap().path,
        ".workflow/active/WFS-a/.task/IMPL-002.json"
    );
    assert_eq!(codes(&plan), ["status-conflict"]);
    let strategy = plan.strategy.as_ref().unwrap();
    assert_eq!((strategy.model, strategy.stated), (Model::Sequential, true));
    assert_eq!(plan.extra["session"]["status"], "active");
    assert_eq!(plan.source.path, ".workflow/active/WFS-a");
}

#[test]
fn marks_are_byte_exact() {
    let text = "- [x]TEST-001: a\r\n- [ ] IMPL-1: b\r\n* [/] **IMPL-2**: c\r\n- [?] IMPL-3: d\r\n";
    let plan = list(text);
    let marks: Vec<&[u8]> =
        plan.tasks.iter().map(|task| body(text.as_bytes(), task.mark.as_ref().unwrap())).collect();
    assert_eq!(marks, [b"x", b" ", b"/", b"?"]);
    let states: Vec<State> = plan.tasks.iter().map(|task| task.state).collect();
    assert_eq!(states, [State::Completed, State::Pending, State::InProgress, State::Pending]);
    assert_eq!(codes(&plan), ["unknown-mark"]);
}

#[test]
fn rules_are_no_headings_and_strange_bytes_survive() {
    let text = b"\xef\xbb\xbf---\r\nidentifier: x\r\n---\r\n**Plan**: IMPL-9\r\n---\r\n- [ ] **IMPL-1**: A \xff\r\n---\n\
        - [x] **IMPL-2**: B\n  *F-1: 6 builders*\n---\n";
    let plan = read(&Text { path: LIST, bytes: text }, None).unwrap();
    assert_eq!((plan.source.dialect.as_str(), ids(&plan)), ("workflow", vec!["IMPL-1", "IMPL-2"]));
    let marks: Vec<&[u8]> = plan.tasks.iter().map(|task| body(text, task.mark.as_ref().unwrap())).collect();
    assert_eq!(marks, [b" ", b"x"]);
    assert!(plan.tasks.iter().all(|task| task.phase.is_none()));
    assert_eq!(plan.tasks[0].title, "A \u{fffd}");
}

#[test]
fn every_shape_of_a_task_line_is_read() {
    for (line, id, title) in [
        ("- [ ] **IMPL-001**: A -> [task](./.task/IMPL-001.json)", "IMPL-001", "A"),
        (
            "- [x] **TASK-001**: A (b) - [Task JSON](./.task/T.json) | [Summary](./.summaries/X.md)",
            "TASK-001",
            "A (b)",
        ),
        ("- [x] **IMPL-1**: A → [📋](./.task/a.json) [✅](./.summaries/b.md)", "IMPL-1", "A"),
        ("- [x] **IMPL-1**: A ✅", "IMPL-1", "A"),
        ("- [x] **IMPL-1**: A → [✅ 2025-12-14]", "IMPL-1", "A"),
        ("- [x] **IMPL-1**: A -> [JSON](./.task/a.json) ✅ 已完成 (2026-01-25)", "IMPL-1", "A"),
        ("- [x] IMPL-1: A", "IMPL-1", "A"),
        ("- [x] `IMPL-005` P1-2 A（depends_on: `IMPL-005`）", "IMPL-005", "P1-2 A"),
        ("- [ ] CMD-001 /plan (`a.md`)", "CMD-001", "/plan (`a.md`)"),
        ("- [x] **IMPL-A1**: A — `a.py`, `b.py`", "IMPL-A1", "A — `a.py`, `b.py`"),
        ("- [x] ~~**IMPL-1**: A~~", "IMPL-1", "A"),
    ] {
        let plan = list(&format!("{line}\n"));
        assert_eq!((ids(&plan), plan.tasks[0].title.as_str()), (vec![id], title), "{line}");
    }
}

#[test]
fn boxes_without_an_id_are_notes() {
    let text = "\
- [ ] **IMPL-1**: A
  - [x] Red Phase: write it
  - [ ] Green Phase: make it pass
## Success Criteria
- [x] IMPL_1 works（IMPL-1）
- [ ] SHA-256 is used
";
    let plan = list(text);
    assert_eq!(ids(&plan), ["IMPL-1"]);
    assert_eq!(plan.tasks[0].state, State::Pending);
    let notes: Vec<(&str, bool)> =
        plan.notes.iter().map(|note| (note.section.as_str(), note.checked)).collect();
    assert_eq!(
        notes,
        [("IMPL-1", true), ("IMPL-1", false), ("Success Criteria", true), ("Success Criteria", false)]
    );
    assert_eq!(codes(&plan), ["box-without-id"]);
}

#[test]
fn a_container_holds_what_is_indented_below_it() {
    let text = "\
▸ **IMPL-001**: Group → [📋](./.task/IMPL-001.json)
  - [x] **IMPL-001.1**: A
  - [ ] **IMPL-001.2**: B

- [x] **IMPL-001.5**: Put in between
- [x] **IMPL-002**: C
";
    let plan = list(text);
    assert_eq!(ids(&plan), ["IMPL-001", "IMPL-001.1", "IMPL-001.2", "IMPL-001.5", "IMPL-002"]);
    let group = task(&plan, "IMPL-001");
    assert_eq!((group.kind, group.state, group.mark.is_none()), (Kind::Container, State::InProgress, true));
    assert_eq!(task(&plan, "IMPL-001.2").parent.as_ref().unwrap().as_str(), "IMPL-001");
    assert!(task(&plan, "IMPL-001.5").parent.is_none());
}

#[test]
fn a_heading_may_be_the_task() {
    let text = "\
## Phase 2: Work ✅
### IMPL-1.1: One box
- [x] **任务**: do it → [✅](./.summaries/a.md)
**依赖**: 无
### IMPL-003: Parent [P1]
- [x] IMPL-003.1: A
- [ ] IMPL-003.2: B
#### IMPL-004: Said ✅ @code-developer
### ✅ Phase 1: Core (Week 1-2) - IMPL-005
**Status**: Completed
";
    let plan = list(text);
    assert_eq!(ids(&plan), ["IMPL-1.1", "IMPL-003", "IMPL-003.1", "IMPL-003.2", "IMPL-004", "IMPL-005"]);
    let one = task(&plan, "IMPL-1.1");
    assert_eq!(body(text.as_bytes(), one.mark.as_ref().unwrap()), b"x");
    assert_eq!(one.state, State::Completed);
    assert_eq!(
        (task(&plan, "IMPL-003").kind, task(&plan, "IMPL-003").state),
        (Kind::Container, State::InProgress)
    );
    assert_eq!(task(&plan, "IMPL-004").agent.as_deref(), Some("@code-developer"));
    assert_eq!(task(&plan, "IMPL-004").title, "Said");
    assert_eq!(task(&plan, "IMPL-004").state, State::Completed);
    assert!(plan.tasks.iter().all(|task| task.phase.as_deref() == Some("Phase 2: Work")));
    assert_eq!(task(&plan, "IMPL-005").state, State::Completed);
}

#[test]
fn a_heading_about_a_boxed_task_is_no_second_task() {
    let plan = list("- [ ] **IMPL-1**: A\n\n## Details\n### IMPL-1: A\nText.\n");
    assert_eq!(ids(&plan), ["IMPL-1"]);
}

#[test]
fn the_same_id_twice_is_refused_and_named_again_elsewhere_is_not() {
    let twice = list("- [ ] **IMPL-4**: A\n- [x] **IMPL-4**: A -> [📋](./.task/IMPL-4.json)\n");
    assert_eq!(errors(&twice).unwrap().code, "duplicate-id");
    let again = list(
        "## Tasks\n- [x] **IMPL-1**: A\n## Phases\n- [ ] IMPL-1 A - Red Phase\n- [x] IMPL-1 A - Green\n",
    );
    assert_eq!(ids(&again), ["IMPL-1"]);
    assert_eq!(codes(&again), ["repeated-id", "repeated-id"]);
    assert_eq!(again.notes.len(), 2);
}

#[test]
fn a_list_without_ids_is_a_checklist() {
    let plan = list("- [x] First\n- [ ] Second\n");
    assert_eq!(ids(&plan), ["1", "2"]);
    assert_eq!(codes(&plan), ["list-without-ids"]);
}

#[test]
fn hidden_tasks_are_named() {
    let plan = list(
        "- [ ] IMPL-1: A\n\n```\n- [ ] IMPL-2: B\n```\n<!-- x\n- [ ] IMPL-3: C\n-->\n\n> - [ ] IMPL-4: D\n",
    );
    assert_eq!(ids(&plan), ["IMPL-1"]);
    assert_eq!(codes(&plan), ["task-in-code", "task-in-comment", "task-in-quote"]);
}

#[test]
fn dependencies_are_read_wherever_the_list_states_them() {
    let text = "\
## Core (P0)
- [ ] **IMPL-1**: A
  - Dependencies: None
- [ ] **IMPL-2**: B
  - 依赖: IMPL-1
- [ ] `IMPL-3` C（depends_on: `IMPL-1`, `IMPL-2`）
## Guides (P1, depends on IMPL-2)
- [ ] **IMPL-4**: D
- [ ] **IMPL-5**: E
  - Depends on: IMPL-1, P3 Event
- [ ] **IMPL-6**: F
## Dependencies
- IMPL-6 depends on IMPL-1 to IMPL-3 (all of them)
";
    let plan = list(text);
    assert!(needs(&plan, "IMPL-1").is_empty());
    assert_eq!(needs(&plan, "IMPL-2"), ["IMPL-1"]);
    assert_eq!(needs(&plan, "IMPL-3"), ["IMPL-1", "IMPL-2"]);
    assert_eq!(needs(&plan, "IMPL-4"), ["IMPL-2"]);
    assert_eq!(needs(&plan, "IMPL-5"), ["IMPL-1", "IMPL-2"]);
    assert_eq!(needs(&plan, "IMPL-6"), ["IMPL-2", "IMPL-1", "IMPL-3"]);
    assert_eq!(codes(&plan), ["unclear-dependency"]);
}

#[test]
fn a_dependency_on_nothing_is_an_error() {
    let plan = list("- [ ] **IMPL-1**: A\n  - Dependencies: IMPL-9\n");
    assert_eq!(errors(&plan).unwrap().code, "dangling-dependency");
}

#[test]
fn an_arrow_between_modules_is_not_guessed_at() {
    let plan = list(
        "- [ ] **IMPL-A1**: A\n- [ ] **IMPL-B1**: B\n## Cross-Module Dependencies\n- IMPL-A1 → IMPL-B1 (why)\n",
    );
    assert!(plan.tasks.iter().all(|task| task.depends_on.is_empty()));
    assert_eq!(codes(&plan), ["ambiguous-arrow"]);
}

#[test]
fn words_that_contradict_the_box_are_reported() {
    let plan =
        list("- [ ] CMD-1 a\n  - failed: exit code 1\n- [ ] IMPL-2: b\n  - Status: Complete - all of it\n");
    assert!(plan.tasks.iter().all(|task| task.state == State::Pending));
    assert_eq!(codes(&plan), ["failed-before", "status-conflict"]);
}

#[test]
fn the_plan_may_add_to_the_order_and_never_take_away() {
    let plan_text = "\
## 4. Dependency DAG
### Execution Model: Phased Sequential with Selective Parallelization
**Serialization Requirements**:
- IMPL-2 → IMPL-1 (the wrong way)
- IMPL-2 → IMPL-3
**Parallelization Opportunities**:
- IMPL-1, IMPL-2 can run in parallel
**Critical Path**: IMPL-1 → IMPL-2 → IMPL-3 (6 tasks)
";
    let list_text = "- [ ] IMPL-1: A\n  - Dependencies: None\n- [ ] IMPL-2: B\n  - Dependencies: IMPL-1\n- [ ] IMPL-3: C\n";
    let root = session(&[
        (LIST, list_text),
        ("IMPL_PLAN.md", plan_text),
        (".task/IMPL-3.json", "{\"depends_on\":[\"IMPL-1\"]}"),
    ]);
    let plan = open(&root);
    let strategy = plan.strategy.clone().unwrap();
    assert_eq!(strategy.model, Model::Sequential, "no phase is named, so the order is uncertain");
    assert!(codes(&plan).contains(&"no-phases"));
    assert_eq!(strategy.serial.len(), 1);
    assert_eq!(strategy.critical_path.len(), 3);
    assert_eq!(needs(&plan, "IMPL-1"), Vec::<String>::new());
    assert_eq!(needs(&plan, "IMPL-3"), ["IMPL-2"]);
    assert!(!opened(&plan).contains(&"IMPL-3.json"));
    assert!(codes(&plan).contains(&"order-contradiction"));
    assert!(codes(&plan).contains(&"parallel-contradiction"));
    // When the task is handed out, the file is read, and its dependencies count too.
    assert_eq!(needs(&load(&root, "IMPL-3"), "IMPL-3"), ["IMPL-2", "IMPL-1"]);
}

#[test]
fn boxes_of_the_plan_beside_the_list_are_notes_of_the_whole() {
    let text = "# Plan\n\n## Success Criteria\n\n- [ ] All pages load\n- [x] IMPL-1 is reviewed\n";
    let root = session(&[(LIST, "- [ ] IMPL-1: A\n"), ("IMPL_PLAN.md", text)]);
    let plan = open(&root);
    let notes: Vec<_> = plan.notes.iter().map(|n| (n.section.as_str(), n.text.as_str(), n.checked)).collect();
    assert_eq!(
        notes,
        [("Success Criteria", "All pages load", false), ("Success Criteria", "IMPL-1 is reviewed", true)]
    );
    assert!(plan.notes.iter().all(|note| note.span.path.ends_with("IMPL_PLAN.md")));
    assert_eq!(plan.tasks.len(), 1, "the list alone has tasks");
}

#[test]
fn three_generations_of_task_files_are_read() {
    let text = "- [ ] IMPL-1: A\n- [ ] IMPL-2: B\n- [ ] IMPL-3: C\n";
    let v1 = r#"{"id": "impl-1", "status": "pending", "type": "docs", "context": {"acceptance": ["it works"]},
        "relations": {"dependencies": []}}"#;
    let nested = r#"{"id": "IMPL-2", "meta": {"type": "test-fix", "execution_group": "parallel-abc123"},
        "context": {"depends_on": ["IMPL-1"], "acceptance": ["2 hits: verify by grep -c x src/a >= 2"], "focus_paths": ["src"]},
        "flow_control": {"implementation_approach": [{"step": 1, "title": "T", "description": "D", "depends_on": []}],
        "target_files": ["src/a.rs:f:1-9"]}}"#;
    let flat = r#"{"id": "IMPL-3", "description": "x", "depends_on": ["IMPL-2"], "meta": {"agent": "code-developer"},
        "convergence": {"criteria": ["done"], "verification": "npm test -- --run"}, "parallel_group": 2,
        "files": [{"path": "b.rs", "action": "create"}], "implementation": ["one", "two"]}"#;
    let root = session(&[
        (LIST, text),
        ("IMPL_PLAN.md", "x\n"),
        (".task/impl-1.json", v1),
        (".task/IMPL-2.json", nested),
        (".task/IMPL-3.json", flat),
    ]);
    let plan = open(&root);
    assert_eq!(needs(&plan, "IMPL-3"), ["IMPL-2"]);
    assert!(task(&plan, "IMPL-2").criteria.is_empty() && task(&plan, "IMPL-2").agent.is_none());
    let one = load(&root, "IMPL-1");
    assert_eq!(task(&one, "IMPL-1").agent.as_deref(), Some("@doc-generator"));
    assert_eq!(task(&one, "IMPL-1").extra["generation"], "v1");
    let two = load(&root, "IMPL-2");
    let second = task(&two, "IMPL-2");
    assert_eq!((second.agent.as_deref(), second.group.as_deref()), (Some("@test-fix-agent"), None));
    assert_eq!(second.criteria[0].command.as_deref(), Some("grep -c x src/a"));
    assert_eq!(
        (second.steps.as_slice(), second.files[0].path.as_str()),
        (&["T: D".to_owned()][..], "src/a.rs")
    );
    assert_eq!(
        body(nested.as_bytes(), &second.criteria[0].span),
        b"\"2 hits: verify by grep -c x src/a >= 2\""
    );
    assert!(codes(&two).contains(&"placeholder-group"));
    let three = load(&root, "IMPL-3");
    let third = task(&three, "IMPL-3");
    assert_eq!((third.agent.as_deref(), third.group.as_deref()), (Some("code-developer"), Some("2")));
    assert_eq!((third.criteria.len(), third.steps.len(), third.files[0].action.as_str()), (2, 2, "create"));
    assert_eq!(third.extra["task_file"]["description"], "x");
}

#[test]
fn a_loaded_task_is_known_by_its_file_and_not_by_its_status() {
    let list_text = "- [ ] IMPL-1: A\n";
    let root = session(&[
        (LIST, list_text),
        (".task/IMPL-1.json", "{\"id\":\"IMPL-1\",\"status\":\"pending\",\"a\":1}"),
    ]);
    let seal = |root: &TempDir| task(&load(root, "IMPL-1"), "IMPL-1").fingerprint.clone();
    let before = seal(&root);
    assert_ne!(before, task(&open(&root), "IMPL-1").fingerprint);
    let file = ".workflow/active/WFS-a/.task/IMPL-1.json";
    write(root.path(), file, "{\"id\": \"IMPL-1\", \"a\": 1, \"status\": \"completed\"}");
    assert_eq!(seal(&root), before);
    write(root.path(), file, "{\"id\": \"IMPL-1\", \"a\": 2, \"status\": \"completed\"}");
    assert_ne!(seal(&root), before);
}

#[test]
fn a_broken_task_file_stops_an_open_task_and_not_a_done_one() {
    let broken = "{\n \"id\": \"IMPL-1\",\n \"re\": \"\\d\"\n}";
    let root = session(&[(LIST, "- [ ] IMPL-1: A\n"), (".task/IMPL-1.json", broken)]);
    let plan = open(&root);
    let found = plan.diagnostics.iter().find(|found| found.code == "broken-json").unwrap();
    assert_eq!((found.severity, found.line), (Severity::Error, 3));
    write(root.path(), ".workflow/active/WFS-a/TODO_LIST.md", "- [x] IMPL-1: A\n");
    assert!(errors(&open(&root)).is_none());
}

#[test]
fn links_and_files_without_each_other_are_reported() {
    let root = session(&[
        (
            LIST,
            "- [ ] IMPL-1: A → [📋](./.task/IMPL-1.json)\n- [ ] IMPL-2: B → [📋](../../../.task/../etc/IMPL-2.json)\n",
        ),
        (".task/IMPL-7.json", "{}"),
    ]);
    let plan = open(&root);
    assert!(plan.tasks.iter().all(|task| task.detail.is_none()));
    let found = codes(&plan);
    assert!(found.contains(&"missing-task-file") && found.contains(&"task-not-in-list"));
    assert!(found.contains(&"no-impl-plan") && found.contains(&"no-session-file"));
}

#[test]
fn sessions_are_found_and_never_guessed_at() {
    let root = session(&[(LIST, "- [ ] IMPL-1: A\n")]);
    let home = root.path().join(".workflow");
    let at = |path: &Path, session: Option<&str>| {
        let ask = Ask { session: session.map(str::to_owned), ..Ask::default() };
        open_with(path, root.path(), &ask)
    };
    assert_eq!(at(&home, None).unwrap().source.path, ".workflow/active/WFS-a");
    write(root.path(), ".workflow/archives/WFS-old/TODO_LIST.md", "- [x] IMPL-1: A\n");
    write(root.path(), ".workflow/WFS-older/TODO_LIST.md", "- [ ] IMPL-1: A\n");
    let several = at(&home, None).unwrap_err();
    assert_eq!((several.code, several.exit.code()), ("several-sessions", 65));
    assert!(several.message.contains("WFS-a, WFS-older"), "{}", several.message);
    assert_eq!(at(&home, Some("WFS-old")).unwrap().source.path, ".workflow/archives/WFS-old");
    assert_eq!(at(root.path(), Some("older")).unwrap().source.path, ".workflow/WFS-older");
    // A marker tells which session of the oldest location is active.
    fs::remove_dir_all(home.join("active")).unwrap();
    write(root.path(), ".workflow/WFS-second/TODO_LIST.md", "- [ ] IMPL-1: A\n");
    write(root.path(), ".workflow/.active-WFS-second", "");
    assert_eq!(at(&home, None).unwrap().source.path, ".workflow/WFS-second");
    let none = at(&home, Some("nope")).unwrap_err();
    assert_eq!((none.code, none.exit.code()), ("no-session", 66));
    assert!(none.message.contains(".workflow/active/WFS-*"), "{}", none.message);
    fs::remove_file(home.join("WFS-second/TODO_LIST.md")).unwrap();
    let bare = at(&home, None).unwrap_err();
    assert_eq!((bare.code, bare.exit.code()), ("no-todo-list", 66));
}

#[test]
fn a_session_that_is_the_root_leads_back_to_itself() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), LIST, "- [ ] IMPL-1: A\n");
    write(root.path(), ".task/IMPL-1.json", "{}");
    let plan = open(&root);
    assert_eq!((plan.source.path.as_str(), plan.source.files[0].path.as_str()), (".", LIST));
    let again = open_with(&root.path().join("."), root.path(), &Ask::default()).unwrap();
    assert_eq!(plan, again);
    assert_eq!(reconcile(root.path(), root.path(), &Ask::default()).unwrap().path, ".");
}

#[test]
fn reconcile_names_every_disagreement_and_the_rule() {
    let root = session(&[
        (LIST, "- [x] IMPL-1: A\n- [ ] IMPL-2: B\n- [x] IMPL-3: C\n\n**Completed**: 9\n"),
        (".task/IMPL-1.json", "{\"id\":\"IMPL-1\",\"status\":\"pending\"}"),
        (".task/IMPL-2.json", "{\"id\":\"IMPL-2\",\"status\":\"completed\"}"),
        (".task/IMPL-4.json", "{}"),
        (".summaries/IMPL-2-summary.md", "x"),
        (".summaries/IMPL-3-summary.md", "x"),
        ("workflow-session.json", "{\"status\":\"completed\"}"),
        ("plan.json", "{\"task_ids\":[\"IMPL-1\",\"IMPL-9\"]}"),
    ]);
    write(
        root.path(),
        ".workflow/archives/manifest.json",
        "{\"sessions\":[{\"session_id\":\"WFS-a\",\"metrics\":{\"tasks_completed\":3}}]}",
    );
    let found = reconcile(root.path(), root.path(), &Ask::default()).unwrap();
    let mut codes: Vec<&str> = found.conflicts.iter().map(|conflict| conflict.code.as_str()).collect();
    codes.sort_unstable();
    assert_eq!(
        codes,
        [
            "done-without-summary",
            "manifest-count",
            "manifest-place",
            "missing-task-file",
            "plan-file-tasks",
            "plan-file-tasks",
            "session-status",
            "stale-counter",
            "status-conflict",
            "status-conflict",
            "summary-of-open-task",
            "task-not-in-list",
        ]
    );
    assert_eq!((found.tasks, found.done), (3, 2));
    assert!(found.conflicts.iter().all(|conflict| !conflict.decided.is_empty() && !conflict.says.is_empty()));
}

#[test]
fn a_session_that_agrees_has_nothing_to_reconcile() {
    let root = session(&[
        (LIST, "- [x] IMPL-1: A\n"),
        (".task/IMPL-1.json", "{\"id\":\"IMPL-1\",\"status\":\"completed\"}"),
        (".summaries/IMPL-1-summary.md", "x"),
        ("workflow-session.json", "{\"status\":\"completed\"}"),
    ]);
    assert!(reconcile(root.path(), root.path(), &Ask::default()).unwrap().conflicts.is_empty());
}

/// Pieces of lists, combined in any order.
fn text() -> impl Strategy<Value = String> {
    let mark = prop::sample::select(vec![" ", "x", "/", "~", "?"]);
    let piece = prop_oneof![
        4 => (mark.clone(), 1..30u32).prop_map(|(m, n)| format!("- [{m}] **IMPL-{n}**: do → [📋](./.task/IMPL-{n}.json)\n")),
        1 => (mark.clone(), 1..30u32).prop_map(|(m, n)| format!("- [{m}]TEST-{n}: do ✅ 已完成\r\n")),
        1 => (1..30u32).prop_map(|n| format!("▸ **IMPL-{n}**: group\n")),
        1 => (1..30u32).prop_map(|n| format!("### IMPL-{n}: heading ✅\n")),
        2 => mark.prop_map(|m| format!("  - [{m}] nested\n")),
        3 => prop::sample::select(vec![
            "  - Dependencies: IMPL-1, IMPL-2/3 to IMPL-9\n", "## Dependencies\n", "IMPL-1 → {IMPL-2, IMPL-3} -> IMPL-4\n",
            "IMPL-2 depends on IMPL-1\n", "  - Status: Complete\n", "## Wave 2 (after IMPL-1)\n", "```\n", "<!--\n", "-->\n", "> ", "\n",
            "**Execution Model**: 顺序\n", "**Critical Path**: ALL → IMPL-1\n", "（depends_on: `IMPL-3`）\n", "\u{feff}", "[x](", "→", "**",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_tick_changes_one_state_and_nothing_else(text in text()) {
        let bytes = text.as_bytes();
        let Ok(before) = read(&Text { path: LIST, bytes }, Some("workflow")) else { return Ok(()) };
        for task in &before.tasks {
            prop_assert!(task.span.start <= task.span.end && task.span.end <= bytes.len() as u64);
        }
        for (index, task) in before.tasks.iter().enumerate() {
            let Some(mark) = task.mark.as_ref().filter(|mark| body(bytes, mark) == b" ") else { continue };
            let ticked = set_mark(bytes, mark, "x");
            let after = read(&Text { path: LIST, bytes: &ticked }, Some("workflow")).unwrap();
            prop_assert_eq!(after.tasks.len(), before.tasks.len());
            for (number, (old, new)) in before.tasks.iter().zip(&after.tasks).enumerate() {
                prop_assert_eq!(&old.fingerprint, &new.fingerprint);
                prop_assert_eq!(&old.depends_on, &new.depends_on);
                // The state of a task without a box follows from its parts.
                if number == index {
                    prop_assert_eq!(new.state, State::Completed);
                } else if old.mark.is_some() {
                    prop_assert_eq!(old.state, new.state);
                }
            }
            prop_assert_eq!(blanked(&before, LIST, bytes), blanked(&after, LIST, &ticked));
        }
    }
}

#[test]
fn a_line_says_in_brackets_what_it_waits_for() {
    let plan = list(
        "# Tasks\n\n- [x] TEST-1.1: Write the test (RED)\n- [ ] IMPL-1.1: Make it pass [depends: TEST-1.1]\n\
         - ▸ **IMPL-2**: Both\n  - [ ] IMPL-2.1: First (pending)\n  - [ ] IMPL-2.2: Second (pending, depends on IMPL-2.1)\n\
         - [ ] IMPL-3: What depends on the weather\n    - **Files**: `a.rs` (new), `b.rs`\n    - **Acceptance Criteria**: `make a` passes\n",
    );
    let told: Vec<_> = plan
        .tasks
        .iter()
        .map(|task| {
            let depends: Vec<_> = task.depends_on.iter().map(wire::TaskId::as_str).collect();
            (task.id.as_str(), task.kind, depends)
        })
        .collect();
    assert_eq!(
        told,
        [
            ("TEST-1.1", Kind::Work, vec![]),
            ("IMPL-1.1", Kind::Work, vec!["TEST-1.1"]),
            ("IMPL-2", Kind::Container, vec![]),
            ("IMPL-2.1", Kind::Work, vec![]),
            ("IMPL-2.2", Kind::Work, vec!["IMPL-2.1"]),
            ("IMPL-3", Kind::Work, vec![]),
        ]
    );
    assert_eq!(plan.tasks[1].title, "Make it pass");
    assert_eq!(plan.tasks[3].parent.as_ref().map(wire::TaskId::as_str), Some("IMPL-2"));
    let last = &plan.tasks[5];
    assert_eq!(last.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["a.rs", "b.rs"]);
    assert_eq!(last.criteria[0].command.as_deref(), Some("make a"));
}
