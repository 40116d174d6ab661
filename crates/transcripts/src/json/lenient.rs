//! Leaf types that accept any JSON value and keep only the kind they want.
//!
//! Another program writes the record: a field of an unexpected type must not hide the call on the same line. Only
//! broken JSON is an error; strings are borrowed from the line if possible.

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// A string, or a list of strings joined by spaces; `None` for any other value.
#[derive(Debug, Default, Clone)]
pub(crate) struct Word<'a>(Option<Cow<'a, str>>);

/// A number that may be a fraction; `None` for any other value.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Number(Option<f64>);

/// True or false; `None` for any other value.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Flag(Option<bool>);

/// An object read as `T`; `None` for any other value.
#[derive(Debug, Clone)]
pub(crate) struct Maybe<T>(Option<T>);

/// Paths: the names of an object's fields, or the `path` of each object in a list.
#[derive(Debug, Default, Clone)]
pub(crate) struct Paths(pub(crate) Vec<String>);

/// A list of `T`; empty for any other value.
#[derive(Debug, Clone)]
pub(crate) struct Items<T>(Vec<T>);

impl Word<'_> {
    pub(crate) fn get(&self) -> Option<&str> {
        self.0.as_deref()
    }

    pub(crate) fn is(&self, word: &str) -> bool {
        self.get() == Some(word)
    }

    /// The text, or an empty one.
    pub(crate) fn text(&self) -> &str {
        self.get().unwrap_or_default()
    }

    pub(crate) fn owned(&self) -> Option<String> {
        self.get().map(str::to_owned)
    }
}

impl<'a> From<&'a str> for Word<'a> {
    fn from(text: &'a str) -> Self {
        Self(Some(Cow::Borrowed(text)))
    }
}

impl Number {
    pub(crate) fn get(self) -> Option<f64> {
        self.0
    }

    /// The number, if it is an integer that fits.
    pub(crate) fn whole(self) -> Option<i32> {
        let value = self.0?;
        #[expect(clippy::cast_possible_truncation, reason = "compared with what it was made from")]
        let whole = value as i32;
        (f64::from(whole).to_bits() == value.to_bits()).then_some(whole)
    }

    /// The number as a count; zero for anything else.
    pub(crate) fn count(self) -> u64 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count is neither")]
        self.0.map_or(0, |value| value as u64)
    }

    /// As text, in the form of milliseconds in a record.
    pub(crate) fn text(self) -> Option<String> {
        self.0.map(|value| format!("{value}"))
    }
}

impl Flag {
    pub(crate) fn get(self) -> Option<bool> {
        self.0
    }

    pub(crate) fn yes(self) -> bool {
        self.0 == Some(true)
    }
}

impl<T> Maybe<T> {
    pub(crate) fn get(&self) -> Option<&T> {
        self.0.as_ref()
    }
}

impl<T> Default for Maybe<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Items<T> {
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }
}

impl<T> Items<Maybe<T>> {
    /// The elements that are objects.
    pub(crate) fn objects(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.0.iter().filter_map(Maybe::get)
    }
}

impl<T> Default for Items<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// The visits that yield nothing, for the types named.
macro_rules! nothing {
    ($($visit:ident: $type:ty),*) => {
        $(fn $visit<E: Error>(self, _: $type) -> Result<Self::Value, E> { Ok(Self::Value::default()) })*
        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> { Ok(Self::Value::default()) }
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str("any value") }
    };
}

/// Reads a list to its end and keeps nothing.
macro_rules! skip_seq {
    ($life:lifetime) => {
        fn visit_seq<A: SeqAccess<$life>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            Ok(Self::Value::default())
        }
    };
}

/// Reads an object to its end and keeps nothing.
macro_rules! skip_map {
    ($life:lifetime) => {
        fn visit_map<A: MapAccess<$life>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(Self::Value::default())
        }
    };
}

struct Visit<T>(PhantomData<T>);

impl<'de: 'a, 'a> Visitor<'de> for Visit<Word<'a>> {
    type Value = Word<'a>;
    nothing!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64);
    skip_map!('de);

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Word(Some(Cow::Borrowed(text))))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Word(Some(Cow::Owned(text.to_owned()))))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut words = Vec::new();
        while let Some(word) = seq.next_element::<Word<'de>>()? {
            words.extend(word.owned());
        }
        // The relevant part of `["bash", "-lc", "make"]` is the last word.
        let text = match words.as_mut_slice() {
            [] => None,
            [_, flag, command] if flag == "-lc" || flag == "-c" => Some(std::mem::take(command)),
            _ => Some(words.join(" ")),
        };
        Ok(Word(text.map(Cow::Owned)))
    }
}

impl<'de> Visitor<'de> for Visit<Number> {
    type Value = Number;
    nothing!(visit_bool: bool, visit_str: &str);
    skip_seq!('de);
    skip_map!('de);

    #[expect(clippy::cast_precision_loss, reason = "milliseconds and exit codes are far below 2^53")]
    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Number(Some(value as f64)))
    }

    #[expect(clippy::cast_precision_loss, reason = "milliseconds and exit codes are far below 2^53")]
    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Number(Some(value as f64)))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Number(Some(value)))
    }
}

impl<'de> Visitor<'de> for Visit<Flag> {
    type Value = Flag;
    nothing!(visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);
    skip_seq!('de);
    skip_map!('de);

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Flag(Some(value)))
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Visit<Maybe<T>> {
    type Value = Maybe<T>;
    nothing!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);
    skip_seq!('de);

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|value| Maybe(Some(value)))
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Visit<Items<T>> {
    type Value = Items<T>;
    nothing!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);
    skip_map!('de);

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Items(items))
    }
}

#[derive(Deserialize)]
struct NamedPath<'a> {
    #[serde(borrow, default)]
    path: Word<'a>,
}

impl<'de> Visitor<'de> for Visit<Paths> {
    type Value = Paths;
    nothing!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut paths = Vec::new();
        while let Some((path, IgnoredAny)) = map.next_entry()? {
            paths.push(path);
        }
        Ok(Paths(paths))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut paths = Vec::new();
        while let Some(place) = seq.next_element::<Maybe<NamedPath<'de>>>()? {
            paths.extend(place.get().and_then(|place| place.path.owned()));
        }
        Ok(Paths(paths))
    }
}

impl<'de> Deserialize<'de> for Paths {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Visit::<Self>(PhantomData))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Word<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Visit::<Self>(PhantomData))
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Visit::<Self>(PhantomData))
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Visit::<Self>(PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Visit::<Self>(PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Items<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Visit::<Self>(PhantomData))
    }
}
