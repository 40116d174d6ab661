//! One part of a prompt that holds foreign text, and that can shrink.
//!
//! A note in place names the omission and the file that has the full text. The remaining words are unchanged.

use crate::prompt::quote;

/// A named part of a prompt.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    /// The name in templates.
    pub(crate) name: &'static str,
    /// Its content.
    pub(crate) body: Body,
    /// The file with the full text.
    pub(crate) whole: String,
    /// The lowest rank shrinks first.
    pub(crate) rank: u8,
    /// The number of bytes removed.
    pub(crate) cut: usize,
}

/// The content of a block.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    /// Text between fences.
    Fence {
        /// The language after the opening fence.
        language: &'static str,
        /// The text, unchanged.
        text: String,
        /// The more important end.
        keep: Keep,
    },
    /// Pieces that are shown whole or not at all, each already quoted.
    Parts(Vec<String>),
}

/// The more important end of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Its beginning.
    Head,
    /// Its end: growing notes have the newest entry there.
    Tail,
}

impl Block {
    /// Text between fences.
    pub(crate) fn fence(
        name: &'static str,
        rank: u8,
        language: &'static str,
        text: &str,
        keep: Keep,
    ) -> Self {
        let body = Body::Fence { language, text: text.to_owned(), keep };
        Self { name, body, whole: String::new(), rank, cut: 0 }
    }

    /// Pieces, one below the other.
    pub(crate) fn parts(name: &'static str, rank: u8, parts: Vec<String>) -> Self {
        Self { name, body: Body::Parts(parts), whole: String::new(), rank, cut: 0 }
    }

    /// Names the file that has the full text.
    #[must_use]
    pub(crate) fn in_file(mut self, path: impl Into<String>) -> Self {
        self.whole = path.into();
        self
    }

    /// Whether there is nothing to show.
    pub(crate) fn is_empty(&self) -> bool {
        self.cut == 0
            && match &self.body {
                Body::Fence { text, .. } => text.trim().is_empty(),
                Body::Parts(parts) => parts.is_empty(),
            }
    }

    /// Its size in bytes.
    pub(crate) fn size(&self) -> usize {
        match &self.body {
            Body::Fence { text, .. } => text.len(),
            Body::Parts(parts) => parts.iter().map(|part| part.len() + 1).sum(),
        }
    }

    /// Shrinks it by at least `bytes` if it has that many; returns how many it removed.
    pub(crate) fn shrink(&mut self, bytes: usize) -> usize {
        let gave = match &mut self.body {
            Body::Fence { text, keep, .. } => shorten(text, *keep, bytes),
            Body::Parts(parts) => drop_last(parts, bytes),
        };
        self.cut += gave;
        gave
    }

    /// Its text in the prompt.
    pub(crate) fn shown(&self) -> String {
        let note = self.note();
        match &self.body {
            Body::Fence { text, .. } if text.trim().is_empty() => note,
            Body::Fence { language, text, keep } => {
                let quoted = quote::fence(language, text);
                match (self.cut, keep) {
                    (0, _) => quoted,
                    (_, Keep::Head) => format!("{quoted}\n\n{note}"),
                    (_, Keep::Tail) => format!("{note}\n\n{quoted}"),
                }
            }
            Body::Parts(parts) if parts.is_empty() => note,
            Body::Parts(parts) if self.cut == 0 => parts.join("\n"),
            Body::Parts(parts) => format!("{}\n\n{note}", parts.join("\n")),
        }
    }

    fn note(&self) -> String {
        if self.cut == 0 {
            return "(none)".to_owned();
        }
        format!(
            "[{} bytes are left out here for size; the whole is in {}]",
            self.cut,
            quote::code(&self.whole)
        )
    }
}

/// Removes whole lines if there are lines, and returns the number of bytes removed.
fn shorten(text: &mut String, keep: Keep, bytes: usize) -> usize {
    let before = text.len();
    let rest = before.saturating_sub(bytes);
    match keep {
        Keep::Head => {
            let at = quote::boundary(text, rest);
            let at = text[..at].rfind('\n').filter(|line| *line > at / 2).unwrap_or(at);
            text.truncate(at);
        }
        Keep::Tail => {
            let from = quote::boundary(text, before - rest);
            // Never remove less than requested: round up to the next character boundary.
            let from = (from..=before).find(|at| *at >= before - rest && text.is_char_boundary(*at));
            let from = from.unwrap_or(before);
            let line = text[from..].find('\n').filter(|line| *line < (before - from) / 2);
            text.drain(..line.map_or(from, |line| from + line + 1));
        }
    }
    before - text.len()
}

fn drop_last(parts: &mut Vec<String>, bytes: usize) -> usize {
    let mut gave = 0;
    while gave < bytes {
        let Some(part) = parts.pop() else { break };
        gave += part.len() + 1;
    }
    gave
}

#[cfg(test)]
mod tests {
    use super::{Block, Keep};

    #[test]
    fn what_is_cut_is_said_and_the_rest_is_untouched() {
        let mut block = Block::fence("x", 1, "text", "one\ntwo\nthree\n", Keep::Head).in_file("a.md");
        assert_eq!(block.shrink(4), 7);
        let note = "[7 bytes are left out here for size; the whole is in `a.md`]";
        assert_eq!(block.shown(), format!("```text\none\ntwo\n```\n\n{note}"));
        let mut block = Block::fence("x", 1, "text", "one\ntwo\nthree\n", Keep::Tail).in_file("a.md");
        block.shrink(3);
        assert!(block.shown().ends_with("```text\ntwo\nthree\n```"), "{}", block.shown());
    }

    #[test]
    fn a_line_without_an_end_is_cut_between_characters() {
        let mut block = Block::fence("x", 1, "text", &"é".repeat(1000), Keep::Head).in_file("a");
        assert_eq!(block.shrink(501), 502);
        let mut block = Block::fence("x", 1, "text", &"é".repeat(1000), Keep::Tail).in_file("a");
        assert_eq!(block.shrink(501), 502);
    }

    #[test]
    fn parts_are_whole_or_not_there() {
        let mut block = Block::parts("x", 1, vec!["- aaaa".into(), "- bbbb".into()]).in_file("p");
        assert_eq!(block.shrink(1), 7);
        assert!(block.shown().starts_with("- aaaa\n\n[7 bytes"), "{}", block.shown());
        assert_eq!(block.shrink(100), 7);
        assert!(block.shown().starts_with("[14 bytes"));
        assert!(!block.is_empty());
    }
}
