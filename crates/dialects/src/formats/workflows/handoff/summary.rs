//! The Markdown Preparation Summary: `### Implementation Subtasks`, numbered, each with `Files:` and `Success:`.
//!
//! The subtasks have no boxes: all of them are open. The boxes of the success criteria apply to the whole plan.

use crate::Plan;
use crate::criteria::locate;
use crate::criteria::unclear::without_rewrite;
use crate::deps::phases;
use crate::fields::item_text;
use crate::lists::items;
use crate::read::fingerprint;
use checks::{Located, Role};
use markdown::{Extent, Heading, Item, Outline};
use wire::plan::{Criterion, FileUse, Severity};
use wire::{Task, TaskId, ids};

/// The section of the subtasks, if there is one with numbered items.
pub(crate) fn section(outline: &Outline) -> Option<Extent> {
    let at = sections(outline).find(|(name, _)| name.starts_with("implementation subtasks"))?.1;
    numbered(outline, at).next().is_some().then_some(at)
}

/// Reads the section, and the criteria of the whole plan.
pub(crate) fn read(outline: &Outline, at: Extent, plan: &mut Plan) {
    for item in numbered(outline, at) {
        let task = task(outline, item, at);
        plan.tasks.push(task);
    }
    let whole = sections(outline).find(|(name, _)| name.starts_with("success criteria"));
    let whole = whole.map(|(_, at)| item_text::top(outline, at)).into_iter().flatten();
    for item in whole {
        let found = locate::boxed(outline, item, item.at.end, Role::Criterion);
        locate::number("plan", "success", found, &mut plan.gates);
    }
    for item in outline.items_in(at).iter().filter(|item| item.mark.is_some()) {
        let message = "a box below a numbered subtask is a part of it, not a task".to_owned();
        plan.diagnostics.push(outline.diagnostic(Severity::Hint, "box-in-subtask", message, item.at.start));
    }
}

/// The parts of `text — files: a, b — success: c`.
pub(crate) struct Told<'t> {
    /// The work to do.
    pub(crate) title: &'t str,
    /// The files.
    pub(crate) files: Vec<FileUse>,
    /// The criteria.
    pub(crate) success: Vec<&'t str>,
}

/// Splits a line into its parts.
pub(crate) fn told(text: &str) -> Told<'_> {
    let mut told = Told { title: text.trim(), files: Vec::new(), success: Vec::new() };
    for (index, part) in text.split(" — ").enumerate() {
        let part = part.trim().trim_matches('"');
        if index == 0 {
            told.title = part.trim_matches('*').trim();
        } else if let Some(rest) = labelled(part, "files") {
            told.files.extend(files(rest));
        } else if let Some(rest) = labelled(part, "success") {
            told.success.push(rest);
        }
    }
    told
}

fn task(outline: &Outline, item: &Item, section: Extent) -> Task {
    let line = items::line_of(outline, item);
    let start = outline.str(Extent { start: item.at.start, end: line.start });
    let digits = start.bytes().take_while(u8::is_ascii_digit).count();
    let id = start.get(..digits).unwrap_or_default().to_owned();
    let text = outline.shown(line);
    let told = told(&text);
    let at = outline.trimmed(Extent { start: item.at.start, end: item.at.end.min(section.end) });
    let mut task = Task {
        key: ids::key_of(&id),
        title: told.title.to_owned(),
        files: told.files,
        state_from: Some(outline.place(item.at.start)),
        span: outline.span(at),
        fingerprint: fingerprint::of(outline, at, line, &[]),
        id: TaskId(id),
        ..Task::default()
    };
    for text in told.success {
        let base = Criterion { text: text.to_owned(), span: outline.span(line), ..Criterion::default() };
        let found = locate::read(outline, &Located::text(text, line), &base);
        locate::add(&mut task, "success", without_rewrite(found));
    }
    for below in outline.items_in(at).iter().filter(|below| below.depth == item.depth + 1) {
        let line = items::line_of(outline, below);
        let text = outline.str(line).trim_start_matches('*');
        if let Some(rest) = labelled(text, "files") {
            task.files.extend(files(rest));
        } else if let Some(rest) = labelled(text, "success") {
            let value = Extent { start: line.end - rest.len().min(line.end - line.start), end: line.end };
            let (found, _) = locate::labelled(outline, value, below.at.end, Role::Criterion);
            locate::add(&mut task, "success", found);
        } else {
            task.steps.push(outline.shown(line));
        }
    }
    task
}

/// The value after `Files:`, with or without stars around the label.
fn labelled<'t>(text: &'t str, label: &str) -> Option<&'t str> {
    let head = text.get(..label.len()).filter(|head| head.eq_ignore_ascii_case(label))?;
    let rest = text.get(head.len()..)?.trim_start_matches('*').strip_prefix(':')?;
    Some(rest.trim_start_matches('*').trim()).filter(|rest| !rest.is_empty())
}

fn files(text: &str) -> impl Iterator<Item = FileUse> {
    let names = text.trim_matches(['[', ']']).split(',').map(|name| name.trim().trim_matches('`'));
    names
        .filter(|name| !name.is_empty())
        .map(|name| FileUse { path: name.to_owned(), action: "write".to_owned() })
}

fn numbered<'o>(outline: &'o Outline, at: Extent) -> impl Iterator<Item = &'o Item> {
    let items = outline.items_in(at).iter().filter(|item| item.depth == 0 && !item.quoted);
    items.filter(|item| outline.bytes.get(item.at.start).is_some_and(u8::is_ascii_digit))
}

/// All sections, each with the text of its heading in lowercase.
fn sections<'o>(outline: &'o Outline) -> impl Iterator<Item = (String, Extent)> + 'o {
    let is_own = |head: &&Heading| head.atx && !head.inner;
    outline.headings.iter().enumerate().filter(move |(_, head)| is_own(head)).map(move |(index, head)| {
        let after = outline.headings.get(index + 1..).unwrap_or_default();
        let next = after.iter().filter(is_own).find(|next| next.level <= head.level);
        let end = next.map_or(outline.bytes.len(), |next| next.at.start);
        (phases::text(outline, head).to_lowercase(), Extent { start: head.at.start, end })
    })
}
