//! The steps below a task heading as criteria: `Run:` and `Expected:` lines give the command and its result.

use crate::criteria::locate;
use crate::deps::phases;
use crate::fields::item_text;
use crate::lists::items;
use markdown::{Extent, Item, Outline, marks};
use wire::Task;
use wire::plan::Criterion;

/// The criteria of a boxed step, one for each command; `at` reaches to the next step.
pub(crate) fn boxed(outline: &Outline, task: &mut Task, item: &Item, at: Extent) {
    let first = item_text::first(outline, item, at.end);
    let mark = item.mark.unwrap_or_default();
    let base = Criterion {
        category: "step".to_owned(),
        text: outline.shown(items::line_of(outline, item)),
        checked: marks::is_ticked(outline.str(mark)),
        span: outline.span(mark),
        boxed: true,
        ..Criterion::default()
    };
    let below = Extent { start: first.end, end: at.end.max(first.end) };
    let mut found = locate::step(outline, name(outline, first), below, &base).into_iter();
    let head = found.next().map_or_else(
        || base.clone(),
        |check| Criterion { checked: base.checked, span: base.span.clone(), boxed: true, ..check },
    );
    locate::add(task, "step", std::iter::once(head).chain(found));
}

/// The checks of a step without a box, named after the step; `line` is its name, and `at` the text below it.
pub(crate) fn unboxed(outline: &Outline, task: &mut Task, called: &str, line: Option<Extent>, at: Extent) {
    let base = Criterion { category: "step".to_owned(), text: called.to_owned(), ..Criterion::default() };
    let name = line.map(|line| name(outline, line)).unwrap_or_default();
    locate::add(task, "step", locate::step(outline, name, at, &base));
}

/// The name of a step without its number and its emphasis.
fn name(outline: &Outline, line: Extent) -> Extent {
    let text = outline.str(line);
    let bare = text.trim_matches(['#', '*', ' ', '\t']);
    let title = match phases::after_word(bare, &["step"]) {
        Some((_, title)) if bare.ends_with(&title) => bare.get(bare.len() - title.len()..).unwrap_or(bare),
        _ => bare,
    };
    let end = line.start + text.trim_end_matches(['#', '*', ' ', '\t']).len();
    Extent { start: end.saturating_sub(title.len()).max(line.start), end: end.max(line.start) }
}
