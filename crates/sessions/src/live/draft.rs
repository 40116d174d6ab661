//! A thought to be added: checked first, then written in the format of its session.

use crate::file::Format;
use crate::thought::stage::Stage;
use serde_json::{Map, Value};
use toolkit::Fail;
use toolkit::files::sha;

/// The maximum length of a branch name.
const LONGEST_BRANCH: usize = 64;

/// A thought to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The text.
    pub thought: String,
    /// The number, starting at 1.
    pub number: u64,
    /// The number of planned thoughts.
    pub total: u64,
    /// Whether another thought follows.
    pub next: bool,
    /// Its stage.
    pub stage: Stage,
    /// Keywords.
    pub tags: Vec<String>,
    /// Principles that it is based on.
    pub axioms: Vec<String>,
    /// Assumptions that it challenges.
    pub assumptions: Vec<String>,
    /// The thought that it revises.
    pub revises: Option<u64>,
    /// The thought that its branch starts from.
    pub branch_from: Option<u64>,
    /// The name of its branch.
    pub branch_id: Option<String>,
    /// The time.
    pub timestamp: String,
    /// The source of its id, in place of its text and time, so that a repeated run adds it only once.
    pub key: Option<String>,
}

impl Draft {
    /// An empty thought of a stage.
    pub fn of(stage: Stage) -> Self {
        Self {
            thought: String::new(),
            number: 1,
            total: 1,
            next: false,
            stage,
            tags: Vec::new(),
            axioms: Vec::new(),
            assumptions: Vec::new(),
            revises: None,
            branch_from: None,
            branch_id: None,
            timestamp: String::new(),
            key: None,
        }
    }

    /// Checks the thought by itself; `Numbering` checks whether it fits its session.
    pub fn check(&self) -> Result<(), Fail> {
        let bad = |message: String| Err(Fail::data("bad-thought", message));
        if self.thought.trim().is_empty() {
            return bad("the thought is empty".to_owned());
        }
        if self.total < self.number {
            return bad(format!("thought {} of {}: the total is below the number", self.number, self.total));
        }
        if self.revises.is_some() && self.branch_from.is_some() {
            return bad("a thought is a revision or begins a branch, not both".to_owned());
        }
        match &self.branch_id {
            Some(id) if self.branch_from.is_none() => bad(format!("branch '{id}' leaves from no thought")),
            Some(id) if !is_branch(id) => {
                bad(format!("'{id}' is no name for a branch: letters, digits, '-' and '_', at most 64"))
            }
            _ => Ok(()),
        }
    }

    /// The thought as one line of JSON, its fields in the order of the version.
    pub fn json(&self, format: Format) -> String {
        let mut out = Map::new();
        let mut put = |name: &str, value: Value| out.insert(name.to_owned(), value);
        put("thought", self.thought.as_str().into());
        put("thoughtNumber", self.number.into());
        put("totalThoughts", self.total.into());
        put("nextThoughtNeeded", self.next.into());
        if format != Format::V1 {
            put("stage", self.stage.name().into());
        }
        put("tags", self.tags.clone().into());
        put("axiomsUsed", self.axioms.clone().into());
        put("assumptionsChallenged", self.assumptions.clone().into());
        put("timestamp", self.timestamp.as_str().into());
        if let Some(number) = self.revises {
            put("isRevision", true.into());
            put("revisesThoughtNumber", number.into());
        }
        if let Some(number) = self.branch_from {
            put("branchFromThought", number.into());
        }
        if let Some(id) = &self.branch_id {
            put("branchId", id.as_str().into());
        }
        put("id", self.id().into());
        if format == Format::V1 {
            put("stage", self.stage.name().into());
        }
        Value::Object(out).to_string()
    }

    /// An id for the thought in the form of a UUID, derived from its text and time, so that a repeated call never
    /// adds the same thought twice.
    pub fn id(&self) -> String {
        let own = || format!("{}\0{}\0{}\0{}", self.number, self.stage, self.timestamp, self.thought);
        let hex = sha::hex(self.key.clone().unwrap_or_else(own).as_bytes());
        // RFC 9562, version 8: the bits are application-defined.
        format!("{}-{}-8{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..32])
    }
}

/// Whether a text can be the name of a branch.
pub(crate) fn is_branch(id: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    !id.is_empty() && id.len() <= LONGEST_BRANCH && id.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::Draft;
    use crate::file::Format;
    use crate::thought::stage::Stage;

    fn draft() -> Draft {
        Draft { thought: "a".into(), timestamp: "2026-01-01T00:00:00Z".into(), ..Draft::of(Stage::Analysis) }
    }

    #[test]
    fn the_fields_stand_in_the_order_of_the_version() {
        let order = |format| {
            let json: serde_json::Value = serde_json::from_str(&draft().json(format)).unwrap();
            json.as_object().unwrap().keys().position(|key| key == "stage").unwrap()
        };
        assert_eq!((order(Format::V1), order(Format::V2)), (9, 4));
    }

    #[test]
    fn what_the_thinking_server_refuses_is_refused() {
        let cases: [fn(&mut Draft); 6] = [
            |d| d.thought = " \n".into(),
            |d| (d.number, d.total) = (3, 2),
            |d| (d.revises, d.branch_from) = (Some(1), Some(1)),
            |d| d.branch_id = Some("b".into()),
            |d| (d.branch_from, d.branch_id) = (Some(1), Some("a b".into())),
            |d| (d.branch_from, d.branch_id) = (Some(1), Some("b".repeat(65))),
        ];
        assert!(draft().check().is_ok());
        for (index, change) in cases.iter().enumerate() {
            let mut draft = draft();
            change(&mut draft);
            assert_eq!(draft.check().unwrap_err().code, "bad-thought", "case {index}");
        }
    }
}
