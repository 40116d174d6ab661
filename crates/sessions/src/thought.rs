//! The fields of a thought needed to judge it; all other fields stay in its raw form.

pub(crate) mod headings;
pub(crate) mod numbering;
pub(crate) mod stage;

use crate::thought::stage::Stage;
use serde::Deserialize;
use std::borrow::Cow;

/// One thought.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Thought<'a> {
    /// The text.
    #[serde(borrow)]
    pub thought: Text<'a>,
    /// The number, starting at 1.
    pub thought_number: u64,
    /// The number of planned thoughts.
    pub total_thoughts: u64,
    /// Whether another thought follows.
    pub next_thought_needed: bool,
    /// One of the five stages, as written.
    #[serde(borrow)]
    pub stage: Text<'a>,
    /// Keywords.
    #[serde(borrow)]
    pub tags: Vec<Text<'a>>,
    /// The time, as written.
    #[serde(borrow)]
    pub timestamp: Text<'a>,
    /// Whether it revises another.
    pub is_revision: bool,
    /// The thought that it revises.
    pub revises_thought_number: Option<u64>,
    /// The thought that its branch starts from.
    pub branch_from_thought: Option<u64>,
    /// The name of its branch.
    #[serde(borrow)]
    pub branch_id: Option<Text<'a>>,
}

/// A string borrowed from the file if it has no escapes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl Text<'_> {
    /// The string.
    pub fn str(&self) -> &str {
        &self.0
    }
}

impl Thought<'_> {
    /// The stage, if it is one of the five.
    pub fn stage(&self) -> Option<Stage> {
        Stage::of(self.stage.str())
    }

    /// Whether it belongs to a stage.
    pub fn is(&self, stage: Stage) -> bool {
        self.stage() == Some(stage)
    }

    /// Whether it has a tag, ignoring case.
    pub fn is_tagged(&self, tag: &str) -> bool {
        self.tags.iter().any(|own| own.str().eq_ignore_ascii_case(tag))
    }

    /// Whether it has a tag, or one that begins with it and a hyphen: `approach`, `approach-candidate`.
    pub fn is_tagged_like(&self, tag: &str) -> bool {
        let like = |own: &str| {
            let head = own.get(..tag.len()).is_some_and(|head| head.eq_ignore_ascii_case(tag));
            head && matches!(own.as_bytes().get(tag.len()), None | Some(b'-' | b'_' | b's'))
        };
        self.tags.iter().any(|own| like(own.str().trim()))
    }

    /// Whether it is on the main line: neither a revision nor on a branch.
    pub fn is_main(&self) -> bool {
        !self.is_revision && self.branch_id.is_none() && self.branch_from_thought.is_none()
    }
}
