//! The text of a fenced block: moved to the left as far as its fence stands, with plain line ends.

use markdown::{Extent, Fence, Outline};

/// The content of a fence, as a reader would copy it from the page.
pub fn text(outline: &Outline, fence: &Fence) -> String {
    let indent = indent(outline, fence);
    let shown = outline.shown(fence.content).replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<String> = shown.split('\n').map(|line| dedented(line, indent)).collect();
    lines.join("\n")
}

/// The column of the opening fence; a bullet before it counts as what its lines are indented by.
fn indent(outline: &Outline, fence: &Fence) -> usize {
    let text = outline.str(Extent { start: 0, end: fence.content.start });
    let open = text.trim_end_matches(['\n', '\r']);
    let begin = open.rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let line = open.get(begin..).unwrap_or_default();
    let before = line.split(['`', '~']).next().unwrap_or_default();
    before.chars().fold(0, after)
}

/// The column behind a character.
fn after(column: usize, c: char) -> usize {
    if c == '\t' { column / 4 * 4 + 4 } else { column + 1 }
}

/// A line without at most so many columns of blanks.
fn dedented(line: &str, indent: usize) -> String {
    let mut column = 0;
    for (at, c) in line.char_indices() {
        if column >= indent || !matches!(c, ' ' | '\t') {
            let left = " ".repeat(column.saturating_sub(indent));
            return left + line.get(at..).unwrap_or_default();
        }
        column = after(column, c);
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use markdown::Text;

    fn of(text: &str) -> String {
        let outline = Outline::new(&Text { path: "PLAN.md", bytes: text.as_bytes() });
        super::text(&outline, &outline.fences[0])
    }

    #[test]
    fn a_block_is_what_the_page_shows() {
        for (text, shown) in [
            ("- x\n\n  ```sh\n  cat <<E\n    a\n  E\n  ```\n", "cat <<E\n  a\nE\n"),
            ("- x\r\n  ```sh\r\n  a\r\n  b\r\n  ```\r\n", "a\nb\n"),
            ("- ```sh\n  a\n  ```\n", "a\n"),
            ("-\tx\n\n\t```sh\n\ta\n\t  b\n\t```\n", "a\n  b\n"),
            ("```sh\n  a\n```\n", "  a\n"),
            ("```sh\na", "a"),
        ] {
            assert_eq!(of(text), shown, "{text}");
        }
    }
}
