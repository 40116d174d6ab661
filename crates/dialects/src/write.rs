//! How a plan is told where a task stands: the bytes to change, in which of its files.
//!
//! In goes a plan as it was read, a task and a state; out come [`Edit`]s, which whoever holds the files carries out. Always
//! true: nothing but boxes, words of state and what belongs to them is changed; a state that a dialect has no mark for is
//! refused, never written as another. A dialect whose boxes are all there is needs no file here; one that keeps the state
//! elsewhere too has its own, and a row in [`WRITERS`].

mod add;
mod boxes;
mod data;
mod member;
mod runbook;
mod workflow;

pub use add::{Added, add};
pub use workflow::bequeath;

use crate::{Field, beside, context, dialect};
use toolkit::{Fail, fs};
use wire::plan::{Criterion, Kind, Span};
use wire::{State, Task, TaskId};

/// What is to be written about a task.
#[derive(Debug, Clone, Copy)]
pub struct Change<'a> {
    /// The task, as the plan has it now.
    pub task: &'a Task,
    /// Where it stands from now on.
    pub state: State,
    /// The criteria whose boxes are ticked with it.
    pub criteria: &'a [&'a Criterion],
    /// The time, for dialects that note it.
    pub now: &'a str,
    /// Why, for dialects that note it.
    pub reason: &'a str,
}

/// One change of a file: what stands at a range becomes something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The file as seen from the root; one that is not there is made.
    pub path: String,
    /// The first byte that goes.
    pub start: usize,
    /// One past the last byte that goes.
    pub end: usize,
    /// What comes in its place.
    pub text: String,
}

/// The edits that make the plan say so. None means that it says so already. What holds a task stands where its parts do.
pub fn edits(field: &Field, change: &Change) -> Result<Vec<Edit>, Fail> {
    let own = WRITERS.iter().find(|(name, _)| *name == field.plan.source.dialect);
    let write = |change: &Change| {
        own.map_or_else(|| boxes::edits(field, change), |(_, writer)| writer(field, change))
    };
    let mut edits = write(change)?;
    for (task, state) in holders(field, change) {
        edits.extend(write(&Change { task, state, criteria: &[], ..*change })?);
    }
    Ok(edits.into_iter().filter(|edit| edit.start != edit.end || !edit.text.is_empty()).collect())
}

/// What holds the task, and what holds that, as far as it has a box that has to say something else from now on.
pub fn holders<'f>(field: &'f Field, change: &Change) -> Vec<(&'f Task, State)> {
    let tasks = &field.plan.tasks;
    let (mut out, mut part, mut settled) = (Vec::new(), change.task, change.state.is_settled());
    // These write more than boxes, and look after what holds others by themselves.
    let by_themselves = matches!(field.plan.source.dialect.as_str(), "workflow" | "runbook");
    for _ in tasks.iter().filter(|_| !by_themselves) {
        let holder = |id: &TaskId| tasks.iter().find(|task| task.id == *id && task.kind == Kind::Container);
        let Some((id, holder)) = part.parent.as_ref().and_then(|id| Some((id, holder(id)?))) else { break };
        let mut others = tasks.iter().filter(|task| task.parent.as_ref() == Some(id) && task.id != part.id);
        settled = settled && others.all(|other| other.state.is_settled());
        // One with checks of its own is ticked on their proof, and not with its last part.
        settled = settled && (holder.state.is_settled() || !has_checks(holder));
        let state = if settled { State::Completed } else { State::Pending };
        // One that is open says no more than that.
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

/// The tasks that hold others, are not ticked, and have only their own checks left: all of their parts are done.
pub fn left_to_prove(field: &Field) -> Vec<&Task> {
    let tasks = &field.plan.tasks;
    let is_below = |task: &Task, holder: &Task| {
        let up = |id: &TaskId| tasks.iter().find(|task| task.id == *id)?.parent.as_ref();
        // No chain is longer than there are tasks, not even one that bites its tail.
        std::iter::successors(task.parent.as_ref(), |id| up(id)).take(tasks.len()).any(|id| *id == holder.id)
    };
    let by_themselves = matches!(field.plan.source.dialect.as_str(), "workflow" | "runbook");
    let open = tasks.iter().filter(|task| task.kind == Kind::Container && !task.state.is_settled());
    let open = open.filter(|task| !by_themselves && task.mark.is_some() && has_checks(task));
    open.filter(|holder| {
        let mut parts =
            tasks.iter().filter(|task| task.kind != Kind::Container && is_below(task, holder)).peekable();
        parts.peek().is_some() && parts.all(|part| part.state.is_settled())
    })
    .collect()
}

/// The bytes of a file after the edits that concern it.
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

/// The edit that ticks a box that is no task's own.
pub fn tick_box(field: &Field, span: &Span) -> Edit {
    boxes::replaced(span, field.word(span, State::Completed))
}

/// Whether a plan of this dialect says anywhere that a task has begun; the others are left as they are.
pub fn begins(field: &Field) -> bool {
    let name = field.plan.source.dialect.as_str();
    let has_word = |row: &(&str, _)| row.0 == name;
    BEGINS.contains(&name) || data::WORDS.iter().any(has_word) || boxes::announces(field, State::InProgress)
}

/// Whether everything that a plan says stands in its one file, so that equal bytes mean an equal plan.
pub fn stands_alone(field: &Field) -> bool {
    field.files.len() == 1 && !beside::has(&field.plan.source.dialect)
}

type Writer = fn(&Field, &Change) -> Result<Vec<Edit>, Fail>;

/// Dialects that keep the state of a task elsewhere than in its box, or have no boxes.
static WRITERS: &[(&str, Writer)] = &[
    ("workflow", workflow::edits),
    ("runbook", runbook::edits),
    ("taskmaster", data::edits),
    ("beads", data::edits),
    ("plan/v1", data::edits),
    ("spec.json", data::edits),
];

/// Dialects with a mark of their own for work in progress.
const BEGINS: &[&str] = &["workflow", "handoff", "kiro", "taskmd", "ccpm", "tracker"];

/// The bytes of a file of the plan or beside it; nothing where it is not there.
fn bytes_of(field: &Field, path: &str) -> Result<Vec<u8>, Fail> {
    if let Some((_, bytes)) = field.files.iter().find(|(name, _)| name == path) {
        return Ok(bytes.clone());
    }
    let root = std::path::Path::new(&field.plan.source.root);
    Ok(fs::read_if_there(&toolkit::root::inside(root, path)?)?.unwrap_or_default())
}

/// A name beside the plan's file, or in its folder.
fn in_folder(field: &Field, name: &str) -> String {
    let path = field.plan.source.path.as_str();
    let is_file = field.files.iter().any(|(file, _)| file == path);
    match path {
        "." | "" => name.to_owned(),
        _ if is_file => context::beside(path, name),
        _ => format!("{path}/{name}"),
    }
}

/// The failure of a state that cannot be written.
fn no_mark(field: &Field, change: &Change) -> Fail {
    let dialect = dialect::find(&field.plan.source.dialect).map_or("?", |dialect| dialect.name);
    let state = change.state.word();
    let message =
        format!("a plan of the dialect '{dialect}' has no mark for '{state}' of task '{}'", change.task.id);
    Fail::data("no-mark", message)
}
