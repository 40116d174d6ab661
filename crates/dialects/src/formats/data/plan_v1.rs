//! `plan/v1`: a plan.json with `schema: "plan/v1"`, contracts, journeys and a verify plan.
//!
//! Its tasks are those of `spec.json` without checks; the checks are in the verify plan, which applies to the whole
//! plan.

use crate::data::data_file::DataFile;
use crate::data::spec_tasks;
use crate::dialect::PLAIN;
use crate::write;
use crate::write::{Form, Member};
use crate::{Dialect, Shape};
use markdown::Text;
use wire::plan::Model;

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "plan/v1",
    about: "plan.json with contracts, tasks, journeys and a verify plan",
    model: Model::Parallel,
    shapes: &[Shape::Data { detect, read: spec_tasks::read }],
    edits: write::data::edits,
    begins: true,
    words: ["pending", "running", "done", "blocked", "failed", "done"],
    closed_graph: true,
    checks: &[Form::Members(&[Member::list(&["acceptance_criteria", "checks"])])],
    ..PLAIN
};

fn detect(text: &Text) -> u32 {
    let Some(root) = DataFile::with_key(text, &["action"]) else { return 0 };
    if !spec_tasks::has_actions(&root) {
        return 0;
    }
    let parts = ["contracts", "journeys", "verify_plan"].iter().any(|key| root.get(key).is_some());
    if root.text("schema") == "plan/v1" || parts { 70 } else { 0 }
}
