//! A session file of any version: its members in order, and its thoughts.
//!
//! The caller chooses the type of a thought: [`crate::Thought`] to judge it, or a raw value to write it back without
//! losing anything. A file is only read; irregularities are reported, never repaired.

pub(crate) mod interchange;
pub(crate) mod layout;
pub(crate) mod moment;
pub(crate) mod name;
pub(crate) mod session_text;

use serde::de::{DeserializeOwned, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use toolkit::Fail;

/// The format of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// An export without a version.
    V1,
    /// An export of version 2.
    V2,
    /// The live form: a header, then one thought per line.
    Jsonl,
    /// `interchange/1`.
    Interchange,
}

impl Format {
    /// The word for the format.
    pub fn name(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V2 => "v2",
            Self::Jsonl => "jsonl",
            Self::Interchange => "interchange",
        }
    }
}

/// The members of an object in order; `None` at the position of the thoughts.
pub(crate) type Members<'a> = Vec<(Cow<'a, str>, Option<&'a RawValue>)>;

/// A session file.
#[derive(Debug)]
pub struct File<'a, T> {
    /// Its format.
    pub format: Format,
    /// The members of the document, or of the header of the live form, in order; `None` at the position of the
    /// thoughts.
    pub members: Members<'a>,
    /// The thoughts, in order.
    pub thoughts: Vec<T>,
    /// Irregularities of the file.
    pub problems: Vec<String>,
}

impl<'a, T: Deserialize<'a>> File<'a, T> {
    /// Reads a session from its text.
    pub fn read(path: &str, text: &'a str) -> Result<Self, Fail> {
        match serde_json::from_str::<Document<'a, T>>(text) {
            Ok(document) => Self::of_document(document, path),
            Err(error) => lines(path, text, &error),
        }
    }

    fn of_document(document: Document<'a, T>, path: &str) -> Result<Self, Fail> {
        let Document { members, thoughts } = document;
        let mut file = File { format: Format::V1, members, thoughts, problems: Vec::new() };
        file.format = match file.member("version").map(RawValue::get) {
            None | Some("1") => Format::V1,
            Some("2") => Format::V2,
            Some(other) => return Err(unknown_version(other, path)),
        };
        Ok(file)
    }
}

impl<'a, T> File<'a, T> {
    /// A member of the document or header by name.
    pub fn member(&self, name: &str) -> Option<&'a RawValue> {
        self.members.iter().find(|(own, _)| own == name).and_then(|(_, value)| *value)
    }

    /// A member read as a type; `None` if it has another type.
    pub fn typed<V: DeserializeOwned>(&self, name: &str) -> Option<V> {
        self.member(name).and_then(|raw| serde_json::from_str(raw.get()).ok())
    }
}

fn unknown_version(version: &str, path: &str) -> Fail {
    Fail::data("session-version", format!("version {version} of a session is not known")).at(path, 1)
}

/// The live form. A truncated last line is reported and left out.
fn lines<'a, T: Deserialize<'a>>(
    path: &str,
    text: &'a str,
    error: &serde_json::Error,
) -> Result<File<'a, T>, Fail> {
    let mut file =
        File { format: Format::Jsonl, members: Vec::new(), thoughts: Vec::new(), problems: Vec::new() };
    let whole = text.ends_with('\n');
    let mut left = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).peekable();
    let mut begun = false;
    while let Some((index, line)) = left.next() {
        let place = index as u64 + 1;
        let bad = |e: &serde_json::Error| Fail::data("bad-thought", e.to_string()).at(path, place);
        match Line::of(line) {
            Ok(Line { kind, version }) if !begun => {
                if kind != "header" {
                    return Err(no_session(path, error));
                }
                match version {
                    Some(2) => file.members = members(line).map_err(|e| bad(&e))?,
                    other => {
                        let shown = other.map_or_else(|| "none".to_owned(), |version| version.to_string());
                        return Err(unknown_version(&shown, path));
                    }
                }
                begun = true;
            }
            Err(_) if !begun => return Err(no_session(path, error)),
            Ok(Line { kind, .. }) if kind == "thought" => {
                file.thoughts.push(serde_json::from_str(line).map_err(|e| bad(&e))?);
            }
            Err(_) if !whole && left.peek().is_none() => {
                file.problems.push(format!("line {place} is cut off and left out"));
            }
            Ok(Line { kind, .. }) => {
                return Err(Fail::data("bad-thought", format!("'{kind}' is no thought")).at(path, place));
            }
            Err(e) => return Err(bad(&e)),
        }
    }
    Ok(file)
}

fn no_session(path: &str, error: &serde_json::Error) -> Fail {
    Fail::data("not-a-session", format!("no thinking session: {error}")).at(path, error.line() as u64)
}

/// The kind of a line in the live form: its first `type`, since a thought may have a member of that name itself.
struct Line {
    kind: String,
    version: Option<u64>,
}

impl Line {
    fn of(line: &str) -> Result<Self, serde_json::Error> {
        let members = members(line)?;
        let first = |name: &str| members.iter().find(|(own, _)| own == name).and_then(|(_, raw)| *raw);
        let kind = first("type").ok_or_else(|| serde_json::Error::missing_field("type"))?;
        let version = first("version").and_then(|raw| serde_json::from_str(raw.get()).ok());
        Ok(Self { kind: serde_json::from_str(kind.get())?, version })
    }
}

/// The members of one object, raw.
pub(crate) fn members(line: &str) -> Result<Members<'_>, serde_json::Error> {
    struct All<'a>(Members<'a>);
    impl<'de: 'a, 'a> Deserialize<'de> for All<'a> {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            struct Visit;
            impl<'de> Visitor<'de> for Visit {
                type Value = All<'de>;
                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("a header")
                }
                fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                    let mut all = Vec::new();
                    while let Some(name) = map.next_key::<Cow<'de, str>>()? {
                        all.push((name, Some(map.next_value()?)));
                    }
                    Ok(All(all))
                }
            }
            from.deserialize_map(Visit)
        }
    }
    serde_json::from_str::<All<'_>>(line).map(|all| all.0)
}

/// An export: one object with `thoughts`.
struct Document<'a, T> {
    members: Members<'a>,
    thoughts: Vec<T>,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Document<'de, T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Visit(PhantomData))
    }
}

struct Visit<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Visit<T> {
    type Value = Document<'de, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a session")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        let mut thoughts = None;
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            if name == "thoughts" {
                if thoughts.is_some() {
                    return Err(A::Error::duplicate_field("thoughts"));
                }
                thoughts = Some(map.next_value()?);
                members.push((name, None));
            } else {
                members.push((name, Some(map.next_value()?)));
            }
        }
        let thoughts = thoughts.ok_or_else(|| A::Error::missing_field("thoughts"))?;
        Ok(Document { members, thoughts })
    }
}

#[cfg(test)]
mod tests {
    use super::{File, Format};
    use crate::Thought;
    use serde_json::value::RawValue;

    fn read(text: &str) -> Result<File<'_, Thought<'_>>, toolkit::Fail> {
        File::read("s.json", text)
    }

    #[test]
    fn members_keep_their_order_and_their_bytes() {
        let text = r#"{"z":1.50,"thoughts":[{"thought":"a","x":1e2}],"a":"\u00e9"}"#;
        let file: File<'_, &RawValue> = File::read("s.json", text).unwrap();
        let names: Vec<_> =
            file.members.iter().map(|(name, raw)| (name.as_ref(), raw.map(RawValue::get))).collect();
        assert_eq!(names, [("z", Some("1.50")), ("thoughts", None), ("a", Some(r#""\u00e9""#))]);
        assert_eq!(file.thoughts[0].get(), r#"{"thought":"a","x":1e2}"#);
    }

    #[test]
    fn a_cut_off_last_line_of_a_live_session_is_said() {
        let text =
            "{\"type\":\"header\",\"version\":2}\n{\"type\":\"thought\",\"thought\":\"a\"}\n{\"type\":\"tho";
        let file = read(text).unwrap();
        assert_eq!((file.format, file.thoughts.len()), (Format::Jsonl, 1));
        assert_eq!(file.problems, ["line 3 is cut off and left out"]);
    }

    #[test]
    fn a_bad_line_that_was_not_cut_off_is_corrupt() {
        for tail in ["{\"type\":\"tho\n", "{\"type\":\"tho\n{\"type\":\"thought\"}", "{\"type\":\"note\"}"] {
            let text = format!("{{\"type\":\"header\",\"version\":2}}\n{tail}");
            assert_eq!(read(&text).unwrap_err().code, "bad-thought", "{tail:?}");
        }
    }

    #[test]
    fn what_is_no_session_is_refused() {
        let cases = [
            ("{}", "not-a-session"),
            ("hello", "not-a-session"),
            ("[]", "not-a-session"),
            ("{\"version\":9,\"thoughts\":[]}", "session-version"),
            ("{\"version\":\"2\",\"thoughts\":[]}", "session-version"),
            ("{\"thoughts\":[],\"thoughts\":[]}", "not-a-session"),
            ("{\"thoughts\":[7]}", "not-a-session"),
            ("{\"type\":\"thought\"}", "not-a-session"),
            ("{\"type\":\"header\",\"version\":1}\n", "session-version"),
        ];
        for (text, code) in cases {
            assert_eq!(read(text).unwrap_err().code, code, "{text}");
        }
    }
}
