//! The extent of a task's `Depends on`: its own line and the list directly below.
//!
//! A list after a paragraph is not part of it, even with no other label in between; neither are boxes below a line
//! that already names the dependencies.

use crate::fields::labels::LabelledField;
use markdown::{Extent, Outline, marks};

/// The body of the field up to the end of its list.
pub(crate) fn list(outline: &Outline, field: &LabelledField) -> Extent {
    let inline = outline.str(field.inline).trim_end_matches(['*', ' ']);
    let opens = inline.is_empty() || inline.ends_with([':', '：']);
    let start = field.body.start;
    let mut end = start;
    for line in outline.lines_in(field.body) {
        let text = outline.str(line.at);
        let item = marks::after_bullet(text.trim_start());
        let belongs = match item {
            Some(item) => opens || marks::find(item).is_none(),
            // A blank line ends a list that was not announced; an indented line continues its item.
            None if text.trim().is_empty() => opens || line.at.start == start,
            None => end > start && text.starts_with([' ', '\t']),
        };
        if !belongs {
            break;
        }
        if item.is_some() {
            end = line.at.end;
        }
    }
    Extent { start, end }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::labels;
    use markdown::Text;

    #[test]
    fn only_the_list_directly_below_belongs_to_it() {
        for (text, own) in [
            ("**Depends on**: 1\n\n- not\n", ""),
            ("**Depends on**: 1\n- [ ] not\n", ""),
            ("**Depends on**: 1\n- 2\n- 3\n", "- 2\n- 3"),
            (
                "**Depends on**:\n\n- 2\n\n- [x] 3\n  why\n- 4\n\nText.\n\n- not\n",
                "- 2\n\n- [x] 3\n  why\n- 4",
            ),
            ("**Depends on**: all of these:\n- [x] 2\n", "- [x] 2"),
            ("**Depends on**:\nText\n- not\n", ""),
        ] {
            let outline = Outline::new(&Text { path: "PLAN.md", bytes: text.as_bytes() });
            let (_, fields) = labels::fields(&outline, Extent { start: 0, end: text.len() });
            let found = list(&outline, fields.first().unwrap());
            assert_eq!(outline.str(found).trim(), own, "{text}");
        }
    }
}
