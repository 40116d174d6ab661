//! Builds an export: the members in the order they were read, the thoughts unchanged, and the export's own metadata
//! updated if something was added.

use crate::Thought;
use crate::file::layout::{newline, pretty};
use crate::file::session_text::seal;
use crate::file::{File, Format, Members};
use crate::summary::count;
use crate::thought::stage::STAGES;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use toolkit::Fail;
use wire::chain::Link;

/// A member to write, with its JSON; `None` at the position of the thoughts.
type Written<'a> = (Cow<'a, str>, Option<String>);

/// An export to build.
pub(crate) struct Export<'a> {
    /// Its format.
    pub(crate) format: Format,
    /// The members around the thoughts as read; empty for a new session.
    pub(crate) members: &'a Members<'a>,
    /// Every thought, raw.
    pub(crate) thoughts: Vec<&'a str>,
    /// Whether it differs from the session that was read.
    pub(crate) changed: Changed,
    /// Its chain entry; the seal is computed here.
    pub(crate) link: Option<Link>,
}

/// Whether a session differs from the one that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Changed {
    /// Unchanged: its times stay.
    No,
    /// Something was added, at this time.
    At(String),
}

impl Export<'_> {
    /// The text of the export, and its chain entry.
    pub(crate) fn text(mut self) -> Result<(String, Option<Link>), Fail> {
        if let Some(link) = &mut self.link {
            link.seal = seal(self.thoughts.iter().copied());
            if self.changed == Changed::No {
                return Err(Fail::data("nothing-changed", "a link needs the time at which it was made"));
            }
        }
        let mut out = String::from("{");
        let mut first = true;
        for (name, value) in self.written()? {
            if !std::mem::take(&mut first) {
                out.push(',');
            }
            newline(1, &mut out);
            pretty(&Value::from(name.as_ref()).to_string(), 1, &mut out);
            out.push_str(": ");
            match value {
                Some(json) => pretty(&json, 1, &mut out),
                None => self.list(&mut out),
            }
        }
        out.push_str("\n}");
        Ok((out, self.link))
    }

    fn list(&self, out: &mut String) {
        if self.thoughts.is_empty() {
            out.push_str("[]");
            return;
        }
        out.push('[');
        for (index, thought) in self.thoughts.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            newline(2, out);
            pretty(thought, 2, out);
        }
        newline(1, out);
        out.push(']');
    }

    /// Every member to write, with its JSON.
    fn written(&self) -> Result<Vec<Written<'_>>, Fail> {
        let mut own = self.own()?;
        let mut all: Vec<Written<'_>> = Vec::new();
        for (name, raw) in self.members {
            let made = own.iter().position(|(made, _)| made == name).map(|at| own.remove(at).1);
            match (made, raw) {
                (_, None) => all.push((name.clone(), None)),
                (Some(made), _) => all.push((name.clone(), Some(made))),
                // A copy with other thoughts is not the link that it was read from.
                (None, Some(_)) if name == "chain" && self.changed != Changed::No => {}
                (None, Some(raw)) => all.push((name.clone(), Some(raw.get().to_owned()))),
            }
        }
        if !all.iter().any(|(_, value)| value.is_none()) {
            all.insert(0, (Cow::Borrowed("thoughts"), None));
        }
        for (name, value) in own {
            if name == "version" {
                all.insert(0, (Cow::Borrowed(name), Some(value)));
            } else {
                all.push((Cow::Borrowed(name), Some(value)));
            }
        }
        Ok(all)
    }

    /// The generated members, in the order of a new export.
    fn own(&self) -> Result<Vec<(&'static str, String)>, Fail> {
        let mut own = Vec::new();
        if self.format != Format::V1 && !self.members.iter().any(|(name, _)| name == "version") {
            own.push(("version", "2".to_owned()));
        }
        if let Changed::At(now) = &self.changed {
            let now = Value::from(now.as_str()).to_string();
            own.push(("lastUpdated", now.clone()));
            own.push(("exportedAt", now));
            own.push(("metadata", self.metadata()?.to_string()));
        }
        if let Some(link) = &self.link {
            own.push(("chain", json!(link).to_string()));
        }
        Ok(own)
    }

    /// The counts; other members stay.
    fn metadata(&self) -> Result<Value, Fail> {
        let thoughts: Result<Vec<Thought<'_>>, _> =
            self.thoughts.iter().map(|raw| serde_json::from_str(raw)).collect();
        let thoughts = thoughts.map_err(|e| Fail::data("bad-thought", e.to_string()))?;
        let counts = count(&thoughts);
        let stages: Map<String, Value> = STAGES
            .iter()
            .map(|stage| (stage.name().to_owned(), counts.get(stage.name()).copied().unwrap_or(0).into()))
            .collect();
        let old = self.members.iter().find(|(name, _)| name == "metadata").and_then(|(_, raw)| *raw);
        let mut metadata: Map<String, Value> =
            old.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
        metadata.insert("totalThoughts".to_owned(), self.thoughts.len().into());
        metadata.insert("stages".to_owned(), stages.into());
        Ok(metadata.into())
    }
}

/// The members around the thoughts of a session as read, in the form of an export.
pub(crate) fn members_of<'a>(file: &File<'a, &'a RawValue>) -> Members<'a> {
    let header = ["type", "version", "createdAt", "base"];
    let live = file.format == Format::Jsonl;
    file.members.iter().filter(|(name, _)| !(live && header.contains(&name.as_ref()))).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::{Changed, Export, members_of};
    use crate::{SessionText, normal};
    use wire::chain::{Link, Seal};

    const V1: &str = r#"{"thoughts":[{"thought":"a","x":1.50,"stage":"Research"}],"odd":{"k":[ ]},"lastUpdated":"then","exportedAt":"then","metadata":{"totalThoughts":1,"more":"é"}}"#;

    fn export(text: &str, added: &[&str], changed: Changed, link: Option<Link>) -> String {
        let sheet = SessionText::of("s.json", text.into()).unwrap();
        let file = sheet.raw().unwrap();
        let members = members_of(&file);
        let thoughts = file.thoughts.iter().map(|raw| raw.get()).chain(added.iter().copied()).collect();
        Export { format: file.format, members: &members, thoughts, changed, link }.text().unwrap().0
    }

    #[test]
    fn what_was_read_is_written_back() {
        assert_eq!(export(V1, &[], Changed::No, None), normal(V1));
    }

    #[test]
    fn what_an_export_says_of_itself_follows_its_thoughts() {
        let text = export(V1, &[r#"{"thought":"b","stage":"Conclusion"}"#], Changed::At("now".into()), None);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["metadata"]["totalThoughts"], 2);
        assert_eq!(value["metadata"]["stages"]["Conclusion"], 1);
        assert_eq!((&value["metadata"]["more"], &value["exportedAt"]), (&"é".into(), &"now".into()));
        assert_eq!(value["odd"], serde_json::json!({ "k": [] }));
        assert!(value.get("version").is_none() && text.contains("1.50"));
    }

    #[test]
    fn a_link_is_sealed_and_a_changed_copy_is_none() {
        let link = Link { task: "t".into(), link: "prep".into(), parent: None, seal: Seal::default() };
        let text = export(V1, &[], Changed::At("now".into()), Some(link));
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["chain"]["seal"]["thoughts"], 1);
        assert!(export(&text, &[], Changed::No, None).contains("\"seal\""));
        assert!(!export(&text, &["{}"], Changed::At("now".into()), None).contains("\"seal\""));
    }

    #[test]
    fn a_new_session_has_its_version_first() {
        let members = Vec::new();
        let export = Export {
            format: crate::Format::V2,
            members: &members,
            thoughts: vec![],
            changed: Changed::At("now".into()),
            link: None,
        };
        assert!(
            export
                .text()
                .unwrap()
                .0
                .starts_with("{\n  \"version\": 2,\n  \"thoughts\": [],\n  \"lastUpdated\": \"now\"")
        );
    }
}
