//! The contracts between the tools: plain data, no I/O.
//!
//! Every document and every line of a stream carries `"schema": "name/major"`. A reader refuses another
//! name or major and ignores fields it does not know; adding a field is not a new major. A stage that
//! rewrites an order uses [`line::OrderLine`], which carries foreign fields byte for byte.
//!
//! Invariants: nothing here touches a file, a clock or the environment; every map is ordered, so the same
//! data always gives the same bytes; nothing is flattened or untagged.

pub mod card;
pub mod chain;
pub mod data;
pub mod digest;
pub mod end;
pub mod failure;
pub mod gate;
pub mod graph;
pub mod history;
pub mod ids;
pub mod inherit;
pub mod interchange;
pub mod line;
pub mod lint;
pub mod live;
pub mod order;
pub mod plan;
pub mod proof;
pub mod punch;
pub mod reconcile;
pub mod report;
pub mod restoration;
pub mod result;
pub mod rounds;
#[cfg(feature = "schema")]
pub mod schema;
pub mod schemas;
pub mod seen;
pub mod session;
pub mod status;
pub mod tick;
pub mod verify;

pub use data::Data;
pub use end::{Answer, End};
pub use failure::Failure;
pub use gate::Gate;
pub use ids::{Fingerprint, RunId, TaskId, TreeHash};
pub use line::OrderLine;
pub use order::Order;
pub use plan::{Plan, State, Task};
pub use punch::Punch;
pub use seen::Seen;
pub use session::Session;

/// JSON object with ordered keys, for whatever a dialect or worker has beyond the contract.
pub type Extra = std::collections::BTreeMap<String, serde_json::Value>;

/// `skip_serializing_if` for flags that are false by default.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
pub(crate) fn is_false(flag: &bool) -> bool {
    !flag
}
