//! The criteria of a labelled field: on the label's own line, and in the lines below it.

use crate::criteria::locate::{self, Purpose};
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
    if !item_text::is_none(text) && !note {
        let (inline, end) = locate::labelled(outline, field.inline, body.end, Role::Criterion);
        found = inline;
        body = Extent { start: end.max(body.start), end: body.end.max(end) };
    }
    found.extend(locate::find(outline, body, Purpose::Criteria, &[]));
    locate::number(task, category, found, criteria);
}
