//! Todo lines that end in a state: `1. text — status: pending`. The word is the box.

use super::settle;
use crate::Plan;
use crate::read::fingerprint;
use crate::states::words;
use markdown::{Extent, Outline};
use memchr::memmem;
use wire::plan::Severity;
use wire::{State, Task, TaskId, ids};

/// The number of such lines.
pub(crate) fn count(outline: &Outline) -> usize {
    // Searching for the word is much faster than parsing every line.
    if memmem::find(outline.bytes, b"status:").is_none() { 0 } else { lines(outline).count() }
}

/// Reads them.
pub(crate) fn read(outline: &Outline, plan: &mut Plan) {
    for line in lines(outline).collect::<Vec<_>>() {
        let id = outline.str(line.id).to_owned();
        let said = outline.str(line.mark);
        let state = words::state(said).unwrap_or_else(|| {
            let message = format!("unknown status '{said}' is taken as not done");
            let start = line.mark.start;
            plan.diagnostics.push(outline.diagnostic(Severity::Warning, "unknown-status", message, start));
            State::Pending
        });
        let title = outline.shown(line.title);
        let mut task = Task {
            key: ids::key_of(&id),
            id: TaskId(id),
            title,
            state,
            state_from: Some(outline.place(line.mark.start)),
            span: outline.span(line.at),
            mark: Some(outline.span(line.mark)),
            fingerprint: fingerprint::with_boxes(outline, line.at, &[line.mark], line.title, &[]),
            ..Task::default()
        };
        settle(&mut task);
        plan.tasks.push(task);
    }
}

struct Line {
    at: Extent,
    id: Extent,
    title: Extent,
    mark: Extent,
}

fn lines<'o>(outline: &'o Outline) -> impl Iterator<Item = Line> + 'o {
    let whole = Extent { start: 0, end: outline.bytes.len() };
    outline.lines_in(whole).filter_map(|line| take(outline, outline.trimmed(line.at)))
}

fn take(outline: &Outline, at: Extent) -> Option<Line> {
    let text = outline.str(at);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    // Templates write `N.` for the last line.
    let letters = if digits == 0 { usize::from(text.starts_with("N.")) } else { digits };
    let rest = text.get(letters..)?.strip_prefix(['.', ')']).filter(|_| letters > 0)?;
    let from = text.len() - rest.trim_start().len();
    let cut = text.rfind("status:")?;
    let before = text.get(from..cut)?;
    let title = before.trim_end_matches(JOINS);
    // Without a dash or similar before it, the word is part of a sentence.
    if title.is_empty() || before.trim_end().len() == title.len() {
        return None;
    }
    let after = text.get(cut + "status:".len()..)?;
    let start = cut + "status:".len() + (after.len() - after.trim_start_matches([' ', '`', '*']).len());
    let word = text.get(start..)?;
    let len =
        word.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))).unwrap_or(word.len());
    let shift = |from: usize, to: usize| Extent { start: at.start + from, end: at.start + to };
    // A single character is a mark, not a word: its replacement would be indistinguishable from a box.
    (len > 1).then(|| Line {
        at,
        id: shift(0, letters),
        title: shift(from, from + title.len()),
        mark: shift(start, start + len),
    })
}

/// Characters between the text and its state, including a dash decoded with the wrong encoding.
const JOINS: [char; 11] = [' ', '\t', '—', '–', '-', ',', ';', '(', 'â', '€', '”'];
