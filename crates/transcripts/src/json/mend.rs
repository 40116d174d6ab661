//! Repairs almost-JSON: text that a client writes and its own reader accepts must not hide the call in it.
//!
//! JavaScript writes a lone surrogate as an escape, keeps the last of several members with one name, and nests
//! without limit; each of these is an error here. The repaired value has the same content, except for the parts that
//! cannot be kept.

use serde::Deserialize;
use serde_json::Value;

/// Values nested deeper than this are replaced by `null`.
const DEEPEST: usize = 100;

/// Reads a value, repaired in `room` if necessary.
pub(crate) fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8], room: &'a mut Vec<u8>) -> Option<T> {
    if let Ok(value) = serde_json::from_slice(bytes) {
        return Some(value);
    }
    *room = mended(bytes)?;
    serde_json::from_slice(room).ok()
}

/// The same value as strict JSON; `None` if it cannot be repaired.
pub fn mended(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(bytes);
    let value: Value = serde_json::from_str(&plain(&text)).ok()?;
    serde_json::to_vec(&value).ok()
}

/// The text without lone surrogates, and with `null` in place of values nested too deeply.
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

/// The length of the escape at the beginning, and its replacement.
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
