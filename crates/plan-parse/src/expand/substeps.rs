//! The sub-steps of every open task: Worker → Verify → Context → Checkbox → Commit, between Init and Finalize.
//!
//! A worker waits for the last sub-step of each open task that its own depends on, and for Init only if it waits
//! for nothing else. No task of the result has a box: it cannot be ticked, but its source can.

use super::Mode;
use crate::sources::Sources;
use std::collections::{HashMap, HashSet};
use wire::plan::Kind;
use wire::{Plan, Task, TaskId, ids};

/// The plan as its sub-steps.
pub(crate) fn expand(mut plan: Plan, texts: &Sources, mode: Mode) -> Plan {
    let sources = std::mem::take(&mut plan.tasks);
    let chains = Chains::new(&sources);
    let mut tasks = Vec::with_capacity(sources.len() * STEPS.len() + 4);
    let push = if mode == Mode::Pr { "YES" } else { "NO" };
    if mode == Mode::Pr {
        tasks.push(bare(BEGIN, Kind::Work, Vec::new()));
    }
    for source in sources.iter().filter(|task| is_open(task)) {
        let mut before = chains.before(source);
        if before.is_empty() && mode == Mode::Pr {
            before.push(BEGIN.into());
        }
        chain(source, &section(source, texts), before, push, &mut tasks);
    }
    let last = sources.iter().filter(|task| is_open(task)).map(last).collect();
    tasks.push(bare(RESIDUAL, Kind::Work, last));
    if mode == Mode::Pr {
        tasks.push(bare(COMPLETE, Kind::Work, vec![RESIDUAL.into()]));
    }
    let before = if mode == Mode::Pr { COMPLETE } else { RESIDUAL };
    tasks.push(bare(REPORT, Kind::Work, vec![before.into()]));
    let name = plan_name(&plan.source.path).to_owned();
    for task in &mut tasks {
        let (description, active) = match task.id.as_str() {
            BEGIN => ("Begin the state of the pull request (pr-state begin). Stop on failure.".to_owned(), "Beginning PR state"),
            RESIDUAL => (
                format!("Run `git status --porcelain`.\nIf dirty: commit with the message \"chore({name}): miscellaneous changes\".\nPush: {push}.\nIf clean: skip."),
                "Residual commit check",
            ),
            COMPLETE => (
                "Complete the state of the pull request (pr-state complete): remove the label state:executing, convert Draft to Ready, add the comment \"Published\".".to_owned(),
                "Completing PR state",
            ),
            REPORT => ("Output the final orchestration report".to_owned(), "Generating report"),
            _ => continue,
        };
        describe(task, description, active.to_owned());
    }
    plan.tasks = tasks;
    // The plan's groups and boxes refer to the original tasks.
    plan.strategy = None;
    plan.notes.clear();
    plan
}

const BEGIN: &str = "Init:State Begin";
const RESIDUAL: &str = "Finalize:Residual Commit";
const COMPLETE: &str = "Finalize:State Complete";
const REPORT: &str = "Finalize:Report";

const STEPS: &[(&str, Kind)] = &[
    ("Worker", Kind::Work),
    ("Verify", Kind::Verification),
    ("Context", Kind::Work),
    ("Checkbox", Kind::Work),
    ("Commit", Kind::Work),
];

/// The section of a task as in the plan.
fn section(task: &Task, texts: &Sources) -> String {
    let bytes = texts.bytes(&task.span.path).unwrap_or_default();
    String::from_utf8_lossy(dialects::body(bytes, &task.span)).trim_end().to_owned()
}

/// The sub-steps of one task, whose section this is; the first of them waits for `before`.
fn chain(source: &Task, section: &str, before: Vec<TaskId>, push: &str, tasks: &mut Vec<Task>) {
    let mut before = before;
    for (number, (name, kind)) in STEPS.iter().enumerate().take(steps(source)) {
        let id = step(source, number + 1);
        let mut task = if *name == "Worker" {
            Task { mark: None, criteria: Vec::new(), commit: None, parent: None, ..source.clone() }
        } else {
            Task { span: source.span.clone(), fingerprint: source.fingerprint.clone(), ..Task::default() }
        };
        match *name {
            "Verify" => task.criteria.clone_from(&source.criteria),
            "Commit" => task.commit.clone_from(&source.commit),
            _ => {}
        }
        task.title = match *name {
            "Worker" => format!("{id}:{name} — {}", source.title),
            _ => format!("{id}:{name}"),
        };
        let (description, active) = words(source, section, name, push);
        describe(&mut task, description, format!("{id}: {active}"));
        task.kind = if *name == "Worker" { source.kind } else { *kind };
        task.key = ids::key_of(id.as_str());
        task.depends_on = std::mem::replace(&mut before, vec![id.clone()]);
        task.id = id;
        tasks.push(task);
    }
}

/// What a sub-step does, and what is said while it runs.
fn words(source: &Task, section: &str, name: &str, push: &str) -> (String, &'static str) {
    let id = &source.id;
    match name {
        "Worker" => (section.to_owned(), "Running Worker"),
        "Verify" => (
            format!(
                "Check the verification result for TODO {id}.\nIf VERIFIED: mark completed.\nIf FAILED: reconcile with a fix prompt (max 3 retries).\nAfter 3 retries: categorize (env_error/code_error/unknown), then halt or Fix Task."
            ),
            "Verifying",
        ),
        "Context" => {
            (format!("Save the worker's output to the context files for TODO {id}."), "Saving context")
        }
        "Checkbox" => (
            format!("Mark the checkbox and the acceptance criteria of TODO {id} in the plan."),
            "Updating plan",
        ),
        _ => {
            let rule = source.commit.as_deref();
            let message = rule.map(|rule| rule.message.as_str()).unwrap_or_default();
            let files = rule.map(|rule| rule.files.join(", ")).unwrap_or_default();
            (
                format!("Commit TODO {id} changes.\nMessage: {message}\nFiles: {files}\nPush: {push}"),
                "Committing",
            )
        }
    }
}

/// Adds the description of a sub-step, and its form while it is carried out.
fn describe(task: &mut Task, description: String, active: String) {
    task.extra.insert("description".to_owned(), description.into());
    task.extra.insert("activeForm".to_owned(), active.into());
}

/// The name of a plan: its folder where the file is called like every other, else its file.
fn plan_name(path: &str) -> &str {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let last = folder.rsplit('/').next().unwrap_or_default();
    if stem.eq_ignore_ascii_case("plan") && !last.is_empty() { last } else { stem }
}

/// A task that belongs to the whole plan.
fn bare(name: &str, kind: Kind, depends_on: Vec<TaskId>) -> Task {
    Task {
        id: name.into(),
        key: ids::key_of(name),
        title: name.to_owned(),
        kind,
        depends_on,
        ..Task::default()
    }
}

fn is_open(task: &Task) -> bool {
    !task.state.is_settled() && task.kind != Kind::Container
}

fn steps(task: &Task) -> usize {
    if task.commit.is_some() { STEPS.len() } else { STEPS.len() - 1 }
}

fn step(task: &Task, number: usize) -> TaskId {
    TaskId(format!("{}.{number}", task.id))
}

/// The last sub-step of a task.
fn last(task: &Task) -> TaskId {
    step(task, steps(task))
}

/// The dependencies between tasks, with containers replaced by their content.
struct Chains<'t> {
    tasks: HashMap<&'t str, &'t Task>,
    children: HashMap<&'t str, Vec<&'t Task>>,
}

impl<'t> Chains<'t> {
    fn new(tasks: &'t [Task]) -> Self {
        let mut children: HashMap<&str, Vec<&Task>> = HashMap::new();
        for task in tasks {
            if let Some(parent) = &task.parent {
                children.entry(parent.as_str()).or_default().push(task);
            }
        }
        Self { tasks: tasks.iter().map(|task| (task.id.as_str(), task)).collect(), children }
    }

    /// The last sub-steps that a task's worker waits for.
    fn before(&self, task: &'t Task) -> Vec<TaskId> {
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        let mut left: Vec<&Task> = Vec::new();
        let mut outer = Some(task);
        let mut above = HashSet::new();
        // A task waits for the dependencies of its containers.
        while let Some(one) = outer.filter(|one| above.insert(one.id.as_str())) {
            left.extend(one.depends_on.iter().rev().filter_map(|id| self.tasks.get(id.as_str())));
            outer = one.parent.as_ref().and_then(|id| self.tasks.get(id.as_str())).copied();
        }
        while let Some(one) = left.pop() {
            if !seen.insert(one.id.as_str()) || one.id == task.id {
                continue;
            }
            if one.kind == Kind::Container {
                left.extend(self.children.get(one.id.as_str()).into_iter().flatten().rev());
            } else if is_open(one) {
                found.push(last(one));
            }
        }
        found
    }
}
