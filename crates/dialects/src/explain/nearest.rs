//! What comes nearest to tasks in a text that is no plan, and what would make it one.

use crate::lists::{items, status_tables, unit_headings};
use crate::sections::{Sections, units};
use markdown::{Extent, Item, Outline, Veil, marks};

/// The offset of that place, and the fact with the next step.
pub(crate) fn find(outline: &Outline) -> Option<(usize, String)> {
    let sections = Sections::new(outline);
    headings(outline, &sections)
        .or_else(|| in_code(outline))
        .or_else(|| slips(outline))
        .or_else(|| table(outline))
        .or_else(|| list(outline, true))
        .or_else(|| list(outline, false))
}

/// Headings that name units of work in a text that does not say that it is a plan.
fn headings(outline: &Outline, sections: &Sections) -> Option<(usize, String)> {
    let found = unit_headings::find(outline, sections);
    let first = found.tasks.first().filter(|_| found.tasks.len() > 1)?;
    let text = short(outline.str(first.heading.at).trim_matches(['#', ' ']));
    let message = format!(
        "the heading '{text}' looks like a task: read such headings with '--dialect headings', or add a box, '[ ]', to each"
    );
    Some((first.heading.at.start, message))
}

/// A box that a missing blank, a code block or a quote keeps from being one.
fn slips(outline: &Outline) -> Option<(usize, String)> {
    let whole = Extent { start: 0, end: outline.bytes.len() };
    outline.lines_in(whole).find_map(|line| {
        let text = outline.str(line.at);
        let bare = text.trim_start().trim_start_matches(['>', ' ']);
        let rest = bare.strip_prefix(['-', '*', '+'])?;
        let boxed = marks::find(rest.trim_start()).is_some_and(|(mark, _)| mark.end - mark.start <= 1);
        let why = if !boxed {
            return None;
        } else if line.veil.is_some() {
            "stands in a code block, a comment or a quote: move it out"
        } else {
            "needs a blank between the bullet and its box: '- [ ] …'"
        };
        Some((line.at.start, format!("'{}' {why}", short(bare))))
    })
}

/// Headings that name units of work in a code block: its fence is opened once too often, or closed too late.
fn in_code(outline: &Outline) -> Option<(usize, String)> {
    let fences = outline.hidden.iter().filter(|hidden| hidden.veil == Veil::Fence);
    let mut lines = fences.flat_map(|fence| outline.lines_in(fence.at).map(move |line| (fence.at, line.at)));
    lines.find_map(|(fence, line)| {
        let text = outline.str(line).strip_prefix('#')?.trim_start_matches('#');
        units::unit(marks::without_signs(text))?;
        let begins = outline.line(fence.start);
        let text = short(text);
        let message = format!(
            "the heading '{text}' stands in the code block of line {begins}: close that block before it"
        );
        Some((line.start, message))
    })
}

/// A table of tasks without a column that says so, or without one for the state.
fn table(outline: &Outline) -> Option<(usize, String)> {
    outline.tables.iter().find_map(|table| {
        let message = if status_tables::has_status(outline, table) {
            "the table has a status and no column that names the task: call one 'Task'"
        } else if status_tables::lacks_status(outline, table) {
            "the table has tasks and no column for their states: add one with the heading 'Status'"
        } else {
            return None;
        };
        Some((table.at.start, message.to_owned()))
    })
}

/// The first list of at least two items.
fn list(outline: &Outline, numbered: bool) -> Option<(usize, String)> {
    let is = |item: &&Item| {
        let digit = outline.bytes.get(item.at.start).is_some_and(u8::is_ascii_digit);
        digit == numbered && item.depth == 0 && !item.quoted
    };
    let mut items = outline.items.iter().filter(is);
    let (first, _) = (items.next()?, items.next()?);
    let text = short(outline.str(items::line_of(outline, first)));
    let message = if numbered {
        format!(
            "the list that begins with '{text}' looks like tasks: put it below a heading '## Tasks', or write '- [ ] {text}'"
        )
    } else {
        format!("the list that begins with '{text}' has no boxes: write '- [ ] {text}'")
    };
    Some((first.at.start, message))
}

fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default().trim();
    let cut: String = line.chars().take(40).collect();
    if cut.len() < line.len() { format!("{}…", cut.trim_end()) } else { cut }
}
