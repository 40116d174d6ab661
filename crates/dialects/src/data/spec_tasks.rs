//! The tasks of a specification, `{requirements, tasks: [{id, action}]}`, which `spec.json` and `plan/v1` share.
//!
//! A task's checks are commands. Its scenarios are part of the requirements, with a command of their own or in words.
//! If a task names no scenarios, it gets those of the requirements that it fulfils, as far as they can be verified.

use crate::Plan;
use crate::criteria::locate;
use crate::data::data_file::DataFile;
use crate::data::json::Node;
use crate::deps::strategy;
use markdown::Text;
use std::collections::HashMap;
use toolkit::Fail;
use wire::plan::{Criterion, FileUse, Input, Kind, Model, Output, Severity, clause};
use wire::{Task, TaskId};

/// Whether the tasks have an `action`, as in every generation.
pub(crate) fn has_actions(root: &Node) -> bool {
    root.entries("tasks").iter().any(|task| task.get("action").is_some() && task.get("id").is_some())
}

/// Reads the plan; also handles the next generation, which has the same tasks.
pub(crate) fn read(text: &Text) -> Result<Plan, Fail> {
    let sheet = DataFile::new(text);
    let root = sheet.json()?;
    let mut plan = Plan { strategy: Some(strategy::unstated(Model::Parallel)), ..Plan::default() };
    let meta = root.get("meta");
    let named = meta
        .map_or("", |meta| if meta.text("name").is_empty() { meta.text("goal") } else { meta.text("name") });
    named.clone_into(&mut plan.title);
    for key in ["meta", "contracts", "journeys", "verify_plan", "constraints", "decisions"] {
        plan.extra.extend(root.get(key).map(|value| (key.to_owned(), value.plain())));
    }
    let parts = Parts::new(&root);
    for node in root.entries("tasks") {
        let mut task = task(&sheet, node, &mut plan);
        Checks { sheet: &sheet, parts: &parts, task: &mut task }.read(node);
        inputs(&sheet, node, &mut task, &mut plan);
        task.fingerprint = DataFile::fingerprint(node, &[], &task.depends_on);
        plan.tasks.push(task);
    }
    Ok(plan)
}

fn task(sheet: &DataFile, node: &Node, plan: &mut Plan) -> Task {
    let id = node.get("id").and_then(Node::name).unwrap_or_default();
    let mut task = sheet.task(node, id, node.text("action"), "status", &mut plan.diagnostics);
    task.kind = match node.text("type") {
        "verification" | "verify" => Kind::Verification,
        "human" => Kind::Human,
        _ => Kind::Work,
    };
    let owned = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect::<Vec<_>>();
    task.depends_on = node.texts("depends_on").into_iter().map(TaskId::from).collect();
    task.phase = Some(node.text("layer")).filter(|layer| !layer.is_empty()).map(str::to_owned);
    task.steps = owned(node.texts("steps"));
    task.must_not = owned(node.texts("must_not_do"));
    task.references = owned(node.texts("references"));
    for path in node.texts("file_scope") {
        task.files.push(FileUse { path: path.to_owned(), action: "write".to_owned() });
    }
    for output in node.entries("outputs") {
        let name = if output.text("id").is_empty() { output.text("name") } else { output.text("id") };
        let value = Some(output.text("path")).filter(|path| !path.is_empty()).map(str::to_owned);
        task.outputs.push(Output { name: name.to_owned(), value, ..Output::default() });
    }
    DataFile::keep(
        node,
        &["fulfills", "risk", "origin", "derived_from", "parallel_safe", "tool", "args"],
        &mut task,
    );
    task
}

/// An input names the task that produces it: this is an edge, whether or not the task declares it.
fn inputs(sheet: &DataFile, node: &Node, task: &mut Task, plan: &mut Plan) {
    for input in node.entries("inputs") {
        let from = input.text("from_task");
        let name = input.text("artifact").to_owned();
        let reference = Some(format!("{from}.outputs.{name}")).filter(|_| !from.is_empty());
        task.inputs.push(Input { name, reference, ..Input::default() });
        if from.is_empty() || task.depends_on.iter().any(|id| id.as_str() == from) {
            continue;
        }
        let message = format!("an input comes from '{from}': taken as a dependency");
        let mut hint = sheet.diagnostic(Severity::Hint, "input-dependency", message, input.at.start);
        hint.task = Some(task.id.clone());
        plan.diagnostics.push(hint);
        task.depends_on.push(TaskId::from(from));
    }
}

/// The criteria of one task.
struct Checks<'c, 'a> {
    sheet: &'c DataFile<'a>,
    parts: &'c Parts<'c>,
    task: &'c mut Task,
}

impl Checks<'_, '_> {
    fn read(&mut self, node: &Node) {
        let mut named = false;
        for (category, list) in node.get("acceptance_criteria").map(Node::members).unwrap_or_default() {
            for entry in list.list() {
                match (category.as_str(), entry.str()) {
                    ("scenarios", Some(id)) => {
                        named = true;
                        self.scenario(id, entry);
                    }
                    (_, Some(text)) => self.sheet.criterion(self.task, category, text, entry.inner()),
                    _ => self.check(category, entry),
                }
            }
        }
        if !named {
            for id in node.texts("fulfills") {
                let parts = self.parts.of.get(id).map(Vec::as_slice).unwrap_or_default();
                for part in parts.iter().filter(|part| part.get("verify").is_some()) {
                    self.part(part);
                }
            }
        }
    }

    /// Adds the scenario with this id, wherever it is among the requirements.
    fn scenario(&mut self, id: &str, named: &Node) {
        match self.parts.by_id.get(id) {
            Some(part) => self.part(part),
            None => self.sheet.criterion(self.task, "scenario", id, named.inner()),
        }
    }

    fn part(&mut self, part: &Node) {
        let words = ["behavior", "given", "when", "then"].map(|key| part.text(key));
        let words: Vec<&str> = words.into_iter().filter(|text| !text.is_empty()).collect();
        let text = format!("{}: {}", part.text("id"), words.join("; "));
        match part.get("verify") {
            Some(verify) if !verify.text("run").is_empty() => self.run("scenario", &text, verify, part),
            _ => self.sheet.criterion(self.task, "scenario", &text, part.at),
        }
    }

    /// A check with a command: `{type, run}` or `{description, command}`.
    fn check(&mut self, category: &str, node: &Node) {
        let kind = if node.text("type").is_empty() { category } else { node.text("type") };
        let said =
            if node.text("description").is_empty() { node.text("run") } else { node.text("description") };
        self.run(kind, said, node, node);
    }

    fn run(&mut self, category: &str, text: &str, node: &Node, at: &Node) {
        let command = if node.text("run").is_empty() { node.text("command") } else { node.text("run") };
        let base = Criterion {
            category: category.to_owned(),
            text: text.to_owned(),
            span: self.sheet.span(at.at),
            ..Criterion::default()
        };
        if command.is_empty() {
            locate::add(self.task, "", [base]);
            return;
        }
        let place = node.get("run").or_else(|| node.get("command")).map_or(at.at, Node::inner);
        let expected = node.get("expect").map(expect);
        self.sheet.command(self.task, &base, command, expected.as_deref(), place);
    }
}

/// The scenarios and sub-requirements, by their own id and by the id of the enclosing requirement.
struct Parts<'n> {
    by_id: HashMap<&'n str, &'n Node>,
    of: HashMap<&'n str, Vec<&'n Node>>,
}

impl<'n> Parts<'n> {
    fn new(root: &'n Node) -> Self {
        let mut parts = Self { by_id: HashMap::new(), of: HashMap::new() };
        for requirement in root.entries("requirements") {
            let of = parts.of.entry(requirement.text("id")).or_default();
            for part in requirement.entries("scenarios").iter().chain(requirement.entries("sub")) {
                of.push(part);
                parts.by_id.entry(part.text("id")).or_insert(part);
            }
        }
        parts
    }
}

/// The members of `expect` in the grammar of checks; an unknown one stays as it is, so that it is asked about.
fn expect(node: &Node) -> String {
    if let Some(text) = node.str() {
        return text.to_owned();
    }
    let clauses = node.members().iter().map(|(key, value)| match (key.as_str(), value.name(), value.str()) {
        ("exit_code", Some(code), _) => format!("exit {code}"),
        ("stdout_contains", _, Some(text)) => format!("contains {}", clause::literal(text)),
        ("stderr_contains", _, Some(text)) => format!("stderr contains {}", clause::literal(text)),
        ("stdout", _, Some(text)) => format!("exactly {}", clause::literal(text)),
        _ => format!("{key}: {}", value.plain()),
    });
    clauses.collect::<Vec<_>>().join(", ")
}
