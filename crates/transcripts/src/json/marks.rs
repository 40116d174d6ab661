//! `Marks`: where the strings of a text begin and end and which bytes are doubtful, found for many bytes at once
//! before parsing.
//!
//! Most of a record is text that no reader needs: with the marks a reader jumps over it. An unknown escape or a
//! control character inside a line is doubtful and left to `serde_json`.

use wide::u8x16;

/// The number of bytes compared at once.
const LANES: usize = 16;
/// The number of bytes with one bit each in a word.
const BLOCK: usize = 64;

/// The marks of a text, one bit for each byte.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// The unescaped quotes.
    quotes: Vec<u64>,
    /// Doubtful bytes, and the ends of lines.
    doubts: Vec<u64>,
}

impl Marks {
    /// The marks of a text.
    pub(crate) fn of(text: &[u8]) -> Self {
        let mut marks = Self::default();
        marks.take(text);
        marks
    }

    /// Replaces the previous text.
    pub(crate) fn take(&mut self, text: &[u8]) {
        let (blocks, rest) = text.as_chunks();
        let mut last = [b' '; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        for words in [&mut self.quotes, &mut self.doubts] {
            words.clear();
            words.reserve(blocks.len() + 1);
        }
        let mut escaped = false;
        for (place, block) in blocks.iter().chain([&last]).enumerate() {
            let block = Block::of(block);
            let quotes = block.are(b'"');
            let backslashes = block.are(b'\\');
            let after = followers(backslashes, &mut escaped);
            let mut strange = block.controls();
            if after != 0 {
                strange |= after & !(quotes | backslashes | block.usual());
            }
            if strange != 0 {
                strange = doubtful(text, place * BLOCK, strange);
            }
            self.quotes.push(quotes & !after);
            self.doubts.push(strange);
        }
    }

    /// The first quote at or after a position.
    pub(crate) fn quote(&self, from: usize) -> Option<usize> {
        first(&self.quotes, from)
    }

    /// The first line end or doubtful byte at or after a position.
    pub(crate) fn doubt(&self, from: usize) -> Option<usize> {
        first(&self.doubts, from)
    }
}

/// The first bit at or after a position.
fn first(words: &[u64], from: usize) -> Option<usize> {
    let mut place = from / BLOCK;
    let mut word = words.get(place)? & (u64::MAX << (from % BLOCK));
    while word == 0 {
        place += 1;
        word = *words.get(place)?;
    }
    Some(place * BLOCK + word.trailing_zeros() as usize)
}

/// The doubtful bytes of a block, among its control characters and the bytes after a backslash.
fn doubtful(text: &[u8], start: usize, strange: u64) -> u64 {
    let (mut doubts, mut rest) = (strange, strange);
    while rest != 0 {
        let bit = rest & rest.wrapping_neg();
        rest ^= bit;
        let right = match text.get(start + bit.trailing_zeros() as usize..).unwrap_or_default() {
            [b'/' | b'b' | b'f' | b'r', ..] | [b'\r', b'\n', ..] => true,
            [b'u', a, b, c, d, ..] => [a, b, c, d].iter().all(|digit| digit.is_ascii_hexdigit()),
            _ => false,
        };
        if right {
            doubts ^= bit;
        }
    }
    doubts
}

/// The bytes that follow an unescaped backslash. `next` carries this across blocks: on entry for the first byte of
/// this block, on return for the first byte of the next one.
///
/// Adding a run of backslashes to its first bit tells whether the run begins at an odd or even position: the sum
/// carries to the end of the run, for all runs at once.
fn followers(backslashes: u64, next: &mut bool) -> u64 {
    const EVEN: u64 = 0x5555_5555_5555_5555;
    let first = u64::from(*next);
    let backslashes = backslashes & !first;
    let follows = (backslashes << 1) | first;
    let odd = backslashes & !EVEN & !follows;
    let (even_ends, over) = odd.overflowing_add(backslashes);
    *next = over;
    (EVEN ^ (even_ends << 1)) & follows
}

/// Bytes compared together.
struct Block([u8x16; BLOCK / LANES]);

impl Block {
    fn of(bytes: &[u8; BLOCK]) -> Self {
        let (lanes, _) = bytes.as_chunks::<LANES>();
        Self(std::array::from_fn(|place| u8x16::new(lanes[place])))
    }

    /// The bytes equal to this one.
    fn are(&self, byte: u8) -> u64 {
        self.bits(|lanes| lanes.simd_eq(u8x16::splat(byte)))
    }

    /// The characters that most backslashes precede, besides quotes and backslashes.
    fn usual(&self) -> u64 {
        self.bits(|lanes| lanes.simd_eq(u8x16::splat(b'n')) | lanes.simd_eq(u8x16::splat(b't')))
    }

    /// The bytes that must not occur unescaped in a string.
    fn controls(&self) -> u64 {
        let [a, b, c, d] = self.0;
        // One comparison suffices for the usual case without control characters.
        if a.min(b).min(c.min(d)).simd_lt(u8x16::splat(b' ')).any() {
            self.bits(|lanes| lanes.simd_lt(u8x16::splat(b' ')))
        } else {
            0
        }
    }

    fn bits(&self, found: impl Fn(u8x16) -> u8x16) -> u64 {
        let bits = self.0.iter().enumerate();
        bits.fold(0, |all, (place, lanes)| all | u64::from(found(*lanes).to_bitmask()) << (LANES * place))
    }
}

#[cfg(test)]
mod tests {
    use super::Marks;
    use proptest::prelude::*;

    /// The result of a byte-by-byte scan: quotes, and doubtful bytes.
    fn one_by_one(text: &[u8]) -> (Vec<usize>, Vec<usize>) {
        let (mut quotes, mut doubts) = (Vec::new(), Vec::new());
        let mut escaped = false;
        for (at, byte) in text.iter().enumerate() {
            let behind = &text[at + 1..];
            let is_right = match byte {
                b'\r' => behind.starts_with(b"\n"),
                b'\t' | b'\n' => false,
                b'u' => !escaped || behind.starts_with(b"0000"),
                b'x' | b'0' => !escaped,
                _ => true,
            };
            if !is_right {
                doubts.push(at);
            }
            if *byte == b'"' && !escaped {
                quotes.push(at);
            }
            escaped = *byte == b'\\' && !escaped;
        }
        // A backslash at the very end has nothing to escape.
        doubts.extend(escaped.then_some(text.len()));
        (quotes, doubts)
    }

    proptest! {
        #[test]
        fn marks_are_what_one_finds_going_byte_by_byte(text in prop::collection::vec(
            prop::sample::select(b"\\\\\\\\\"ux00\t\r\nnr/".to_vec()), 0..300)) {
            let marks = Marks::of(&text);
            let (quotes, doubts) = one_by_one(&text);
            let behind = |places: &[usize], from| places.iter().copied().find(|at| *at >= from);
            for from in 0..=text.len() {
                prop_assert_eq!(marks.quote(from), behind(&quotes, from));
                prop_assert_eq!(marks.doubt(from), behind(&doubts, from));
            }
        }
    }
}
