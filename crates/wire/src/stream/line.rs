//! One order as it is in the stream: raw, with fields added and never serialized again.
//!
//! A stage reads the fields it needs, typed, and [`OrderLine::set`]s its own. Every other byte of the line,
//! including white space and escapes, stays as it came in.

use crate::order::{FIELDS, Halt, Order, SCHEMA};
use serde::de::{DeserializeOwned, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use std::fmt;
use std::ops::Range;

/// One order, raw.
#[derive(Debug, Clone)]
pub struct OrderLine {
    text: String,
    members: Vec<Member>,
}

/// One top-level field: its name and where its value stands.
#[derive(Debug, Clone)]
struct Member {
    name: String,
    /// From just after the comma or brace before it to just before the one behind it.
    whole: Range<usize>,
    value: Range<usize>,
}

impl OrderLine {
    /// Reads a line whose schema has been looked at already.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        let text = text.trim_end_matches(['\r', '\n']).to_owned();
        let members = members(&text)?;
        Ok(Self { text, members })
    }

    /// Makes a line from a typed order.
    pub fn from_order(order: &Order) -> Result<Self, serde_json::Error> {
        Self::parse(&serde_json::to_string(order)?)
    }

    /// The line without its newline.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The whole order, typed.
    pub fn order(&self) -> Result<Order, serde_json::Error> {
        let order: Order = serde_json::from_str(&self.text)?;
        if order.schema == SCHEMA {
            return Ok(order);
        }
        Err(serde_json::Error::custom(format!("schema is '{}', not '{SCHEMA}'", order.schema)))
    }

    /// One field, typed.
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, serde_json::Error> {
        self.raw(name).map(serde_json::from_str).transpose()
    }

    /// One field as it stands.
    pub fn raw(&self, name: &str) -> Option<&str> {
        self.members.iter().find(|m| m.name == name).map(|m| &self.text[m.value.clone()])
    }

    /// Whether a field is there.
    pub fn has(&self, name: &str) -> bool {
        self.members.iter().any(|m| m.name == name)
    }

    /// Sets a stage's own field, drops the fields of later stages and a halt that this or a later stage
    /// set: that is what makes running a stage again on a saved line the same as running it once.
    pub fn set<T: Serialize>(&mut self, name: &str, value: &T) -> Result<(), serde_json::Error> {
        let rank = rank_of_field(name);
        let stale_halt = self
            .get::<Halt>("halt")
            .ok()
            .flatten()
            .is_some_and(|halt| rank_of_stage(&halt.stage).is_none_or(|stage| stage >= rank));
        self.replace(name, &serde_json::to_string(value)?, |other| {
            rank_of_field_opt(other).is_some_and(|r| r > rank) || (stale_halt && other == "halt")
        })
    }

    /// Sets `halt`; an earlier one stays.
    pub fn halt(&mut self, halt: &Halt) -> Result<(), serde_json::Error> {
        if self.has("halt") {
            return Ok(());
        }
        self.replace("halt", &serde_json::to_string(halt)?, |_| false)
    }

    fn replace(
        &mut self,
        name: &str,
        json: &str,
        drop: impl Fn(&str) -> bool,
    ) -> Result<(), serde_json::Error> {
        let mut text = String::with_capacity(self.text.len() + name.len() + json.len() + 8);
        text.push('{');
        let mut first = true;
        let kept = self.members.iter().filter(|m| m.name != name && !drop(&m.name));
        for member in kept {
            if !first {
                text.push(',');
            }
            text.push_str(&self.text[member.whole.clone()]);
            first = false;
        }
        if !first {
            text.push(',');
        }
        text.push('"');
        text.push_str(name);
        text.push_str("\":");
        text.push_str(json);
        text.push('}');
        self.members = members(&text)?;
        self.text = text;
        Ok(())
    }
}

fn rank_of_field_opt(name: &str) -> Option<usize> {
    FIELDS.iter().position(|field| *field == name)
}

fn rank_of_field(name: &str) -> usize {
    rank_of_field_opt(name).unwrap_or(FIELDS.len())
}

/// The stage that writes each of [`FIELDS`].
fn rank_of_stage(stage: &str) -> Option<usize> {
    // The second `gate-run` halts under the name of the first.
    const STAGES: [&str; 11] = [
        "handoff",
        "gate-run --before",
        "worker-run",
        "gate-run",
        "punch",
        "commit-run land",
        "gate-run",
        "session-export",
        "context-save",
        "checkbox",
        "commit-run",
    ];
    // Orders that an earlier release saved have the old name.
    let stage = if stage == "commit-run --land" { "commit-run land" } else { stage };
    STAGES.iter().position(|s| *s == stage)
}

/// Finds the top-level members of a JSON object and where they stand.
fn members(text: &str) -> Result<Vec<Member>, serde_json::Error> {
    let raw: Raw<'_> = serde_json::from_str(text)?;
    let base = text.as_ptr() as usize;
    let mut out: Vec<Member> = Vec::with_capacity(raw.0.len());
    let mut at = text.find('{').map_or(0, |i| i + 1);
    for (name, value) in raw.0 {
        if out.iter().any(|m| m.name == name) {
            return Err(serde_json::Error::custom(format!("field '{name}' stands twice")));
        }
        let start = value.get().as_ptr() as usize - base;
        let end = start + value.get().len();
        // Between the end of a value and the next comma or brace there is only white space.
        let close = text[end..].find([',', '}']).map_or(end, |i| end + i);
        out.push(Member { name, whole: at..close, value: start..end });
        at = close + 1;
    }
    Ok(out)
}

struct Raw<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Raw<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut out = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    out.push(entry);
                }
                Ok(out)
            }
        }
        deserializer.deserialize_map(Fields).map(Raw)
    }
}

#[cfg(test)]
mod tests {
    use super::OrderLine;
    use crate::order::{Category, Halt};

    #[test]
    fn foreign_fields_keep_every_byte() {
        let text = r#"{ "schema":"order/1" , "x\u0041": 1.50e+3,"y": {"b":1,  "a":[ ]} , "run":"r" }"#;
        let mut line = OrderLine::parse(text).unwrap();
        line.set("tick", &serde_json::json!({"changed": true})).unwrap();
        assert_eq!(
            line.text(),
            r#"{ "schema":"order/1" , "x\u0041": 1.50e+3,"y": {"b":1,  "a":[ ]} , "run":"r" ,"tick":{"changed":true}}"#
        );
    }

    #[test]
    fn a_stage_run_again_replaces_its_field_and_drops_later_ones() {
        let mut line =
            OrderLine::parse(r#"{"schema":"order/1","worker":1,"verdict":2,"foreign":3,"tick":4}"#).unwrap();
        line.set("verdict", &5).unwrap();
        assert_eq!(line.text(), r#"{"schema":"order/1","worker":1,"foreign":3,"verdict":5}"#);
    }

    #[test]
    fn a_halt_of_an_earlier_stage_stays_and_one_of_a_later_stage_goes() {
        let halt = |stage: &str| Halt {
            stage: stage.into(),
            code: "c".into(),
            category: Category::Unknown,
            message: "m".into(),
            retry: false,
            counts: true,
            not_before: None,
        };
        let mut line = OrderLine::parse(r#"{"schema":"order/1"}"#).unwrap();
        line.halt(&halt("worker-run")).unwrap();
        line.set("verdict", &1).unwrap();
        assert!(line.has("halt"));
        line.set("worker", &1).unwrap();
        assert!(!line.has("halt"));
        assert!(!line.has("verdict"));
        // An order that was saved before the stage had its present name.
        for stage in ["commit-run land", "commit-run --land"] {
            line.halt(&halt(stage)).unwrap();
            line.set("combined", &1).unwrap();
            assert!(line.has("halt"));
            line.set("land", &1).unwrap();
            assert!(!line.has("halt"));
        }
    }

    #[test]
    fn a_field_that_stands_twice_is_refused() {
        assert!(OrderLine::parse(r#"{"a":1,"a":2}"#).is_err());
        assert!(OrderLine::parse("[]").is_err());
    }
}
