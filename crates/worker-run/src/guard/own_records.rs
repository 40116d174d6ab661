//! The orders that this process has passed on and the records that it wrote, kept where no worker can reach them.
//!
//! A ledger is a file that a worker could write too. If several tasks are in progress, other stages record lines
//! about them all the time, but never about a task whose order has not come through here, and a line that we wrote
//! never disappears.

use ledger::Head;
use std::cell::RefCell;
use std::collections::HashSet;
use wire::TaskId;
use wire::punch::{Punch, Trust, Type};

/// The orders that came through, and the lines that we wrote.
#[derive(Debug, Default)]
pub(crate) struct Roll {
    orders: RefCell<HashSet<(String, TaskId)>>,
    lines: RefCell<Vec<Head>>,
}

impl Roll {
    /// An order came through.
    pub(crate) fn order(&self, plan: &str, task: &TaskId) {
        self.orders.borrow_mut().insert((plan.to_owned(), task.clone()));
    }

    /// We wrote a line.
    pub(crate) fn line(&self, head: &Head) {
        self.lines.borrow_mut().push(head.clone());
    }

    /// Every line that we wrote.
    pub(crate) fn lines(&self) -> Vec<Head> {
        self.lines.borrow().clone()
    }

    /// A line about a task of this plan whose order has not come through; lines typed by a person are exempt.
    pub(crate) fn foreign<'r>(&self, plan: &str, records: &'r [Punch]) -> Option<&'r Punch> {
        let orders = self.orders.borrow();
        let evidence =
            |record: &&Punch| record.plan == plan && record.trust != Trust::Typed && is_behind(record.kind);
        records.iter().filter(evidence).find(|record| {
            record.task.as_ref().is_some_and(|task| !orders.contains(&(plan.to_owned(), task.clone())))
        })
    }
}

/// Records that only we and later stages write; earlier stages may halt an order that has not arrived yet.
fn is_behind(kind: Type) -> bool {
    use Type::{AttemptBegin, AttemptEnd, Checkpoint, Commit, GatePass, Tick};
    matches!(kind, AttemptBegin | AttemptEnd | GatePass | Checkpoint | Tick | Commit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(seq: u64, task: &str) -> Punch {
        let text = format!(
            r#"{{"schema":"punch/1","seq":{seq},"plan":"PLAN.md","task":"{task}","run":"r","type":"gate_pass","key":"k",
            "observed_at":"2026-01-01T00:00:00Z","source":{{"kind":"gate"}},"trust":"observed","prev":"","hash":"hash {seq}"}}"#
        );
        serde_json::from_str(&text).expect("a record")
    }

    #[test]
    fn a_line_about_a_task_that_nobody_was_given_is_foreign() {
        let roll = Roll::default();
        roll.order("PLAN.md", &TaskId("1".into()));
        let records = [record(1, "1"), record(2, "3")];
        assert_eq!(roll.foreign("PLAN.md", &records).map(|r| r.seq), Some(2));
        assert_eq!(roll.foreign("OTHER.md", &records), None);
        let said = Punch { trust: Trust::Typed, ..record(2, "3") };
        assert_eq!(roll.foreign("PLAN.md", &[said]), None, "a person may speak at any time");
        let halt = Punch { kind: Type::Halt, ..record(2, "3") };
        assert_eq!(roll.foreign("PLAN.md", &[halt]), None, "who hands out may refuse");
    }
}
