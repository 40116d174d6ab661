//! Everything below the tasks of a list: their checks, and fields such as `Depends on: T1`, `Files: a.rs`,
//! `Status: done`.
//!
//! The box decides the state; a status that contradicts it is reported.

use crate::Plan;
use crate::criteria::locate::{self, Purpose};
use crate::criteria::unclear::without_rewrite;
use crate::deps::needs::{NamedTasks, Needs};
use crate::fields::task_fields::{self, TaskField};
use crate::fields::{inputs, item_text, paths};
use crate::lists::items::Entry;
use crate::lists::{items, numbered};
use crate::states::{status_cell, words};
use checks::Located;
use markdown::{Extent, Item, Outline};
use memchr::{memchr, memchr2_iter};
use wire::plan::{Criterion, Diagnostic, FileUse, Severity};
use wire::{State, Task};

/// Reads what is below every entry.
pub(crate) fn read(outline: &Outline, entries: &[Entry], plan: &mut Plan) {
    let mut inner: Vec<Vec<Extent>> = vec![Vec::new(); entries.len()];
    for entry in entries {
        if let Some(outer) = entry.parent.and_then(|parent| inner.get_mut(parent)) {
            outer.push(entry.at);
        }
    }
    let mut needs: Option<Needs> = None;
    for ((index, entry), inner) in entries.iter().enumerate().zip(inner) {
        let Some(task) = plan.tasks.get(index) else { continue };
        let said = inline(outline.str(entry.line)).or_else(|| sentence(outline, entry));
        let found = checks(outline, entry, task.id.as_str(), inner);
        if said.is_none() && entry.below.is_empty() && found.is_empty() {
            continue;
        }
        // Built on demand: a plain list does not need them.
        let needs = &*needs.get_or_insert_with(|| Needs::new(&plan.tasks));
        let Some(task) = plan.tasks.get_mut(index) else { continue };
        locate::add(task, "", found);
        if let Some(said) = said {
            wait(outline, task, needs.of(index, said, |_| None), entry.line, &mut plan.diagnostics);
        }
        let mut below = Below { outline, needs, index, task, found: &mut plan.diagnostics };
        let items = entry.below.iter().filter_map(|&index| outline.items.get(index));
        let mut open: Option<(TaskField, &Item)> = None;
        for item in items.filter(|item| item.mark.is_none() && !item.quoted) {
            open = below.item(item, items::line_of(outline, item), open);
        }
    }
}

/// The checks of an entry: its own title where that asks for one, and those below it.
fn checks(outline: &Outline, entry: &Entry, id: &str, inner: Vec<Extent>) -> Vec<Criterion> {
    let gaps = gaps(outline, entry, inner);
    let (mut found, taken) = own(outline, entry, id, &gaps);
    for gap in gaps {
        found.extend(locate::find(outline, gap, Purpose::Work, &taken));
    }
    found
}

/// The text below an entry outside of the boxes there: those are tasks or criteria of their own.
fn gaps(outline: &Outline, entry: &Entry, mut boxes: Vec<Extent>) -> Vec<Extent> {
    let below = entry.below.iter().filter_map(|&index| outline.items.get(index));
    boxes.extend(below.filter(|item| item.mark.is_some() && !item.quoted).map(|item| item.at));
    boxes.sort_unstable_by_key(|at| at.start);
    boxes.push(Extent { start: entry.at.end, end: entry.at.end });
    let mut gaps = Vec::new();
    // A mark may stand behind the name.
    let mut from = entry.line.end.max(entry.mark.end + usize::from(entry.mark.end > entry.line.end));
    for inner in boxes {
        let gap = trimmed(outline, Extent { start: from, end: inner.start.max(from) });
        gaps.extend((gap.start < gap.end).then_some(gap));
        from = from.max(inner.end);
    }
    gaps
}

/// A range without blank lines at its ends, so that the first line keeps its indentation.
fn trimmed(outline: &Outline, at: Extent) -> Extent {
    let text = outline.str(at);
    let blank = text.len() - text.trim_start().len();
    let line = text.get(..blank).and_then(|blank| blank.rfind('\n')).map_or(0, |end| end + 1);
    let start = at.start + line;
    Extent { start, end: at.start + text.trim_end().len().max(line) }
}

/// A task that is itself a check: ``Verify: `make` ``, ``[P] Run `make` and confirm that it passes``; and the text below
/// it that belongs to it.
fn own(outline: &Outline, entry: &Entry, id: &str, below: &[Extent]) -> (Vec<Criterion>, Vec<Extent>) {
    // Few titles contain code.
    if memchr(b'`', outline.str(entry.line).as_bytes()).is_none() {
        return (Vec::new(), Vec::new());
    }
    if !checks::may_ask(outline.str(entry.line)) {
        return (Vec::new(), Vec::new());
    }
    let title = items::line_title(outline, entry.line, id);
    let mut text = title.as_str();
    while let Some((_, rest)) = text.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        text = rest.trim_start();
    }
    if memchr(b'`', text.as_bytes()).is_none() {
        return (Vec::new(), Vec::new());
    }
    let start = entry.line.end - text.len().min(entry.line.end - entry.line.start);
    let is_end = outline.str(Extent { start, end: entry.line.end }) == text;
    let at = Extent { start: if is_end { start } else { entry.line.start }, end: entry.line.end };
    let title_part = Located::text(text, at).as_step();
    let base = Criterion { text: title.clone(), span: outline.span(entry.line), ..Criterion::default() };
    let (found, taken) = locate::title(outline, title_part, &base, below);
    (if is_end { found } else { without_rewrite(found) }, taken)
}

/// The fields below one task.
struct Below<'b, 'o> {
    outline: &'b Outline<'o>,
    needs: &'b Needs,
    index: usize,
    task: &'b mut Task,
    found: &'b mut Vec<Diagnostic>,
}

impl Below<'_, '_> {
    /// Reads one item, and returns the field that the items indented below it continue.
    fn item<'i>(
        &mut self,
        item: &'i Item,
        at: Extent,
        open: Option<(TaskField, &'i Item)>,
    ) -> Option<(TaskField, &'i Item)> {
        let text = self.outline.str(at);
        if let Some((field, above)) = open.filter(|(_, above)| item.depth > above.depth) {
            self.take(field, text, at);
            return Some((field, above));
        }
        if let Some(state) = exclaimed(text).filter(|_| self.task.state == State::Pending) {
            self.task.state = state;
            self.task.state_from = Some(self.outline.place(at.start));
            return None;
        }
        let (field, said) = task_fields::read(text)?;
        if said.is_empty() {
            return Some((field, item));
        }
        self.take(field, said, at);
        None
    }

    fn take(&mut self, field: TaskField, said: &str, at: Extent) {
        let (outline, task) = (self.outline, &mut *self.task);
        match field {
            TaskField::Depends => {
                wait(outline, task, self.needs.of(self.index, said, |_| None), at, self.found);
            }
            TaskField::Files => {
                let paths = paths::listed(said).into_iter().filter(|path| inputs::is_path(path));
                task.files.extend(paths.map(|path| FileUse { path, action: "write".to_owned() }));
            }
            TaskField::Status => {
                let state = status_cell::state(said.trim_matches(['`', '*', ' ']));
                if state.is_some_and(|state| state != task.state) {
                    let own = task.state.word();
                    let message =
                        format!("the status says '{said}' and the box says '{own}': the box decides");
                    let mut warning =
                        outline.diagnostic(Severity::Warning, "status-conflict", message, at.start);
                    warning.task = Some(task.id.clone());
                    self.found.push(warning);
                }
            }
        }
    }
}

/// The state in `**SKIPPED: no time**` or `⚠️ Blocking issue: …` below a task; only a word in capitals is no sentence.
fn exclaimed(text: &str) -> Option<State> {
    let (name, _) = text.split_once([':', '—'])?;
    if name.starts_with('⚠') && name.trim_end_matches('*').to_lowercase().ends_with("blocking issue") {
        return Some(State::Blocked);
    }
    let word = name.trim_matches(['*', '_', ' ']);
    let loud = word.len() > 3 && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b' ');
    let state = words::state(word).filter(|_| loud)?;
    matches!(state, State::Skipped | State::Blocked).then_some(state)
}

fn wait(outline: &Outline, task: &mut Task, said: NamedTasks, at: Extent, found: &mut Vec<Diagnostic>) {
    numbered::depend(task, said.tasks);
    for other in said.others {
        let message =
            format!("task '{}' waits for '{other}', which is no task of this plan: left out", task.id);
        let mut hint = outline.diagnostic(Severity::Hint, "unresolved-requirement", message, at.start);
        hint.task = Some(task.id.clone());
        found.push(hint);
    }
}

/// The rest of a sentence `Depends on: 2, 4.` in the first paragraph of an entry.
fn sentence<'o>(outline: &'o Outline, entry: &Entry) -> Option<&'o str> {
    let own = Extent { start: entry.line.start, end: entry.own.end };
    let text = outline.str(own);
    // Few tasks have one.
    let bytes = text.as_bytes();
    let at = memchr::memchr_iter(b':', bytes).find(|at| {
        text.get(..*at).is_some_and(|before| {
            let mut named = ["Depends on", "depends on", "Blocked by", "blocked by"].iter();
            named.any(|name| {
                before
                    .strip_suffix(name)
                    .is_some_and(|rest| rest.trim_end_matches(' ').ends_with(['.', ';', '—', '\n']))
            })
        })
    })?;
    let paragraph = text.get(..at)?;
    let is_first = !paragraph.contains("\n\n")
        && outline.items_in(Extent { start: own.start + 1, end: own.start + at }).is_empty();
    let said = text.get(at + 1..)?.split(['\n', ';']).next()?.trim();
    let said = said.split(". ").next()?.trim_end_matches('.');
    (is_first && !item_text::is_none(said)).then_some(said)
}

/// The content of `(depends on T1, T2)` anywhere in a line.
fn inline(line: &str) -> Option<&str> {
    // Few lines contain a bracket. If there are several remarks, the one whose word comes first in the list counts.
    let narrow = memchr2_iter(b'(', b'[', line.as_bytes()).map(|at| at + 1);
    let wide = (!line.is_ascii()).then(|| line.match_indices(['（', '【']));
    let wide = wide.into_iter().flatten().map(|(at, sign)| at + sign.len());
    let (_, said) =
        narrow.chain(wide).filter_map(|at| remark(line.get(at..)?)).min_by_key(|(word, _)| *word)?;
    let said = said.trim_start_matches([':', '：', ' ']);
    said.split([')', ']', '）', '】']).next().filter(|said| !item_text::is_none(said))
}

/// The word that a text begins with, and the text after it.
fn remark(text: &str) -> Option<(usize, &str)> {
    REMARKS.iter().enumerate().find_map(|(number, word)| {
        let (head, said) = text.split_at_checked(word.len())?;
        head.eq_ignore_ascii_case(word).then_some((number, said))
    })
}

#[rustfmt::skip]
const REMARKS: &[&str] = &[
    "depends on", "depends_on", "depends:", "depends：", "deps:", "dep:", "blocked by", "依赖", "依存", "의존",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_are_found() {
        assert_eq!(inline("Do it (depends on: T1, T2)"), Some("T1, T2"));
        assert_eq!(inline("Do it (whatever depends on it)"), None);
        assert_eq!(inline("Do it [Deps: T1] (é) (Depends on T2)"), Some("T2"));
        assert_eq!(inline("做（depends_on: `T1`）"), Some("`T1`"));
        assert_eq!(inline("做（依赖：T1、T2）"), Some("T1、T2"));
    }
}
