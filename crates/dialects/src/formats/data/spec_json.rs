//! `spec.json`: the generations v4 to v7 of a specification with tasks, `{meta, requirements, tasks: [{id, action}]}`.

use crate::data::data_file::DataFile;
use crate::data::spec_tasks::{has_actions, read};
use crate::dialect::PLAIN;
use crate::write;
use crate::write::{Form, Member};
use crate::{Dialect, Shape};
use markdown::Text;
use wire::plan::Model;

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "spec.json",
    about: "spec.json with requirements, scenarios and tasks",
    model: Model::Parallel,
    shapes: &[Shape::Data { detect, read }],
    edits: write::data::edits,
    begins: true,
    words: ["pending", "in_progress", "done", "pending", "pending", "done"],
    closed_graph: true,
    checks: &[Form::Members(&[Member::list(&["acceptance_criteria", "checks"])])],
    ..PLAIN
};

fn detect(text: &Text) -> u32 {
    DataFile::with_key(text, &["action"]).map_or(0, |root| if has_actions(&root) { 50 } else { 0 })
}
