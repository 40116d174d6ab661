//! `live/1`: the live session after a change.

use crate::digest::Sealed;
use serde::{Deserialize, Serialize};

/// The name of this contract.
pub const SCHEMA: &str = "live/1";

/// The live session after it was changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LiveDoc {
    /// Always `live/1`.
    pub schema: String,
    /// The file of the live session.
    pub path: String,
    /// How many thoughts it has.
    pub thoughts: u64,
    /// How many of them were added to the session that was imported.
    pub added: u64,
    /// The stage of the last thought.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_stage: Option<String>,
    /// The session that was imported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Sealed>,
    /// Where the session that was live before is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
}
