//! The plan as `dag-next` needs it: a few fields of each task, and the rest raw.

use serde::Deserialize;
use serde_json::value::RawValue;
use toolkit::{Fail, input};
use wire::plan::{FileUse, Kind, Source};
use wire::{Fingerprint, State, TaskId};

/// The plan, with each task's own bytes.
#[derive(Debug)]
pub(crate) struct Sheet<'a> {
    pub(crate) source: Source,
    pub(crate) tasks: Vec<Item<'a>>,
}

/// One task.
#[derive(Debug)]
pub(crate) struct Item<'a> {
    pub(crate) id: TaskId,
    pub(crate) title: String,
    pub(crate) kind: Kind,
    pub(crate) state: State,
    pub(crate) depends_on: Vec<TaskId>,
    pub(crate) parent: Option<TaskId>,
    pub(crate) optional: bool,
    pub(crate) fingerprint: Fingerprint,
    pub(crate) files: Vec<FileUse>,
    pub(crate) raw: &'a str,
}

impl<'a> Sheet<'a> {
    /// Reads a `plan/1` document; one with no tasks is refused, whatever made it.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, Fail> {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Err(Fail::data("empty-input", "input is empty, expected a 'plan/1' document"));
        }
        input::check_schema(bytes, &[wire::plan::SCHEMA])?;
        let bad = |e: serde_json::Error| Fail::data("bad-json", format!("no valid 'plan/1' document: {e}"));
        let plan: RawPlan<'a> = serde_json::from_slice(bytes).map_err(bad)?;
        if plan.tasks.is_empty() {
            return Err(Fail::data("no-tasks", "the plan has no tasks"));
        }
        let tasks = plan.tasks.into_iter().map(|raw| Item::read(raw.get())).collect::<Result<_, _>>();
        Ok(Self { source: plan.source, tasks: tasks.map_err(bad)? })
    }
}

impl<'a> Item<'a> {
    fn read(raw: &'a str) -> Result<Self, serde_json::Error> {
        let task: RawTask = serde_json::from_str(raw)?;
        Ok(Self {
            id: task.id,
            title: task.title,
            kind: task.kind,
            state: task.state,
            depends_on: task.depends_on,
            parent: task.parent,
            optional: task.optional,
            fingerprint: task.fingerprint,
            files: task.files,
            raw,
        })
    }
}

#[derive(Deserialize)]
struct RawPlan<'a> {
    source: Source,
    #[serde(borrow)]
    tasks: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct RawTask {
    id: TaskId,
    #[serde(default)]
    title: String,
    #[serde(default)]
    kind: Kind,
    state: State,
    #[serde(default)]
    depends_on: Vec<TaskId>,
    #[serde(default)]
    parent: Option<TaskId>,
    #[serde(default)]
    optional: bool,
    #[serde(default)]
    fingerprint: Fingerprint,
    #[serde(default)]
    files: Vec<FileUse>,
}
