//! A file's name together with the digest of its content.

use serde::{Deserialize, Serialize};

/// Large or private text travels as the file it was written to and the digest of its bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sealed {
    /// The file, relative to the plan's root.
    pub path: String,
    /// SHA-256 of its bytes, in hex.
    pub sha256: String,
}
