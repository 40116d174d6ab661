//! Other plans of the same repository while a worker is at work on one: a box that it ticks there, or a criterion that it
//! weakens, must not count when that plan is carried out.
//!
//! They are not put back, since a person may write the next plan meanwhile: it is on record, and the next run of that
//! plan waits until somebody has looked.

use dialects::{Field, Text, blanked, ticked::Ticked};
use serde_json::json;
use toolkit::ledger::{Entry, Ledger};
use toolkit::pins::PLAN_TOUCHED;
use toolkit::root::{Home, inside};
use toolkit::stage::Desk;
use toolkit::{Fail, fs, sha, tool};
use wire::Order;
use wire::punch::{SourceKind, Type};

/// Every other plan that is on record, as it was.
pub(crate) struct Neighbours {
    home: Home,
    plans: Vec<(String, Vec<u8>)>,
}

impl Neighbours {
    /// Looks at them; a plan that is a folder is left out.
    pub(crate) fn look(home: &Home, own: &str) -> Result<Self, Fail> {
        let names = Ledger::new(home.clone()).plans()?;
        let others = names.into_iter().filter(|name| name != own);
        let read = |name: String| Some((name.clone(), read(home, &name)?));
        Ok(Self { plans: others.filter_map(read).collect(), home: home.clone() })
    }

    /// Puts on record which were changed; `since` is where the ledger ended. One that somebody else has records about
    /// meanwhile is that run's.
    pub(crate) fn tell(&self, desk: &Desk, order: &Order, since: u64) -> Result<(), Fail> {
        for (name, bytes) in &self.plans {
            if read(&self.home, name).as_ref() == Some(bytes) {
                continue;
            }
            let ledger = Ledger::new(self.home.clone());
            let records = ledger.read_of(name)?;
            if records.iter().any(|record| record.seq > since && record.plan == *name) {
                continue;
            }
            let Ok(old) = dialects::read(&Text { path: name, bytes }, None) else { continue };
            let now = Field::at(&self.home.root().join(name), self.home.root(), None).ok();
            let boxes = now.map(|now| Ticked::of(&old).unheard(&now, &records)).unwrap_or_default();
            let digest = sha::hex(&blanked(&old, name, bytes));
            let before = sha::Hasher::new().with(digest.as_bytes()).finish();
            let by = format!("task '{}' of '{}'", order.task.id, order.plan.path);
            ledger.append(Entry {
                plan: name.clone(),
                source: SourceKind::Supervisor,
                data: json!({ "detail": { "plan_before": before, "boxes": boxes, "by": by } }),
                ..Entry::new(order.run.clone(), Type::Halt, PLAN_TOUCHED, desk.clock.now())
            })?;
            tool::note(&format!(
                "worker-run: '{name}', another plan, changed while the worker of task '{}' ran; its next run waits until it is undone or accepted",
                order.task.id
            ));
        }
        Ok(())
    }
}

fn read(home: &Home, name: &str) -> Option<Vec<u8>> {
    fs::read_if_there(&inside(home.root(), name).ok()?).ok().flatten()
}
