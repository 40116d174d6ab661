//! Line numbers of byte offsets, and the lines of a range.
//!
//! The index keeps one count for each block of bytes rather than one entry for each line, so that a file
//! of nothing but line ends costs no more than any other.

use std::cell::Cell;

const BLOCK: usize = 512;

/// How many line ends stand before each block, and the last answer: questions mostly come in order.
pub(crate) struct LineIndex {
    before: Vec<u32>,
    last: Cell<(usize, u64)>,
}

impl LineIndex {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        let mut before = Vec::with_capacity(bytes.len() / BLOCK + 1);
        let mut seen = 0u32;
        for block in bytes.chunks(BLOCK) {
            before.push(seen);
            seen = seen.saturating_add(ends_in(block));
        }
        Self { before, last: Cell::new((0, 1)) }
    }

    /// The line of `offset`, counted from 1.
    pub(crate) fn line(&self, bytes: &[u8], offset: usize) -> u64 {
        let offset = offset.min(bytes.len());
        let (from, line) = self.last.get();
        if let Some(between) = bytes.get(from..offset).filter(|between| between.len() < BLOCK) {
            let line = line + u64::from(ends_in(between));
            self.last.set((offset, line));
            return line;
        }
        let block = (offset / BLOCK).min(self.before.len().saturating_sub(1));
        let before = self.before.get(block).copied().unwrap_or(0);
        let rest = bytes.get(block * BLOCK..offset).unwrap_or_default();
        let line = u64::from(before) + u64::from(ends_in(rest)) + 1;
        self.last.set((offset, line));
        line
    }
}

/// The column of `offset` in bytes, counted from 1.
pub(crate) fn column(bytes: &[u8], offset: usize) -> u64 {
    let head = bytes.get(..offset).unwrap_or(bytes);
    let start = head.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    (head.len() - start + 1) as u64
}

/// The first byte of the line after the one that holds `from`, or `end`.
pub(crate) fn next_line(text: &str, from: usize, end: usize) -> usize {
    let bytes = text.as_bytes().get(from..end).unwrap_or_default();
    let Some(at) = bytes.iter().position(|&byte| matches!(byte, b'\n' | b'\r')) else { return end };
    let crlf = bytes.get(at) == Some(&b'\r') && bytes.get(at + 1) == Some(&b'\n');
    from + at + if crlf { 2 } else { 1 }
}

#[expect(clippy::naive_bytecount, reason = "a block is short, and no dependency is worth it")]
fn ends_in(bytes: &[u8]) -> u32 {
    let count = bytes.iter().filter(|&&byte| byte == b'\n').count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one() {
        let text = format!("a\n{}\nlast", "x".repeat(2 * BLOCK));
        let index = LineIndex::new(text.as_bytes());
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
