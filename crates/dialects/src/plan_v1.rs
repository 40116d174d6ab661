//! `plan/v1`: a plan.json with `schema: "plan/v1"`, contracts, journeys and a verify plan.
//!
//! Its tasks are those of `spec.json` without checks; what is to be verified stands in the verify plan, which is kept
//! for the whole.

use crate::sheet::Sheet;
use crate::{Dialect, Shape, Text, spec_json};
use wire::plan::Model;

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "plan/v1",
    about: "plan.json with contracts, tasks, journeys and a verify plan",
    model: Model::Parallel,
    shapes: &[Shape::Data { detect, read: spec_json::read }],
    own: |_| Vec::new(),
};

fn detect(text: &Text) -> u32 {
    let Some(root) = Sheet::with_key(text, &["action"]) else { return 0 };
    if !spec_json::has_actions(&root) {
        return 0;
    }
    let parts = ["contracts", "journeys", "verify_plan"].iter().any(|key| root.get(key).is_some());
    if root.text("schema") == "plan/v1" || parts { 70 } else { 0 }
}
