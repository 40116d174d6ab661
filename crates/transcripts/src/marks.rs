//! `Marks`: where the strings of a text begin and end and what is doubtful in it, found for many bytes at once before
//! anybody reads them.
//!
//! Most of a record is text that nobody asks for: whoever has the marks jumps over it. What is not plainly right inside a
//! line, an escape that nobody knows or a control character, is in doubt and left to others.

use wide::u8x16;

/// So many bytes are compared at once.
const LANES: usize = 16;
/// So many bytes have one bit each in a word.
const BLOCK: usize = 64;

/// The marks of a text, one bit for each byte.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// The quotes that are not escaped.
    quotes: Vec<u64>,
    /// What is not plainly right, and the ends of lines.
    doubts: Vec<u64>,
}

impl Marks {
    /// The marks of a text.
    pub(crate) fn of(text: &[u8]) -> Self {
        let mut marks = Self::default();
        marks.take(text);
        marks
    }

    /// Takes a text instead of the one before.
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

    /// The first quote at or behind a place.
    pub(crate) fn quote(&self, from: usize) -> Option<usize> {
        first(&self.quotes, from)
    }

    /// The first end of a line, or thing in doubt, at or behind a place.
    pub(crate) fn doubt(&self, from: usize) -> Option<usize> {
        first(&self.doubts, from)
    }
}

/// The first bit at or behind a place.
fn first(words: &[u64], from: usize) -> Option<usize> {
    let mut place = from / BLOCK;
    let mut word = words.get(place)? & (u64::MAX << (from % BLOCK));
    while word == 0 {
        place += 1;
        word = *words.get(place)?;
    }
    Some(place * BLOCK + word.trailing_zeros() as usize)
}

/// Which bytes of a block are in doubt, among the control characters in it and what follows a backslash.
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

/// The bytes that follow a backslash which is not escaped itself; `next` says so of the byte after the block, and of the
/// first one before it.
///
/// A row of backslashes that begins at an odd place is told from one at an even place by adding it to its beginning: the
/// sum carries to the end of the row, all rows at once.
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

/// Bytes that are compared together.
struct Block([u8x16; BLOCK / LANES]);

impl Block {
    fn of(bytes: &[u8; BLOCK]) -> Self {
        let (lanes, _) = bytes.as_chunks::<LANES>();
        Self(std::array::from_fn(|place| u8x16::new(lanes[place])))
    }

    /// The bytes that are this one.
    fn are(&self, byte: u8) -> u64 {
        self.bits(|lanes| lanes.simd_eq(u8x16::splat(byte)))
    }

    /// What most backslashes stand before, besides quotes and themselves.
    fn usual(&self) -> u64 {
        self.bits(|lanes| lanes.simd_eq(u8x16::splat(b'n')) | lanes.simd_eq(u8x16::splat(b't')))
    }

    /// The bytes that must not stand in a string as they are.
    fn controls(&self) -> u64 {
        let [a, b, c, d] = self.0;
        // Hardly ever there is one, which a single look tells.
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

    /// What one finds going byte by byte: quotes, and what is doubtful.
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
