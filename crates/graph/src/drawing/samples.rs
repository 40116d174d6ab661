//! Plans for tests of the drawing.

use crate::Graph;
use wire::{Plan, State, Task, TaskId, ids::key_of};

pub(crate) fn task(id: &str, title: &str, depends_on: &[&str]) -> Task {
    let depends_on = depends_on.iter().map(|&d| TaskId::from(d)).collect();
    Task { id: id.into(), key: key_of(id), title: title.into(), depends_on, ..Task::default() }
}

pub(crate) fn plan(tasks: Vec<Task>) -> (Plan, Graph) {
    let plan = Plan { title: "Sample".into(), tasks, ..Plan::default() };
    let graph = Graph::of(&plan).unwrap();
    (plan, graph)
}

/// Three tasks, one done, and a container.
pub(crate) fn small() -> (Plan, Graph) {
    let mut tasks = vec![
        task("1", "Set up", &[]),
        task("2", "Parts", &["1"]),
        task("2.a", "Left", &[]),
        task("3", "Ship", &["2"]),
    ];
    tasks[0].state = State::Completed;
    tasks[2].parent = Some("2".into());
    plan(tasks)
}
