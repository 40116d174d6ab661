//! One line of the ledger, borrowed from its bytes: a report of a million records makes no million copies.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use wire::punch::{SCHEMA, Type};
use wire::{Punch, RunId};

/// What a report needs of a record.
#[derive(Debug, Deserialize)]
pub(crate) struct Record<'l> {
    #[serde(borrow)]
    schema: Cow<'l, str>,
    #[serde(borrow)]
    pub(crate) plan: Cow<'l, str>,
    #[serde(borrow, default)]
    pub(crate) task: Option<Cow<'l, str>>,
    #[serde(borrow, default)]
    pub(crate) fingerprint: Option<Cow<'l, str>>,
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
    data: Option<&'l RawValue>,
}

impl<'l> Record<'l> {
    /// The record of a line; `None` where it is cut off or something else.
    pub(crate) fn of(line: &'l [u8]) -> Option<Self> {
        serde_json::from_slice::<Self>(line).ok().filter(|record| record.schema == SCHEMA)
    }

    /// What the stage kept, as far as it is asked for.
    pub(crate) fn data<T: Deserialize<'l> + Default>(&self) -> T {
        self.data.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
    }

    /// The whole record, for those who need it whole.
    pub(crate) fn punch(&self) -> Punch {
        Punch {
            schema: SCHEMA.to_owned(),
            seq: 0,
            plan: self.plan.clone().into_owned(),
            task: self.task.as_deref().map(Into::into),
            fingerprint: self.fingerprint.as_deref().map(Into::into),
            attempt: self.attempt,
            run: RunId(self.run.clone().into_owned()),
            kind: self.kind,
            key: self.key.clone().into_owned(),
            observed_at: self.observed_at.clone().into_owned(),
            tree: None,
            source: wire::punch::Source { kind: wire::punch::SourceKind::Tool, path: None, line: None },
            trust: wire::punch::Trust::Observed,
            data: self.data(),
            source_hash: None,
            prev: String::new(),
            hash: String::new(),
        }
    }
}
