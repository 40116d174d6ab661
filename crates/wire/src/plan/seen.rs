//! The name of a file relative to the root, stored once for all positions in it.
//!
//! In JSON it is an ordinary string. A plan of a hundred thousand tasks has three hundred thousand positions in one
//! file.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// A file as seen from the root; the empty name costs nothing.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seen(Option<Arc<String>>);

impl Seen {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        self.0.as_deref().map_or("", String::as_str)
    }
}

impl Deref for Seen {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

// It hashes like a string, so that a map with these keys can be searched with a string.
impl Hash for Seen {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl Borrow<str> for Seen {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<std::path::Path> for Seen {
    fn as_ref(&self) -> &std::path::Path {
        std::path::Path::new(self.as_str())
    }
}

impl fmt::Debug for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<&str> for Seen {
    fn from(path: &str) -> Self {
        Self((!path.is_empty()).then(|| Arc::new(path.to_owned())))
    }
}

impl From<String> for Seen {
    fn from(path: String) -> Self {
        Self::from(path.as_str())
    }
}

impl From<Seen> for String {
    fn from(path: Seen) -> Self {
        path.as_str().to_owned()
    }
}

impl PartialEq<str> for Seen {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Seen {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialEq<String> for Seen {
    fn eq(&self, other: &String) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<Seen> for String {
    fn eq(&self, other: &Seen) -> bool {
        self == other.as_str()
    }
}

impl Serialize for Seen {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Seen {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Seen {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        String::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::Seen;
    use std::collections::HashMap;

    #[test]
    fn in_json_it_is_a_string() {
        for path in ["", "a/PLAN.md"] {
            let text = serde_json::to_string(&Seen::from(path)).unwrap();
            assert_eq!(text, serde_json::to_string(path).unwrap());
            assert_eq!(serde_json::from_str::<Seen>(&text).unwrap(), path);
        }
    }

    #[test]
    fn a_map_is_asked_by_text() {
        let map = HashMap::from([(Seen::from("a"), 1), (Seen::default(), 2)]);
        assert_eq!((map.get("a"), map.get("")), (Some(&1), Some(&2)));
    }
}
