//! Reading a tasks.md of Spec Kit.

#![expect(clippy::unwrap_used, reason = "a text that does not parse fails the test")]

use dialects::read;
use markdown::Text;
use wire::plan::{Model, Plan};
use wire::{State, TaskId};

fn plan(text: &str) -> Plan {
    let plan = read(&Text { path: "specs/001-shelf/tasks.md", bytes: text.as_bytes() }, None).unwrap();
    assert_eq!(plan.source.dialect, "spec-kit");
    plan
}

fn ids(ids: &[TaskId]) -> String {
    ids.iter().map(TaskId::as_str).collect::<Vec<_>>().join(" ")
}

const TASKS: &str = "# Tasks: Shelf\n\n## Phase 1: Setup\n\n- [X] T001 Create the project\n- [ ] T002 [P] Add a linter in .lint.toml\n\
    - [ ] T003 [P] Add a formatter\n\n**Checkpoint**: it builds\n\n## Phase 2: Story 1 - Shelves\n\n\
    - [ ] T004 [P] [US1] Create model in src/shelf.rs (depends on T001, T002)\n  - [ ] has a name\n  - plain step\n\
    - [~] T005 [US1] Wire it in `src/main.rs` (depends on T002-T004)\n- [ ] T1.1 later\n\n\
    ## Success Criteria\n\n- [x] all shelves shown\n\n```\n- [ ] T099 example\n```\n";

#[test]
fn tasks_phases_tags_and_dependencies_are_read() {
    let plan = plan(TASKS);
    let told: Vec<_> = plan
        .tasks
        .iter()
        .map(|t| (t.id.as_str(), t.title.as_str(), t.phase.as_deref().unwrap(), ids(&t.depends_on)))
        .collect();
    assert_eq!(
        told,
        [
            ("T001", "Create the project", "1", String::new()),
            ("T002", "Add a linter in .lint.toml", "1", String::new()),
            ("T003", "Add a formatter", "1", String::new()),
            ("T004", "Create model in src/shelf.rs (depends on T001, T002)", "2", "T001 T002".into()),
            ("T005", "Wire it in `src/main.rs` (depends on T002-T004)", "2", "T002 T003 T004".into()),
            ("T1.1", "later", "2", String::new()),
        ]
    );
    assert_eq!(plan.tasks[0].state, State::Completed);
    assert_eq!(plan.tasks[4].state, State::InProgress);
    assert_eq!(plan.tasks[1].files[0].path, ".lint.toml");
    assert_eq!(plan.tasks[3].files[0].path, "src/shelf.rs");
    assert_eq!(plan.tasks[4].files[0].path, "src/main.rs");
    assert_eq!(plan.extra["checkpoints"][0]["text"], "it builds");
}

#[test]
fn a_box_without_an_id_is_a_criterion_or_a_note() {
    let plan = plan(TASKS);
    let criterion = &plan.tasks[3].criteria[0];
    assert_eq!((criterion.text.as_str(), criterion.boxed, criterion.checked), ("has a name", true, false));
    assert_eq!(plan.tasks[3].steps, ["plain step"]);
    assert_eq!((plan.notes[0].section.as_str(), plan.notes[0].checked), ("Success Criteria", true));
    assert_eq!(plan.diagnostics.last().unwrap().code, "task-in-code");
}

#[test]
fn order_is_the_order_of_the_list_and_only_marked_neighbours_run_together() {
    let strategy = plan(TASKS).strategy.unwrap();
    assert_eq!((strategy.model, strategy.stated), (Model::Phased, true));
    assert_eq!(strategy.parallel.iter().map(|group| ids(group)).collect::<Vec<_>>(), ["T002 T003"]);
    let serial: Vec<_> = strategy.serial.iter().map(|chain| ids(chain)).collect();
    assert_eq!(serial, ["T001 T002", "T001 T003", "T002 T004", "T003 T004 T005 T1.1"]);
}

#[test]
fn an_id_that_is_used_twice_is_an_error() {
    let plan = plan("## Phase 1: A\n\n- [ ] T001 a\r\n- [ ] T001 b\r\n- [ ] T002 c (depends on T007)\r\n");
    let codes: Vec<_> = plan.diagnostics.iter().map(|found| found.code.as_str()).collect();
    assert_eq!(codes, ["duplicate-id", "dangling-dependency"]);
}

#[test]
fn tags_may_stand_before_the_id_or_in_the_place_of_the_mark() {
    let text = "# Tasks\n\n## Phase 1: A\n\n- [ ] T001 [P] [US1] Dig\n- [ ] [P] T002 [US1] Level\n- [US3] T003 [US2] Build\n- [5] T004 Paint\n\n\
                ## Notes\n\n- [Story] label maps a task\n- [1] a footnote\n";
    let plan = plan(text);
    let told: Vec<String> = plan.tasks.iter().map(|task| format!("{} {}", task.id, task.title)).collect();
    assert_eq!(told, ["T001 Dig", "T002 Level", "T003 Build", "T004 Paint"]);
    assert_eq!(plan.tasks[1].extra["story"], serde_json::json!(["US1"]));
    let unknown = plan.diagnostics.iter().filter(|found| found.code == "unknown-mark");
    assert_eq!(unknown.count(), 2);
}
