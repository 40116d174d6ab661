//! The number of a step or phase: `3`, `1.2`, `1.2a`, `R0`, `1.1/2`, `1.1-test`.
//!
//! A number is a name: its parts are compared only to fill a range.

/// A number as written, with its parts for ranges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Number {
    /// As written.
    pub(crate) text: String,
    parts: Vec<u64>,
    /// The letter before and the letter after.
    letters: (String, String),
}

impl Number {
    /// Parses a whole text as a number.
    pub(crate) fn of(text: &str) -> Option<Self> {
        leading(text).filter(|(_, length)| *length == text.len()).map(|(number, _)| number)
    }

    /// Whether it names a step of a phase.
    pub(crate) fn is_dotted(&self) -> bool {
        self.parts.len() > 1
    }

    /// The number of parts.
    pub(crate) fn depth(&self) -> usize {
        self.parts.len()
    }

    /// The first part, which in `2.3` is the phase.
    pub(crate) fn major(&self) -> String {
        format!("{}{}", self.letters.0, self.parts.first().copied().unwrap_or(0))
    }

    /// The first part as a number.
    pub(crate) fn first(&self) -> u64 {
        self.parts.first().copied().unwrap_or(0)
    }

    /// Whether it lies in a range of numbers of the same form.
    pub(crate) fn is_within(&self, from: &Number, to: &Number) -> bool {
        let alike = self.letters.0 == from.letters.0 && self.depth() == from.depth();
        alike && self.order() >= from.order() && self.order() <= to.order()
    }

    /// The sort key.
    pub(crate) fn order(&self) -> (&[u64], &str) {
        (&self.parts, &self.letters.1)
    }

    /// Whether this number directly follows `other` in a list without gaps.
    pub(crate) fn follows(&self, other: &Number) -> bool {
        let (Some((last, head)), Some((before, same))) = (self.parts.split_last(), other.parts.split_last())
        else {
            return false;
        };
        let next = head == same && *last == before.saturating_add(1);
        let opens = self.is_dotted() && *last <= 1 && self.first() == other.first().saturating_add(1);
        next || opens
    }

    /// Every number of a range, including both ends; `None` if the range cannot be filled.
    pub(crate) fn fill(&self, to: &Number) -> Option<Vec<String>> {
        let (last, head) = self.parts.split_last()?;
        let (end, same) = to.parts.split_last()?;
        let plain = self.letters.1.is_empty() && to.letters.1.is_empty() && self.letters.0 == to.letters.0;
        if head != same || !plain || end < last || end - last >= LONGEST {
            return None;
        }
        let stem = self.text.rsplit_once('.').map(|(stem, _)| format!("{stem}.")).unwrap_or_default();
        Some((*last..=*end).map(|number| format!("{stem}{number}")).collect())
    }
}

/// The maximum number of steps that one heading can stand for.
const LONGEST: u64 = 100;

/// The number at the beginning of a text, and its length.
pub(crate) fn leading(text: &str) -> Option<(Number, usize)> {
    let bytes = text.as_bytes();
    let before = usize::from(bytes.first() == Some(&b'R') && bytes.get(1).is_some_and(u8::is_ascii_digit));
    let mut parts = Vec::new();
    let mut at = before;
    loop {
        let digits = bytes.iter().skip(at).take_while(|byte| byte.is_ascii_digit()).count();
        // A number that overflows is not the number of a step.
        parts.push(text.get(at..at + digits)?.parse().ok()?);
        at += digits;
        if bytes.get(at) != Some(&b'.') || !bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
            break;
        }
        at += 1;
    }
    let letter = bytes.get(at).is_some_and(u8::is_ascii_lowercase)
        && !bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
    let behind = text.get(at..at + usize::from(letter))?.to_owned();
    at += behind.len();
    let slice = bytes.iter().skip(at + 1).take_while(|byte| byte.is_ascii_digit()).count();
    if bytes.get(at) == Some(&b'/') && slice > 0 {
        parts.push(text.get(at + 1..at + 1 + slice)?.parse().ok()?);
        at += 1 + slice;
    }
    let letters = (text.get(..before)?.to_owned(), behind);
    Some((Number { text: text.get(..at)?.to_owned(), parts, letters }, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_far_as_they_go() {
        for (text, number) in [
            ("1.2: x", Some("1.2")),
            ("1.2a: x", Some("1.2a")),
            ("1.: x", Some("1")),
            ("10", Some("10")),
            ("R0: x", Some("R0")),
            ("1.1/2 x", Some("1.1/2")),
            ("2nd", Some("2")),
            ("X.Y", None),
            ("99999999999999999999999", None),
            ("", None),
        ] {
            assert_eq!(leading(text).map(|(number, _)| number.text).as_deref(), number, "{text}");
        }
    }

    #[test]
    fn a_range_is_filled_only_where_it_is_short_and_plain() {
        let fill = |from: &str, to: &str| Number::of(from)?.fill(&Number::of(to)?);
        assert_eq!(fill("2.1", "2.3").unwrap(), ["2.1", "2.2", "2.3"]);
        assert_eq!(fill("1", "2").unwrap(), ["1", "2"]);
        assert_eq!(fill("1.1", "2.3"), None);
        assert_eq!(fill("1.1", "1.9999"), None);
        assert!(
            Number::of("2.10").unwrap().is_within(&Number::of("2.9").unwrap(), &Number::of("2.11").unwrap())
        );
        assert!(Number::of("3.1").unwrap().follows(&Number::of("2.7").unwrap()));
    }
}
