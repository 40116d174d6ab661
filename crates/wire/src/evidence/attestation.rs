//! `attestation/1`: the evidence of one task as an in-toto statement, and `fit/1`: whether it still fits.
//!
//! A statement is an in-toto Statement v1, so that other programs can read it. Nothing in it is signed.

use crate::{Fingerprint, Level, RunId, TaskId, TreeHash};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name of the contract of the predicate.
pub const SCHEMA: &str = "attestation/1";
/// The name of the contract of an answer.
pub const FIT: &str = "fit/1";
/// The type of an in-toto statement.
pub const STATEMENT: &str = "https://in-toto.io/Statement/v1";
/// The type of our predicate.
pub const PREDICATE: &str = "urn:plantools:attestation:1";

/// An in-toto statement about one task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Statement {
    /// Always `https://in-toto.io/Statement/v1`.
    #[serde(rename = "_type")]
    pub kind: String,
    /// What it is about: the task's section of the plan (`PLAN.md#ID`), and the tree (`.`).
    pub subject: Vec<Subject>,
    /// Always `urn:plantools:attestation:1`.
    #[serde(rename = "predicateType")]
    pub predicate_type: String,
    /// The evidence.
    pub predicate: Predicate,
}

/// Something that a statement is about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// Its digests, by algorithm: `sha256`, `gitCommit`, `gitTree`.
    pub digest: BTreeMap<String, String>,
}

/// The evidence for a task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Predicate {
    /// Always `attestation/1`.
    pub schema: String,
    /// The plan's path as seen from the root.
    pub plan: String,
    /// The task.
    pub task: TaskId,
    /// What it is called.
    pub title: String,
    /// What it asks for, as a digest that a tick does not change.
    pub fingerprint: Fingerprint,
    /// The level of evidence that its tick stands on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// Why a person ticked it; then there are no checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_hand: Option<String>,
    /// The run that ticked it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// When it was ticked, in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ticked_at: Option<String>,
    /// When this was stated, in UTC.
    pub attested_at: String,
    /// The commit whose tree the checks passed on.
    pub commit: String,
    /// That tree, without our own files and with the plan's boxes blanked.
    pub tree: TreeHash,
    /// Each check that passed on it.
    pub checks: Vec<CheckPassed>,
    /// The checks that a person decided or deferred: SHA-256 of each command and of what it must give.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decided: Vec<String>,
    /// The files that the result may depend on, as far as they are known, as patterns: what the task declares, what its attempts
    /// changed, what its checks name. Absent where nothing is known: then every file counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
    /// The end of the ledger when this was stated.
    pub ledger: LedgerHead,
}

/// A check that passed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckPassed {
    /// The criterion, or `gate:ID`.
    pub id: String,
    /// SHA-256 of its command and of what that must give.
    pub command: String,
    /// SHA-256 of its result: the `gate/1` of the record.
    pub result: String,
    /// Whether it is about this task; a gate of the project is about every file.
    pub own: bool,
    /// When it passed, in UTC.
    pub observed_at: String,
    /// The hash of its record in the ledger.
    pub record: String,
}

/// The end of a ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LedgerHead {
    /// The number of the last record.
    pub seq: u64,
    /// Its hash.
    pub hash: String,
}

/// Whether the evidence for a task still fits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FitDoc {
    /// Always `fit/1`.
    pub schema: String,
    /// The plan's path as seen from the root.
    pub plan: String,
    /// The task.
    pub task: TaskId,
    /// What it is called.
    pub title: String,
    /// The worst of its checks.
    pub status: FitStatus,
    /// Why, in words.
    pub reason: String,
    /// Each of its checks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckFit>,
    /// The commit whose tree the evidence is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// When it was stated, in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attested_at: Option<String>,
}

/// Whether the evidence for a check still fits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckFit {
    /// The criterion, or `gate:ID`.
    pub id: String,
    /// Whether it fits.
    pub status: FitStatus,
    /// Why, in words.
    pub reason: String,
}

/// Whether evidence fits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FitStatus {
    /// It passed on this tree, or on one whose difference cannot matter as far as is known.
    #[default]
    Fits,
    /// Something changed that it may depend on.
    MayBeStale,
    /// Nothing is attested.
    NoEvidence,
}

impl FitStatus {
    /// The words that people see.
    pub fn words(self) -> &'static str {
        match self {
            FitStatus::Fits => "fits",
            FitStatus::MayBeStale => "may be stale",
            FitStatus::NoEvidence => "no evidence",
        }
    }
}
