//! The subtask plan in a thinking session: the last Conclusion thought tagged `subtask-plan`, numbered line by line.
//!
//! A line in a JSON string has no position of its own, so each task's span is the whole thought.

use super::summary;
use crate::Plan;
use crate::data::data_file::DataFile;
use crate::data::json::Node;
use markdown::{Outline, Text};
use wire::TaskId;

/// The thought that holds the plan.
pub(crate) fn find(root: &Node) -> Option<&Node> {
    let tagged = |thought: &&Node| thought.texts("tags").contains(&"subtask-plan");
    root.entries("thoughts").iter().rev().find(tagged)
}

/// Reads the whole summary, where the thought has one with a section of subtasks.
fn summed(sheet: &DataFile, thought: &Node, plan: &mut Plan) -> bool {
    let bytes = thought.text("thought").as_bytes();
    let outline = Outline::new(&Text { path: "thought", bytes });
    let Some(section) = summary::section(&outline) else { return false };
    let mut told = Plan::default();
    summary::read(&outline, section, &mut told);
    for found in told.tasks {
        let id = found.id.as_str();
        let mut task = sheet.task(thought, id, &found.title, "status", &mut plan.diagnostics);
        (task.files, task.steps, task.criteria) = (found.files, found.steps, found.criteria);
        for criterion in &mut task.criteria {
            criterion.span = task.span.clone();
        }
        task.fingerprint = DataFile::fingerprint(thought, &["tags"], &[TaskId::from(id)]);
        plan.tasks.push(task);
    }
    true
}

/// Reads its numbered lines.
pub(crate) fn read(sheet: &DataFile, thought: &Node) -> Plan {
    let mut plan = Plan { title: "subtask plan".to_owned(), ..Plan::default() };
    if summed(sheet, thought, &mut plan) {
        return plan;
    }
    for line in thought.text("thought").lines().map(str::trim) {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let rest = line.get(digits..).and_then(|rest| rest.strip_prefix(['.', ')'])).map(str::trim);
        let Some(rest) = rest.filter(|rest| digits > 0 && !rest.is_empty()) else { continue };
        let told = summary::told(rest);
        let id = line.get(..digits).unwrap_or_default();
        let mut task = sheet.task(thought, id, told.title, "status", &mut plan.diagnostics);
        task.files = told.files;
        for text in told.success {
            sheet.criterion(&mut task, "success", text, thought.at);
        }
        task.fingerprint = DataFile::fingerprint(thought, &["tags"], &[TaskId::from(id)]);
        plan.tasks.push(task);
    }
    plan
}
