//! Splits one JSON document into the elements of its list of messages, in bounded memory.
//!
//! Elements are parsed one by one, so a bad or truncated one costs only itself. The text around the list is kept as a
//! document of its own with an empty list; brackets that a truncated file leaves open are closed.

use crate::client::head::names_in;
use crate::json::lines::{At, Lines, parse};
use crate::json::squeeze::Strings;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use toolkit::Fail;

const CHUNK: usize = 256 << 10;
/// Elements longer than this are counted as unknown.
const LONGEST: usize = 6 << 20;

/// The rest of a document without its elements.
pub(crate) struct Rest {
    /// The document with an empty list.
    pub(crate) document: Vec<u8>,
    /// The number of elements that were not understood.
    pub(crate) unknown: u64,
}

/// Feeds the elements of the list `key` of an object, or of the document if it is a list itself.
pub(crate) fn read_elements<L: Lines>(path: &Path, key: &str, to: &mut L) -> Result<Rest, Fail> {
    let mut file = File::open(path).map_err(|error| Fail::io(path, &error))?;
    let mut split = Split::new(key, to);
    let mut buffer = vec![0; CHUNK];
    loop {
        let count = file.read(&mut buffer).map_err(|error| Fail::io(path, &error))?;
        if count == 0 {
            return Ok(split.end());
        }
        split.push(&buffer[..count]);
    }
}

/// Reads only the text around the list, and stops at the list if `wanted` comes before it.
pub(crate) fn read_rest(path: &Path, key: &str, wanted: &[&str]) -> Result<Vec<u8>, Fail> {
    let mut file = File::open(path).map_err(|error| Fail::io(path, &error))?;
    let mut nobody = Nobody;
    let mut split = Split::new(key, &mut nobody);
    let mut buffer = vec![0; CHUNK];
    loop {
        let count = file.read(&mut buffer).map_err(|error| Fail::io(path, &error))?;
        if count == 0 || (split.inner > 0 && names_in(&split.rest, wanted)) {
            return Ok(split.end().document);
        }
        split.push(&buffer[..count]);
    }
}

struct Nobody;

impl Lines for Nobody {
    type Line<'a> = serde::de::IgnoredAny;
    fn line(&mut self, _: &At<'_>, _: Self::Line<'_>) {}
}

struct Split<'l, L> {
    key: &'l str,
    to: &'l mut L,
    strings: Strings,
    /// The open brackets.
    open: Vec<u8>,
    /// The depth of the elements; 0 outside of the list.
    inner: usize,
    /// Where the latest string of the rest begins: at depth 1 this is the name before a list.
    string: usize,
    rest: Vec<u8>,
    element: Vec<u8>,
    number: u64,
    unknown: u64,
}

impl<'l, L: Lines> Split<'l, L> {
    fn new(key: &'l str, to: &'l mut L) -> Self {
        Self {
            key,
            to,
            strings: Strings::default(),
            open: Vec::new(),
            inner: 0,
            string: 0,
            rest: Vec::new(),
            element: Vec::new(),
            number: 0,
            unknown: 0,
        }
    }

    fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let out = if self.inner > 0 { &mut self.element } else { &mut self.rest };
            if out.len() > LONGEST {
                // Too long: keep counting brackets, but store nothing.
                out.truncate(LONGEST);
            }
            if self.strings.inside() {
                let used = self.strings.copy(bytes, out);
                bytes = &bytes[used..];
                continue;
            }
            let run = bytes.iter().position(|byte| matches!(byte, b'"' | b'[' | b']' | b'{' | b'}' | b','));
            let run = run.unwrap_or(bytes.len());
            out.extend_from_slice(&bytes[..run]);
            let Some(&mark) = bytes.get(run) else { return };
            bytes = &bytes[run + 1..];
            self.mark(mark);
        }
    }

    fn mark(&mut self, mark: u8) {
        let depth = self.open.len();
        match mark {
            b',' if self.inner == depth && depth > 0 => return self.element(),
            b']' if self.inner == depth && depth > 0 => {
                self.element();
                self.inner = 0;
            }
            _ => {}
        }
        let out = if self.inner > 0 { &mut self.element } else { &mut self.rest };
        match mark {
            b'"' => {
                self.strings.open();
                self.string = out.len();
            }
            b'[' | b'{' => self.open.push(mark),
            b']' | b'}' => drop(self.open.pop()),
            _ => {}
        }
        out.push(mark);
        if mark == b'[' && self.inner == 0 && self.is_wanted() {
            self.inner = self.open.len();
        }
    }

    /// Whether the list just opened is the requested one.
    fn is_wanted(&self) -> bool {
        match self.open.as_slice() {
            [b'['] => true,
            [b'{', b'['] => {
                let name = self.rest.get(self.string + 1..).unwrap_or_default();
                name.strip_prefix(self.key.as_bytes()).is_some_and(|after| after.starts_with(b"\""))
            }
            _ => false,
        }
    }

    fn element(&mut self) {
        if !self.element.trim_ascii().is_empty() {
            self.number += 1;
            let at = At { number: self.number, offset: 0, bytes: &self.element };
            let parsed = parse(self.to, &at);
            self.unknown += u64::from(parsed.is_none());
        }
        self.element.clear();
    }

    fn end(mut self) -> Rest {
        // A truncated file: an incomplete element cannot be trusted.
        if !self.element.trim_ascii().is_empty() {
            self.unknown += 1;
        }
        if self.inner > 0 {
            self.open.truncate(self.inner);
        }
        for open in self.open.iter().rev() {
            self.rest.push(if *open == b'[' { b']' } else { b'}' });
        }
        Rest { document: self.rest, unknown: self.unknown }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[derive(Default)]
    struct Got(Vec<Value>);

    impl Lines for Got {
        type Line<'a> = Value;
        fn line(&mut self, _: &At<'_>, line: Value) {
            self.0.push(line);
        }
    }

    fn split(text: &str, step: usize) -> (Vec<Value>, Value, u64) {
        let mut got = Got::default();
        let mut split = Split::new("messages", &mut got);
        for piece in text.as_bytes().chunks(step) {
            split.push(piece);
        }
        let rest = split.end();
        (got.0, serde_json::from_slice(&rest.document).unwrap_or_default(), rest.unknown)
    }

    #[test]
    fn elements_come_one_by_one_and_the_rest_stays() {
        let text = r#" {"id":"a,]","n":[1,{"messages":[9]}],"messages":[{"x":[1,2]}, "s[", 3],"z":{"messages":[7]}} "#;
        for step in [1, 2, 5, 1000] {
            let (got, rest, unknown) = split(text, step);
            assert_eq!(got, serde_json::from_str::<Vec<Value>>(r#"[{"x":[1,2]},"s[",3]"#).unwrap());
            let want = r#"{"id":"a,]","n":[1,{"messages":[9]}],"messages":[],"z":{"messages":[7]}}"#;
            assert_eq!(rest, serde_json::from_str::<Value>(want).unwrap());
            assert_eq!(unknown, 0);
        }
    }

    #[test]
    fn a_document_may_be_a_list_itself() {
        assert_eq!(split(r#"[{"a":"b"},{"c":[]}]"#, 3).0.len(), 2);
        assert_eq!(split("[]", 3).0.len(), 0);
    }

    #[test]
    fn a_cut_document_keeps_what_is_whole() {
        let (got, rest, unknown) = split(r#"{"id":"i","messages":[{"a":1},{"b":"cu"#, 4);
        assert_eq!((got.len(), unknown), (1, 1));
        assert_eq!(rest["id"], "i");
        assert_eq!(split(r#"[{"a":1},{"b":tru},{"c":3}]"#, 4).2, 1);
    }
}
