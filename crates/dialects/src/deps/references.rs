//! `${todo-N.outputs.field}`: a value that one task takes from another.

use std::ops::Range;

/// One reference in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The whole reference, from `$` to `}`.
    pub whole: String,
    /// The id of the task that produces the value.
    pub producer: String,
    /// The name of the value.
    pub field: String,
    /// The position in the text.
    pub range: Range<usize>,
}

/// Every reference in `text`, in order.
pub fn references(text: &str) -> Vec<Reference> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("${todo-")) {
        let start = from + at;
        from = start + 2;
        let rest = text.get(start..).unwrap_or_default();
        let close = rest.bytes().take(LONGEST).position(|byte| matches!(byte, b'}' | b'\n'));
        let Some(end) = close.filter(|&end| rest.as_bytes().get(end) == Some(&b'}')) else { continue };
        let inner = rest.get("${todo-".len()..end).unwrap_or_default();
        let Some((producer, field)) = inner.split_once(".outputs.") else { continue };
        if producer.is_empty() || field.is_empty() || inner.contains(['$', '{']) {
            continue;
        }
        found.push(Reference {
            whole: rest.get(..=end).unwrap_or_default().to_owned(),
            producer: producer.to_owned(),
            field: field.to_owned(),
            range: start..start + end + 1,
        });
        from = start + end + 1;
    }
    found
}

/// The maximum length of a reference. Without the bound a hostile text could make the search expensive.
const LONGEST: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_found_with_their_parts() {
        let text = "- `a`: `${todo-1.outputs.path}` and ${todo-P0-2b.outputs.url}, ${todo-1.a.outputs.x}";
        let found = references(text);
        let parts: Vec<_> = found.iter().map(|r| (r.producer.as_str(), r.field.as_str())).collect();
        assert_eq!(parts, [("1", "path"), ("P0-2b", "url"), ("1.a", "x")]);
        for reference in &found {
            assert_eq!(&text[reference.range.clone()], reference.whole);
        }
    }

    #[test]
    fn what_is_no_reference_is_left_alone() {
        for text in
            ["${path}", "${todo-1.outputs.}", "${todo-.outputs.x}", "${todo-1.x}", "${todo-1.outputs.x"]
        {
            assert!(references(text).is_empty(), "{text}");
        }
    }
}
