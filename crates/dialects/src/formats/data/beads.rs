//! `beads`: issues as JSON lines or as one JSON list, and formulas as JSON or TOML.
//!
//! Of the links between issues, `blocks` and `waits-for` are dependencies and `parent-child` is the parent; all
//! others only relate two issues. A tombstone is not a task, and no task waits for it.

pub(crate) mod formula;
pub(crate) mod issue;
pub(crate) mod tables;

use crate::data::data_file::DataFile;
use crate::data::json;
use crate::data::json::Node;
use crate::dialect::PLAIN;
use crate::write;
use crate::write::{Form, Member};
use crate::{Dialect, Plan, Shape};
use markdown::Text;
use toolkit::Fail;
use wire::plan::Model;

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "beads",
    about: "issues.jsonl of beads, and its formulas",
    model: Model::Parallel,
    shapes: &[
        Shape::Data { detect: detect_issues, read: read_issues },
        Shape::Data { detect: detect_formula, read: read_formula },
    ],
    edits: write::data::edits,
    begins: true,
    words: ["open", "in_progress", "closed", "blocked", "open", "closed"],
    issue_tracker: true,
    checks: &[Form::Members(&[Member::text(&["acceptance_criteria"])])],
    ..PLAIN
};

fn detect_issues(text: &Text) -> u32 {
    // The tool's own listing prints the issues as one list.
    if text.bytes.trim_ascii_start().starts_with(b"[") {
        let list = DataFile::with_key(text, &["issue_type"]);
        return list
            .and_then(|list| list.list().first().map(is_issue))
            .map_or(0, |is| if is { 70 } else { 0 });
    }
    let head = text.bytes.get(..LOOK).unwrap_or(text.bytes);
    // If the first line is longer than the buffer, look at all of it.
    let line = match head.iter().position(|&byte| byte == b'\n') {
        Some(_) => head,
        None => text.bytes,
    };
    let readable = markdown::outline::readable(line);
    let first = readable.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let Ok(node) = json::whole(first) else { return 0 };
    if is_issue(&node) { 70 } else { 0 }
}

fn is_issue(node: &Node) -> bool {
    let issue = ["id", "title", "status"].iter().all(|key| node.get(key).is_some());
    let typed = ["issue_type", "priority", "dependencies"].iter().any(|key| node.get(key).is_some());
    issue && typed && node.get("tasks").is_none()
}

/// How many bytes to search for the end of the first line before reading the whole file.
const LOOK: usize = 1 << 16;

fn read_issues(text: &Text) -> Result<Plan, Fail> {
    issue::read(&DataFile::new(text))
}

fn detect_formula(text: &Text) -> u32 {
    let node = if text.is_toml() {
        tables::whole(&markdown::outline::readable(text.bytes)).ok()
    } else {
        DataFile::with_key(text, &["formula"])
    };
    let told = |node: Node| node.get("formula").is_some() && !node.entries("steps").is_empty();
    if node.is_some_and(told) { 70 } else { 0 }
}

fn read_formula(text: &Text) -> Result<Plan, Fail> {
    let sheet = DataFile::new(text);
    let root = if text.is_toml() {
        tables::whole(&sheet.text).map_err(|at| sheet.bad("bad-toml", "TOML", at))?
    } else {
        sheet.json()?
    };
    Ok(formula::read(&sheet, &root))
}
