//! One line of the ledger, borrowed from its bytes: a report on a million records makes no million copies.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use wire::punch::{SCHEMA, Type};
use wire::{Punch, RunId, TreeHash};

/// The part of a record that a report needs.
#[derive(Debug, Deserialize)]
pub(crate) struct Record<'l> {
    #[serde(borrow)]
    schema: Cow<'l, str>,
    #[serde(borrow)]
    pub(crate) plan: Cow<'l, str>,
    #[serde(borrow, default)]
    task: Option<Text<'l>>,
    #[serde(borrow, default)]
    fingerprint: Option<Text<'l>>,
    #[serde(default)]
    pub(crate) attempt: Option<u32>,
    #[serde(borrow)]
    pub(crate) run: Cow<'l, str>,
    #[serde(rename = "type")]
    pub(crate) kind: Type,
    #[serde(borrow)]
    pub(crate) key: Cow<'l, str>,
    #[serde(borrow)]
    pub(crate) observed_at: Cow<'l, str>,
    #[serde(borrow, default)]
    tree: Option<Text<'l>>,
    #[serde(borrow, default)]
    data: Option<&'l RawValue>,
}

/// A text that may be absent: an `Option` of a bare `Cow` would be copied for every record.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct Text<'l>(#[serde(borrow)] pub(crate) Cow<'l, str>);

impl<'l> Record<'l> {
    /// The task of the record.
    pub(crate) fn task(&self) -> Option<&str> {
        self.task.as_ref().map(|text| text.0.as_ref())
    }

    /// The tree that it is bound to.
    pub(crate) fn tree(&self) -> Option<TreeHash> {
        self.tree.as_ref().map(|text| TreeHash(text.0.clone().into_owned()))
    }

    /// The fingerprint of the task at the time.
    pub(crate) fn fingerprint(&self) -> Option<&str> {
        self.fingerprint.as_ref().map(|text| text.0.as_ref())
    }

    /// The record of a line; `None` if it is cut off or something else.
    pub(crate) fn of(line: &'l [u8]) -> Option<Self> {
        serde_json::from_slice::<Self>(line).ok().filter(|record| record.schema == SCHEMA)
    }

    /// The stage's data, as far as the caller needs it.
    pub(crate) fn data<T: Deserialize<'l> + Default>(&self) -> T {
        self.data.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
    }

    /// The record for a task's history. The only data that a report needs there is the reason of a halt.
    pub(crate) fn punch(&self) -> Punch {
        Punch {
            schema: SCHEMA.to_owned(),
            seq: 0,
            plan: self.plan.clone().into_owned(),
            task: self.task().map(Into::into),
            fingerprint: self.fingerprint().map(Into::into),
            attempt: self.attempt,
            run: RunId(self.run.clone().into_owned()),
            kind: self.kind,
            key: self.key.clone().into_owned(),
            observed_at: self.observed_at.clone().into_owned(),
            tree: None,
            source: wire::punch::Source { kind: wire::punch::SourceKind::Tool, path: None, line: None },
            trust: wire::punch::Trust::Observed,
            data: if self.kind == Type::Halt { self.data() } else { wire::Data::default() },
            source_hash: None,
            prev: String::new(),
            hash: String::new(),
        }
    }
}
