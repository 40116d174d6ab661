//! The other data of a record, kept as text until it is needed: most records are only counted.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use std::ops::Deref;
use std::sync::OnceLock;

/// A JSON value that is taken apart when it is first looked at.
#[derive(Clone, Default)]
pub struct Data {
    text: Option<Box<RawValue>>,
    value: OnceLock<Value>,
}

impl Data {
    /// Whether there is nothing.
    pub fn is_null(&self) -> bool {
        match &self.text {
            Some(text) => text.get() == "null",
            None => self.deref().is_null(),
        }
    }

    /// The value as something of this shape; `None` where it is not.
    pub fn read<T: DeserializeOwned>(&self) -> Option<T> {
        match &self.text {
            Some(text) => serde_json::from_str(text.get()).ok(),
            None => T::deserialize(&**self).ok(),
        }
    }
}

impl Deref for Data {
    type Target = Value;

    fn deref(&self) -> &Value {
        let text = self.text.as_ref().map_or("null", |text| text.get());
        // Text that only looks like JSON (half a surrogate, a number out of range) counts as no data.
        self.value.get_or_init(|| serde_json::from_str(text).unwrap_or_default())
    }
}

impl From<Value> for Data {
    fn from(value: Value) -> Self {
        Self { text: None, value: OnceLock::from(value) }
    }
}

impl PartialEq for Data {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl std::fmt::Debug for Data {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.deref().fmt(f)
    }
}

impl Serialize for Data {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.text {
            Some(text) => text.serialize(serializer),
            None => self.deref().serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self { text: Some(Box::deserialize(deserializer)?), value: OnceLock::new() })
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Data {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        Value::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Value::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_what_was_written() {
        let data: Data = serde_json::from_str(r#"{"a": 1}"#).expect("JSON");
        assert_eq!(data["a"], 1);
        assert_eq!(data, Data::from(serde_json::json!({ "a": 1 })));
        assert_eq!(serde_json::to_string(&data).expect("text"), r#"{"a": 1}"#);
        assert!(Data::default().is_null() && !data.is_null());
        let half: Data = serde_json::from_str(r#"{"a": "\ud800"}"#).expect("looks like JSON");
        assert_eq!(*half, Value::Null);
    }
}
