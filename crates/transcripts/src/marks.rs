//! `Marks`: where quotes and backslashes stand in a block of text, one bit a byte.

use wide::i8x16;

/// So many bytes are compared at once.
pub(crate) const LANES: usize = 16;
/// So many bytes have one bit each.
pub(crate) const BLOCK: usize = 64;

/// Sixteen bytes.
#[derive(Clone, Copy)]
pub(crate) struct Lanes(i8x16);

impl Lanes {
    pub(crate) fn of(bytes: &[u8; LANES]) -> Self {
        Self(i8x16::new(bytes.map(u8::cast_signed)))
    }

    pub(crate) fn is(self, byte: u8) -> i8x16 {
        self.0.simd_eq(i8x16::splat(byte.cast_signed()))
    }
}

/// The marks of a block.
pub(crate) struct Marks {
    pub(crate) quotes: u64,
    pub(crate) backslashes: u64,
}

impl Marks {
    pub(crate) fn of(block: &[u8; BLOCK]) -> Self {
        let mut marks = Self { quotes: 0, backslashes: 0 };
        let (parts, _) = block.as_chunks();
        for (place, part) in parts.iter().enumerate() {
            let lanes = Lanes::of(part);
            let bits = |found: i8x16| u64::from(found.to_bitmask()) << (LANES * place);
            marks.quotes |= bits(lanes.is(b'"'));
            marks.backslashes |= bits(lanes.is(b'\\'));
        }
        marks
    }

    /// The bytes that follow a backslash which is not escaped itself; `next` says so of the byte after the block, and of
    /// the first one before it.
    ///
    /// A row of backslashes that begins at an odd place is told from one at an even place by adding it to its
    /// beginning: the sum carries to the end of the row, all rows at once.
    pub(crate) fn escaped(&self, next: &mut bool) -> u64 {
        const EVEN: u64 = 0x5555_5555_5555_5555;
        let first = u64::from(*next);
        let backslashes = self.backslashes & !first;
        let follows = (backslashes << 1) | first;
        let odd = backslashes & !EVEN & !follows;
        let (even_ends, over) = odd.overflowing_add(backslashes);
        *next = over;
        (EVEN ^ (even_ends << 1)) & follows
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, Marks};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_escaped_is_what_one_finds_going_byte_by_byte(text in prop::collection::vec(
            prop::sample::select(br#"\\\\\\\\"ux"#.to_vec()), 3 * BLOCK)) {
            let (mut next, mut before) = (false, false);
            for block in text.as_chunks::<BLOCK>().0 {
                let escaped = Marks::of(block).escaped(&mut next);
                for (place, byte) in block.iter().enumerate() {
                    prop_assert_eq!(escaped >> place & 1 == 1, before, "{}", place);
                    before = *byte == b'\\' && !before;
                }
                prop_assert_eq!(next, before);
            }
        }
    }
}
