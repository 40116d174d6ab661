//! `feature-list`: a `feature_list.json` of a long-running agent, a list of features or `{features: […]}`.
//!
//! The box is `passes`, or the word in `status`: `passing`, `done`. The order of the file is the order of the work.

use crate::data::data_file::DataFile;
use crate::data::json::Node;
use crate::data::task_objects;
use crate::dialect::PLAIN;
use crate::write;
use crate::write::{Form, Member};
use crate::{Dialect, Plan, Shape};
use markdown::Text;
use toolkit::Fail;
use wire::plan::Model;

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "feature-list",
    about: "feature_list.json of a long-running agent: features with passes or a status",
    model: Model::Parallel,
    shapes: &[Shape::Data { detect, read }],
    edits: write::data::edits,
    words: ["pending", "in_progress", "done", "blocked", "pending", "skipped"],
    checks: &[Form::Members(&[Member::list(&["acceptance"]), Member::list(&["acceptanceCriteria"])])],
    ..PLAIN
};

fn detect(text: &Text) -> u32 {
    let found = DataFile::with_key(text, &["passes", "features"]);
    found.map_or(0, |node| if list(&node).iter().any(task_objects::is_task) { 58 } else { 0 })
}

/// The features; a list without a name must have the flag.
fn list(root: &Node) -> &[Node] {
    let bare = root.list();
    if bare.iter().any(task_objects::has_flag) { bare } else { root.entries("features") }
}

fn read(text: &Text) -> Result<Plan, Fail> {
    let sheet = DataFile::new(text);
    let root = sheet.json()?;
    let mut plan = Plan::default();
    let title = ["project", "project_name", "name"]
        .into_iter()
        .map(|key| root.text(key))
        .find(|title| !title.is_empty());
    title.unwrap_or_default().clone_into(&mut plan.title);
    task_objects::read(&sheet, list(&root), &mut plan);
    Ok(plan)
}
