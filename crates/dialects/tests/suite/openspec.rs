//! Reading the tasks.md of an `OpenSpec` change.

#![expect(clippy::unwrap_used, reason = "a text that does not parse fails the test")]

use dialects::read;
use markdown::Text;
use wire::plan::{Kind, Plan};
use wire::{State, TaskId};

fn plan(path: &str, text: &str) -> Plan {
    let plan = read(&Text { path, bytes: text.as_bytes() }, None).unwrap();
    assert_eq!(plan.source.dialect, "openspec");
    plan
}

#[test]
fn every_box_is_a_task_whatever_its_bullet_depth_or_mark() {
    let text = "## 1. Core\n- [x] 1.1 List\n  - [x] 1.1.1 Scan\n  - [ ] unnumbered\n* [~] 1.2 Sort\n\n\
                ## 2) Tests\n1. [ ] 2.1 Cover\n+ [ ] 2.2 Run\n";
    let plan = plan("x.md", text);
    let told: Vec<_> =
        plan.tasks.iter().map(|t| (t.id.as_str(), t.phase.as_deref().unwrap(), t.state)).collect();
    assert_eq!(
        told,
        [
            ("1.1", "1", State::Completed),
            ("1.1.1", "1", State::Completed),
            ("1.1.2", "1", State::Pending),
            ("1.2", "1", State::InProgress),
            ("2.1", "2", State::Pending),
            ("2.2", "2", State::Pending),
        ]
    );
    assert_eq!(plan.tasks[0].kind, Kind::Container);
    assert_eq!(plan.tasks[2].parent, Some(TaskId::from("1.1")));
    assert_eq!(plan.phases[1].title, "Tests");
}

#[test]
fn the_place_of_a_change_says_what_it_is() {
    let plan = plan("openspec/changes/add-x/tasks.md", "## Design\n- [x] Think\n");
    assert_eq!(plan.tasks[0].id, TaskId::from("1"));
}
