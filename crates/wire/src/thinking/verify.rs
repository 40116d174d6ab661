//! `verify/1`: whether a session or a packet is valid, rule by rule.

use serde::{Deserialize, Serialize};

/// The name of this contract.
pub const SCHEMA: &str = "verify/1";

/// Whether something is what it must be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerifyDoc {
    /// Always `verify/1`.
    pub schema: String,
    /// `session` or `packet`.
    pub what: String,
    /// The file.
    pub path: String,
    /// SHA-256 of the file.
    pub sha256: String,
    /// How it is written: `v1`, `v2`, `jsonl`, `interchange`; for a packet its schema.
    pub format: String,
    /// The rules it was checked by: `prep` or `execution`; for a packet its schema.
    pub stage: String,
    /// Whether every rule holds.
    pub ok: bool,
    /// Every rule that was asked, in order.
    pub rules: Vec<Rule>,
}

/// One rule and how it came out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rule {
    /// Its name, a stable kebab-case word.
    pub rule: String,
    /// Whether it holds.
    pub ok: bool,
    /// What was found, and what is wanted or wrong.
    pub found: String,
}
