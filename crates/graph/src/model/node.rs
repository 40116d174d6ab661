//! A task as the graph sees it: its name, its links and its state.

use std::borrow::Cow;
use wire::plan::Kind;
use wire::{State, Task, TaskId};

/// One task, borrowed from its owner.
#[derive(Debug, Clone, Copy)]
pub struct Node<'a, N: Name = TaskId> {
    /// Unique within the graph.
    pub id: &'a str,
    /// Its state.
    pub state: State,
    /// The tasks that must be settled before; duplicates are ignored.
    pub depends_on: &'a [N],
    /// The container it is part of.
    pub parent: Option<&'a str>,
    /// The kind of task.
    pub kind: Kind,
    /// Whether its container can be settled without it.
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

/// Anything that contains a task's id, so that callers need not copy ids.
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
