//! The issues of a file, one object per line.

use crate::Plan;
use crate::data::data_file::DataFile;
use crate::data::json::{self, Node};
use crate::deps::strategy;
use markdown::Extent;
use std::collections::HashSet;
use toolkit::Fail;
use wire::plan::{Diagnostic, Kind, Model, Severity};
use wire::{Task, TaskId};

/// Reads all issues. A line that is not an issue is an error with its line number.
pub(crate) fn read(sheet: &DataFile) -> Result<Plan, Fail> {
    let mut plan = Plan { strategy: Some(strategy::unstated(Model::Parallel)), ..Plan::default() };
    let mut dead: HashSet<String> = HashSet::new();
    let mut nodes = Vec::new();
    for node in objects(sheet)? {
        let id = node.get("id").and_then(Node::name).unwrap_or_default().to_owned();
        if node.text("status") == "tombstone" {
            let message = format!("'{id}' was deleted and is no task");
            plan.diagnostics.push(sheet.diagnostic(Severity::Hint, "tombstone", message, node.at.start));
            dead.insert(id);
        } else {
            nodes.push((id, node));
        }
    }
    let parents: HashSet<String> =
        nodes.iter().flat_map(|(_, node)| links(node)).filter(Link::is_parent).map(|link| link.to).collect();
    for (id, node) in &nodes {
        let mut task = task(sheet, id, node, &mut plan.diagnostics);
        link(sheet, node, &dead, &mut task, &mut plan.diagnostics);
        if task.kind == Kind::Container && !parents.contains(id) {
            // An epic without children is a task itself; as a container it would be done at once.
            task.kind = Kind::Work;
        }
        task.fingerprint = DataFile::fingerprint(node, &["dependencies"], &task.depends_on);
        plan.tasks.push(task);
    }
    Ok(plan)
}

/// The objects of the file: one per line, or all in one list.
fn objects(sheet: &DataFile) -> Result<Vec<Node>, Fail> {
    if sheet.text.trim_start().starts_with('[') {
        return Ok(sheet.json()?.list().to_vec());
    }
    let mut from = 0;
    let mut nodes = Vec::new();
    for line in sheet.text.split_inclusive('\n') {
        let at = Extent { start: from, end: from + line.trim_end().len() };
        from += line.len();
        if line.trim().is_empty() {
            continue;
        }
        let (node, end) = json::parse(&sheet.text, at).map_err(|at| sheet.bad_json(at))?;
        if !sheet.str(Extent { start: end, end: at.end }).trim().is_empty() {
            return Err(sheet.bad_json(end));
        }
        nodes.push(node);
    }
    Ok(nodes)
}

fn task(sheet: &DataFile, id: &str, node: &Node, found: &mut Vec<Diagnostic>) -> Task {
    let mut task = sheet.task(node, id, node.text("title"), "status", found);
    task.kind = match node.text("issue_type") {
        "epic" => Kind::Container,
        "decision" | "gate" | "human" => Kind::Human,
        _ => Kind::Work,
    };
    for key in ["description", "design"] {
        task.steps.extend(Some(node.text(key)).filter(|text| !text.is_empty()).map(str::to_owned));
    }
    if let Some(criteria) = node.get("acceptance_criteria") {
        sheet.criterion(&mut task, "functional", criteria.str().unwrap_or_default(), criteria.inner());
    }
    DataFile::keep(
        node,
        &["priority", "issue_type", "labels", "notes", "metadata", "external_ref"],
        &mut task,
    );
    task
}

/// One link of an issue to another.
struct Link {
    to: String,
    kind: String,
    at: usize,
}

impl Link {
    fn is_parent(&self) -> bool {
        self.kind == "parentchild"
    }
}

fn links(node: &Node) -> impl Iterator<Item = Link> {
    node.entries("dependencies").iter().filter_map(|entry| {
        let to = entry.name().or_else(|| entry.get("depends_on_id")?.name())?.to_owned();
        let kind = entry.get("type").and_then(Node::str).unwrap_or("blocks").replace(['-', '_'], "");
        Some(Link { to, kind, at: entry.at.start })
    })
}

fn link(sheet: &DataFile, node: &Node, dead: &HashSet<String>, task: &mut Task, found: &mut Vec<Diagnostic>) {
    let mut related = Vec::new();
    for link in links(node) {
        let mut warn = |code, message: String| {
            let mut warning = sheet.diagnostic(Severity::Warning, code, message, link.at);
            warning.task = Some(task.id.clone());
            found.push(warning);
        };
        match link.kind.as_str() {
            _ if dead.contains(&link.to) => {
                warn("deleted-dependency", format!("'{}' was deleted: not waited for", link.to));
            }
            "parentchild" if task.parent.is_none() => task.parent = Some(TaskId(link.to)),
            "parentchild" => warn("second-parent", format!("'{}' is a second parent: left out", link.to)),
            "blocks" | "waitsfor" => task.depends_on.push(TaskId(link.to)),
            "conditionalblocks" => {
                let message = format!("runs only if '{}' fails: left to a person", link.to);
                warn("conditional-dependency", message);
                task.kind = Kind::Human;
                task.depends_on.push(TaskId(link.to));
            }
            kind => related.push(serde_json::json!({ "id": link.to, "type": kind })),
        }
    }
    if !related.is_empty() {
        task.extra.insert("related".to_owned(), related.into());
    }
}
