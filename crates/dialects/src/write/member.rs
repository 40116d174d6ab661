//! Sets one member of an object in a JSON file without touching any other byte.

use super::Edit;
use crate::data::json::{self, Node};
use markdown::{Extent, outline};
use serde_json::Value;

/// A JSON file to change.
pub(crate) struct Document {
    path: String,
    text: String,
    root: Node,
}

impl Document {
    /// Reads a file; `None` if it is not JSON, since such a file is never changed.
    pub(crate) fn new(path: &str, bytes: &[u8]) -> Option<Self> {
        let text = outline::readable(bytes).into_owned();
        let start = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let (root, end) = json::parse(&text, Extent { start, end: text.len() }).ok()?;
        let alone = text.get(end..)?.trim().is_empty();
        alone.then(|| Self { path: path.to_owned(), text, root })
    }

    /// Reads the value that begins at an offset; `None` if no value begins there.
    pub(crate) fn at(path: &str, bytes: &[u8], start: usize) -> Option<Self> {
        let text = outline::readable(bytes).into_owned();
        let blanks = text.get(start..)?.len()
            - text.get(start..)?.trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t']).len();
        let at = Extent { start: start + blanks, end: text.len() };
        let (root, _) = json::parse(&text, at).ok()?;
        Some(Self { path: path.to_owned(), text, root })
    }

    /// The value of the file.
    pub(crate) fn root(&self) -> &Node {
        &self.root
    }

    /// Sets a member of an object: replaces its value, or adds a new member after `after` or at the beginning.
    pub(crate) fn set(&self, object: &Node, key: &str, value: &Value, after: &str) -> Edit {
        if let Some(old) = object.get(key) {
            return self.edit(old.at, self.written(value, object));
        }
        let member = format!("{}: {}", Value::String(key.to_owned()), self.written(value, object));
        let gap = self.gap(object);
        if let Some(before) = object.get(after) {
            return self.edit(Extent { start: before.at.end, end: before.at.end }, format!(",{gap}{member}"));
        }
        let start = object.at.start + 1;
        let comma = if object.members().is_empty() { "" } else { "," };
        self.edit(Extent { start, end: start }, format!("{gap}{member}{comma}"))
    }

    /// Adds a member at the end of an object.
    pub(crate) fn add(&self, object: &Node, key: &str, value: &Value) -> Edit {
        let member = format!("{}: {}", Value::String(key.to_owned()), self.written(value, object));
        let member = if self.is_compact(object) { member.replacen("\": ", "\":", 1) } else { member };
        let Some((_, last)) = object.members().last() else {
            return self.insert(object.at.start + 1, member);
        };
        let gap = self.gap(object);
        let gap = if gap.is_empty() && !self.is_compact(object) { " ".to_owned() } else { gap };
        self.insert(last.at.end, format!(",{gap}{member}"))
    }

    /// Appends strings to a list.
    pub(crate) fn extend(&self, entries: &Node, texts: &[&str], object: &Node) -> Vec<Edit> {
        let (start, entries) = (entries.at.start + 1, entries.list());
        let quoted = |text: &&str| Value::String((*text).to_owned()).to_string();
        let compact = self.is_compact(object);
        let gap =
            |blanks: &str| if blanks.is_empty() && !compact { " ".to_owned() } else { blanks.to_owned() };
        let Some(last) = entries.last() else {
            let inner = texts.iter().map(quoted).collect::<Vec<_>>().join(&format!(",{}", gap("")));
            return vec![self.insert(start, inner)];
        };
        let blanks = if entries.len() > 1 {
            gap(self.blanks_before(last.at.start))
        } else {
            let own = self.blanks_before(last.at.start);
            gap(if own.contains('\n') { own } else { "" })
        };
        texts.iter().map(|text| self.insert(last.at.end, format!(",{blanks}{}", quoted(text)))).collect()
    }

    /// Inserts a text.
    pub(crate) fn insert(&self, at: usize, text: String) -> Edit {
        self.edit(Extent { start: at, end: at }, text)
    }

    fn is_compact(&self, beside: &Node) -> bool {
        self.gap(beside).is_empty() && !self.text.contains(": ")
    }

    /// Appends an entry to an existing list.
    pub(crate) fn push(&self, list: &Node, value: &Value, object: &Node) -> Edit {
        let entries = list.list();
        let gap = entries.first().map_or_else(
            || format!("{}{}", self.gap(object), self.step(object)),
            |first| self.blanks_before(first.at.start).to_owned(),
        );
        let text = self.written(value, list);
        if let Some(end) = entries.last().map(|entry| entry.at.end) {
            return self.edit(Extent { start: end, end }, format!(",{gap}{text}"));
        }
        let inner = Extent { start: list.at.start + 1, end: list.at.end.saturating_sub(1) };
        self.edit(inner, format!("{gap}{text}{}", self.gap(object)))
    }

    /// A value in the style of the file: on one line, with blanks where the file has them.
    fn written(&self, value: &Value, beside: &Node) -> String {
        let compact = self.is_compact(beside);
        match value {
            Value::Object(members) if !compact => {
                let members: Vec<String> = members
                    .iter()
                    .map(|(key, value)| format!("{}: {value}", Value::String(key.clone())))
                    .collect();
                format!("{{ {} }}", members.join(", "))
            }
            Value::Array(entries) => {
                let entries: Vec<String> = entries.iter().map(|entry| self.written(entry, beside)).collect();
                format!("[{}]", entries.join(", "))
            }
            other => other.to_string(),
        }
    }

    /// The text before each member of an object: a line end and blanks, or nothing.
    fn gap(&self, object: &Node) -> String {
        let key = self.text.get(object.at.start + 1..object.at.end).unwrap_or_default();
        key.chars().take_while(|c| c.is_whitespace()).collect()
    }

    /// The indentation of the file.
    fn step(&self, object: &Node) -> String {
        let gap = self.gap(object);
        let Some((_, blanks)) = gap.rsplit_once('\n') else { return String::new() };
        blanks.chars().take(if blanks.contains('\t') { 1 } else { 2 }).collect()
    }

    fn blanks_before(&self, at: usize) -> &str {
        let before = self.text.get(..at).unwrap_or_default();
        before.get(before.trim_end().len()..).unwrap_or_default()
    }

    fn edit(&self, at: Extent, text: String) -> Edit {
        Edit { path: self.path.clone(), start: at.start, end: at.end, text }
    }
}
