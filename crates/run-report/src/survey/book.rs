//! The ledger sorted by task: a story for each, and the checks of the whole plan.
//!
//! Nothing is matched by id alone: a record of another text of the task is counted and otherwise ignored.

use crate::survey::hosts::Hosts;
use crate::survey::record::Record;
use crate::survey::record_data::ran_alone;
use crate::survey::task_story::{Depth, Story};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use wire::Plan;
use wire::history::Ran;
use wire::punch::Type;

/// From this number of tasks on, the report has only the last attempt of each.
const MANY: usize = 1000;

/// The records of the ledger about one plan.
#[derive(Debug)]
pub(crate) struct Book {
    plan: String,
    tasks: HashMap<String, usize>,
    /// The fingerprints of each task: as in the plan, and with the content of its own file.
    prints: Vec<[String; 2]>,
    depth: Depth,
    /// One for each task, in plan order.
    pub(crate) stories: Vec<Story>,
    /// The machines that took part.
    pub(crate) hosts: Hosts,
    /// The last result of each check of the whole plan.
    pub(crate) whole: BTreeMap<String, Ran>,
    /// Goals that a person has decided to hold, by their text.
    pub(crate) decided: BTreeSet<String>,
    /// Goals of the plan that a person deferred: the text of each, and why.
    pub(crate) deferred: BTreeMap<String, String>,
    /// The commit that the first attempt began on.
    pub(crate) start: Option<String>,
    /// The times of the first and the last record.
    pub(crate) first_at: Option<String>,
    pub(crate) last_at: Option<String>,
}

impl Book {
    /// A book for a plan, and for the same plan with the content of the tasks' own files.
    pub(crate) fn new(plan: &Plan, loaded: Option<&Plan>) -> Self {
        let filled = |i: usize| loaded.and_then(|plan| plan.tasks.get(i)).map(|t| t.fingerprint.0.clone());
        let prints = plan.tasks.iter().enumerate();
        let prints =
            prints.map(|(i, task)| [task.fingerprint.0.clone(), filled(i).unwrap_or_default()]).collect();
        let tasks = plan.tasks.iter().enumerate().map(|(i, task)| (task.id.0.clone(), i)).collect();
        Self {
            plan: plan.source.path.clone(),
            tasks,
            prints,
            depth: if plan.tasks.len() > MANY { Depth::Brief } else { Depth::Full },
            stories: plan.tasks.iter().map(|_| Story::default()).collect(),
            hosts: Hosts::default(),
            whole: BTreeMap::new(),
            decided: BTreeSet::new(),
            deferred: BTreeMap::new(),
            start: None,
            first_at: None,
            last_at: None,
        }
    }

    /// Adds the next record; returns the index of its task.
    pub(crate) fn take(&mut self, record: &Record<'_>) -> Option<usize> {
        let gate = matches!(record.kind, Type::GatePass | Type::GateFail | Type::GateFault);
        let ours = record.plan == self.plan;
        // A configured gate belongs to no plan if it was run for none, and to the whole plan in any case.
        if gate && (record.task().is_none() && record.plan.is_empty() || ours && is_whole(record)) {
            self.whole.insert(record.key.clone().into_owned(), ran_alone(record));
        }
        if !ours {
            return None;
        }
        if self.first_at.is_none() {
            self.first_at = Some(record.observed_at.clone().into_owned());
        }
        if self.last_at.as_deref() != Some(&record.observed_at) {
            self.last_at = Some(record.observed_at.clone().into_owned());
        }
        if record.kind == Type::Override && record.key == "criterion" && record.task().is_none() {
            self.decided.insert(record.data::<Deferred>().text);
        }
        if record.kind == Type::Override && record.key == "defer" && record.task().is_none() {
            let Deferred { text, reason } = record.data();
            self.deferred.insert(text, reason);
        }
        if record.kind == Type::AttemptBegin && self.start.is_none() {
            self.start = record.data::<Begun>().commit;
        }
        let at = *self.tasks.get(record.task()?)?;
        let print = record.fingerprint()?;
        if self.prints[at].iter().all(|known| known != print) {
            self.stories[at].outdated += 1;
            return None;
        }
        self.stories[at].take(record, self.depth, &mut self.hosts);
        Some(at)
    }

    /// Whether a plan has the same tasks with the same text, whatever their states.
    pub(crate) fn fits(&self, plan: &Plan) -> bool {
        plan.tasks.len() == self.prints.len()
            && plan.tasks.iter().zip(&self.prints).all(|(task, [print, _])| task.fingerprint.0 == *print)
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Begun {
    commit: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Deferred {
    text: String,
    reason: String,
}

/// Whether a check belongs to the whole plan: to no task, or to every task.
fn is_whole(record: &Record<'_>) -> bool {
    record.task().is_none() || record.key.starts_with("gate:")
}
