//! JSON with the position of every value in the file.
//!
//! A tick replaces the bytes of one status, so the reader must know the position of each value. Neither depth nor
//! size makes it crash: input nested too deeply is an ordinary error.

use markdown::Extent;
use serde_json::{Map, Value};

/// A value and its position; a string's range includes its quotes.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// The range in the file.
    pub(crate) at: Extent,
    /// The value.
    pub(crate) value: Json,
}

/// The kinds of values.
#[derive(Debug, Clone)]
pub(crate) enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as written: an id such as `23.40` must not become `23.4`.
    Number(String),
    /// A string with its escapes resolved.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// An object in the order of the file.
    Object(Vec<(String, Node)>),
}

/// Parses the value at the beginning of a range of `text`, and returns where it ends; an error is the offset of the
/// first bad byte.
pub(crate) fn parse(text: &str, at: Extent) -> Result<(Node, usize), usize> {
    let mut parser = Parser { text: text.get(..at.end).unwrap_or_default(), at: at.start };
    let node = parser.value(0)?;
    Ok((node, parser.at))
}

/// Parses a text that is a single value.
pub(crate) fn whole(text: &str) -> Result<Node, usize> {
    let (node, end) = parse(text, Extent { start: 0, end: text.len() })?;
    let rest = text.get(end..).unwrap_or_default();
    if rest.trim().is_empty() { Ok(node) } else { Err(end + rest.len() - rest.trim_start().len()) }
}

impl Node {
    /// The value of a key. The last of several wins, as in every JSON reader.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.members().iter().rev().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    /// The members of an object.
    pub(crate) fn members(&self) -> &[(String, Node)] {
        if let Json::Object(members) = &self.value { members } else { &[] }
    }

    /// The entries of a list.
    pub(crate) fn list(&self) -> &[Node] {
        if let Json::List(list) = &self.value { list } else { &[] }
    }

    /// The entries of the list under a key; empty if there is no such list.
    pub(crate) fn entries(&self, key: &str) -> &[Node] {
        self.get(key).map(Node::list).unwrap_or_default()
    }

    /// The text of a string.
    pub(crate) fn str(&self) -> Option<&str> {
        if let Json::Text(text) = &self.value { Some(text) } else { None }
    }

    /// The text of a string or number: an id may be either.
    pub(crate) fn name(&self) -> Option<&str> {
        match &self.value {
            Json::Text(text) | Json::Number(text) => Some(text),
            _ => None,
        }
    }

    /// The string under a key; empty if there is none.
    pub(crate) fn text(&self, key: &str) -> &str {
        self.get(key).and_then(Node::str).unwrap_or_default()
    }

    /// The strings of a list, or a single string in place of a list.
    pub(crate) fn texts(&self, key: &str) -> Vec<&str> {
        let Some(node) = self.get(key) else { return Vec::new() };
        node.str().map_or_else(|| node.list().iter().filter_map(Node::name).collect(), |text| vec![text])
    }

    /// The bytes between the quotes of a string, or the whole range of any other value.
    pub(crate) fn inner(&self) -> Extent {
        match self.value {
            Json::Text(_) => Extent { start: self.at.start + 1, end: self.at.end.saturating_sub(1) },
            _ => self.at,
        }
    }

    /// The value without positions.
    pub(crate) fn plain(&self) -> Value {
        match &self.value {
            Json::Null => Value::Null,
            Json::Bool(truth) => Value::Bool(*truth),
            Json::Number(text) => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone())),
            Json::Text(text) => Value::String(text.clone()),
            Json::List(list) => Value::Array(list.iter().map(Node::plain).collect()),
            Json::Object(members) => {
                let plain = members.iter().map(|(key, node)| (key.clone(), node.plain()));
                Value::Object(plain.collect::<Map<_, _>>())
            }
        }
    }
}

/// Deeper than any plan, and shallow enough for any stack.
const DEEPEST: usize = 96;

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl Parser<'_> {
    fn value(&mut self, depth: usize) -> Result<Node, usize> {
        self.blanks();
        let start = self.at;
        if depth > DEEPEST {
            return Err(start);
        }
        let value = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => Json::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => self.word()?,
        };
        Ok(Node { at: Extent { start, end: self.at }, value })
    }

    fn object(&mut self, depth: usize) -> Result<Json, usize> {
        self.at += 1;
        let mut members = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                Some(b'}') if members.is_empty() => break,
                Some(b'"') => {}
                _ => return Err(self.at),
            }
            let key = self.string()?;
            self.blanks();
            self.expect(b':')?;
            members.push((key, self.value(depth + 1)?));
            self.blanks();
            if self.peek() != Some(b',') {
                break;
            }
            self.at += 1;
        }
        self.expect(b'}')?;
        Ok(Json::Object(members))
    }

    fn array(&mut self, depth: usize) -> Result<Json, usize> {
        self.at += 1;
        let mut list = Vec::new();
        self.blanks();
        if self.peek() != Some(b']') {
            loop {
                list.push(self.value(depth + 1)?);
                self.blanks();
                if self.peek() != Some(b',') {
                    break;
                }
                self.at += 1;
            }
        }
        self.expect(b']')?;
        Ok(Json::List(list))
    }

    fn string(&mut self) -> Result<String, usize> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
                None => return Err(start),
            }
        }
        self.at += 1;
        let quoted = self.text.get(start..self.at).ok_or(start)?;
        serde_json::from_str(quoted).map_err(|_| start)
    }

    fn number(&mut self) -> Result<Json, usize> {
        let start = self.at;
        while matches!(self.peek(), Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')) {
            self.at += 1;
        }
        let text = self.text.get(start..self.at).ok_or(start)?;
        serde_json::from_str::<serde_json::Number>(text).map_err(|_| start)?;
        Ok(Json::Number(text.to_owned()))
    }

    fn word(&mut self) -> Result<Json, usize> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let words = [("true", Json::Bool(true)), ("false", Json::Bool(false)), ("null", Json::Null)];
        for (word, value) in words {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.at)
    }

    fn expect(&mut self, byte: u8) -> Result<(), usize> {
        if self.peek() != Some(byte) {
            return Err(self.at);
        }
        self.at += 1;
        Ok(())
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_knows_its_place() {
        let text = r#" {"a": "x\"y", "b": [23.40, {"c": null}], "a": "é"} "#;
        let node = whole(text).unwrap();
        let last = node.get("a").unwrap();
        assert_eq!((last.str(), &text[last.inner().start..last.inner().end]), (Some("é"), "é"));
        let first = &node.entries("b")[0];
        assert_eq!((first.name(), &text[first.at.start..first.at.end]), (Some("23.40"), "23.40"));
        assert_eq!(node.plain(), serde_json::from_str::<Value>(text).unwrap());
    }

    #[test]
    fn what_is_no_json_is_an_error_with_its_offset() {
        for (text, at) in
            [("", 0), ("{", 1), ("{\"a\"}", 4), ("[1,]", 3), ("\"a", 0), ("1 2", 2), ("\"\\", 0)]
        {
            assert_eq!(whole(text).unwrap_err(), at, "{text}");
        }
        assert!(whole(&"[".repeat(100_000)).is_err());
    }
}
