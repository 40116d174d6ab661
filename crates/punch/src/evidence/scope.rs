//! `Scope`: the attempt, the task and the plan in question. Records are never matched by task id alone.

use serde_json::Value;
use toolkit::Fail;
use wire::punch::{Punch, Trust, Type};
use wire::{Fingerprint, Order, RunId, TaskId};

/// One attempt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Scope {
    pub(crate) plan: String,
    pub(crate) task: TaskId,
    pub(crate) fingerprint: Option<Fingerprint>,
    pub(crate) attempt: Option<u32>,
    pub(crate) run: RunId,
}

/// The request by name.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Asked<'a> {
    pub(crate) task: &'a str,
    pub(crate) plan: Option<&'a str>,
    pub(crate) run: Option<&'a str>,
}

impl Scope {
    /// The attempt of an order.
    pub(crate) fn of(order: &Order) -> Self {
        Self {
            plan: order.plan.path.clone(),
            task: order.task.id.clone(),
            fingerprint: Some(order.task.fingerprint.clone()),
            attempt: Some(order.attempt),
            run: order.run.clone(),
        }
    }

    /// The latest recorded attempt that matches the request; `None` if there is none. If two plans have the same task
    /// id, the name of the plan distinguishes them.
    pub(crate) fn find(records: &[(u64, Punch)], asked: Asked<'_>) -> Result<Option<Self>, Fail> {
        let wanted = |p: &&Punch| {
            // A typed record makes no attempt.
            p.trust != Trust::Typed
                // A recheck at the end of a plan belongs to no attempt.
                && p.data.get("again").is_none()
                && p.task.as_ref().is_some_and(|task| task.as_str() == asked.task)
                && asked.plan.is_none_or(|plan| plan == p.plan)
                && asked.run.is_none_or(|run| run == p.run.as_str())
                && matches!(
                    p.kind,
                    Type::AttemptBegin
                        | Type::AttemptEnd
                        | Type::Seal
                        | Type::GatePass
                        | Type::GateFail
                        | Type::GateFault
                )
        };
        let mut mine = records.iter().map(|(_, punch)| punch).filter(wanted);
        let Some(first) = mine.next() else { return Ok(None) };
        let mut last = first;
        for punch in mine {
            if punch.plan != first.plan {
                let message = format!(
                    "task '{}' is in plan '{}' and in plan '{}'; name one with --plan",
                    asked.task, first.plan, punch.plan
                );
                return Err(Fail::data("ambiguous-task", message));
            }
            last = punch;
        }
        Ok(Some(Self {
            plan: last.plan.clone(),
            task: last.task.clone().unwrap_or_default(),
            fingerprint: last.fingerprint.clone(),
            attempt: last.attempt,
            run: last.run.clone(),
        }))
    }

    /// An attempt without any record.
    pub(crate) fn unheard(asked: Asked<'_>, run: RunId) -> Self {
        Self {
            plan: asked.plan.unwrap_or_default().to_owned(),
            task: asked.task.into(),
            run,
            ..Self::default()
        }
    }

    /// Whether a record is about this attempt. A check for the whole plan, run outside of any order, is about the
    /// bead that it names.
    pub(crate) fn is_about(&self, punch: &Punch) -> bool {
        let bead = punch.data.pointer("/gate/bead_id").and_then(Value::as_str);
        let of_bead = punch.task.is_none() && punch.plan.is_empty() && bead == Some(self.task.as_str());
        of_bead
            || (punch.plan == self.plan
                && punch.task.as_ref() == Some(&self.task)
                && punch.fingerprint == self.fingerprint
                && punch.attempt == self.attempt)
    }

    /// Whether a typed record is meant for this task: people give fewer fields than our tools.
    pub(crate) fn is_named_by(&self, punch: &Punch) -> bool {
        punch.task.as_ref() == Some(&self.task) && (punch.plan.is_empty() || punch.plan == self.plan)
    }

    /// The name of the attempt's punch file.
    pub(crate) fn file(&self) -> String {
        let key = wire::ids::key_of(self.task.as_str());
        ledger::punch_files::name(&self.run, &key, self.attempt.unwrap_or(1))
    }
}
