//! `restoration/1`: the result of running a gate again after a fault.

use crate::gate::Gate;
use serde::{Deserialize, Serialize};

/// The name of this contract.
pub const SCHEMA: &str = "restoration/1";

/// How the line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum Health {
    /// The gate gives verdicts again.
    Green,
    /// It does not; a person decides.
    Yellow,
    /// It cannot be fitted safely: a secret, a person or a program is missing.
    Red,
}

/// What came of one Restoration Contract.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RestorationDoc {
    /// Always `restoration/1`.
    pub schema: String,
    /// The gate.
    pub gate_id: String,
    /// How the line stands.
    pub outcome: Health,
    /// Why.
    pub reason: String,
    /// Which retry after the fault this was; 0 where none was made.
    pub retry: u32,
    /// Whether another contract may be tried.
    pub may_retry: bool,
    /// Budgets that were asked for and cut to the maximum.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clamped: Vec<String>,
    /// The run, where one was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
}
