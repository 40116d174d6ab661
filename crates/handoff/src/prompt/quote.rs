//! Quotes foreign text inside our own: complete, and unable to leave its place.
//!
//! Invariants: foreign text stands after text of ours on its line, or between two fences that it does not contain;
//! characters that are invisible or misleading to a terminal or a reader are escaped. So no word of a plan, a worker
//! or a file begins a section, ends one, or hides in one.

use std::borrow::Cow;
use std::fmt::Write;

/// The maximum length of a text on a line of ours; the section and the packet have all of it.
const LONGEST_LINE: usize = 2000;

/// Text with line ends as newlines and with everything invisible escaped.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| c == '\r' || is_hidden(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' => out.push('\n'),
            c if is_hidden(c) => {
                // Writing to a string cannot fail; the same below.
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Control characters, and characters that reverse the direction of text, break lines or are invisible.
fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control(),
    }
}

/// Text as one line of limited length.
pub(crate) fn line(text: &str) -> String {
    // Skip the part that cannot be shown.
    let near = boundary(text, 4 * LONGEST_LINE);
    let (text, cut) = (&text[..near], near < text.len());
    let cleaned = clean(text);
    // Blanks within a line stay: they may be those of a command.
    let lines: Vec<&str> = cleaned.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut joined = lines.join(" ");
    if joined.len() > LONGEST_LINE {
        joined.truncate(boundary(&joined, LONGEST_LINE));
        joined.push('…');
    } else if cut {
        joined.push('…');
    }
    joined
}

/// Text as code within a line; text of several lines goes into a [`fence`].
pub(crate) fn code(text: &str) -> String {
    let text = line(text);
    let ticks = "`".repeat(longest_run(&text, '`') + 1);
    let pad = if text.is_empty() || text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// Text between two fences that it does not contain.
pub(crate) fn fence(language: &str, text: &str) -> String {
    let text = clean(text);
    let text = text.trim_end_matches('\n');
    let (ticks, tildes) = (longest_run(text, '`'), longest_run(text, '~'));
    let (mark, run) = if ticks <= tildes.max(8) { ("`", ticks) } else { ("~", tildes) };
    let fence = mark.repeat(run.max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}")
}

/// Text after a word of ours: a single line as code, several lines between fences below.
pub(crate) fn code_or_fence(text: &str) -> String {
    if text.trim_end().contains(['\n', '\r']) || text.len() > LONGEST_LINE {
        below("text", text)
    } else {
        format!(" {}", code(text))
    }
}

/// Text between fences below a list item.
pub(crate) fn below(language: &str, text: &str) -> String {
    format!("\n\n{}\n", indent(&fence(language, text)))
}

/// A block as part of the list item above it.
pub(crate) fn indent(block: &str) -> String {
    let lines = block.lines().map(|line| if line.is_empty() { String::new() } else { format!("  {line}") });
    lines.collect::<Vec<_>>().join("\n")
}

/// The largest position at or before `at` where a text may be cut.
pub(crate) fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

fn longest_run(text: &str, mark: char) -> usize {
    text.split(|c| c != mark).map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_written_out() {
        assert_eq!(clean("a\u{1b}[31mb\r\nc\rd\u{202e}e\0"), "a\\u{1b}[31mb\nc\nd\\u{202e}e\\u{0}");
        assert_eq!(clean("tag\u{e0041}"), "tag\\u{e0041}");
        assert_eq!(clean("日本語 👩‍💻\tüß"), "日本語 👩‍💻\tüß");
    }

    #[test]
    fn a_fence_is_longer_than_any_in_the_text() {
        assert_eq!(fence("md", "a"), "```md\na\n```");
        assert_eq!(fence("md", "````\nx"), "`````md\n````\nx\n`````");
        let hostile = "`".repeat(100);
        assert_eq!(fence("md", &hostile), format!("~~~md\n{hostile}\n~~~"));
    }

    #[test]
    fn code_holds_any_backticks() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("`a`"), "`` `a` ``");
        assert_eq!(code("a\nb"), "`a b`");
        assert_eq!(code(""), "`  `");
    }

    #[test]
    fn blanks_within_a_command_stay() {
        assert_eq!(code("grep -c \"echo  hello\" a.sh"), "`grep -c \"echo  hello\" a.sh`");
        assert_eq!(line("`printf 'a\tb'` →\n    `a  b`"), "`printf 'a\tb'` → `a  b`");
    }

    #[test]
    fn a_line_is_one_line_and_has_an_end() {
        assert_eq!(line(" a\n  ## b c "), "a ## b c");
        assert!(line(&"x".repeat(1 << 20)).len() < LONGEST_LINE + 8);
    }
}
