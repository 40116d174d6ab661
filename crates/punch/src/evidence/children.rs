//! The children of a task and the results of their cards.
//!
//! A child is a task whose parent in the plan is this one, or whose own checkpoint was made with `--parent`.

use crate::cards::pattern::Pattern;
use crate::evidence::scope::Scope;
use serde_json::Value;
use std::collections::BTreeMap;
use wire::punch::{Punch, Trust, Type};
use wire::{Plan, TaskId};

/// One child with the latest result of each of its cards.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Child {
    pub(crate) task: TaskId,
    cards: BTreeMap<String, Word>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    status: String,
    line: u64,
}

impl Child {
    /// Whether any card of the child was judged.
    pub(crate) fn is_judged(&self) -> bool {
        !self.cards.is_empty()
    }

    /// Why the child has not passed the cards of this pattern; `None` if it has.
    pub(crate) fn lack(&self, pattern: &Pattern) -> Option<String> {
        let mut mine = self.cards.iter().filter(|(card, _)| pattern.matches(card)).peekable();
        if mine.peek().is_none() {
            return Some(format!("task '{}': no card '{}' was judged", self.task, pattern.shown));
        }
        let bad = mine.find(|(_, word)| word.status != "pass")?;
        Some(format!(
            "task '{}': card '{}' came out as {} in line {}",
            self.task, bad.0, bad.1.status, bad.1.line
        ))
    }
}

/// Every child of the task.
pub(crate) fn of(records: &[(u64, Punch)], scope: &Scope, plan: Option<&Plan>) -> Vec<Child> {
    let in_plan =
        plan.iter().flat_map(|plan| &plan.tasks).filter(|task| task.parent.as_ref() == Some(&scope.task));
    let new = |task: &TaskId| Child { task: task.clone(), ..Child::default() };
    let mut children: BTreeMap<TaskId, Child> =
        in_plan.clone().map(|task| (task.id.clone(), new(&task.id))).collect();
    let checkpoints = records.iter().filter(|(_, p)| p.kind == Type::Checkpoint && p.plan == scope.plan);
    for (line, punch) in checkpoints {
        let Some(task) = &punch.task else { continue };
        let parent = punch.data.get("parent").and_then(Value::as_str);
        let known = in_plan.clone().find(|own| own.id == *task);
        // A result from before the task was rewritten says nothing about it.
        let other = known.is_some_and(|own| Some(&own.fingerprint) != punch.fingerprint.as_ref());
        let typed = punch.trust == Trust::Typed;
        if typed || other || (known.is_none() && parent != Some(scope.task.as_str())) {
            continue;
        }
        let status =
            punch.data.pointer("/card/status").and_then(Value::as_str).unwrap_or("unknown").to_owned();
        let child = children.entry(task.clone()).or_insert_with(|| new(task));
        child.cards.insert(punch.key.clone(), Word { status, line: *line });
    }
    children.into_values().collect()
}
