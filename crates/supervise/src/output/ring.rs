//! The bounded tail: the last bytes of an endless stream, in memory that never grows.

use crate::Tail;

/// The last `room` bytes that were pushed.
pub(crate) struct Ring {
    room: usize,
    lines: usize,
    bytes: Vec<u8>,
    /// Where the oldest byte is, once the ring is full.
    oldest: usize,
}

impl Ring {
    pub(crate) fn new(tail: &Tail) -> Self {
        Self {
            room: if tail.lines == 0 { 0 } else { tail.bytes },
            lines: tail.lines,
            bytes: Vec::new(),
            oldest: 0,
        }
    }

    /// How many bytes it keeps.
    pub(crate) fn room(&self) -> usize {
        self.room
    }

    pub(crate) fn push(&mut self, block: &[u8]) {
        let block = &block[block.len().saturating_sub(self.room)..];
        let (grow, wrap) = block.split_at(block.len().min(self.room - self.bytes.len()));
        self.bytes.extend_from_slice(grow);
        let (to_end, from_start) = wrap.split_at(wrap.len().min(self.room - self.oldest));
        self.bytes[self.oldest..self.oldest + to_end.len()].copy_from_slice(to_end);
        self.bytes[..from_start.len()].copy_from_slice(from_start);
        if self.room > 0 {
            self.oldest = (self.oldest + wrap.len()) % self.room;
        }
    }

    /// The last lines as text.
    pub(crate) fn text(mut self) -> String {
        self.bytes.rotate_left(self.oldest);
        let whole = skip_broken_start(&self.bytes);
        String::from_utf8_lossy(last_lines(whole, self.lines)).into_owned()
    }
}

/// A cut in the middle of a character leaves continuation bytes, which come from the cut and not from the output.
fn skip_broken_start(bytes: &[u8]) -> &[u8] {
    let broken = bytes.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
    &bytes[broken..]
}

fn last_lines(bytes: &[u8], lines: usize) -> &[u8] {
    let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let ends = body.iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n');
    match ends.map(|(at, _)| at).nth(lines.saturating_sub(1)) {
        Some(end) => &bytes[end + 1..],
        None => bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail(lines: usize, bytes: usize, blocks: &[&str]) -> String {
        let mut ring = Ring::new(&Tail { lines, bytes });
        for block in blocks {
            ring.push(block.as_bytes());
        }
        ring.text()
    }

    #[test]
    fn keeps_the_last_lines_with_their_unfinished_end() {
        assert_eq!(tail(2, 100, &["a\nb\nc\n"]), "b\nc\n");
        assert_eq!(tail(2, 100, &["a\nb", "\nc"]), "b\nc");
        assert_eq!(tail(9, 100, &["a\nb"]), "a\nb");
        assert_eq!(tail(1, 100, &["\n\n"]), "\n");
        assert_eq!(tail(0, 100, &["a\n"]), "");
        assert_eq!(tail(5, 0, &["a\n"]), "");
    }

    #[test]
    fn keeps_the_last_bytes_however_they_arrive() {
        let text: String = ('a'..='z').collect();
        for size in 1..=26 {
            let blocks: Vec<&str> =
                text.as_bytes().chunks(size).filter_map(|c| std::str::from_utf8(c).ok()).collect();
            for room in 1..=26 {
                assert_eq!(tail(1, room, &blocks), text[26 - room..], "blocks of {size}, room {room}");
            }
        }
    }

    #[test]
    fn a_character_cut_by_the_ring_is_left_out_and_a_bad_byte_is_shown() {
        assert_eq!(tail(1, 3, &["öäü"]), "ü");
        let mut ring = Ring::new(&Tail { lines: 5, bytes: 50 });
        ring.push(b"ok \xff\xfe end\n");
        assert_eq!(ring.text(), "ok \u{fffd}\u{fffd} end\n");
    }
}
