//! JSON files of a session, written by agents: about one in 160 does not parse.
//!
//! A file that does not parse is never guessed at, but reported with line and column.

use serde_json::{Deserializer, Value};
use toolkit::files::sha::Hasher;

/// A parsed file.
pub(crate) struct Json {
    pub(crate) value: Value,
    /// Whether text follows the value.
    pub(crate) trailing: bool,
}

/// Why and where a file cannot be parsed.
pub(crate) struct Broken {
    pub(crate) message: String,
    pub(crate) line: u64,
    pub(crate) column: u64,
}

/// Reads the first value of a file.
pub(crate) fn read(bytes: &[u8]) -> Result<Json, Broken> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut values = Deserializer::from_slice(bytes).into_iter::<Value>();
    match values.next() {
        Some(Ok(value)) => {
            let rest = bytes.get(values.byte_offset()..).unwrap_or_default();
            Ok(Json { value, trailing: !rest.iter().all(u8::is_ascii_whitespace) })
        }
        Some(Err(error)) => {
            let message = error.to_string();
            // The message carries the position separately.
            let fact = message.split(" at line ").next().unwrap_or(&message).to_owned();
            Err(Broken { message: fact, line: error.line().max(1) as u64, column: error.column() as u64 })
        }
        None => Err(Broken { message: "the file is empty".to_owned(), line: 1, column: 1 }),
    }
}

/// A digest of the requirements in a task file, independent of its layout and of the fields that a run writes.
pub(crate) fn digest(value: &Value) -> String {
    let mut hash = Hasher::new();
    match value {
        Value::Object(map) => {
            let mut keys: Vec<_> =
                map.iter().filter(|(key, _)| !NOTED.contains(&key.as_str()) && *key != INHERITED).collect();
            keys.sort_unstable_by_key(|(key, _)| key.as_str());
            for (key, value) in keys {
                feed(&mut hash, key);
                walk(&mut hash, value, 0);
            }
        }
        other => walk(&mut hash, other, 0),
    }
    hash.finish()
}

/// Fields that a run writes into a task file.
const NOTED: &[&str] =
    &["status", "status_history", "executed_at", "completed_at", "updated_at", "result", "execution"];

/// Notes from finished tasks to this one, at the top level or in `context`.
const INHERITED: &str = "inherited";

fn walk(hash: &mut Hasher, value: &Value, depth: usize) {
    match value {
        Value::Object(map) if depth < 128 => {
            hash.update(b"{");
            let mut keys: Vec<_> = map.iter().collect();
            keys.sort_unstable_by_key(|(key, _)| key.as_str());
            for (key, value) in keys.into_iter().filter(|(key, _)| *key != INHERITED) {
                feed(hash, key);
                walk(hash, value, depth + 1);
            }
            hash.update(b"}");
        }
        Value::Array(list) if depth < 128 => {
            hash.update(b"[");
            for value in list {
                walk(hash, value, depth + 1);
            }
            hash.update(b"]");
        }
        Value::String(text) => feed(hash, text),
        other => feed(hash, &other.to_string()),
    }
}

fn feed(hash: &mut Hasher, text: &str) {
    hash.update(text.len().to_string().as_bytes());
    hash.update(b":");
    hash.update(text.as_bytes());
}

/// The strings of a list, or a single string.
pub(crate) fn strings(value: Option<&Value>) -> Vec<&str> {
    match value {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_broken_file_says_where() {
        let broken = read(b"{\n  \"a\": \"\\d\"\n}").err().unwrap();
        assert_eq!((broken.line, broken.message.as_str()), (2, "invalid escape"));
        assert!(read(b"{\"a\": 9,166}").is_err());
        assert!(read(b"{\"a\":1}\n{}").ok().unwrap().trailing);
        assert!(!read(b"\xef\xbb\xbf{\"a\":1}\n").ok().unwrap().trailing);
    }

    #[test]
    fn the_digest_knows_what_is_asked_and_not_what_was_done() {
        let one = json!({"id": "A-1", "b": [1, "x"], "status": "pending"});
        let two = json!({"status": "completed", "status_history": [1], "b": [1, "x"], "id": "A-1"});
        let heir = json!({"id": "A-1", "b": [1, "x"], "inherited": {"from": "A-0", "context": ["c"]}});
        assert_eq!(digest(&one), digest(&heir));
        let other = json!({"id": "A-1", "b": [1, "y"]});
        assert_eq!(digest(&one), digest(&two));
        assert_ne!(digest(&one), digest(&other));
    }
}
