//! The pieces of a version: lines of a text, tokens of JSON, each with its text without boxes as a number.

use dialects::Cut;
use std::collections::HashMap;
use std::ops::Range;
use wire::State;

/// One piece of a version.
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    /// Its bytes.
    pub(crate) at: Range<usize>,
    /// Its text without boxes; equal texts have equal keys in all versions.
    pub(crate) key: u32,
    /// Whether it is nothing but blanks.
    pub(crate) is_blank: bool,
    /// The innermost task that it belongs to.
    pub(crate) owner: Option<usize>,
    /// The state that its only box says.
    pub(crate) state: Option<State>,
    /// Whether that box is a task's own.
    pub(crate) is_task: bool,
}

/// The numbers of texts.
#[derive(Debug, Default)]
pub(crate) struct Names(HashMap<Vec<u8>, u32>);

impl Names {
    /// The number of a text.
    pub(crate) fn key(&mut self, text: Vec<u8>) -> u32 {
        let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        *self.0.entry(text).or_insert(next)
    }
}

/// Where the lines of a text are, each with its end.
pub(crate) fn lines(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut from = 0;
    let lines = bytes.split_inclusive(|byte| *byte == b'\n').map(|line| {
        from += line.len();
        from - line.len()..from
    });
    lines.collect()
}

/// Where the tokens of JSON are: strings, other values, signs, line ends and blanks. A text that is broken has tokens too.
pub(crate) fn tokens(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut from = 0;
    while let Some(first) = bytes.get(from) {
        let rest = &bytes[from..];
        let run = |is: fn(&u8) -> bool| rest.iter().position(|byte| !is(byte)).unwrap_or(rest.len());
        let len = match first {
            b'"' => string(rest),
            b'{' | b'}' | b'[' | b']' | b',' | b':' | b'\n' => 1,
            b' ' | b'\t' | b'\r' => run(|byte| matches!(byte, b' ' | b'\t' | b'\r')),
            _ => run(|byte| {
                !matches!(byte, b'"' | b'{' | b'}' | b'[' | b']' | b',' | b':') && !byte.is_ascii_whitespace()
            })
            .max(1),
        };
        out.push(from..from + len);
        from += len;
    }
    out
}

/// The length of the string at the beginning.
fn string(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            b'\n' => return at,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The text of a piece without what a tick changes.
pub(crate) fn blanked(bytes: &[u8], at: &Range<usize>, cuts: &[Cut]) -> Vec<u8> {
    let mut out = Vec::with_capacity(at.len());
    let mut from = at.start;
    for cut in cuts {
        out.extend_from_slice(bytes.get(from..cut.at.start.max(from)).unwrap_or_default());
        if cut.is_box {
            out.push(b'_');
        }
        from = cut.at.end.max(from).min(at.end);
    }
    out.extend_from_slice(bytes.get(from..at.end).unwrap_or_default());
    out
}

/// Whether a JSON string is a time that compares as text: `"2026-04-15T10:00:00Z"`.
pub(crate) fn is_time(value: &str) -> bool {
    let bytes = value.trim_matches('"').as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    [0, 1, 2, 3, 5, 6, 8, 9].into_iter().all(digit)
        && [4, 7].into_iter().all(|at| bytes[at] == b'-')
        && (bytes.len() == 10 || bytes.get(10) == Some(&b'T') && bytes.last() == Some(&b'Z'))
}
