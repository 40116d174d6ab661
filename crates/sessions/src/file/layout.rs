//! Changes the layout of JSON without parsing it: only white space between the parts changes.
//!
//! Strings, numbers, order and repeated names stay unchanged, so content written by another program survives. The
//! text must be valid JSON.

/// One level of indentation, as in the exports of the thinking server.
const STEP: &str = "  ";

/// Appends a value with two spaces per level, its first line at `depth`.
pub(crate) fn pretty(json: &str, depth: usize, out: &mut String) {
    let mut depth = depth;
    let mut rest = json;
    while let Some((part, tail)) = next(rest) {
        rest = tail;
        match part {
            "{" | "[" => {
                out.push_str(part);
                // An empty list or object stays on its line.
                if let Some((close @ ("}" | "]"), tail)) = next(rest) {
                    out.push_str(close);
                    rest = tail;
                } else {
                    depth += 1;
                    newline(depth, out);
                }
            }
            "}" | "]" => {
                depth = depth.saturating_sub(1);
                newline(depth, out);
                out.push_str(part);
            }
            "," => {
                out.push(',');
                newline(depth, out);
            }
            ":" => out.push_str(": "),
            _ => out.push_str(part),
        }
    }
}

/// Appends a value without white space between its parts.
pub(crate) fn compact(json: &str, out: &mut String) {
    let mut rest = json;
    while let Some((part, tail)) = next(rest) {
        out.push_str(part);
        rest = tail;
    }
}

/// A value without white space between its parts.
pub(crate) fn small(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    compact(json, &mut out);
    out
}

/// A document in the layout of exports.
pub fn normal(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    pretty(json, 0, &mut out);
    out
}

/// The end of a line and the indentation of the next.
pub(crate) fn newline(depth: usize, out: &mut String) {
    out.push('\n');
    for _ in 0..depth {
        out.push_str(STEP);
    }
}

/// The next token (a mark, a string, or a word), and the text after it.
fn next(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches([' ', '\t', '\n', '\r']);
    let bytes = text.as_bytes();
    let end = match bytes.first()? {
        b'{' | b'}' | b'[' | b']' | b',' | b':' => 1,
        b'"' => string_end(bytes),
        _ => bytes.iter().position(|b| b" \t\n\r{}[],:\"".contains(b)).unwrap_or(bytes.len()),
    };
    Some(text.split_at(end))
}

/// Where a string that begins at the first byte ends.
fn string_end(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::{compact, normal};

    const TEXT: &str = r#"{"a" :[ ],"b":{},"c":[1.50, {"d":"x, {\"y\"} \\"}], "c":null}"#;

    #[test]
    fn the_layout_is_that_of_the_exports() {
        let wanted = "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": [\n    1.50,\n    {\n      \"d\": \"x, {\\\"y\\\"} \\\\\"\n    }\n  ],\n  \"c\": null\n}";
        assert_eq!(normal(TEXT), wanted);
        assert_eq!(normal(wanted), wanted);
    }

    #[test]
    fn compact_undoes_pretty() {
        let (mut once, mut twice) = (String::new(), String::new());
        compact(TEXT, &mut once);
        compact(&normal(TEXT), &mut twice);
        assert_eq!(once, twice);
        assert_eq!(once, r#"{"a":[],"b":{},"c":[1.50,{"d":"x, {\"y\"} \\"}],"c":null}"#);
    }
}
