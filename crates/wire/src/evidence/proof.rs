//! `proof/1`: whether gates have a pass that is not stale.

use crate::TreeHash;
use serde::{Deserialize, Serialize};

/// The name of this contract.
pub const SCHEMA: &str = "proof/1";

/// Whether every gate that is required has a pass.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProofDoc {
    /// Always `proof/1`.
    pub schema: String,
    /// The bead that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bead_id: Option<String>,
    /// The batch that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_timestamp: Option<String>,
    /// Whether each has one.
    pub passed: bool,
    /// The gates that are required.
    pub required: Vec<String>,
    /// Those without one.
    pub missing: Vec<Lack>,
    /// The tree as it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<TreeHash>,
}

/// A gate without a pass.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lack {
    /// The gate.
    pub gate_id: String,
    /// Why its records do not do.
    pub reason: String,
}
