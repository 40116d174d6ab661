//! A formula: steps with their needs, for one molecule of work. It has no states: all of its steps are open.

use crate::Plan;
use crate::data::data_file::DataFile;
use crate::data::json::Node;
use crate::deps::strategy;
use wire::TaskId;
use wire::plan::{Kind, Model};

/// Reads the steps of a formula.
pub(crate) fn read(sheet: &DataFile, root: &Node) -> Plan {
    let mut plan = Plan { strategy: Some(strategy::unstated(Model::Parallel)), ..Plan::default() };
    let name = root.get("formula").and_then(Node::name).unwrap_or_default();
    name.clone_into(&mut plan.title);
    for key in ["description", "version", "type", "vars"] {
        plan.extra.extend(root.get(key).map(|value| (key.to_owned(), value.plain())));
    }
    steps(sheet, root.entries("steps"), None, &mut plan);
    plan
}

fn steps(sheet: &DataFile, nodes: &[Node], parent: Option<&TaskId>, plan: &mut Plan) {
    for node in nodes {
        let id = node.get("id").and_then(Node::name).unwrap_or_default();
        let title = if node.text("title").is_empty() { id } else { node.text("title") };
        let mut task = sheet.task(node, id, title, "status", &mut plan.diagnostics);
        let needs = node.texts("depends_on").into_iter().chain(node.texts("needs"));
        task.depends_on = needs.map(TaskId::from).collect();
        task.parent = parent.cloned();
        task.steps.extend(Some(node.text("description")).filter(|text| !text.is_empty()).map(str::to_owned));
        let labels = node.texts("labels");
        let label = |name: &str| labels.iter().find_map(|label| label.strip_prefix(name)).map(str::to_owned);
        task.agent = label("mode:");
        task.phase = label("phase:");
        let gated = node.get("gate").is_some_and(|gate| gate.text("type") == "human");
        if gated || node.text("type") == "human" {
            task.kind = Kind::Human;
        }
        DataFile::keep(
            node,
            &["labels", "type", "priority", "condition", "gate", "loop", "expand"],
            &mut task,
        );
        let children = node.entries("children");
        if !children.is_empty() {
            task.kind = Kind::Container;
        }
        task.fingerprint = DataFile::fingerprint(node, &["children"], &task.depends_on);
        let own = task.id.clone();
        plan.tasks.push(task);
        // The recursion is bounded by the depth limit of the JSON reader.
        steps(sheet, children, Some(&own), plan);
    }
}
