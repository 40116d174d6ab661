//! A task added during execution: `### [ ] TODO 3.a: (ADDED) title` after TODO 3.
//!
//! One level deep and at most three for each task: a plan that needs more must be replanned by its author.

use super::Edit;
use crate::{PlanSnapshot, row};
use toolkit::Fail;
use wire::{Task, TaskId};

/// The task to add.
#[derive(Debug, Clone, Copy)]
pub struct Added<'a> {
    /// The task that it is placed after.
    pub after: &'a Task,
    /// Its title.
    pub title: &'a str,
    /// The text below its heading.
    pub body: &'a str,
}

/// The id of the new task, and the edit that adds it.
pub fn add(field: &PlanSnapshot, added: &Added) -> Result<(TaskId, Edit), Fail> {
    let bad = |message: String| Fail::data("cannot-add", message);
    let dialect = field.plan.source.dialect.as_str();
    if !row(dialect).takes_added_tasks {
        return Err(bad(format!("a plan of the dialect '{dialect}' takes no added tasks")));
    }
    if field.plan.tasks.iter().any(|task| !is_section(field, task)) {
        return Err(bad(
            "tasks are added behind headings, and those of this plan are items of a list".to_owned()
        ));
    }
    let outer = added.after.id.as_str();
    if outer.rsplit_once('.').is_some_and(|(_, letter)| LETTERS.contains(&letter)) {
        return Err(bad(format!("task '{outer}' was added itself: tasks are added one level deep")));
    }
    let free = LETTERS.iter().map(|letter| format!("{outer}.{letter}"));
    let taken = |id: &String| field.plan.tasks.iter().any(|task| task.id.as_str() == id);
    let Some(id) = free.into_iter().find(|id| !taken(id)) else {
        return Err(bad(format!("task '{outer}' has three added tasks already")));
    };
    let title = added.title.split_whitespace().collect::<Vec<_>>().join(" ");
    if title.is_empty() {
        return Err(bad("an added task needs a title".to_owned()));
    }
    if let Some(line) = added.body.lines().find(|line| is_heading(line)) {
        return Err(bad(format!(
            "'{}' would end the task: its text has headings of level 4 and below",
            line.trim()
        )));
    }
    let (path, bytes) =
        file(field, added.after).ok_or_else(|| bad(format!("task '{outer}' is in no file")))?;
    let end = if bytes.windows(2).any(|pair| pair == b"\r\n") { "\r\n" } else { "\n" };
    let at = place(field, added.after, bytes);
    let head = bytes.get(..at).unwrap_or_default();
    let gap = if head.ends_with(b"\n") { end.to_owned() } else { format!("{end}{end}") };
    let level = level(bytes, added.after);
    let body = added.body.trim().replace("\r\n", "\n").replace('\n', end);
    let text = format!("{gap}{level} [ ] TODO {id}: (ADDED) {title}{end}{end}{body}{end}");
    Ok((TaskId(id), Edit { path: path.to_owned(), start: at, end: at, text }))
}

const LETTERS: &[&str] = &["a", "b", "c"];

fn file<'f>(field: &'f PlanSnapshot, task: &Task) -> Option<(&'f str, &'f [u8])> {
    let found = field.files.iter().find(|(path, _)| *path == task.span.path);
    found.map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
}

/// After the section of the task, and after the tasks added to it before.
fn place(field: &PlanSnapshot, after: &Task, bytes: &[u8]) -> usize {
    let own = format!("{}.", after.id);
    let sections =
        field.plan.tasks.iter().filter(|task| task.id == after.id || task.id.as_str().starts_with(&own));
    let end = sections.map(|task| task.span.end).max().unwrap_or(after.span.end);
    let end = usize::try_from(end).unwrap_or(bytes.len()).min(bytes.len());
    let section = bytes.get(..end).unwrap_or_default();
    let kept = section.iter().rposition(|byte| !byte.is_ascii_whitespace()).map_or(0, |last| last + 1);
    // The line end of the last line belongs to it.
    let rest = bytes.get(kept..).unwrap_or_default();
    kept + rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1)
}

fn is_section(field: &PlanSnapshot, task: &Task) -> bool {
    let start = usize::try_from(task.span.start).unwrap_or(usize::MAX);
    file(field, task).is_some_and(|(_, bytes)| bytes.get(start) == Some(&b'#'))
}

/// The `#` signs of the task's own heading.
fn level(bytes: &[u8], task: &Task) -> String {
    let start = usize::try_from(task.span.start).unwrap_or(bytes.len());
    let signs = bytes.get(start..).unwrap_or_default().iter().take_while(|byte| **byte == b'#').count();
    "#".repeat(signs.clamp(1, 6))
}

fn is_heading(line: &str) -> bool {
    let signs = line.bytes().take_while(|byte| *byte == b'#').count();
    (1..=3).contains(&signs)
        && line.get(signs..).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}
