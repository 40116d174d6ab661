//! The subtask plan in a thinking session: the last Conclusion thought tagged `subtask-plan`, numbered line by line.
//!
//! A line in a JSON string has no position of its own, so each task's span is the whole thought.

use super::summary;
use crate::Plan;
use crate::data::data_file::DataFile;
use crate::data::json::Node;
use wire::TaskId;

/// The thought that holds the plan.
pub(crate) fn find(root: &Node) -> Option<&Node> {
    let tagged = |thought: &&Node| thought.texts("tags").contains(&"subtask-plan");
    root.entries("thoughts").iter().rev().find(tagged)
}

/// Reads its numbered lines.
pub(crate) fn read(sheet: &DataFile, thought: &Node) -> Plan {
    let mut plan = Plan { title: "subtask plan".to_owned(), ..Plan::default() };
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
