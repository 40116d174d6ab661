//! The criteria of a labelled field: on the label's own line, and in the lines below it.

use crate::criteria::locate;
use crate::fields::item_text;
use crate::fields::labels::LabelledField;
use checks::Role;
use markdown::{Extent, Outline};
use wire::plan::Criterion;

/// Reads the criteria of one field and appends them; `category` is for those without one.
pub(crate) fn read(
    outline: &Outline,
    task: &str,
    category: &str,
    field: &LabelledField,
    criteria: &mut Vec<Criterion>,
) {
    let text = outline.str(field.inline).trim().trim_end_matches([':', '：']);
    let note = text.starts_with('(') && text.ends_with(')') && !text.contains('`');
    let mut body = field.body;
    let mut found = Vec::new();
    // `(all must fail)` is about each of them.
    let states = |at: &Extent| !outline.str(*at).contains('`') && checks::denies_or_counts(outline.str(*at));
    let lead = [field.inline, in_name(outline, field.inline)].into_iter().find(states);
    if !item_text::is_none(text) && !note {
        let (inline, end) = locate::labelled(outline, field.inline, body.end, Role::Criterion);
        found = inline;
        body = Extent { start: end.max(body.start), end: body.end.max(end) };
    }
    found.extend(locate::find_below(outline, lead, body));
    locate::number(task, category, found, criteria);
}

/// What stands in parentheses in the label before this text.
fn in_name(outline: &Outline, inline: Extent) -> Extent {
    let before = outline.str(Extent { start: 0, end: inline.start });
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let open = before.get(line..).and_then(|label| label.find('(')).map_or(before.len(), |at| line + at);
    let label = before.get(open..).unwrap_or_default().trim_end_matches([' ', ':', '*', '_']);
    Extent { start: open, end: open + label.len() }
}
