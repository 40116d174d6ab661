//! Writes the state of a task into a plan: which bytes change in which of its files.
//!
//! In goes a plan as it was read, a task and a state; out come [`Edit`]s, which the caller carries out. Always
//! true: nothing but boxes, words of state and what belongs to them is changed; a state that a dialect has no mark for is
//! refused, never written as another. A dialect whose boxes are all there is needs no file here; one that keeps the state
//! elsewhere too has its own, and names it in its row of the table.

mod add;
pub(crate) mod boxes;
pub(crate) mod data;
pub(crate) mod markers;
mod member;
mod new_checks;
pub(crate) mod runbook;
pub mod ticked;
pub(crate) mod workflow;

pub use crate::write::add::{Added, add};
pub use crate::write::new_checks::{Form, Member, NewCheck, new_checks};

use crate::{PlanSnapshot, context, row};
use toolkit::Fail;
use toolkit::files::fs;
use wire::plan::{Criterion, Kind, Span};
use wire::{State, Task, TaskId};

/// A change of a task's state.
#[derive(Debug, Clone, Copy)]
pub struct Change<'a> {
    /// The task, as in the current plan.
    pub task: &'a Task,
    /// The new state.
    pub state: State,
    /// The criteria whose boxes are ticked with it.
    pub criteria: &'a [&'a Criterion],
    /// The time, for dialects that record it.
    pub now: &'a str,
    /// The reason, for dialects that record it.
    pub reason: &'a str,
}

/// Begins the reason of a change that keeps a task in progress because an attempt failed.
pub const ERROR: &str = "error: ";
/// Stands in the reason of a failed task before the one who takes over.
pub const ESCALATED: &str = "; escalated to: ";

/// One change of a file: replaces the bytes of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The path relative to the root; a missing file is created.
    pub path: String,
    /// The first byte to remove.
    pub start: usize,
    /// One past the last byte to remove.
    pub end: usize,
    /// The replacement.
    pub text: String,
}

/// The edits that write into the progress file of a runbook that it is completed; none while a step is open.
pub fn runbook_completed(field: &PlanSnapshot) -> Result<Vec<Edit>, Fail> {
    runbook::completed(field)
}

/// The edits that apply a change; empty if the plan already has this state. A container follows the state of its
/// parts.
pub fn edits(field: &PlanSnapshot, change: &Change) -> Result<Vec<Edit>, Fail> {
    let write = row(&field.plan.source.dialect).edits;
    let mut edits = write(field, change)?;
    for (task, state) in holders(field, change) {
        edits.extend(write(field, &Change { task, state, criteria: &[], ..*change })?);
    }
    Ok(edits.into_iter().filter(|edit| edit.start != edit.end || !edit.text.is_empty()).collect())
}

/// The containers of the task, from the inside out, whose boxes have to change with it.
pub fn holders<'f>(field: &'f PlanSnapshot, change: &Change) -> Vec<(&'f Task, State)> {
    let tasks = &field.plan.tasks;
    let (mut out, mut part, mut settled) = (Vec::new(), change.task, change.state.is_settled());
    // These write more than boxes, and look after what holds others by themselves.
    let by_themselves = row(&field.plan.source.dialect).writes_parents;
    for _ in tasks.iter().filter(|_| !by_themselves) {
        let holder = |id: &TaskId| tasks.iter().find(|task| task.id == *id && task.kind == Kind::Container);
        let Some((id, holder)) = part.parent.as_ref().and_then(|id| Some((id, holder(id)?))) else { break };
        let mut others = tasks.iter().filter(|task| task.parent.as_ref() == Some(id) && task.id != part.id);
        settled = settled && others.all(|other| other.state.is_settled());
        // A container with checks of its own is ticked when they pass, not with its last part.
        settled = settled && (holder.state.is_settled() || !has_checks(holder));
        let state = if settled { State::Completed } else { State::Pending };
        // An open container needs no other mark.
        if holder.mark.is_some() && holder.state.is_settled() != settled {
            out.push((holder, state));
        }
        part = holder;
    }
    out
}

/// Whether a task has checks of its own that a program can run.
pub fn has_checks(task: &Task) -> bool {
    task.criteria.iter().any(|criterion| criterion.runnable && criterion.skip.is_none())
}

/// The unticked containers whose parts are all done and that have only their own checks left.
pub fn left_to_prove(field: &PlanSnapshot) -> Vec<&Task> {
    let tasks = &field.plan.tasks;
    let is_below = |task: &Task, holder: &Task| {
        let up = |id: &TaskId| tasks.iter().find(|task| task.id == *id)?.parent.as_ref();
        // Bounded by the number of tasks, so that parent cycles terminate.
        std::iter::successors(task.parent.as_ref(), |id| up(id)).take(tasks.len()).any(|id| *id == holder.id)
    };
    let by_themselves = row(&field.plan.source.dialect).writes_parents;
    let open = tasks.iter().filter(|task| task.kind == Kind::Container && !task.state.is_settled());
    let open = open.filter(|task| !by_themselves && task.mark.is_some() && has_checks(task));
    open.filter(|holder| {
        let mut parts =
            tasks.iter().filter(|task| task.kind != Kind::Container && is_below(task, holder)).peekable();
        parts.peek().is_some() && parts.all(|part| part.state.is_settled())
    })
    .collect()
}

/// The bytes of a file after the edits to it.
pub fn applied(bytes: &[u8], edits: &[&Edit]) -> Vec<u8> {
    let mut sorted = edits.to_vec();
    sorted.sort_by_key(|edit| (edit.start, edit.end));
    let mut out = Vec::with_capacity(bytes.len() + 64);
    let mut from = 0;
    for edit in sorted {
        out.extend_from_slice(bytes.get(from..edit.start).unwrap_or_default());
        out.extend_from_slice(edit.text.as_bytes());
        from = edit.end.max(from);
    }
    out.extend_from_slice(bytes.get(from..).unwrap_or_default());
    out
}

/// The boxes that make a task without a box of its own done: those of its criteria that are not for a person only.
pub fn boxes_below(task: &Task) -> Vec<&Criterion> {
    let boxed = || task.criteria.iter().filter(|criterion| criterion.boxed);
    let own: Vec<&Criterion> = boxed().filter(|criterion| criterion.category != "human").collect();
    if own.is_empty() { boxed().collect() } else { own }
}

/// The edit that ticks a box that is not a task's own.
pub fn tick_box(field: &PlanSnapshot, span: &Span) -> Edit {
    boxes::replaced(span, field.word(span, State::Completed))
}

/// Whether plans of this dialect record that a task has begun; others are left unchanged.
pub fn begins(field: &PlanSnapshot) -> bool {
    let row = row(&field.plan.source.dialect);
    row.begins || (!row.open_or_done && boxes::announces(field, State::InProgress))
}

/// Whether the whole plan is in one file, so that equal bytes mean an equal plan.
pub fn stands_alone(field: &PlanSnapshot) -> bool {
    field.files.len() == 1 && row(&field.plan.source.dialect).beside.is_none()
}

/// Makes the edits of one task alone.
pub type Writer = fn(&PlanSnapshot, &Change) -> Result<Vec<Edit>, Fail>;

/// The bytes of a file of the plan or beside it; empty if it does not exist.
fn bytes_of(field: &PlanSnapshot, path: &str) -> Result<Vec<u8>, Fail> {
    if let Some((_, bytes)) = field.files.iter().find(|(name, _)| name == path) {
        return Ok(bytes.to_vec());
    }
    let root = std::path::Path::new(&field.plan.source.root);
    Ok(fs::read_if_there(&toolkit::files::root::inside(root, path)?)?.unwrap_or_default())
}

/// A name beside the plan's file, or in its folder.
fn in_folder(field: &PlanSnapshot, name: &str) -> String {
    let path = field.plan.source.path.as_str();
    let is_file = field.files.iter().any(|(file, _)| file == path);
    match path {
        "." | "" => name.to_owned(),
        _ if is_file => context::beside(path, name),
        _ => format!("{path}/{name}"),
    }
}

/// The failure for a state that cannot be written.
fn no_mark(field: &PlanSnapshot, change: &Change) -> Fail {
    let dialect = crate::find(&field.plan.source.dialect).map_or("?", |dialect| dialect.name);
    let state = change.state.word();
    let message =
        format!("a plan of the dialect '{dialect}' has no mark for '{state}' of task '{}'", change.task.id);
    Fail::data("no-mark", message)
}
