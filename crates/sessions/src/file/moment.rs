//! A time in a session file: with a zone or, as the thinking server writes it, without one.

use std::cmp::Ordering;

/// The largest difference between local time and UTC, in microseconds.
const DAY_LINE: i64 = 14 * 3_600 * 1_000_000;

/// A moment, to the microsecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    micros: i64,
    zoned: bool,
}

impl Moment {
    /// Reads `2026-01-31T12:00:00[.000000][Z|+00:00]`.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let marks = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')];
        if bytes.len() < 19 || marks.iter().any(|(at, mark)| bytes[*at] != *mark) {
            return None;
        }
        if !matches!(bytes[10], b'T' | b't' | b' ') {
            return None;
        }
        let part = |from: usize, to: usize| number(&bytes[from..to]);
        let (year, month, day) = (part(0, 4)?, part(5, 7)?, part(8, 10)?);
        let (hour, minute, second) = (part(11, 13)?, part(14, 16)?, part(17, 19)?);
        if !(1..=12).contains(&month) || !(1..=days_in(year, month)).contains(&day) {
            return None;
        }
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let (fraction, rest) = fraction(&bytes[19..])?;
        let (offset, zoned) = match zone(rest)? {
            Zone::None => (0, false),
            Zone::Seconds(offset) => (offset, true),
        };
        let days = days_from_civil(year, month, day);
        let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second - offset;
        Some(Self { micros: seconds * 1_000_000 + fraction, zoned })
    }

    /// Whether a text is a date, `2026-01-31`.
    pub fn is_date(text: &str) -> bool {
        text.len() == 10 && text.is_ascii() && Self::parse(&format!("{text}T00:00:00")).is_some()
    }

    /// Whether it is certainly after another: if only one has a zone, the other may be in any zone.
    pub fn is_after(self, other: Self) -> bool {
        let slack = if self.zoned == other.zoned { 0 } else { DAY_LINE };
        self.micros.cmp(&other.micros.saturating_add(slack)) == Ordering::Greater
    }

    /// The moment some seconds later.
    #[must_use]
    pub fn plus(self, seconds: i64) -> Self {
        Self { micros: self.micros.saturating_add(seconds * 1_000_000), ..self }
    }
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |sum, digit| digit.is_ascii_digit().then(|| sum * 10 + i64::from(digit - b'0')))
}

fn fraction(rest: &[u8]) -> Option<(i64, &[u8])> {
    let Some((b'.' | b',', rest)) = rest.split_first() else { return Some((0, rest)) };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = rest.split_at(digits);
    let micros = (0..6).map(|at| digits.get(at).copied().unwrap_or(b'0')).collect::<Vec<_>>();
    (!digits.is_empty()).then(|| Some((number(&micros)?, rest)))?
}

/// A zone, if one is written.
enum Zone {
    None,
    Seconds(i64),
}

fn zone(rest: &[u8]) -> Option<Zone> {
    match rest {
        [] => Some(Zone::None),
        [b'Z' | b'z'] => Some(Zone::Seconds(0)),
        [sign @ (b'+' | b'-'), a, b, b':', c, d] | [sign @ (b'+' | b'-'), a, b, c, d] => {
            let seconds = number(&[*a, *b])? * 3600 + number(&[*c, *d])? * 60;
            Some(Zone::Seconds(if *sign == b'-' { -seconds } else { seconds }))
        }
        _ => None,
    }
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days since 1970-01-01, using eras of 400 years.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::Moment;

    fn at(text: &str) -> Moment {
        Moment::parse(text).unwrap()
    }

    #[test]
    fn times_with_and_without_a_zone_are_read() {
        assert_eq!(at("1970-01-01T00:00:01Z").micros, 1_000_000);
        assert_eq!(at("2000-02-29T12:00:00+02:00"), at("2000-02-29T10:00:00Z"));
        assert_eq!(at("2026-02-15T02:10:00.5").micros, at("2026-02-15T02:10:00.500000").micros);
        for text in [
            "",
            "2026-02-30T00:00:00",
            "2026-13-01T00:00:00",
            "2026-02-15",
            "2026-02-15T02:10:00.Z",
            "2026-02-15T02:10:00 x",
        ] {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
        assert!(
            Moment::is_date("2026-02-15") && !Moment::is_date("2026-02-31") && !Moment::is_date("26-02-15")
        );
    }

    #[test]
    fn only_what_is_sure_is_after() {
        assert!(at("2026-01-01T00:00:01").is_after(at("2026-01-01T00:00:00")));
        assert!(!at("2026-01-01T00:00:00").is_after(at("2026-01-01T00:00:00")));
        assert!(!at("2026-01-01T10:00:00").is_after(at("2026-01-01T00:00:00Z")));
        assert!(at("2026-01-02T00:00:00").is_after(at("2026-01-01T00:00:00Z")));
    }
}
