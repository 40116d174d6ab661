//! Parses the structure of a long text in parts, on two threads.
//!
//! A text may be cut before a heading at the start of a line below a blank one: no list, quote, paragraph or table
//! continues over it. Only a fence or an HTML block may: a part that ends in one is parsed again, together with all
//! that follows. So the parts always give the same result as one pass over the whole text.

use crate::outline::inline;
use crate::outline::walk::Walk;
use crate::outline::{Extent, Fence, Heading, Hidden, Item, Table, Veil};
use crate::two_threads::both;
use memchr::memmem;
use pulldown_cmark::{Options, Parser};

/// The minimum length of a part: long enough to be worth its setup, short enough to stay in the cache.
const PART: usize = 128 << 10;

/// The structure of a part of a text, in document order.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) headings: Vec<Heading>,
    pub(crate) items: Vec<Item>,
    pub(crate) fences: Vec<Fence>,
    pub(crate) tables: Vec<Table>,
    pub(crate) hidden: Vec<Hidden>,
}

impl Parts {
    /// The structure of `text` from `base` on; all ranges count from the beginning of the text.
    pub(crate) fn of(text: &str, base: usize) -> Self {
        Self::cut(text, base, PART)
    }

    fn cut(text: &str, base: usize, least: usize) -> Self {
        let cuts = cuts(text, base, least);
        if let [one] = cuts.as_slice() {
            return Self::read(text, *one);
        }
        // The threads take alternate parts, so that both have the same amount of work.
        let every_other = |from: usize| -> Vec<Self> {
            cuts.iter().skip(from).step_by(2).map(|at| Self::read(text, *at)).collect()
        };
        let (even, odd) = both(|| every_other(0), || every_other(1));
        let (mut even, mut odd) = (even.into_iter(), odd.into_iter());
        let mut whole = Self::default();
        for (number, at) in cuts.iter().enumerate() {
            let Some(part) = (if number % 2 == 0 { even.next() } else { odd.next() }) else { break };
            if part.is_open(at.end) && at.end < text.len() {
                whole.append(Self::read(text, Extent { start: at.start, end: text.len() }));
                break;
            }
            whole.append(part);
        }
        whole
    }

    /// One pass of pulldown-cmark.
    fn read(text: &str, at: Extent) -> Self {
        Self::walk(text, at, &inline::muted(text.get(at.start..at.end).unwrap_or_default()))
    }

    /// The parser's events for `blocks`, which replaces the text at `at`.
    fn walk(text: &str, at: Extent, blocks: &str) -> Self {
        let mut parts = Self::default();
        let mut walk = Walk::new(&mut parts, text, at.start);
        // Boxes are read from the raw bytes: a parser that knows some marks and not others would see another
        // structure after a tick.
        for (event, range) in Parser::new_ext(blocks, Options::ENABLE_TABLES).into_offset_iter() {
            walk.take(&event, Extent { start: range.start + at.start, end: range.end + at.start });
        }
        parts
    }

    /// Whether a fence or an HTML block continues to the end.
    fn is_open(&self, end: usize) -> bool {
        let open = |hidden: &Hidden| hidden.at.end >= end && matches!(hidden.veil, Veil::Fence | Veil::Html);
        self.hidden.last().is_some_and(open)
    }

    /// Adds the part that follows.
    fn append(&mut self, next: Self) {
        let before = self.items.len();
        let moved = |item: Item| Item { parent: item.parent.map(|parent| parent + before), ..item };
        self.items.extend(next.items.into_iter().map(moved));
        self.headings.extend(next.headings);
        self.fences.extend(next.fences);
        self.tables.extend(next.tables);
        self.hidden.extend(next.hidden);
    }
}

/// The ranges in which a text may be parsed, each with a minimum length.
fn cuts(text: &str, base: usize, least: usize) -> Vec<Extent> {
    let mut cuts = Vec::new();
    let (mut start, mut from) = (base, base + least);
    while let Some(found) = text.as_bytes().get(from..).and_then(|rest| memmem::find(rest, b"\n#")) {
        let end = from + found + 1;
        from = end;
        if may_cut(text.as_bytes(), end) {
            cuts.push(Extent { start, end });
            (start, from) = (end, end + least);
        }
    }
    cuts.push(Extent { start, end: text.len() });
    cuts
}

/// Whether a heading below a blank line begins at `at`.
fn may_cut(bytes: &[u8], at: usize) -> bool {
    let (before, after) = bytes.split_at(at);
    let above = before.strip_suffix(b"\n").map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let level = after.iter().take_while(|byte| **byte == b'#').count();
    above.is_some_and(|above| above.ends_with(b"\n"))
        && level <= 6
        && matches!(after.get(level), Some(b' ' | b'\t'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pieces() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(&PIECES[..]);
        prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
    }

    const PIECES: [&str; 59] = [
        "# a\n",
        "\n# b\n",
        "\n\n## c\n\n",
        "\n### [ ] TODO 1: d\n",
        "\n#no\n",
        "\n####### e\n",
        "- [ ] x\n",
        "  - y\n",
        "    z\n",
        "1. n\n",
        "> q\n",
        "> - [ ] r\n",
        "> ```\n",
        "```\n",
        "```sh\n",
        "~~~~\n",
        "  ```\n",
        "<div>\n",
        "</div>\n",
        "<!--\n",
        "-->\n",
        "<pre>\n",
        "| a | b |\n",
        "|--|--|\n",
        "[a]:\n",
        "[a]: b\n",
        "text\n",
        "===\n",
        "---\n",
        "\n",
        "\r\n",
        "\r\n# f\r\n",
        "\t",
        "`*",
        "[x] ",
        "[a\nb",
        "]",
        "]: c\n",
        "[b](c) ",
        "![d] ",
        "**e** ",
        "_f_ ",
        "`g|h` ",
        "\\*",
        "\\| ",
        "| `i",
        "<b c*d>\n",
        "<j\nk*>\n",
        "<![CDATA[\n",
        "]]>\n",
        "``` l`\n",
        "- ```m_\n",
        "* * *",
        "___\n",
        "é* ",
        "a",
        "<textarea>\n",
        "a </te*tarea>\n",
        "a </textarea>\n",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn parts_say_what_the_whole_says(text in pieces(), least in 1usize..40) {
            let whole = Parts::read(&text, Extent { start: 0, end: text.len() });
            let parts = Parts::cut(&text, 0, least);
            prop_assert_eq!(format!("{parts:#?}"), format!("{whole:#?}"));
        }

        #[test]
        fn signs_within_text_make_no_difference(text in pieces()) {
            let at = Extent { start: 0, end: text.len() };
            let muted = Parts::read(&text, at);
            prop_assert_eq!(format!("{muted:#?}"), format!("{:#?}", Parts::walk(&text, at, &text)));
        }
    }

    #[test]
    fn a_long_text_is_cut_and_a_fence_is_not() {
        let text = "- [ ] x\n\n# a\n\n```\n\n# b\n```\n\n# c\n\n<!--\n\n# d\n";
        assert_eq!(cuts(text, 0, 1).len(), 5);
        assert_eq!(Parts::cut(text, 0, 1).headings.len(), 2);
    }
}
