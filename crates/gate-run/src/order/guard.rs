//! Guards what a check must not touch. A check runs code that a worker may have written, so plan, ledger, history and
//! the definition of the checks are guarded as while a worker runs.

use crate::order::halting;
use dialects::PlanSnapshot;
use dialects::write::ticked::Ticked;
use ledger::pins::{self, PINS_TOUCHED, PLAN_TOUCHED, Pins};
use ledger::{Extent, Ledger, verdict};
use repo::git::{Git, checked_out};
use serde_json::{Value, json};
use toolkit::Fail;
use toolkit::files::root::{Home, has_git};
use wire::order::{Category, Halt, Owner};
use wire::punch::{Punch, Trust, Type};
use wire::{Order, TaskId};

/// The state before the checks.
pub(crate) struct Guard {
    home: Home,
    /// Where the checks run: the root, or the task's own tree.
    place: Home,
    plan: String,
    company: Company,
    ticked: Ticked,
    blanked: String,
    ledger: Extent,
    branch: Vec<u8>,
    commit: Option<String>,
    pins: Option<Pins>,
}

/// Which other writers may record something about the plan meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Company {
    /// Only the stage that begins and ends attempts.
    None,
    /// Stages with other tasks of this run.
    Others,
    /// Later stages that land work whose checks passed before.
    Landing,
    /// Other runs.
    Shared,
    /// Only ourselves, one verdict at a time.
    End,
}

impl Guard {
    /// Takes the snapshot before the checks of an order.
    pub(crate) fn of_order(
        home: &Home,
        place: &Home,
        field: &PlanSnapshot,
        order: &Order,
    ) -> Result<Self, Fail> {
        let worker = order.worker.as_ref();
        let company = match () {
            () if worker.is_some_and(|w| w.hold.is_some()) => Company::Shared,
            () if order.land.is_some() => Company::Landing,
            () if worker.is_some_and(|w| w.worktree.is_some()) || order.shares_its_tree() => Company::Others,
            () => Company::None,
        };
        let records = Ledger::new(home.clone()).read_of(&field.plan.source.path)?;
        let pins = pins::pinned(&records, &field.plan.source.path);
        Self::set(home, place, field, company, pins)
    }

    /// Takes the snapshot before the checks at the end of a plan.
    pub(crate) fn of_end(home: &Home, field: &PlanSnapshot) -> Result<Self, Fail> {
        let records = Ledger::new(home.clone()).read_of(&field.plan.source.path)?;
        let begun = records.iter().rev().find(|record| record.kind == Type::AttemptBegin);
        let owner = begun.and_then(|record| record.data.read::<Owner>());
        let shared = owner.is_some_and(|owner| owner.lease_seconds.is_some());
        // A person may have changed them since the last attempt.
        let pins = Some(repo::pins::now(home.root())?);
        Self::set(home, home, field, if shared { Company::Shared } else { Company::End }, pins)
    }

    fn set(
        home: &Home,
        place: &Home,
        field: &PlanSnapshot,
        company: Company,
        pins: Option<Pins>,
    ) -> Result<Self, Fail> {
        Ok(Self {
            pins,
            plan: field.plan.source.path.clone(),
            company,
            ticked: Ticked::of(&field.plan),
            blanked: field.blanked(),
            ledger: Ledger::new(home.clone()).extent()?,
            branch: checked_out(place.root()),
            commit: commit(place)?,
            home: home.clone(),
            place: place.clone(),
        })
    }

    /// Changes that no stage made, for a person: another attempt would have the same check. `now` is the current
    /// plan; if it cannot be read, the next stage reports that.
    pub(crate) fn touched(&self, now: Option<&PlanSnapshot>) -> Result<Option<(Halt, Value)>, Fail> {
        let found = |code: &str, message: String, detail: Value| {
            let halt = Halt { retry: false, ..halting::halt(code, Category::CodeError, message) };
            Ok(Some((halt, detail)))
        };
        let ledger = Ledger::new(self.home.clone());
        ledger.drop_young_index()?;
        if !ledger.has_grown_from(&self.ledger)? {
            let message = "the ledger was cut or rewritten while a check ran";
            return found("ledger-touched", message.to_owned(), Value::Null);
        }
        let records = ledger.read_of(&self.plan)?;
        if let Some(now) = now
            && let boxes = self.ticked.unheard(now, &records)
            && let Some(first) = boxes.first()
        {
            let message = format!("the box of '{first}' was ticked while a check ran, and no stage did it");
            return found(PLAN_TOUCHED, message, json!({ "plan_before": self.blanked, "boxes": boxes }));
        }
        let (before, since) = records.split_at(records.partition_point(|r| r.seq <= self.ledger.seq()));
        let is_mine = |record: &&Punch| record.plan == self.plan;
        if let Some(foreign) = since.iter().filter(is_mine).find(|record| !self.is_ours(record, before)) {
            let message =
                format!("{} was put into the ledger while a check ran, and no stage did it", told(foreign));
            return found("ledger-touched", message, Value::Null);
        }
        if checked_out(self.place.root()) != self.branch || self.history_moved()? {
            let detail = json!({ "before": self.commit, "after": commit(&self.place)? });
            let message = "a commit or another branch came while a check ran, and no stage did it";
            return found("history-moved", message.to_owned(), detail);
        }
        let changed = match &self.pins {
            Some(pins) => repo::pins::changed_since(self.home.root(), pins)?,
            None => Vec::new(),
        };
        if !changed.is_empty() {
            let message = format!("changed, at the latest while a check ran: {}", changed.join(", "));
            return found(PINS_TOUCHED, message, Value::Null);
        }
        Ok(None)
    }

    /// No commits are expected if we are alone, or in a tree of a single task.
    fn history_moved(&self) -> Result<bool, Fail> {
        let own = self.place.root() != self.home.root();
        let quiet = own || matches!(self.company, Company::None | Company::End);
        Ok(quiet && commit(&self.place)? != self.commit)
    }

    /// Whether a record may have been written meanwhile. If others are at work, a record that a task is done is
    /// allowed only if the task's checks had passed before.
    fn is_ours(&self, record: &Punch, before: &[Punch]) -> bool {
        use Type::{
            AttemptBegin, AttemptEnd, Commit, GateFail, GateFault, GatePass, Halt, Message, Tick, Torn,
        };
        let passed = || record.task.as_ref().is_none_or(|task| self.has_passed(task, before));
        match (self.company, record.kind) {
            (Company::Shared, _) | (_, Halt | Torn) => true,
            (Company::None, kind) => matches!(kind, AttemptBegin | AttemptEnd),
            (Company::End, Message) => record.key == "products",
            (Company::End, kind) => matches!(kind, GatePass | GateFail | GateFault),
            (Company::Others, GatePass | Tick | Commit) | (Company::Landing, Tick | Commit) => {
                record.trust == Trust::Typed || passed()
            }
            (Company::Others | Company::Landing, _) => true,
        }
    }

    /// Whether the last record about the work on a task is a verdict that counts as a pass, a tick, or a person's word.
    fn has_passed(&self, task: &TaskId, before: &[Punch]) -> bool {
        use Type::{AttemptBegin, AttemptEnd, GatePass, Halt, Override, Tick, Untick};
        let about = |r: &&Punch| r.plan == self.plan && r.task.as_ref() == Some(task);
        let decides = |r: &&Punch| match r.kind {
            AttemptBegin | AttemptEnd | Halt | Override | Tick | Untick => true,
            kind => verdict::is_verdict(kind) && verdict::is_observed(r),
        };
        let last = before.iter().rev().filter(about).find(decides);
        last.is_some_and(|last| matches!(last.kind, GatePass | Override | Tick))
    }
}

/// A record in words.
fn told(record: &Punch) -> String {
    let task = record.task.as_ref().map(|task| format!(" of task '{task}'")).unwrap_or_default();
    format!("line {} ('{}'{task})", record.seq, record.kind.word())
}

fn commit(place: &Home) -> Result<Option<String>, Fail> {
    if has_git(place.root()) { Git::new(place.clone()).head() } else { Ok(None) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(task: &str, kind: Type) -> Punch {
        let text = format!(
            r#"{{"schema":"punch/1","seq":1,"plan":"PLAN.md","task":"{task}","run":"r","type":"{}","key":"k",
            "observed_at":"2026-01-01T00:00:00Z","source":{{"kind":"gate"}},"trust":"observed","prev":"","hash":"h"}}"#,
            kind.word()
        );
        serde_json::from_str(&text).expect("a record")
    }

    #[test]
    fn what_says_that_a_task_is_done_came_from_a_stage_only_if_its_checks_had_passed() {
        use Type::{AttemptBegin, AttemptEnd, Commit, GateFail, GatePass, Tick};
        let folder = tempfile::tempdir().unwrap();
        toolkit::files::fs::create(
            &folder.path().join("PLAN.md"),
            b"# P\n\n## TODOs\n\n### [ ] TODO 1: One\n",
        )
        .unwrap();
        let home = Home::of(folder.path()).unwrap();
        let field = PlanSnapshot::at(&folder.path().join("PLAN.md"), folder.path(), None).unwrap();
        let guard = |company| Guard::set(&home, &home, &field, company, None).unwrap();
        let failed = [record("2", GatePass), record("2", GateFail), record("2", Type::Halt)];
        let passed = [record("2", AttemptBegin), record("2", AttemptEnd), record("2", GatePass)];
        for (company, kind, if_failed, if_passed) in [
            (Company::None, AttemptBegin, true, true),
            (Company::None, GatePass, false, false),
            (Company::None, Tick, false, false),
            (Company::Others, AttemptEnd, true, true),
            (Company::Others, GatePass, false, true),
            (Company::Others, Tick, false, true),
            (Company::Others, Commit, false, true),
            (Company::Landing, GatePass, true, true),
            (Company::Landing, Tick, false, true),
            (Company::End, GateFail, true, true),
            (Company::End, Tick, false, false),
            (Company::Shared, Tick, true, true),
        ] {
            let guard = guard(company);
            let is_ours = |before: &[Punch]| guard.is_ours(&record("2", kind), before);
            assert_eq!(is_ours(&failed), if_failed, "{company:?} {kind:?} after a failure");
            assert_eq!(is_ours(&passed), if_passed, "{company:?} {kind:?} after a pass");
        }
        assert!(!guard(Company::Others).is_ours(&record("3", Tick), &passed), "of a task that nobody had");
    }
}
