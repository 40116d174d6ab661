//! `sprint-status`: a sprint-status.yaml of BMAD, a map from stories to their states in the order of the work.
//!
//! `epic-N` is a group of the stories `N-M-name`, and any other epic of those after it; `epic-N-retrospective` is optional and for people. Other maps of the
//! file hold no stories.

use crate::data::data_file::DataFile;
use crate::deps::strategy;
use crate::dialect::PLAIN;
use crate::read::fingerprint;
use crate::states::words;
use crate::write::Form;
use crate::{Dialect, Plan, Shape};
use markdown::yaml::{self, Node, What};
use markdown::{Extent, Text};
use toolkit::Fail;
use toolkit::files::sha::Hasher;
use wire::plan::{Kind, Model, Place, Severity};
use wire::{State, Task, TaskId, ids};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "sprint-status",
    about: "sprint-status.yaml of BMAD: stories with their states",
    model: Model::Sequential,
    shapes: &[Shape::Data { detect, read }],
    begins: true,
    words: ["backlog", "in-progress", "done", "blocked", "backlog", "wont-do"],
    checks: &[Form::Map],
    ..PLAIN
};

const KEY: &str = "development_status:";
/// The map with the checks of stories, which BMAD does not have.
const VERIFY: &str = "verify:";

fn detect(text: &Text) -> u32 {
    let sheet = DataFile::new(text);
    if block(&sheet, KEY).is_some() { 70 } else { 0 }
}

/// The lines of a map: from its key to the next key of the same level.
fn block(sheet: &DataFile, key: &str) -> Option<Extent> {
    let text = sheet.text.as_ref();
    let own = text
        .match_indices(key)
        .find(|(at, _)| text.get(..*at).is_some_and(|before| before.is_empty() || before.ends_with('\n')));
    let (start, _) = own?;
    let mut end = start;
    for (number, line) in text.get(start..)?.split_inclusive('\n').enumerate() {
        let goes_on = number == 0 || line.trim().is_empty() || line.starts_with([' ', '\t', '#']);
        if !goes_on {
            break;
        }
        end += line.len();
    }
    Some(Extent { start, end })
}

fn read(text: &Text) -> Result<Plan, Fail> {
    let sheet = DataFile::new(text);
    let at =
        block(&sheet, KEY).ok_or_else(|| sheet.bad("bad-yaml", "a map below 'development_status:'", 0))?;
    let broken = |offset: usize| sheet.bad("bad-yaml", "YAML", at.start + offset);
    let node = yaml::value_of(sheet.str(at)).map_err(|error| broken(error.at))?;
    let What::Map(pairs) = node.what else { return Err(broken(node.at)) };
    let mut plan = Plan { strategy: Some(strategy::unstated(Model::Sequential)), ..Plan::default() };
    let title = sheet.text.lines().find_map(|line| line.strip_prefix("project:")).unwrap_or_default();
    title.trim().clone_into(&mut plan.title);
    let checks = checks(&sheet)?;
    for (key, value) in &pairs {
        let (What::Text(name), Some(status)) = (&key.what, word(&sheet, at, value)) else {
            return Err(broken(value.at));
        };
        let mut task = task(&sheet, name, at.start + key.at, status, &mut plan);
        let own = checks.iter().filter(|(story, ..)| story == name);
        let mut hash = Hasher::new().with(name.as_bytes());
        for (_, text, at) in own {
            sheet.criterion(&mut task, "verify", text, *at);
            hash = hash.with(b"\0").with(text.as_bytes());
        }
        task.fingerprint = fingerprint::finish(hash, &[]);
        plan.tasks.push(task);
    }
    hold(&mut plan);
    Ok(plan)
}

/// The checks of the map `verify`, each with the key of its story.
fn checks(sheet: &DataFile) -> Result<Vec<(String, String, Extent)>, Fail> {
    let Some(at) = block(sheet, VERIFY) else { return Ok(Vec::new()) };
    let broken = |offset: usize| {
        sheet.bad("bad-yaml", "a list of checks for each story below 'verify:'", at.start + offset)
    };
    let node = yaml::value_of(sheet.str(at)).map_err(|error| broken(error.at))?;
    let What::Map(pairs) = node.what else { return Err(broken(node.at)) };
    let mut found = Vec::new();
    for (key, value) in &pairs {
        let (What::Text(story), What::List(list)) = (&key.what, &value.what) else {
            return Err(broken(value.at));
        };
        for entry in list {
            let What::Text(text) = &entry.what else { return Err(broken(entry.at)) };
            let start = at.start + entry.at;
            found.push((story.clone(), text.clone(), Extent { start, end: at.end.min(start + text.len()) }));
        }
    }
    Ok(found)
}

/// The bytes of a state.
fn word(sheet: &DataFile, at: Extent, value: &Node) -> Option<Extent> {
    let What::Text(said) = &value.what else { return None };
    let start = at.start + value.at;
    let quoted = usize::from(sheet.str(Extent { start, end: at.end }).starts_with(['"', '\'']));
    let at = Extent { start: start + quoted, end: start + quoted + said.len() };
    (sheet.str(at) == said && said.chars().count() > 1).then_some(at)
}

fn task(sheet: &DataFile, name: &str, start: usize, status: Extent, plan: &mut Plan) -> Task {
    let said = sheet.str(status);
    let span = sheet.span(Extent { start, end: status.end });
    let retrospective = name.ends_with("-retrospective");
    let (id, title) = named(name);
    let mut task = Task {
        key: ids::key_of(&id),
        title,
        kind: if retrospective { Kind::Human } else { Kind::Work },
        optional: retrospective,
        mark: Some(sheet.span(status)),
        state_from: Some(Place { path: span.path.clone(), line: span.line }),
        span,
        id: TaskId(id),
        ..Task::default()
    };
    task.state = match said {
        // The words before the work begins.
        "optional" | "drafted" | "ready-for-dev" => State::Pending,
        // An older word for an epic whose work has begun.
        "contexted" => State::InProgress,
        _ => words::state(said).unwrap_or_else(|| {
            let message = format!("unknown status '{said}' is taken as not done");
            let mut warning = sheet.diagnostic(Severity::Warning, "unknown-status", message, status.start);
            warning.task = Some(task.id.clone());
            plan.diagnostics.push(warning);
            State::Pending
        }),
    };
    task
}

/// `1-2-user-login` is story 1-2 with a title in words; other keys are names.
fn named(key: &str) -> (String, String) {
    let mut parts = key.splitn(3, '-');
    let number = |part: &str| part.contains(|c: char| c.is_ascii_digit()) && part.len() <= 4;
    if let (Some(epic), Some(story), Some(title)) = (parts.next(), parts.next(), parts.next())
        && number(epic)
        && number(story)
        && !title.is_empty()
    {
        return (format!("{epic}-{story}"), title.replace('-', " "));
    }
    (key.to_owned(), key.replace('-', " "))
}

/// Makes an epic the group of its stories: those with its number, or those after it that no epic has by number.
fn hold(plan: &mut Plan) {
    let numbers: Vec<(String, TaskId)> = plan
        .tasks
        .iter()
        .filter(|task| task.kind == Kind::Work)
        .filter_map(|task| Some((format!("{}-", task.id.as_str().strip_prefix("epic-")?), task.id.clone())))
        .collect();
    let mut held: Vec<TaskId> = Vec::new();
    let mut above: Option<TaskId> = None;
    for task in plan.tasks.iter_mut().filter(|task| task.kind == Kind::Work) {
        if is_epic(task.id.as_str()) {
            above = Some(task.id.clone());
            continue;
        }
        let epic = numbers.iter().find(|(prefix, _)| task.id.as_str().starts_with(prefix.as_str()));
        let epic = epic.map(|(_, epic)| epic.clone()).or_else(|| above.clone());
        held.extend(epic.clone());
        task.parent = epic;
    }
    for task in plan.tasks.iter_mut().filter(|task| held.contains(&task.id)) {
        task.kind = Kind::Container;
    }
}

/// `epic-3`, `supp-epic-3`.
fn is_epic(id: &str) -> bool {
    let rest = id.strip_prefix("epic-").or_else(|| id.split_once("-epic-").map(|(_, rest)| rest));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.contains('-'))
}
