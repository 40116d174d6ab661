//! `Strings`: copies the contents of JSON strings and cuts very long ones, so that memory stays bounded.
//!
//! The copy stays valid JSON: a cut never falls into an escape, a surrogate pair or a UTF-8 sequence, and the closing
//! quote is always kept.

use memchr::{memchr, memchr2};

/// The longest string kept whole.
const LONGEST: usize = 256 << 10;

/// The state of a scan inside a string.
#[derive(Default)]
pub(crate) struct Strings {
    inside: bool,
    /// How many bytes still belong to an escape.
    escape: u8,
    /// Whether the current byte belongs to an escape.
    escaped: bool,
    length: usize,
    cutting: bool,
}

impl Strings {
    pub(crate) fn inside(&self) -> bool {
        self.inside
    }

    /// An opening quote was copied.
    pub(crate) fn open(&mut self) {
        *self = Self { inside: true, ..Self::default() };
    }

    /// Copies up to and including the closing quote and returns the number of bytes read.
    pub(crate) fn copy(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> usize {
        // Fast path for nearly every string: short and complete.
        if self.escape == 0
            && !self.cutting
            && let Some(end) = closing_quote(bytes)
            && self.length + end <= LONGEST
        {
            out.extend_from_slice(&bytes[..=end]);
            self.inside = false;
            return end + 1;
        }
        let mut at = 0;
        while at < bytes.len() {
            if self.escape > 0 {
                let byte = bytes[at];
                self.escape -= 1;
                if byte == b'u' {
                    self.escape = 4;
                }
                self.escaped = true;
                self.take(&bytes[at..=at], out);
                self.escaped = false;
                at += 1;
                continue;
            }
            let rest = &bytes[at..];
            let run = memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
            self.take(&rest[..run], out);
            at += run;
            match bytes.get(at) {
                Some(b'"') => {
                    out.push(b'"');
                    self.inside = false;
                    return at + 1;
                }
                Some(_) => {
                    self.take(b"\\", out);
                    self.escape = 1;
                    at += 1;
                }
                None => {}
            }
        }
        at
    }

    /// Copies a piece, or the part of it that is kept. A cut begins only at an ASCII byte that is not inside an
    /// escape and not between the two halves of a surrogate pair.
    fn take(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        self.length += piece.len();
        if self.cutting {
            return;
        }
        let over = self.length.saturating_sub(LONGEST);
        if over == 0 || self.in_escape(piece, out) {
            out.extend_from_slice(piece);
            return;
        }
        let start = piece.len().saturating_sub(over);
        let cut = piece[start..].iter().position(u8::is_ascii).map(|offset| start + offset);
        self.cutting = cut.is_some();
        out.extend_from_slice(&piece[..cut.unwrap_or(piece.len())]);
    }

    /// Whether a piece is the rest of an escape, or the second half of a pair.
    fn in_escape(&self, piece: &[u8], out: &[u8]) -> bool {
        self.escaped || (piece == b"\\" && after_high_surrogate(out))
    }
}

/// Where the string containing these bytes ends.
fn closing_quote(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

fn after_high_surrogate(out: &[u8]) -> bool {
    matches!(out, [.., b'\\', b'u', b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B', _, _])
}

/// Copies one long line piece by piece.
#[derive(Default)]
pub(crate) struct Squeeze {
    strings: Strings,
    pub(crate) out: Vec<u8>,
}

impl Squeeze {
    pub(crate) fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.strings.inside() {
                let used = self.strings.copy(bytes, &mut self.out);
                bytes = &bytes[used..];
            } else if let Some(quote) = memchr(b'"', bytes) {
                self.out.extend_from_slice(&bytes[..=quote]);
                self.strings.open();
                bytes = &bytes[quote + 1..];
            } else {
                self.out.extend_from_slice(bytes);
                return;
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        self.out.clear();
        self.strings = Strings::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn squeezed(text: &str, step: usize) -> Vec<u8> {
        let mut squeeze = Squeeze::default();
        for piece in text.as_bytes().chunks(step) {
            squeeze.push(piece);
        }
        squeeze.out
    }

    #[test]
    fn short_strings_stay_as_they_are() {
        let text = r#"{"a":"b\"c\\","d":["\u00e4","ö"],"e":1}"#;
        for step in [1, 2, 3, 7, 100] {
            assert_eq!(squeezed(text, step), text.as_bytes());
        }
    }

    #[test]
    fn long_strings_are_cut_and_the_line_stays_json() {
        for filler in ["x", "ö", r"\n", r#"\""#, r"\u00e4", r"\ud83d\ude00", "a😀", r"ab\ud83d\ude00"] {
            let text = format!(r#"{{"a":"{}","b":"end"}}"#, filler.repeat(200_000));
            for step in [1000, 4097, text.len()] {
                let out = squeezed(&text, step);
                let value: Value = serde_json::from_slice(&out).unwrap_or_else(|e| panic!("{filler}: {e}"));
                assert_eq!(value["b"], "end", "{filler}");
            }
        }
    }
}
