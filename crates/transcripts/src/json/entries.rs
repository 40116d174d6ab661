//! `Entries`: the entries of a list or an object, one after the other.

use super::{Json, Left, Text};
use serde::de::value::{BorrowedStrDeserializer, StrDeserializer};
use serde::de::{DeserializeSeed, MapAccess, SeqAccess};

/// The entries of a list or an object. Asking again after the end returns the end again, as a structure written as a
/// list requires. `ended` stays false if the caller stops before the end.
pub(super) struct Entries<'j, 'm, 'a> {
    pub(super) json: &'j mut Json<'m, 'a>,
    pub(super) first: bool,
    pub(super) ended: bool,
}

impl Entries<'_, '_, '_> {
    fn more(&mut self, end: u8) -> Result<bool, Left> {
        self.ended = self.ended || !self.json.entry(&mut self.first, end)?;
        Ok(!self.ended)
    }
}

impl<'de> SeqAccess<'de> for &mut Entries<'_, '_, 'de> {
    type Error = Left;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Left> {
        if self.more(b']')? { seed.deserialize(&mut *self.json).map(Some) } else { Ok(None) }
    }
}

impl<'de> MapAccess<'de> for &mut Entries<'_, '_, 'de> {
    type Error = Left;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Left> {
        if !self.more(b'}')? {
            return Ok(None);
        }
        if self.json.peek()? != b'"' {
            return Err(Left);
        }
        let key = match self.json.text()? {
            Text::Plain(key) => seed.deserialize(BorrowedStrDeserializer::new(key)),
            Text::Decoded(key) => seed.deserialize(StrDeserializer::new(&key)),
        };
        key.map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Left> {
        self.json.expect(b':')?;
        seed.deserialize(&mut *self.json)
    }
}
