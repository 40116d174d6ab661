//! Line numbers of byte offsets, and the lines of a range.
//!
//! The index has one count for each block of bytes rather than one entry for each line, so that a file of nothing
//! but line ends costs no more than any other.

use memchr::{memchr_iter, memchr2, memrchr};
use std::sync::OnceLock;
use wire::Seen;
use wire::plan::{Diagnostic, Severity};

const BLOCK: usize = 256;

/// The number of line ends before each block.
#[derive(Default)]
pub struct LineIndex {
    before: OnceLock<Vec<u32>>,
}

impl LineIndex {
    /// A diagnostic at an offset of the file with these bytes.
    pub fn diagnostic(
        &self,
        (path, bytes): (&Seen, &[u8]),
        severity: Severity,
        code: &'static str,
        message: String,
        offset: usize,
    ) -> Diagnostic {
        Diagnostic {
            severity,
            code: code.to_owned(),
            message,
            path: path.clone(),
            line: self.line(bytes, offset),
            column: Some(column(bytes, offset)),
            task: None,
            offer: None,
        }
    }

    /// An index that is built on first use.
    pub fn new() -> Self {
        Self { before: OnceLock::new() }
    }

    /// The line of `offset`, counted from 1; the caller always passes the same `bytes`.
    pub fn line(&self, bytes: &[u8], offset: usize) -> u64 {
        let offset = offset.min(bytes.len());
        let index = self.before.get_or_init(|| blocks(bytes));
        let block = (offset / BLOCK).min(index.len().saturating_sub(1));
        let before = index.get(block).copied().unwrap_or(0);
        let rest = bytes.get(block * BLOCK..offset).unwrap_or_default();
        u64::from(before) + u64::from(ends_in(rest)) + 1
    }
}

fn blocks(bytes: &[u8]) -> Vec<u32> {
    let mut before = Vec::with_capacity(bytes.len() / BLOCK + 1);
    let mut seen = 0u32;
    for block in bytes.chunks(BLOCK) {
        before.push(seen);
        seen = seen.saturating_add(ends_in(block));
    }
    before
}

/// The column of `offset` in bytes, counted from 1.
pub fn column(bytes: &[u8], offset: usize) -> u64 {
    let head = bytes.get(..offset).unwrap_or(bytes);
    let start = memrchr(b'\n', head).map_or(0, |at| at + 1);
    (head.len() - start + 1) as u64
}

/// The first byte of the line after the one that contains `from`, or `end`.
pub fn next_line(text: &str, from: usize, end: usize) -> usize {
    let bytes = text.as_bytes().get(from..end).unwrap_or_default();
    let Some(at) = memchr2(b'\n', b'\r', bytes) else { return end };
    let crlf = bytes.get(at) == Some(&b'\r') && bytes.get(at + 1) == Some(&b'\n');
    from + at + if crlf { 2 } else { 1 }
}

fn ends_in(bytes: &[u8]) -> u32 {
    u32::try_from(memchr_iter(b'\n', bytes).count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one() {
        let text = format!("a\n{}\nlast", "x".repeat(2 * BLOCK));
        let index = LineIndex::new();
        assert_eq!(index.line(text.as_bytes(), 0), 1);
        assert_eq!(index.line(text.as_bytes(), 2), 2);
        assert_eq!(index.line(text.as_bytes(), text.len()), 3);
        assert_eq!(index.line(b"", 7), 1);
        assert_eq!(column(text.as_bytes(), 2), 1);
        assert_eq!(column(text.as_bytes(), 4), 3);
    }

    #[test]
    fn every_line_end_counts() {
        assert_eq!(next_line("a\r\nb", 0, 4), 3);
        assert_eq!(next_line("a\rb", 0, 3), 2);
        assert_eq!(next_line("a\nb", 2, 3), 3);
    }
}
