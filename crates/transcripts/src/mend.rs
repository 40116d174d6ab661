//! JSON that is not quite: what a client writes and its own reader takes must not hide the call in it.
//!
//! JavaScript writes half of a pair of surrogates as an escape, keeps the last of members of one name, and nests as deep as
//! it likes; each of these is an error here. What is mended says the same to whoever asks for less than everything.

use serde::Deserialize;
use serde_json::Value;

/// What is nested deeper is left out.
const DEEPEST: usize = 100;

/// Reads a value, mended in `room` if need be.
pub(crate) fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8], room: &'a mut Vec<u8>) -> Option<T> {
    if let Ok(value) = serde_json::from_slice(bytes) {
        return Some(value);
    }
    *room = mended(bytes)?;
    serde_json::from_slice(room).ok()
}

/// The same value as JSON that every reader takes; `None` where it is none at all.
pub fn mended(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(bytes);
    let value: Value = serde_json::from_str(&plain(&text)).ok()?;
    serde_json::to_vec(&value).ok()
}

/// The text without lone surrogates, and with `null` in the place of what is too deep.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut depth, mut in_string, mut rest) = (0_usize, false, text);
    while let Some(next) = rest.chars().next() {
        let mut taken = next.len_utf8();
        let mut shown = next;
        match next {
            '\\' if in_string => {
                let (length, escape) = escape(rest);
                if depth <= DEEPEST {
                    out.push_str(escape);
                }
                rest = &rest[length..];
                continue;
            }
            '"' => in_string = !in_string,
            '[' | '{' if !in_string => {
                depth += 1;
                if depth == DEEPEST + 1 {
                    out.push_str("null");
                }
            }
            ']' | '}' if !in_string => {
                depth = depth.saturating_sub(1);
                if depth >= DEEPEST {
                    shown = '\0';
                }
            }
            _ => {}
        }
        if depth <= DEEPEST && shown != '\0' {
            out.push(shown);
        }
        taken = taken.min(rest.len());
        rest = &rest[taken..];
    }
    out
}

/// How long the escape at the beginning is, and what stands for it.
fn escape(text: &str) -> (usize, &str) {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    match unit(0) {
        Some(0xD800..=0xDBFF) if matches!(unit(6), Some(0xDC00..=0xDFFF)) => (12, &text[..12]),
        Some(0xD800..=0xDFFF) => (6, "\\ufffd"),
        _ => {
            let length = text.chars().take(2).map(char::len_utf8).sum();
            (length, &text[..length])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_takes_is_read_as_it_takes_it() {
        let deep = format!(r#"{{"x":{}1{},"command":"git push"}}"#, "[".repeat(300), "]".repeat(300));
        for (text, command) in [
            (r#"{"command":"git push # \ud83d"}"#, "git push # \u{fffd}"),
            (r#"{"command":"\udc00 \uD83D\uDE00 \\ud83d \" ["}"#, "\u{fffd} 😀 \\ud83d \" ["),
            (r#"{"command":"ls","command":"git push"}"#, "git push"),
            (&deep, "git push"),
        ] {
            let value: Value = serde_json::from_slice(&mended(text.as_bytes()).unwrap()).unwrap();
            assert_eq!(value["command"], command, "{text}");
        }
        for broken in ["", "{", r#"{"a":1"#, r#"{"a":"\u12"}"#, "\\", "]]"] {
            assert_eq!(mended(broken.as_bytes()), None, "{broken}");
        }
    }
}
