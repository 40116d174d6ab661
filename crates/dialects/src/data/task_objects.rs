//! Lists of objects that are tasks, as loops of agents keep them in JSON: shared by `prd`, `feature-list` and `shrimp`.
//!
//! The members have a few names each; the first that is there counts. The state is a flag, `passes`, or a word, `status`;
//! where both stand, the flag decides that a task is done and the word tells the open ones apart.

use crate::Plan;
use crate::data::data_file::DataFile;
use crate::data::json::{Json, Node};
use crate::deps::{named, strategy};
use crate::states::words;
use wire::plan::{Criterion, FileUse, Kind, Model, Place, Severity};
use wire::{State, Task, TaskId};

/// The tasks of a list.
pub(crate) fn read(sheet: &DataFile, list: &[Node], plan: &mut Plan) {
    plan.strategy = Some(strategy::unstated(Model::Parallel));
    let list: Vec<&Node> = list.iter().filter(|node| !node.members().is_empty()).collect();
    let own: Vec<Option<&str>> = list.iter().map(|node| first(node, IDS).and_then(Node::name)).collect();
    for (node, id) in list.iter().zip(named::ids(&own)) {
        take(sheet, node, &id, None, plan);
    }
    let waits = plan.tasks.iter().any(|task| !task.depends_on.is_empty());
    if !waits {
        plan.strategy = Some(strategy::unstated(Model::Sequential));
    }
}

/// Whether an object looks like a task: it has a name, and a state or criteria.
pub(crate) fn is_task(node: &Node) -> bool {
    // An object with an action is a task of another format.
    first(node, TITLES).is_some()
        && node.get("action").is_none()
        && (has_flag(node) || first(node, STATUS).is_some() || node.get("acceptanceCriteria").is_some())
}

/// Whether the state of an object is a flag.
pub(crate) fn has_flag(node: &Node) -> bool {
    flag(node).is_some()
}

fn flag(node: &Node) -> Option<(&Node, bool)> {
    FLAGS.iter().find_map(|key| {
        let value = node.get(key)?;
        if let Json::Bool(truth) = value.value { Some((value, truth)) } else { None }
    })
}

fn first<'n>(node: &'n Node, keys: &[&str]) -> Option<&'n Node> {
    keys.iter().find_map(|key| node.get(key).filter(|value| !matches!(value.value, Json::Null)))
}

const IDS: &[&str] = &["id", "key", "taskId", "task_id", "featureId"];
const TITLES: &[&str] = &["title", "name", "description", "summary", "story", "content"];
const FLAGS: &[&str] = &["passes", "passed", "done", "completed"];
const STATUS: &[&str] = &["status", "state"];
const DEPENDS: &[&str] =
    &["dependsOn", "depends_on", "dependencies", "depends", "blockedBy", "blocked_by", "prerequisites"];
const PARTS: &[&str] = &["subTasks", "subtasks", "sub_tasks"];
const COMMANDS: &[&str] = &[
    "testCommand",
    "test_command",
    "verifyCommands",
    "verify_commands",
    "verifyCommand",
    "verify_command",
    "verificationCommand",
    "verification_command",
    "verificationCommands",
    "verification_commands",
    "verification_cmd",
    "validationCommand",
    "validation_command",
];
const CRITERIA: &[&str] = &[
    "acceptanceCriteria",
    "acceptance_criteria",
    "acceptance",
    "doneCriteria",
    "done_criteria",
    "verificationCriteria",
    "verification_criteria",
    "verification",
    "testStrategy",
];

fn take(sheet: &DataFile, node: &Node, id: &str, parent: Option<&TaskId>, plan: &mut Plan) {
    let title = first(node, TITLES).and_then(Node::str).unwrap_or(id);
    let mut task = sheet.task(node, id, title, "", &mut plan.diagnostics);
    task.parent = parent.cloned();
    state(sheet, node, &mut task, plan);
    for key in ["description", "details", "implementationGuide", "notes"] {
        let text = node.text(key);
        if !text.is_empty() && text != title {
            task.steps.push(text.to_owned());
        }
    }
    let steps = node.entries("steps").iter().filter_map(Node::str).map(str::to_owned);
    task.steps.extend(steps);
    criteria(sheet, node, &mut task);
    files(node, &mut task);
    task.depends_on = depends(node);
    DataFile::keep(node, &["priority", "category", "complexity", "labels", "phase"], &mut task);
    let parts: Vec<&Node> =
        PARTS.iter().flat_map(|key| node.entries(key)).filter(|part| !part.members().is_empty()).collect();
    if !parts.is_empty() {
        task.kind = Kind::Container;
    }
    let without: Vec<&str> = FLAGS.iter().chain(PARTS).chain(TOLD).copied().collect();
    task.fingerprint = DataFile::fingerprint(node, &without, &task.depends_on);
    let own = task.id.clone();
    plan.tasks.push(task);
    for (number, part) in parts.into_iter().enumerate() {
        let name =
            first(part, IDS).and_then(Node::name).map_or_else(|| (number + 1).to_string(), str::to_owned);
        let name = if name.starts_with(id) { name } else { format!("{id}.{name}") };
        take(sheet, part, &name, Some(&own), plan);
    }
}

/// Members that a loop writes when it has worked on a task.
const TOLD: &[&str] =
    &["evidence", "completionNotes", "iteration_count", "blocked_reason", "verified_at", "analysisResult"];

fn state(sheet: &DataFile, node: &Node, task: &mut Task, plan: &mut Plan) {
    let status =
        first(node, STATUS).filter(|status| status.str().is_some_and(|said| said.trim().chars().count() > 1));
    let said = status.and_then(Node::str).unwrap_or_default();
    let word = words::state(said);
    let mut from = |value: &Node, at| {
        task.mark = Some(sheet.span(at));
        task.state_from = Some(Place { path: task.span.path.clone(), line: sheet.line(value.at.start) });
    };
    if let Some((value, truth)) = flag(node) {
        from(value, value.at);
        task.state = match (truth, word) {
            (true, _) => State::Completed,
            // Only the flag says that it is done.
            (false, Some(State::Completed) | None) => State::Pending,
            (false, Some(state)) => state,
        };
    } else if let Some(value) = status {
        from(value, value.inner());
        task.state = word.unwrap_or_default();
    }
    if let Some(value) = status.filter(|_| word.is_none()) {
        let message = format!("unknown status '{said}' is taken as not done");
        let mut warning = sheet.diagnostic(Severity::Warning, "unknown-status", message, value.at.start);
        warning.task = Some(task.id.clone());
        plan.diagnostics.push(warning);
    }
}

fn criteria(sheet: &DataFile, node: &Node, task: &mut Task) {
    for value in CRITERIA.iter().filter_map(|key| node.get(key)) {
        if let Some(text) = value.str().filter(|text| !text.trim().is_empty()) {
            sheet.criterion(task, "acceptance", text, value.inner());
        }
        for entry in value.list() {
            if let Some(text) = entry.str() {
                sheet.criterion(task, "acceptance", text, entry.inner());
            } else {
                object(sheet, entry, task);
            }
        }
    }
    for value in COMMANDS.iter().filter_map(|key| node.get(key)) {
        for entry in std::iter::once(value).chain(value.list()) {
            if entry.str().is_some() {
                command(sheet, entry, None, "", task);
            } else if entry.get("command").is_some() {
                object(sheet, entry, task);
            }
        }
    }
}

/// A criterion that is an object: its text and, perhaps, its command.
fn object(sheet: &DataFile, entry: &Node, task: &mut Task) {
    let text =
        ["text", "criterion", "description", "title", "name"].iter().find_map(|key| entry.get(key)?.str());
    let expected = ["expected", "expect", "expectedOutput"].iter().find_map(|key| entry.get(key)?.str());
    let run = COMMANDS.iter().chain(&["command", "cmd", "run"]).find_map(|key| entry.get(key));
    match run.filter(|run| run.str().is_some_and(|run| !run.trim().is_empty())) {
        Some(run) => command(sheet, run, expected, text.unwrap_or_default(), task),
        None => {
            if let Some(text) = text {
                sheet.criterion(task, "acceptance", text, entry.at);
            }
        }
    }
}

fn command(sheet: &DataFile, value: &Node, expected: Option<&str>, text: &str, task: &mut Task) {
    let Some(run) = value.str().filter(|run| !run.trim().is_empty()) else { return };
    let text = if text.is_empty() { run } else { text };
    let span = sheet.span(value.inner());
    let base = Criterion {
        category: "verify".to_owned(),
        text: text.trim().to_owned(),
        span,
        ..Criterion::default()
    };
    sheet.command(task, &base, run, expected, value.inner());
}

fn files(node: &Node, task: &mut Task) {
    for entry in node.entries("relatedFiles").iter().chain(node.entries("files")) {
        let path = entry.str().unwrap_or_else(|| entry.text("path"));
        let action = match entry.text("type") {
            "CREATE" => "create",
            "TO_MODIFY" => "modify",
            "REFERENCE" | "DEPENDENCY" | "OTHER" => "read",
            _ => "write",
        };
        if !path.is_empty() {
            task.files.push(FileUse { path: path.to_owned(), action: action.to_owned() });
        }
    }
}

/// The tasks that an object waits for, by id or as `{taskId}`.
fn depends(node: &Node) -> Vec<TaskId> {
    let Some(value) = first(node, DEPENDS) else { return Vec::new() };
    let one = value.str().into_iter().flat_map(|text| text.split(',')).map(str::trim);
    let listed = value.list().iter().filter_map(|entry| entry.name().or_else(|| first(entry, IDS)?.name()));
    let mut found: Vec<TaskId> = Vec::new();
    for id in
        one.chain(listed).filter(|id| !id.is_empty() && !id.eq_ignore_ascii_case("none")).map(TaskId::from)
    {
        if !found.contains(&id) {
            found.push(id);
        }
    }
    found
}
