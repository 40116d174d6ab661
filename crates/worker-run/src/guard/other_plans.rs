//! Guards other plans of the same repository while a worker runs: a box that it ticks there, or a criterion that it
//! weakens, must not count when that plan is executed.
//!
//! They are not restored, since a person may be writing the next plan meanwhile: the change is recorded, and the next
//! run of that plan waits until a person has looked.

use dialects::write::ticked::Ticked;
use dialects::{PlanSnapshot, blanked};
use ledger::pins::PLAN_TOUCHED;
use ledger::recorder::Recorder;
use ledger::{Entry, Ledger};
use markdown::Text;
use serde_json::json;
use toolkit::Fail;
use toolkit::cli::tool;
use toolkit::files::root::{Home, inside};
use toolkit::files::{fs, sha};
use wire::Order;
use wire::punch::{SourceKind, Type};

/// Every other plan in the ledger, as it was.
pub(crate) struct Neighbours {
    home: Home,
    plans: Vec<(String, Vec<u8>)>,
}

impl Neighbours {
    /// Takes the snapshot; skips plans that are folders.
    pub(crate) fn look(home: &Home, own: &str) -> Result<Self, Fail> {
        let names = Ledger::new(home.clone()).plans()?;
        let others = names.into_iter().filter(|name| name != own);
        let read = |name: String| Some((name.clone(), read(home, &name)?));
        Ok(Self { plans: others.filter_map(read).collect(), home: home.clone() })
    }

    /// Records the changed plans; `since` is the end of the ledger then. A plan with new records belongs to another
    /// run and is skipped.
    pub(crate) fn tell(&self, desk: &Recorder, order: &Order, since: u64) -> Result<(), Fail> {
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
            let now = PlanSnapshot::at(&self.home.root().join(name), self.home.root(), None).ok();
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
