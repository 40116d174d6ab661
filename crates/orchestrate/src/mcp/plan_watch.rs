//! What the plan says of its tasks, as the session found it: between two attempts no stage guards the plan, so a box that
//! was ticked meanwhile is cleared, and a task that asks for something else now is not handed out.

use crate::conductor::words;
use crate::mcp::service::said;
use crate::tools::Tools;
use ledger::{Ledger, Mark};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use toolkit::Fail;
use toolkit::files::root::Home;
use wire::punch::Type;
use wire::{Fingerprint, Plan, State, TaskId};

/// The plan as it was.
pub(crate) struct PlanWatch {
    plan: PathBuf,
    ledger: Ledger,
    /// The last record that this session has seen.
    mark: Option<Mark>,
    done: BTreeSet<TaskId>,
    asked: BTreeMap<TaskId, Fingerprint>,
}

impl PlanWatch {
    /// Looks at the plan for the first time.
    pub(crate) fn begin(tools: &Tools, plan: &Path) -> Result<Self, Fail> {
        let now = read(tools, plan)?;
        let ledger = Ledger::new(Home::of(&toolkit::files::root::find(plan)?)?);
        let asked = now.tasks.iter().map(|task| (task.id.clone(), task.fingerprint.clone())).collect();
        Ok(Self { plan: plan.to_owned(), mark: ledger.mark()?, ledger, done: done(&now), asked })
    }

    /// Takes what a run has left as it is.
    pub(crate) fn take_in(&mut self, tools: &Tools) -> Result<(), Fail> {
        self.done = done(&read(tools, &self.plan)?);
        self.mark = self.ledger.mark()?;
        Ok(())
    }

    /// Clears the boxes that were ticked without a record, and says what else is not as it was.
    pub(crate) fn look(&mut self, tools: &Tools) -> Result<Vec<String>, Fail> {
        let now = read(tools, &self.plan)?;
        let mut found = Vec::new();
        for id in done(&now).difference(&self.done) {
            if self.is_on_record(&now, id)? {
                continue;
            }
            let reason = "ticked during a session, and nothing on record proves it";
            let mut untick = words(&["checkbox", "untick", id.as_str()]);
            untick.push(self.plan.clone().into());
            untick.extend(words(&["--reason", reason]));
            said(tools.pipe(&[untick])?)?;
            found.push(format!("the box of task {id} was ticked and nothing proves it: it is open again"));
        }
        for id in self.changed(&now) {
            found.push(format!(
                "task {id} asks for something else than at the start of this session: a person decides, and starts the \
                 session again"
            ));
        }
        let missing = self.asked.keys().filter(|id| now.tasks.iter().all(|task| task.id != **id));
        found.extend(missing.map(|id| format!("task {id} is no longer in the plan")));
        self.take_in(tools)?;
        Ok(found)
    }

    /// Whether a task still asks for what it asked for at the start.
    pub(crate) fn is_as_it_was(&self, tools: &Tools, id: &str) -> Result<bool, Fail> {
        Ok(!self.changed(&read(tools, &self.plan)?).iter().any(|changed| changed.as_str() == id))
    }

    fn changed(&self, now: &Plan) -> Vec<TaskId> {
        let differs = |task: &&wire::Task| {
            self.asked.get(&task.id).is_some_and(|fingerprint| *fingerprint != task.fingerprint)
        };
        now.tasks.iter().filter(differs).map(|task| task.id.clone()).collect()
    }

    /// Whether the last word about the task's box on record is a tick.
    fn is_on_record(&self, now: &Plan, id: &TaskId) -> Result<bool, Fail> {
        let records = self.ledger.read_of(&now.source.path)?;
        let last =
            records.iter().rev().find(|record| record.kind == Type::Tick && record.task.as_ref() == Some(id));
        let state = last.and_then(|record| record.data.get("state")?.as_str().map(str::to_owned));
        Ok(last.is_some() && state.is_none_or(|state| state == "completed"))
    }
}

fn done(plan: &Plan) -> BTreeSet<TaskId> {
    plan.tasks.iter().filter(|task| task.state == State::Completed).map(|task| task.id.clone()).collect()
}

/// The plan as it is now.
pub(crate) fn read(tools: &Tools, plan: &Path) -> Result<Plan, Fail> {
    let mut parse = words(&["plan-parse", "--quiet"]);
    parse.push(plan.into());
    said(tools.pipe(&[parse])?)?.json()
}
