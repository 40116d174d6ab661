//! JSON in the very bytes of `serde_json`, made more quickly: the names of fields are copied as they are, and so is every
//! text without a sign that must be escaped. All else is left to `serde_json`.
//!
//! Keys of maps must be texts, as they are everywhere in our contracts.

use serde::Serialize;
use serde::ser::{self, Error as _, Serializer};
use serde_json::Error;

/// Adds a value to `out`.
pub(crate) fn append<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> Result<(), Error> {
    value.serialize(&mut Writer { out })
}

struct Writer<'o> {
    out: &'o mut Vec<u8>,
}

impl Writer<'_> {
    fn put(&mut self, json: &str) {
        self.out.extend_from_slice(json.as_bytes());
    }

    fn usual<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(&mut serde_json::Serializer::new(&mut *self.out))
    }
}

/// Whether a text stands in JSON as it is.
fn is_plain(text: &[u8]) -> bool {
    let special = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
    // Without a way out of the middle the sixteen are looked at as one.
    let plain = |block: &[u8; 16]| block.iter().fold(0, |found, byte| found | u8::from(special(*byte))) == 0;
    match text.last_chunk() {
        Some(last) => text.as_chunks().0.iter().all(plain) && plain(last),
        None => !text.iter().any(|byte| special(*byte)),
    }
}

/// A list or an object that is being written.
struct Open<'w, 'o> {
    writer: &'w mut Writer<'o>,
    is_empty: bool,
    close: &'static str,
}

impl<'w, 'o> Open<'w, 'o> {
    fn new(writer: &'w mut Writer<'o>, open: &str, close: &'static str) -> Self {
        writer.put(open);
        Self { writer, is_empty: true, close }
    }

    /// The same inside an object whose only field is the name of a variant.
    fn variant(writer: &'w mut Writer<'o>, name: &str, open: &str, close: &'static str) -> Self {
        writer.put("{\"");
        writer.put(name);
        writer.put("\":");
        Self::new(writer, open, close)
    }

    fn comma(&mut self) {
        if !std::mem::take(&mut self.is_empty) {
            self.writer.put(",");
        }
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.comma();
        value.serialize(&mut *self.writer)
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        self.writer.put(if std::mem::take(&mut self.is_empty) { "\"" } else { ",\"" });
        self.writer.put(name);
        self.writer.put("\":");
        value.serialize(&mut *self.writer)
    }

    fn close(self) {
        self.writer.put(self.close);
    }
}

macro_rules! usual {
    ($($name:ident($type:ty)),* $(,)?) => { $(
        fn $name(self, value: $type) -> Result<(), Error> {
            self.usual(&value)
        }
    )* };
}

impl<'w, 'o> Serializer for &'w mut Writer<'o> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Open<'w, 'o>;
    type SerializeTuple = Open<'w, 'o>;
    type SerializeTupleStruct = Open<'w, 'o>;
    type SerializeTupleVariant = Open<'w, 'o>;
    type SerializeMap = Open<'w, 'o>;
    type SerializeStruct = Open<'w, 'o>;
    type SerializeStructVariant = Open<'w, 'o>;

    usual! {
        serialize_i8(i8), serialize_i16(i16), serialize_i32(i32), serialize_i64(i64), serialize_i128(i128),
        serialize_u8(u8), serialize_u16(u16), serialize_u32(u32), serialize_u64(u64), serialize_u128(u128),
        serialize_f32(f32), serialize_f64(f64), serialize_char(char), serialize_bytes(&[u8]),
    }

    fn serialize_str(self, text: &str) -> Result<(), Error> {
        if !is_plain(text.as_bytes()) {
            return self.usual(text);
        }
        self.put("\"");
        self.put(text);
        self.put("\"");
        Ok(())
    }

    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        self.put(if value { "true" } else { "false" });
        Ok(())
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.put("null");
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        let mut open = Open::new(self, "{", "}");
        open.field(variant, value)?;
        open.close();
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Open<'w, 'o>, Error> {
        Ok(Open::new(self, "[", "]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Open<'w, 'o>, Error> {
        Ok(Open::new(self, "[", "]"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Open<'w, 'o>, Error> {
        Ok(Open::new(self, "[", "]"))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Open<'w, 'o>, Error> {
        Ok(Open::variant(self, variant, "[", "]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Open<'w, 'o>, Error> {
        Ok(Open::new(self, "{", "}"))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Open<'w, 'o>, Error> {
        Ok(Open::new(self, "{", "}"))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Open<'w, 'o>, Error> {
        Ok(Open::variant(self, variant, "{", "}}"))
    }
}

macro_rules! lists {
    ($($kind:ident::$name:ident),* $(,)?) => { $(
        impl ser::$kind for Open<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn $name<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.element(value)
            }

            fn end(self) -> Result<(), Error> {
                self.close();
                Ok(())
            }
        }
    )* };
}

lists! {
    SerializeSeq::serialize_element, SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field, SerializeTupleVariant::serialize_field,
}

macro_rules! objects {
    ($($kind:ident),*) => { $(
        impl ser::$kind for Open<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), Error> {
                self.field(name, value)
            }

            fn end(self) -> Result<(), Error> {
                self.close();
                Ok(())
            }
        }
    )* };
}

objects!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Open<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.comma();
        let start = self.writer.out.len();
        key.serialize(&mut *self.writer)?;
        match self.writer.out.get(start) {
            Some(b'"') => Ok(()),
            _ => Err(Error::custom("key must be a string")),
        }
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.writer.put(":");
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Result<(), Error> {
        self.close();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::BTreeMap;

    #[derive(Serialize)]
    enum Shape {
        Plain,
        One(u8),
        Two(u8, i64),
        Named { a: bool, b: Option<char> },
    }

    fn same<T: Serialize>(value: &T) {
        let mut out = Vec::new();
        append(value, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), serde_json::to_string(value).unwrap());
    }

    #[test]
    fn every_kind_of_value_is_written_alike() {
        same(&json!({ "a": [1, -2, 2.5, null, true, "x"], "b": {}, "c": [], "\n": { "\"": "\\" } }));
        same(&[Shape::Plain, Shape::One(1), Shape::Two(1, -1)]);
        same(&[Shape::Named { a: true, b: Some('"') }, Shape::Named { a: false, b: None }]);
        same(&(1u128, i128::MIN, 1.0f32, f64::NAN, (), [0u8; 3]));
        assert!(append(&BTreeMap::from([(1, 2)]), &mut Vec::new()).is_err());
    }

    #[test]
    fn every_sign_is_escaped_wherever_it_stands() {
        for sign in (0..=0x7f_u8).map(char::from).chain(['é', '✅', '\u{2028}']) {
            for length in 0..40 {
                for at in [0, length / 2, length] {
                    let mut text = "x".repeat(length);
                    text.insert(at, sign);
                    same(&text);
                }
            }
        }
    }
}
