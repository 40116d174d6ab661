//! The contracts between the tools: plain data, no I/O.
//!
//! Every document and every line of a stream carries `"schema": "name/major"`. A reader rejects another name or
//! major and ignores unknown fields; adding a field does not need a new major. A stage that rewrites an order uses
//! [`line::OrderLine`], which keeps foreign fields byte for byte.
//!
//! Invariants: nothing here uses a file, a clock or the environment; every map is ordered, so the same data always
//! gives the same bytes; nothing is flattened or untagged.

mod evidence;
pub mod plan;
mod reports;
mod schedule;
pub mod schemas;
mod stream;
mod thinking;

pub use crate::evidence::{attestation, card, data, digest, gate, level, proof, punch, restoration};
pub use crate::plan::{facts, ids, lint, reconcile, seen};
pub use crate::reports::{history, report, tick};
pub use crate::schedule::{graph, rounds, status};
#[cfg(feature = "schema")]
pub use crate::schemas::schema;
pub use crate::stream::{end, event, failure, line, order};
pub use crate::thinking::{chain, inherit, interchange, live, result, session, verify};

pub use crate::data::Data;
pub use crate::end::{Answer, End};
pub use crate::failure::Failure;
pub use crate::gate::Gate;
pub use crate::ids::{Fingerprint, RunId, TaskId, TreeHash};
pub use crate::level::Level;
pub use crate::line::OrderLine;
pub use crate::order::Order;
pub use crate::plan::{Plan, State, Task};
pub use crate::punch::Punch;
pub use crate::seen::Seen;
pub use crate::session::Session;

/// JSON object with ordered keys, for whatever a dialect or worker has beyond the contract.
pub type Extra = std::collections::BTreeMap<String, serde_json::Value>;

/// `skip_serializing_if` for flags that are false by default.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
pub(crate) fn is_false(flag: &bool) -> bool {
    !flag
}
