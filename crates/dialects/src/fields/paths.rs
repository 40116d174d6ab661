//! Paths as people list them: in a cell, after `Files:`, in code or bare.

use crate::fields::{inputs, item_text};
use markdown::code_spans;

/// The paths of a cell: code spans, each perhaps a list, or bare words that can only be paths.
pub(crate) fn listed(text: &str) -> Vec<String> {
    let text = without_notes(text);
    if item_text::is_none(&text) {
        return Vec::new();
    }
    let spans = code_spans::spans(&text);
    let coded = spans.iter().filter_map(|code| text.get(code.inner.start..code.inner.end));
    let mut paths: Vec<String> = coded.flat_map(entries).map(|path| path.trim().to_owned()).collect();
    if paths.is_empty() {
        let bare = entries(&text).into_iter().map(str::trim);
        paths = bare.filter(|path| inputs::is_path(path)).map(str::to_owned).collect();
    }
    paths.retain(|path| !path.is_empty());
    paths
}

/// The entries of a list; a comma between braces belongs to the pattern, `src/{a,b}.rs`.
fn entries(list: &str) -> Vec<&str> {
    let mut entries = Vec::new();
    let (mut from, mut depth) = (0, 0usize);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                entries.extend(list.get(from..at));
                from = at + 1;
            }
            _ => {}
        }
    }
    entries.extend(list.get(from..));
    entries
}

/// The text without parentheses outside of code.
fn without_notes(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let (mut depth, mut coded) = (0usize, false);
    for c in text.chars() {
        match c {
            '`' if depth == 0 => coded = !coded,
            '(' if !coded => depth += 1,
            ')' if !coded && depth > 0 => {
                depth -= 1;
                continue;
            }
            _ => {}
        }
        if depth == 0 {
            kept.push(c);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn a_cell_is_a_list_of_paths_and_patterns() {
        assert_eq!(listed("`src/{a,b}.rs`, `docs/`"), ["src/{a,b}.rs", "docs/"]);
        assert_eq!(listed("`a.rs, {x,{y,z}}/b.rs` (both)"), ["a.rs", "{x,{y,z}}/b.rs"]);
        assert_eq!(listed("`odd{a, b`"), ["odd{a, b"]);
    }
}
