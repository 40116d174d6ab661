//! `Head`: the beginning of a file, used to tell which client wrote it.
//!
//! Only the names of the outermost fields count. The scan that collects them needs no complete line, so it also works
//! on a first line of megabytes and on a truncated file.

use crate::json::lenient::Word;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use toolkit::Fail;

/// How many bytes of a file to look at.
const LENGTH: u64 = 64 << 10;
/// How many lines to look at: the first ones may be damaged.
const LINES: usize = 24;

/// The beginning of a file.
#[derive(Debug, Default)]
pub struct Head {
    /// Whether it is a folder.
    pub folder: bool,
    /// The first bytes.
    pub bytes: Vec<u8>,
    /// The outermost field names of each line that begins an object.
    lines: Vec<Vec<String>>,
    /// The outermost field names of the whole document, or of the first element of a list.
    document: Vec<String>,
    /// Whether the document is a list.
    list: bool,
}

impl Head {
    /// Reads the beginning of the file at `path`.
    pub fn of(path: &Path) -> Result<Self, Fail> {
        let facts = fs::metadata(path).map_err(|error| Fail::io(path, &error))?;
        if facts.is_dir() {
            return Ok(Self { folder: true, ..Self::default() });
        }
        // A named pipe would block until its writer opens it, and cannot be read twice.
        if !facts.is_file() {
            let error = std::io::Error::new(std::io::ErrorKind::InvalidInput, "is no file");
            return Err(Fail::io(path, &error));
        }
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(|error| Fail::io(path, &error))?;
        file.take(LENGTH).read_to_end(&mut bytes).map_err(|error| Fail::io(path, &error))?;
        Ok(Self::from_bytes(bytes))
    }

    /// Creates a head from bytes.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        let text = bytes.trim_ascii_start();
        let list = text.first() == Some(&b'[');
        let inner = if list { text[1..].trim_ascii_start() } else { text };
        let lines = bytes.split(|byte| *byte == b'\n').take(LINES).map(names).collect();
        Self { folder: false, document: names(inner), list, lines, bytes }
    }

    /// Whether some line has all these fields.
    pub fn line_has(&self, fields: &[&str]) -> bool {
        self.lines.iter().any(|names| has(names, fields))
    }

    /// Whether the document is an object with all these fields.
    pub fn document_has(&self, fields: &[&str]) -> bool {
        !self.list && has(&self.document, fields)
    }

    /// Whether the document is a list whose first element has all these fields.
    pub fn element_has(&self, fields: &[&str]) -> bool {
        self.list && has(&self.document, fields)
    }

    /// Whether it is a database.
    pub fn is_sqlite(&self) -> bool {
        self.bytes.starts_with(b"SQLite format 3\0")
    }
}

fn has(names: &[String], fields: &[&str]) -> bool {
    fields.iter().all(|field| names.iter().any(|name| name == field))
}

/// Whether a possibly truncated object has all these fields.
pub(crate) fn names_in(text: &[u8], fields: &[&str]) -> bool {
    has(&names(text), fields)
}

/// The field names of the possibly truncated object at the beginning of `text`.
fn names(text: &[u8]) -> Vec<String> {
    let text = text.trim_ascii();
    let mut found = Vec::new();
    if text.first() != Some(&b'{') {
        return found;
    }
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let Some(end) = string_end(text, at) else { break };
                let after = text[end..].trim_ascii_start();
                if depth == 1 && after.first() == Some(&b':') {
                    let name: Word<'_> = serde_json::from_slice(&text[at..end]).unwrap_or_default();
                    found.extend(name.owned());
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    found
}

/// Where the string that begins at `start` ends.
fn string_end(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_outermost_names_count_even_in_a_cut_line() {
        let head = Head::from_bytes(br#"{"a":{"b":1},"c":["d"],"e\"":"f","g":"cut"#.to_vec());
        assert!(head.line_has(&["a", "c", "e\""]));
        assert!(!head.line_has(&["b"]) && !head.line_has(&["d"]) && !head.line_has(&["f"]));
    }

    #[test]
    fn a_list_is_told_from_an_object() {
        let list = Head::from_bytes(b"[\n {\"ts\": 1, \"say\": \"x\"}]".to_vec());
        assert!(list.element_has(&["ts", "say"]) && !list.document_has(&["ts"]));
        assert!(
            Head::from_bytes(b"{\n \"info\": {},\n \"messages\": [".to_vec())
                .document_has(&["info", "messages"])
        );
    }
}
