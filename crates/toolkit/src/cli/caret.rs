//! Shows the faulty line of a text, with a caret below the column.

use crate::Fail;
use crate::files::redact::Redact;
use std::fs::File;
use std::io::{BufRead, BufReader};

/// The lines that show the place of a failure; `None` if it names no line or the file cannot be read.
///
/// Secrets are masked: the faulty part of a configuration may be next to a key.
pub(crate) fn below(fail: &Fail) -> Option<String> {
    let (path, number) = (fail.path.as_ref()?, fail.line?);
    let file = File::open(path).ok().filter(|file| file.metadata().is_ok_and(|about| about.is_file()))?;
    let index = usize::try_from(number.checked_sub(1)?).ok()?;
    let line = BufReader::new(file).split(b'\n').nth(index)?.ok()?;
    let line = line.strip_suffix(b"\r").unwrap_or(&line);
    let text = String::from_utf8_lossy(line);
    let masked = Redact::new(&[]).ok()?.text(&text);
    let indent = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count() as u64;
    // A mask shifts the text after it, so the column no longer fits.
    let column = fail.column.filter(|_| masked == text).unwrap_or(indent + 1);
    (!masked.trim().is_empty()).then(|| show(masked.as_bytes(), number, column))
}

/// The line with its number, and a caret below the column.
pub fn show(line: &[u8], number: u64, column: u64) -> String {
    let at = usize::try_from(column.saturating_sub(1)).unwrap_or(0).min(line.len());
    let before = String::from_utf8_lossy(line.get(..at).unwrap_or_default());
    let after = String::from_utf8_lossy(line.get(at..line.len().min(at + MOST)).unwrap_or_default());
    // Show only the part of a very long line that is around the column.
    let skip = before.chars().count().saturating_sub(MOST);
    let before: String = before.chars().skip(skip).map(plain).collect();
    let after: String = after.chars().take(MOST).map(plain).collect();
    let dots = if skip > 0 { "…" } else { "" };
    let pad: usize = dots.chars().count() + before.chars().map(width).sum::<usize>();
    let number = number.to_string();
    let margin = " ".repeat(number.len());
    format!("  {number} | {dots}{before}{}\n  {margin} | {}^", after.trim_end(), " ".repeat(pad))
}

/// How many characters are shown on each side of the column.
const MOST: usize = 100;

/// Replaces control characters, so that no text of a plan can move the terminal's cursor.
fn plain(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

/// Columns that a terminal uses for a character: two for wide scripts and symbols.
fn width(c: char) -> usize {
    match u32::from(c) {
        0x1100..=0x115f
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xff00..=0xff60
        | 0x1f300..=0x1faff => 2,
        0x200b..=0x200f | 0xfe00..=0xfe0f => 0,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_below_the_column() {
        assert_eq!(show(b"### [?] TODO 1", 7, 6), "  7 | ### [?] TODO 1\n    |      ^");
        assert_eq!(show("한글 [?]".as_bytes(), 12, 9), "  12 | 한글 [?]\n     |       ^");
        assert_eq!(show(b"\t[?]\x1b[2J", 1, 3), "  1 |  [?]\u{fffd}[2J\n    |   ^");
        assert_eq!(show(b"", 1, 1), "  1 | \n    | ^");
    }
}
