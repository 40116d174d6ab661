//! Decodes text from raw JSON values only as far as needed.
//!
//! Results can be megabytes long while their verdict is in the first line: only the beginning is decoded.

use serde_json::value::RawValue;

/// The whole text of a value that is a string.
pub(crate) fn string(value: Option<&RawValue>) -> Option<String> {
    let raw = value?.get();
    if raw.starts_with('"') { serde_json::from_str(raw).ok() } else { None }
}

/// The beginning of a string value: about `limit` bytes.
pub(crate) fn beginning(value: Option<&RawValue>, limit: usize) -> Option<String> {
    let raw = value?.get();
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if inner.len() <= limit {
        return serde_json::from_str(raw).ok();
    }
    let bytes = inner.as_bytes();
    let mut end = 0;
    while end < limit || !inner.is_char_boundary(end) {
        end += step(&bytes[end..]);
        if end >= bytes.len() {
            return serde_json::from_str(raw).ok();
        }
    }
    serde_json::from_str(&format!("\"{}\"", &inner[..end])).ok()
}

/// The texts of a value that is a string or a list of objects with `text`.
pub(crate) fn pieces(value: Option<&RawValue>, limit: usize) -> Vec<String> {
    let Some(raw) = value else { return Vec::new() };
    if raw.get().starts_with('"') {
        return beginning(value, limit).into_iter().collect();
    }
    let parts: Vec<Part<'_>> = serde_json::from_str(raw.get()).unwrap_or_default();
    parts.iter().filter_map(|part| beginning(part.text, limit)).collect()
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
struct Part<'a> {
    #[serde(borrow)]
    text: Option<&'a RawValue>,
}

/// How many bytes the next character or escape takes; a surrogate pair is one.
fn step(bytes: &[u8]) -> usize {
    match bytes {
        [b'\\', b'u', b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B', ..] => 12,
        [b'\\', b'u', ..] => 6,
        [b'\\', ..] => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    #[test]
    fn the_beginning_is_cut_between_characters() {
        for unit in ["x", "ö", "\n", "\"", "😀", "a\\"] {
            let text = unit.repeat(100);
            let json = serde_json::to_string(&text).unwrap();
            for limit in [1, 2, 3, 17, 99, 1000] {
                let got = beginning(Some(&raw(&json)), limit).unwrap();
                assert!(text.starts_with(&got) && !got.is_empty(), "{unit} {limit}");
            }
        }
        let pair = format!("\"{}\"", r"\ud83d\ude00".repeat(9));
        assert_eq!(beginning(Some(&raw(&pair)), 7).unwrap(), "😀");
        assert_eq!(beginning(Some(&raw("[1]")), 7), None);
    }

    #[test]
    fn pieces_come_from_strings_and_lists() {
        assert_eq!(pieces(Some(&raw(r#""a""#)), 9), ["a"]);
        assert_eq!(pieces(Some(&raw(r#"[{"text":"a"},{"other":1},{"text":"b"}]"#)), 9), ["a", "b"]);
    }
}
