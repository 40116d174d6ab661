//! Why a line that looks like a task is not one, and which part of a task it is.

use super::look::{Kind, Look};
use crate::deps::phases;
use crate::fields::labels::Name;
use markdown::{Extent, Outline, Veil};
use wire::TaskId;
use wire::plan::Phase;

/// Why a hidden line is not a task.
pub(crate) fn veil(veil: Veil) -> &'static str {
    match veil {
        Veil::Fence => "it stands in a code block",
        Veil::Indented => "it is indented code",
        Veil::Html => "it stands in HTML or in a comment",
        Veil::Quote => "it stands in a block quote",
    }
}

/// Why a visible line is not a task.
pub(crate) fn of(outline: &Outline, look: &Look, line: Extent) -> Option<&'static str> {
    let text = outline.str(line);
    match look.kind {
        Kind::Brackets => Some(brackets(text.get(look.at..).unwrap_or_default())),
        Kind::Inline if text.trim_start().starts_with('|') => Some("the box stands in a table"),
        Kind::Inline => Some("the box stands inside a sentence"),
        Kind::Box if !is_seen(outline, line) => {
            Some("it is neither a list item nor a heading: it continues a paragraph")
        }
        Kind::Box
            if outline.headings_in(line).iter().any(|heading| heading.inner && heading.mark.is_some()) =>
        {
            Some("it is a heading inside a list item")
        }
        Kind::Box | Kind::Heading => None,
    }
}

/// Whether Markdown sees a box in this line.
fn is_seen(outline: &Outline, line: Extent) -> bool {
    // An item may begin before the line of its box, so compare the mark.
    let near = Extent { start: line.start.saturating_sub(512), end: line.end };
    let items = outline.items_in(near).iter().filter_map(|item| item.mark);
    let headings = outline.headings_in(near).iter().filter_map(|heading| heading.mark);
    items.chain(headings).any(|mark| line.start <= mark.start && mark.start <= line.end)
}

fn brackets(text: &str) -> &'static str {
    let inner = text.strip_prefix('[').unwrap_or_default();
    let (inner, after) = inner.split_once(']').unwrap_or_default();
    if after.starts_with(['(', '[', ':']) {
        "the brackets are a link"
    } else if inner.contains(|c: char| c.is_ascii_digit()) {
        "the brackets hold a number or a name, no mark"
    } else if inner.trim().chars().count() > 1 {
        "the brackets hold a word, no mark"
    } else {
        "no blank follows the brackets"
    }
}

/// Whether a heading's line names this phase.
pub(crate) fn names_phase(line: &str, own: &Phase) -> bool {
    let text = line.trim_matches(['#', ' ', '\t', '*']);
    let name = if own.title.is_empty() { &own.id } else { &own.title };
    // A phase that is named again, with other words after its number, continues.
    let again = || phases::after_word(text, &["phase"]).is_some_and(|(id, _)| id == own.id);
    line.trim_start().starts_with('#') && !name.is_empty() && (text.contains(name.as_str()) || again())
}

/// Which part of a task a line is, given the label above it.
pub(crate) fn part(task: &TaskId, label: Option<&Name>) -> String {
    let what = match label {
        None | Some(Name::Steps) => "a step",
        Some(Name::Inputs) => "an input",
        Some(Name::Outputs) => "an output",
        Some(Name::MustNot) => "a thing not to do",
        Some(Name::References) => "a reference",
        Some(Name::Criteria) => "text among the criteria",
        Some(Name::Verify) => "text of the verify block",
        Some(Name::Depends) => "a dependency",
        Some(Name::Files) => "a file",
        Some(Name::Type | Name::Tools | Name::Risk | Name::Rollback | Name::Commit) => "text",
        Some(Name::Other(name)) => return format!("text below '{name}' of task '{task}'"),
    };
    format!("{what} of task '{task}'")
}
