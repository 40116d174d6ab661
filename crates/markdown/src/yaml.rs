//! YAML in a plan, for front matter and `Verify` blocks: a small tree with the place of each part.
//!
//! Tags and aliases are kept as [`What::Other`], so that a reader refuses them instead of guessing.

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use std::borrow::Cow;

/// A value with the offset at which it begins.
#[derive(Debug)]
pub struct Node {
    /// Its first byte.
    pub at: usize,
    /// The value.
    pub what: What,
}

/// The kind and content of a value.
#[derive(Debug)]
pub enum What {
    /// Nothing, or a plain `null` or `~`.
    Null,
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// Pairs.
    Map(Vec<(Node, Node)>),
    /// A form of YAML that is not supported, in words.
    Other(&'static str),
}

/// Text that is not valid YAML.
#[derive(Debug)]
pub struct Broken {
    /// The byte of the error.
    pub at: usize,
    /// The parser's reason.
    pub why: String,
}

/// How deep a value may be: deeper than anything that a plan has.
const DEEPEST: usize = 16;

/// The longest text that is read.
const LONGEST: usize = 1 << 16;

/// Reads a text that is one YAML value.
pub fn read(text: &str) -> Result<Node, Broken> {
    if text.len() > LONGEST {
        return Err(Broken { at: 0, why: "it is too long".to_owned() });
    }
    Reader { parser: Parser::new_from_str(text), text, known: (0, 0) }.document()
}

/// Reads the value of an entry `key: value`, over as many lines as it has.
pub fn value_of(entry: &str) -> Result<Node, Broken> {
    let node = read(entry)?;
    match node.what {
        What::Map(pairs) if pairs.len() == 1 => match pairs.into_iter().next() {
            Some((_, value)) => Ok(value),
            None => Err(Broken { at: node.at, why: "no value".to_owned() }),
        },
        _ => Err(Broken { at: node.at, why: "it is more than one value".to_owned() }),
    }
}

struct Reader<'a> {
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
    text: &'a str,
    /// A known position, in characters and in bytes: positions come in the order of the text.
    known: (usize, usize),
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<(Event<'a>, usize), Broken> {
        match self.parser.next() {
            Some(Ok((event, span))) => {
                let at = self.byte(span.start.index());
                Ok((event, at))
            }
            Some(Err(error)) => {
                let at = self.byte(error.marker().index());
                Err(Broken { at, why: error.info().to_owned() })
            }
            None => Err(Broken { at: self.text.len(), why: "it ends too early".to_owned() }),
        }
    }

    /// The byte offset of a character.
    fn byte(&mut self, index: usize) -> usize {
        let (chars, bytes) = if self.known.0 <= index { self.known } else { (0, 0) };
        let rest = self.text.get(bytes..).unwrap_or_default();
        let more = rest.char_indices().nth(index - chars).map_or(rest.len(), |(at, _)| at);
        self.known = (index, bytes + more);
        bytes + more
    }

    fn document(&mut self) -> Result<Node, Broken> {
        loop {
            match self.next()? {
                (Event::Nothing | Event::StreamStart | Event::DocumentStart(_), _) => {}
                (Event::StreamEnd | Event::DocumentEnd, at) => return Ok(Node { at, what: What::Null }),
                (event, at) => {
                    let node = self.node(event, at, DEEPEST)?;
                    // A second value would be lost.
                    loop {
                        match self.next()? {
                            (Event::StreamEnd, _) => return Ok(node),
                            (Event::DocumentEnd | Event::Nothing, _) => {}
                            (_, at) => {
                                return Err(Broken { at, why: "it is more than one value".to_owned() });
                            }
                        }
                    }
                }
            }
        }
    }

    fn node(&mut self, event: Event<'a>, at: usize, depth: usize) -> Result<Node, Broken> {
        if depth == 0 {
            return Err(Broken { at, why: "it is nested too deep".to_owned() });
        }
        let what = match event {
            Event::Scalar(text, style, _, tag) => scalar(text, style, tag.as_deref()),
            Event::SequenceStart(_, tag) => {
                let list = self.list(depth)?;
                if tag.is_some() { What::Other("a tag") } else { What::List(list) }
            }
            Event::MappingStart(_, tag) => {
                let map = self.map(depth)?;
                if tag.is_some() { What::Other("a tag") } else { What::Map(map) }
            }
            Event::Alias(_) => What::Other("an alias"),
            _ => return Err(Broken { at, why: "it ends too early".to_owned() }),
        };
        Ok(Node { at, what })
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Node>, Broken> {
        let mut list = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(list),
                (event, at) => list.push(self.node(event, at, depth - 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Vec<(Node, Node)>, Broken> {
        let mut map = Vec::new();
        loop {
            match self.next()? {
                (Event::MappingEnd, _) => return Ok(map),
                (event, at) => {
                    let key = self.node(event, at, depth - 1)?;
                    let (event, at) = self.next()?;
                    map.push((key, self.node(event, at, depth - 1)?));
                }
            }
        }
    }
}

fn scalar(text: Cow<'_, str>, style: ScalarStyle, tag: Option<&Tag>) -> What {
    match (tag, style) {
        // `! grep x` is the text `grep x` with a tag: the opposite of what it looks like.
        (Some(_), _) => What::Other("a tag"),
        (None, ScalarStyle::Plain) if matches!(&*text, "" | "~" | "null" | "Null" | "NULL") => What::Null,
        _ => What::Text(text.into_owned()),
    }
}
