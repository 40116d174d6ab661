//! `shrimp`: a tasks.json of Shrimp Task Manager, `{tasks: [{id, name, status, dependencies: [{taskId}]}]}`.

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
    name: "shrimp",
    about: "tasks.json of Shrimp Task Manager",
    model: Model::Parallel,
    shapes: &[Shape::Data { detect, read }],
    edits: write::data::edits,
    begins: true,
    words: ["pending", "in_progress", "completed", "blocked", "pending", "skipped"],
    checks: &[Form::Members(&[Member::text(&["verificationCriteria"])])],
    ..PLAIN
};

fn detect(text: &Text) -> u32 {
    let own = |node: &Node| {
        node.get("name").is_some()
            && (node.get("implementationGuide").is_some() || node.get("relatedFiles").is_some())
    };
    let found = DataFile::with_key(text, &["implementationGuide", "relatedFiles", "verificationCriteria"]);
    found.map_or(0, |node| if node.entries("tasks").iter().any(own) { 65 } else { 0 })
}

fn read(text: &Text) -> Result<Plan, Fail> {
    let sheet = DataFile::new(text);
    let root = sheet.json()?;
    let mut plan = Plan::default();
    task_objects::read(&sheet, root.entries("tasks"), &mut plan);
    Ok(plan)
}
