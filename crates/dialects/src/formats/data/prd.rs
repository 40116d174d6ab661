//! `prd`: a prd.json of a ralph loop, `{userStories: [{id, title, acceptanceCriteria, priority, passes}]}`.
//!
//! `passes` is the box. Some loops keep `tasks` with a `status`, a `verification_cmd` or both.

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
    name: "prd",
    about: "prd.json of a ralph loop: user stories with passes",
    model: Model::Parallel,
    shapes: &[Shape::Data { detect, read }],
    edits: write::data::edits,
    words: ["pending", "in_progress", "completed", "blocked", "pending", "skipped"],
    checks: &[Form::Members(&[
        Member::list(&["acceptanceCriteria"]),
        Member::list(&["acceptance_criteria"]),
        Member::list(&["acceptance"]),
    ])],
    ..PLAIN
};

fn detect(text: &Text) -> u32 {
    DataFile::with_key(text, KEYS).map_or(0, |node| if list(&node).is_empty() { 0 } else { 62 })
}

const KEYS: &[&str] = &["userStories", "user_stories", "stories", "tasks"];

/// The stories; a list of tasks counts only with the members that such loops write.
fn list(root: &Node) -> &[Node] {
    let stories = KEYS.iter().map(|key| (*key, root.entries(key)));
    let own = |node: &Node| {
        task_objects::has_flag(node)
            || ["acceptance_criteria", "verification_cmd", "verifyCommands"]
                .iter()
                .any(|key| node.get(key).is_some())
    };
    let mut found = stories.filter(|(key, list)| {
        list.iter().any(task_objects::is_task) && (*key != "tasks" || list.iter().any(own))
    });
    found.next().map(|(_, list)| list).unwrap_or_default()
}

fn read(text: &Text) -> Result<Plan, Fail> {
    let sheet = DataFile::new(text);
    let root = sheet.json()?;
    let mut plan = Plan::default();
    let title = ["project", "projectName", "name"]
        .into_iter()
        .map(|key| root.text(key))
        .find(|title| !title.is_empty());
    title.unwrap_or_default().clone_into(&mut plan.title);
    task_objects::read(&sheet, list(&root), &mut plan);
    Ok(plan)
}
