//! Reading the lists of Kiro and of cc-sdd.

#![expect(clippy::unwrap_used, reason = "a text that does not parse fails the test")]

use dialects::{body, read};
use markdown::Text;
use wire::plan::{Kind, Model, Plan};
use wire::{State, TaskId};

fn plan(text: &str, dialect: &str) -> Plan {
    let plan = read(&Text { path: "tasks.md", bytes: text.as_bytes() }, None).unwrap();
    assert_eq!(plan.source.dialect, dialect);
    plan
}

fn codes(plan: &Plan) -> Vec<&str> {
    plan.diagnostics.iter().map(|found| found.code.as_str()).collect()
}

const KIRO: &str = "# Implementation Plan\r\n\r\n- [x] 1. Set up\r\n  - make folders\r\n  - _Requirements: 1.1, 2.3_\r\n\
    - [-] 2. Build\r\n    - [ ] 2.1 Write the parser\r\n        - [ ] handles empty input\r\n    - [ ]* 2.2 Write tests\r\n\
    - [ ] 3. Checkpoint - all tests pass\r\n";

#[test]
fn nested_numbers_optional_tasks_and_requirements_are_read() {
    let plan = plan(KIRO, "kiro");
    let told: Vec<_> = plan
        .tasks
        .iter()
        .map(|t| (t.id.as_str(), t.kind, t.optional, t.parent.as_ref().map(TaskId::as_str)))
        .collect();
    assert_eq!(
        told,
        [
            ("1", Kind::Work, false, None),
            ("2", Kind::Container, false, None),
            ("2.1", Kind::Work, false, Some("2")),
            ("2.2", Kind::Work, true, Some("2")),
            ("3", Kind::Checkpoint, false, None),
        ]
    );
    assert_eq!(plan.tasks[0].references, ["Requirements: 1.1, 2.3"]);
    assert_eq!(plan.tasks[0].steps, ["make folders"]);
    assert_eq!(plan.tasks[1].state, State::InProgress);
    assert_eq!(plan.tasks[2].criteria[0].text, "handles empty input");
    assert_eq!(body(KIRO.as_bytes(), plan.tasks[3].mark.as_ref().unwrap()), b" ");
}

#[test]
fn a_flat_list_has_the_same_parents() {
    let plan = plan("- [ ] 1. A\n- [ ] 1.1 a\n  - _Requirements: 1_\n- [ ] 1.2 b\n- [ ] 2. B\n", "kiro");
    assert_eq!(plan.tasks[0].kind, Kind::Container);
    assert_eq!(plan.tasks[2].parent, Some(TaskId::from("1")));
    assert_eq!(plan.tasks[3].kind, Kind::Work);
}

#[test]
fn waves_are_phases() {
    let waves = "\n## Task Dependency Graph\n\n```json\n{\"waves\": [[\"1\"], {\"wave\": 2, \"tasks\": [\"2\", \"9\"]}]}\n```\n";
    let text = format!("- [ ] 1. A\n- [ ] 2. B\n  - [ ] 2.1 b\n  - [ ] 2.2 c\n- [ ] 3. D\n{waves}");
    let plan = plan(&text, "kiro");
    let phases: Vec<_> = plan.tasks.iter().map(|task| task.phase.as_deref()).collect();
    assert_eq!(phases, [Some("1"), None, Some("2"), Some("2"), Some("2")]);
    assert_eq!(plan.strategy.as_ref().unwrap().model, Model::Phased);
    assert_eq!(codes(&plan), ["task-without-wave", "unknown-in-wave"]);
}

#[test]
fn waves_that_are_none_are_said_and_left_out() {
    let plan = plan("- [ ] 1. A\n\n```json\n{\"waves\": {\"a\": 1}}\n```\n", "kiro");
    assert_eq!(codes(&plan), ["bad-waves"]);
    assert_eq!(plan.strategy.unwrap().model, Model::Sequential);
}

#[test]
fn cc_sdd_says_what_runs_together_and_what_waits() {
    let text = "## 1. Ground\n\n- [ ] 1.1 (P) First\n  - _Boundary: Store_\n- [ ] 1.2 (P) Second\n  - _Boundary: Web, Store_\n\n\
        ## 2. House\n\n- [ ] 2.1 Third\n  - _Depends: 1.2, 1.9_\n";
    let plan = plan(text, "cc-sdd");
    assert_eq!(plan.tasks[0].title, "First");
    assert_eq!(plan.tasks[1].resources, ["Web", "Store"]);
    assert_eq!(plan.tasks[2].phase.as_deref(), Some("2"));
    assert_eq!(plan.tasks[2].depends_on, [TaskId::from("1.2")]);
    assert_eq!(plan.tasks[2].state, State::Blocked);
    assert_eq!(codes(&plan), ["dangling-dependency"]);
    let strategy = plan.strategy.unwrap();
    assert_eq!(strategy.parallel, [[TaskId::from("1.1"), TaskId::from("1.2")]]);
    assert_eq!(strategy.serial.len(), 2);
}
