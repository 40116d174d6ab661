//! The preparation of a subtask of `execute-task`: the handoff packet, its decision, its sessions.
//!
//! The plan is the packet itself, or the todo list made from it; then the packet is found by the task's name.

use crate::task_text::TaskText;
use serde_json::Value;
use std::path::Path;
use toolkit::files::root;
use toolkit::{Exit, Fail};
use wire::plan::{Criterion, PACKET};
use wire::{Order, Plan, Task};

/// The packet that a subtask belongs to.
pub(crate) struct Preparation {
    /// The task that the packet is about.
    pub(crate) task_id: String,
    /// The packet's file, if there is one.
    pub(crate) path: Option<String>,
    /// The plan of the order, with the packet's statements about the whole task.
    pub(crate) plan: Plan,
    /// The criteria of the whole task.
    pub(crate) criteria: Vec<String>,
    /// The tests of the whole task.
    pub(crate) tests: Vec<String>,
    /// The packet's subtasks.
    pub(crate) subtasks: Vec<Task>,
    /// The number of this subtask, starting at 1; `None` for the lines around the subtasks.
    pub(crate) index: Option<usize>,
}

impl Preparation {
    /// The preparation of an order.
    pub(crate) fn find(named: Option<&Path>, order: &Order, sheet: &TaskText) -> Result<Self, Fail> {
        let stem = task_of(&order.plan.path);
        let root = Path::new(&order.plan.root);
        let listed = sheet.plan.extra.get(PACKET).and_then(Value::as_str);
        let packet = match (named, listed) {
            (Some(path), _) => Some((path.to_string_lossy().into_owned(), read(path, root)?)),
            (None, Some(name)) => Some((name.to_owned(), read(&root::inside(root, name)?, root)?)),
            (None, None) if is_packet(&sheet.plan) => {
                Some((order.plan.path.clone(), Plan::clone(&sheet.plan)))
            }
            (None, None) => None,
        };
        let mut plan = Plan::clone(&sheet.plan);
        let (path, subtasks, gates) = match packet {
            None => (None, Vec::new(), Vec::new()),
            Some((path, packet)) => {
                plan.extra.extend(packet.extra);
                (Some(path), packet.tasks, packet.gates)
            }
        };
        let task_id = plan.extra.get("task_id").and_then(Value::as_str).unwrap_or(stem).to_owned();
        let index = index(&order.task, &subtasks);
        let (tests, criteria): (Vec<_>, Vec<_>) = gates.into_iter().partition(|gate| gate.category == "test");
        let shown = |gates: Vec<Criterion>| gates.into_iter().map(|gate| gate.text).collect();
        Ok(Self { task_id, path, plan, criteria: shown(criteria), tests: shown(tests), subtasks, index })
    }

    /// The packet's own row for this subtask.
    pub(crate) fn subtask(&self) -> Option<&Task> {
        self.subtasks.get(self.index?.checked_sub(1)?)
    }

    /// A text of the packet under the first of several names.
    pub(crate) fn text(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.plan.extra.get(*name)?.as_str()).filter(|text| !text.is_empty())
    }

    /// The entries of a list of the packet.
    pub(crate) fn list(&self, name: &str) -> &[Value] {
        self.plan.extra.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// The session of the preparation, as the packet names it.
    pub(crate) fn session(&self) -> Option<&str> {
        self.text(&["session_export_path", "session_export"])
    }
}

fn is_packet(plan: &Plan) -> bool {
    plan.extra.contains_key("task_id")
}

/// The task that a todo list is named after.
fn task_of(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn read(path: &Path, root: &Path) -> Result<Plan, Fail> {
    if !path.is_file() {
        return Err(Fail::new(Exit::NoInput, "not-found", "there is no such handoff packet").in_file(path));
    }
    dialects::open_packet(path, root)
}

/// The number of an order's subtask: by its id in the packet, else by the number in `subtask-2`, or by its title.
fn index(task: &Task, subtasks: &[Task]) -> Option<usize> {
    let of_id = subtasks.iter().position(|subtask| subtask.id == task.id).map(|at| at + 1);
    let number = task.id.as_str().strip_prefix("subtask-").and_then(|number| number.parse().ok());
    let number = number.filter(|number| (1..=subtasks.len()).contains(number));
    let titled = || subtasks.iter().position(|subtask| task.title.ends_with(&subtask.title)).map(|at| at + 1);
    of_id.or(number).or_else(titled)
}

#[cfg(test)]
mod tests {
    use super::{index, task_of};
    use wire::Task;

    #[test]
    fn a_subtask_is_found_by_id_by_number_or_by_title() {
        let task = |id: &str, title: &str| Task { id: id.into(), title: title.into(), ..Task::default() };
        let subtasks = [task("1", "first"), task("2", "second")];
        assert_eq!(index(&task("2", "x"), &subtasks), Some(2));
        assert_eq!(index(&task("subtask-2", "Subtask 2: second"), &subtasks), Some(2));
        assert_eq!(index(&task("subtask-3", "Subtask 3: Add/update tests"), &subtasks), None);
        assert_eq!(index(&task("7", "Subtask: first"), &subtasks), Some(1));
        assert_eq!(task_of(".kilocode/todo/kit-1.2.md"), "kit-1.2");
    }
}
