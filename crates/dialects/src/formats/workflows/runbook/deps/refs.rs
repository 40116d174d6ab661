//! References to steps and phases in prose: `Cycles 2.1, 2.2`, `Phases 1–4`, `Items 3.2 and 3.3 — last`, `None`.
//!
//! Reading stops at the first word that is not a reference, so a reason after it is never taken for another
//! reference.

use super::number::{self, Number};

/// One reference; a single one is a range from itself to itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ref {
    Phase(Number, Number),
    Task(Number, Number),
}

/// The references at the beginning of a text, and the text after them.
pub(crate) fn leading(text: &str) -> (Vec<Ref>, &str) {
    let mut reader = Reader { rest: text, kind: Kind::Open, found: Vec::new(), apart: true };
    while reader.step() {}
    (reader.found, reader.rest)
}

/// The references of a text that contains nothing else, except notes in parentheses.
pub(crate) fn only(text: &str) -> Option<Vec<Ref>> {
    let (found, rest) = leading(text);
    (!found.is_empty() && rest.trim_matches([' ', '.', '*', '_', '`', '[', ']']).is_empty()).then_some(found)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Open,
    Phase,
    Task,
}

struct Reader<'a> {
    rest: &'a str,
    kind: Kind,
    found: Vec<Ref>,
    /// Whether a comma or an `and` separates the last reference from the current position.
    apart: bool,
}

impl Reader<'_> {
    /// Reads one piece; false at the end.
    fn step(&mut self) -> bool {
        let Some(first) = self.rest.chars().next() else { return false };
        match first {
            ' ' | '\t' | '\n' | '\r' | '*' | '_' | '`' | '[' | ']' => self.skip(1),
            ':' if self.found.is_empty() => self.skip(1),
            ',' | '+' | '&' | '∥' => {
                self.apart = true;
                self.skip(first.len_utf8())
            }
            '(' => self.parentheses(),
            _ => self.number() || self.word(),
        }
    }

    fn skip(&mut self, length: usize) -> bool {
        self.rest = self.rest.get(length..).unwrap_or_default();
        true
    }

    /// Skips a note in parentheses: it gives a reason, not a reference.
    fn parentheses(&mut self) -> bool {
        let mut depth = 0usize;
        for (at, byte) in self.rest.bytes().enumerate() {
            match byte {
                b'(' => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return self.skip(at + 1);
            }
        }
        false
    }

    fn number(&mut self) -> bool {
        let Some((from, length)) = number::leading(self.rest) else { return false };
        self.skip(length);
        let to = self.range().unwrap_or_else(|| from.clone());
        let is_phase = self.kind == Kind::Phase && !from.is_dotted();
        self.found.push(if is_phase { Ref::Phase(from, to) } else { Ref::Task(from, to) });
        self.apart = false;
        true
    }

    /// The end of a range: `-1.6`, `–4`, ` to 3`.
    fn range(&mut self) -> Option<Number> {
        let text = self.rest.trim_start_matches(' ');
        let after = ["-", "–", "..", "to ", "through "].iter().find_map(|sign| text.strip_prefix(sign))?;
        let after = after.trim_start_matches(' ');
        let word = after.split(' ').next().unwrap_or_default();
        let after = if keyword(word).is_some() { after.get(word.len() + 1..)? } else { after };
        let (to, length) = number::leading(after)?;
        self.rest = after.get(length..).unwrap_or_default();
        Some(to)
    }

    fn word(&mut self) -> bool {
        let end = self.rest.find(|c: char| !c.is_alphabetic()).unwrap_or(self.rest.len());
        let word = self.rest.get(..end).unwrap_or_default();
        if let Some(kind) = keyword(word) {
            // `Phase 4 Step 4.2` names the step; the phase is only its location.
            if kind == Kind::Task && !self.apart && matches!(self.found.last(), Some(Ref::Phase(..))) {
                self.found.pop();
            }
            self.kind = kind;
            return self.skip(end);
        }
        let lower = word.to_lowercase();
        let between = matches!(lower.as_str(), "and" | "plus" | "complete" | "completed" | "both");
        let before = self.found.is_empty() && LEADING.contains(&lower.as_str());
        self.apart |= between;
        end > 0 && (between || before) && self.skip(end)
    }
}

/// Words that may stand before the first reference.
const LEADING: &[&str] =
    &["requires", "require", "after", "depends", "depend", "on", "all", "the", "completion", "of"];

fn keyword(word: &str) -> Option<Kind> {
    match word.to_lowercase().as_str() {
        "phase" | "phases" => Some(Kind::Phase),
        "step" | "steps" | "cycle" | "cycles" | "item" | "items" | "slice" | "slices" => Some(Kind::Task),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let show = |from: &Number, to: &Number| {
            if from == to { from.text.clone() } else { format!("{}..{}", from.text, to.text) }
        };
        let (found, _) = leading(text);
        let words: Vec<_> = found
            .iter()
            .map(|found| match found {
                Ref::Phase(from, to) => format!("P{}", show(from, to)),
                Ref::Task(from, to) => show(from, to),
            })
            .collect();
        words.join(" ")
    }

    #[test]
    fn every_notation_is_read() {
        for (text, found) in [
            ("1.2, 1.3, 1.7", "1.2 1.3 1.7"),
            ("Cycles 2.1, 2.2 (reason, 9.9)", "2.1 2.2"),
            ("Phase 0 (x), Phase 1 (y)", "P0 P1"),
            ("Phases 1 + 2", "P1 P2"),
            ("Phases 1-3 complete", "P1..3"),
            ("Phases 1–4", "P1..4"),
            ("Steps 1.1-1.6", "1.1..1.6"),
            ("None (foundation)", ""),
            ("nothing", ""),
            ("Phase 2 (a) AND Phase 3 (b)*", "P2 P3"),
            ("Requires Cycles 1.9-1.12 complete", "1.9..1.12"),
            ("Phase 2 + restart", "P2"),
            ("Items 3.2 and 3.3 — **runs last on 9.9**", "3.2 3.3"),
            ("Item 1.3 — serialization (same file), and consumption: 1.4", "1.3"),
            ("Phase 4 Step 4.2 depends on Step 4.1", "4.2"),
            ("worktree-merge deployment", ""),
            ("Step 1.2a", "1.2a"),
            ("Phase R1", "PR1"),
            ("Item 1.1/2", "1.1/2"),
        ] {
            assert_eq!(shown(text), found, "{text}");
        }
    }

    #[test]
    fn a_text_with_more_in_it_is_not_only_references() {
        assert!(only("Phase 2 + Phase 3 (partly)").is_some());
        assert!(only("Phase 1 creates skills").is_none());
        assert!(only("checkpoint").is_none());
    }
}
