//! A task as the graph sees it: its name, its links and where it stands.

use std::borrow::Cow;
use wire::plan::Kind;
use wire::{State, Task, TaskId};

/// One task, borrowed from wherever it lives.
#[derive(Debug, Clone, Copy)]
pub struct Node<'a, N: Name = TaskId> {
    /// Unique within the graph.
    pub id: &'a str,
    /// Where it stands.
    pub state: State,
    /// The tasks that must be settled before; naming one twice is naming it once.
    pub depends_on: &'a [N],
    /// The container it is part of.
    pub parent: Option<&'a str>,
    /// What sort of task it is.
    pub kind: Kind,
    /// Whether its container can do without it.
    pub optional: bool,
}

impl<'a> From<&'a Task> for Node<'a> {
    fn from(task: &'a Task) -> Self {
        Node {
            id: task.id.as_str(),
            state: task.state,
            depends_on: &task.depends_on,
            parent: task.parent.as_ref().map(TaskId::as_str),
            kind: task.kind,
            optional: task.optional,
        }
    }
}

/// Anything that spells a task's id, so that a reader need not copy ids to ask.
pub trait Name {
    /// The id as text.
    fn name(&self) -> &str;
}

impl Name for TaskId {
    fn name(&self) -> &str {
        self.as_str()
    }
}

impl Name for String {
    fn name(&self) -> &str {
        self
    }
}

impl Name for &str {
    fn name(&self) -> &str {
        self
    }
}

impl Name for Cow<'_, str> {
    fn name(&self) -> &str {
        self
    }
}
