//! A reader of JSON lines for which skipping is nearly free: most of a record is text that no reader needs.
//!
//! It jumps from mark to mark, accepts only what is clearly valid and leaves everything else to `serde_json`, which
//! decides: a line with control characters, deep nesting, a number out of range. So both always agree on what is
//! JSON, and on its value.

pub(crate) mod elements;
mod entries;
pub(crate) mod lenient;
pub(crate) mod lines;
pub(crate) mod marks;
pub(crate) mod mend;
pub(crate) mod pieces;
pub(crate) mod squeeze;
#[cfg(test)]
mod tests;
pub(crate) mod text;

use crate::json::entries::Entries;
use crate::json::marks::Marks;
use serde::Deserialize;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use std::fmt;
use std::ops::Range;

/// Deeper values are left to `serde_json`, which has its own limit.
const DEEPEST: u8 = 100;
/// The name that `serde_json` uses for a raw value.
const RAW: &str = "$serde_json::private::RawValue";

/// Reads one value from a whole line.
pub(crate) fn from_slice<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, serde_json::Error> {
    from_part(bytes, &Marks::of(bytes), 0..bytes.len())
}

/// Reads one value from a whole line of a text whose marks are known.
pub(crate) fn from_part<'a, T: Deserialize<'a>>(
    text: &'a [u8],
    marks: &Marks,
    line: Range<usize>,
) -> Result<T, serde_json::Error> {
    match plain(text, marks, line.clone()) {
        Ok(value) => Ok(value),
        Err(Left) => serde_json::from_slice(&text[line]),
    }
}

fn plain<'a, T: Deserialize<'a>>(text: &'a [u8], marks: &Marks, line: Range<usize>) -> Result<T, Left> {
    let bytes = &text[..line.start + text[line.clone()].trim_ascii_end().len()];
    if marks.doubt(line.start).is_some_and(|doubt| doubt < bytes.len()) {
        return Err(Left);
    }
    let mut json = Json { bytes, marks, at: line.start, depth: 0 };
    let value = T::deserialize(&mut json)?;
    json.space();
    if json.at == json.bytes.len() { Ok(value) } else { Err(Left) }
}

/// Left to `serde_json`.
#[derive(Debug)]
struct Left;

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("left to serde_json")
    }
}

impl std::error::Error for Left {}

impl Error for Left {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

struct Json<'m, 'a> {
    /// The text to the end of the line.
    bytes: &'a [u8],
    marks: &'m Marks,
    at: usize,
    depth: u8,
}

impl<'a> Json<'_, 'a> {
    fn space(&mut self) {
        while self.bytes.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
    }

    /// The next byte that is not a blank.
    fn peek(&mut self) -> Result<u8, Left> {
        self.space();
        self.bytes.get(self.at).copied().ok_or(Left)
    }

    fn expect(&mut self, byte: u8) -> Result<(), Left> {
        if self.peek()? != byte {
            return Err(Left);
        }
        self.at += 1;
        Ok(())
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Left> {
        if !self.bytes[self.at..].starts_with(word) {
            return Err(Left);
        }
        self.at += word.len();
        Ok(())
    }

    fn deeper(&mut self) -> Result<(), Left> {
        self.at += 1;
        self.depth += 1;
        if self.depth > DEEPEST { Err(Left) } else { Ok(()) }
    }

    /// Skips the rest of a string.
    fn string(&mut self) -> Result<(), Left> {
        let end = self.marks.quote(self.at).filter(|end| *end < self.bytes.len()).ok_or(Left)?;
        self.at = end + 1;
        Ok(())
    }

    /// A requested string: borrowed, or decoded.
    fn text(&mut self) -> Result<Text<'a>, Left> {
        let start = self.at;
        self.at += 1;
        self.string()?;
        let inside = &self.bytes[start + 1..self.at - 1];
        if inside.contains(&b'\\') {
            return serde_json::from_slice(&self.bytes[start..self.at]).map(Text::Decoded).map_err(|_| Left);
        }
        str::from_utf8(inside).map(Text::Plain).map_err(|_| Left)
    }

    /// Skips a number.
    fn number(&mut self) -> Result<Figure, Left> {
        let negative = self.bytes[self.at] == b'-';
        self.at += usize::from(negative);
        let whole = self.digits();
        if whole == 0 || (whole > 1 && self.bytes[self.at - whole] == b'0') {
            return Err(Left);
        }
        let mut fraction = false;
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            fraction = true;
            if self.digits() == 0 {
                return Err(Left);
            }
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            self.at += 1;
            fraction = true;
            self.at += usize::from(matches!(self.bytes.get(self.at), Some(b'+' | b'-')));
            if self.digits() == 0 {
                return Err(Left);
            }
        }
        Ok(Figure { negative, fraction })
    }

    fn digits(&mut self) -> usize {
        let count = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        count
    }

    /// Skips a value.
    fn skip(&mut self) -> Result<(), Left> {
        match self.peek()? {
            b'"' => {
                self.at += 1;
                self.string()
            }
            b'{' => {
                self.deeper()?;
                let mut first = true;
                while self.entry(&mut first, b'}')? {
                    self.expect(b'"')?;
                    self.string()?;
                    self.expect(b':')?;
                    self.skip()?;
                }
                Ok(())
            }
            b'[' => {
                self.deeper()?;
                let mut first = true;
                while self.entry(&mut first, b']')? {
                    self.skip()?;
                }
                Ok(())
            }
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            b'-' | b'0'..=b'9' => self.number().map(|_| ()),
            _ => Err(Left),
        }
    }

    /// Whether another entry follows in a list or an object; consumes its comma, or the bracket at the end.
    fn entry(&mut self, first: &mut bool, end: u8) -> Result<bool, Left> {
        let next = self.peek()?;
        if next == end {
            self.at += 1;
            self.depth -= 1;
            return Ok(false);
        }
        if !std::mem::take(first) {
            self.expect(b',')?;
            // A comma must not precede the end.
            if self.peek()? == end {
                return Err(Left);
            }
        }
        Ok(true)
    }
}

enum Text<'a> {
    Plain(&'a str),
    Decoded(String),
}

struct Figure {
    negative: bool,
    fraction: bool,
}

impl<'de> Deserializer<'de> for &mut Json<'_, 'de> {
    type Error = Left;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Left> {
        match self.peek()? {
            b'"' => match self.text()? {
                Text::Plain(text) => visitor.visit_borrowed_str(text),
                Text::Decoded(text) => visitor.visit_string(text),
            },
            b'{' => {
                self.deeper()?;
                let mut entries = Entries { json: self, first: true, ended: false };
                let value = visitor.visit_map(&mut entries)?;
                entries.ended.then_some(value).ok_or(Left)
            }
            b'[' => {
                self.deeper()?;
                let mut entries = Entries { json: self, first: true, ended: false };
                let value = visitor.visit_seq(&mut entries)?;
                entries.ended.then_some(value).ok_or(Left)
            }
            b't' => self.word(b"true").and_then(|()| visitor.visit_bool(true)),
            b'f' => self.word(b"false").and_then(|()| visitor.visit_bool(false)),
            b'n' => self.word(b"null").and_then(|()| visitor.visit_unit()),
            b'-' | b'0'..=b'9' => {
                let start = self.at;
                let figure = self.number()?;
                let text = str::from_utf8(&self.bytes[start..self.at]).map_err(|_| Left)?;
                match figure {
                    Figure { fraction: false, negative: false } => {
                        visitor.visit_u64(text.parse().map_err(|_| Left)?)
                    }
                    // `serde_json` reads minus zero as a fraction.
                    Figure { fraction: false, negative: true } if text != "-0" => {
                        visitor.visit_i64(text.parse().map_err(|_| Left)?)
                    }
                    _ => {
                        // Parsed by `serde_json`, for the same rounding and range.
                        visitor.visit_f64(serde_json::from_str(text).map_err(|_| Left)?)
                    }
                }
            }
            _ => Err(Left),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Left> {
        self.skip()?;
        visitor.visit_unit()
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Left> {
        if self.peek()? == b'n' {
            self.word(b"null")?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Left> {
        if name != RAW {
            return visitor.visit_newtype_struct(self);
        }
        self.space();
        let start = self.at;
        self.skip()?;
        let text = str::from_utf8(&self.bytes[start..self.at]).map_err(|_| Left)?;
        visitor.visit_map(Raw(Some(text)))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct enum identifier
    }
}

/// A raw value, passed on the way `serde_json` does.
struct Raw<'a>(Option<&'a str>);

impl<'de> MapAccess<'de> for Raw<'de> {
    type Error = Left;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Left> {
        seed.deserialize(BorrowedStrDeserializer::new(RAW)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Left> {
        seed.deserialize(BorrowedStrDeserializer::new(self.0.take().ok_or(Left)?))
    }
}
