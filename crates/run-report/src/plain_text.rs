//! Makes text from plans and workers safe for a line of a report.

/// One line that cannot break out of its place: control characters, line ends and bidirectional marks become
/// spaces.
pub(crate) fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || is_turn(c) { ' ' } else { c }).collect()
}

/// At most this many characters, and how many bytes were left out.
pub(crate) fn clip(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((at, _)) => format!("{} … ({} bytes more)", &text[..at], text.len() - at),
    }
}

/// Marks that change the writing direction of the text after them, or are invisible.
fn is_turn(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Milliseconds for people: `350 ms`, `4.2 s`, `3 min 5 s`, `2 h 10 min`.
pub(crate) fn span(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        _ if ms < 1000 => format!("{ms} ms"),
        0..60 => format!("{}.{} s", seconds, ms % 1000 / 100),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// A fraction in percent.
pub(crate) fn percent(part: f64) -> String {
    format!("{:.0} %", part * 100.0)
}

/// `1 task`, `2 tasks`.
pub(crate) fn count(n: impl Into<u64>, noun: &str) -> String {
    let n = n.into();
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::{clip, plain, span};

    #[test]
    fn nothing_breaks_out_of_its_line() {
        assert_eq!(plain("a\nb\u{1b}[31m\u{202e}c"), "a b [31m c");
        assert_eq!(clip("abcdef", 4), "abcd … (2 bytes more)");
        assert_eq!(clip("äöü", 3), "äöü");
    }

    #[test]
    fn lengths_of_time_are_told_in_two_words() {
        let told: Vec<String> = [0, 999, 4_250, 185_000, 7_800_000].map(span).to_vec();
        assert_eq!(told, ["0 ms", "999 ms", "4.2 s", "3 min 5 s", "2 h 10 min"]);
    }
}
