//! How far a task's `Depends on` reaches: its own line and the list directly below.
//!
//! What follows behind a paragraph is not what the task waits for, although no other label stands between; nor are boxes
//! below a line that has said it all.

use super::field::Field;
use crate::{Extent, Outline, list, mark};

/// The body of the field as far as its list reaches.
pub(crate) fn list(outline: &Outline, field: &Field) -> Extent {
    let inline = outline.str(field.inline).trim_end_matches(['*', ' ']);
    let opens = inline.is_empty() || inline.ends_with([':', '：']);
    let start = field.body.start;
    let mut end = start;
    for line in outline.lines_in(field.body) {
        let text = outline.str(line.at);
        let item = list::bullet(text.trim_start());
        let belongs = match item {
            Some(item) => opens || mark::find(item).is_none(),
            // A blank line ends a list that was not announced; an indented one goes on with its item.
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
    use crate::Text;
    use crate::plan_md::field;

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
            let (_, fields) = field::fields(&outline, Extent { start: 0, end: text.len() });
            let found = list(&outline, fields.first().unwrap());
            assert_eq!(outline.str(found).trim(), own, "{text}");
        }
    }
}
