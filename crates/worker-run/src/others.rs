//! Runs of other plans in the same place: while one is under way, its stages write into the same ledger.
//!
//! A run holds a lock for as long as it goes on. Who held one before the worker started, or holds one now that all of the
//! worker's processes have ended, is not the worker; a line about a plan that nobody carries out is.

use crate::roll::is_behind;
use std::collections::HashSet;
use toolkit::lock;
use toolkit::root::{Home, inside};
use wire::punch::{Punch, Trust};

/// The runs that were under way before the worker started.
pub(crate) struct Others {
    home: Home,
    held: HashSet<String>,
}

impl Others {
    /// Looks who is there.
    pub(crate) fn look(home: &Home) -> Self {
        let names = std::fs::read_dir(home.path("locks")).into_iter().flatten().flatten();
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        // What a run keeps beside its lock has a name with a dot.
        let runs = names.filter(|name| name.starts_with("run-") && !name.contains('.'));
        Self { held: runs.filter(|name| lock::is_held(home, name)).collect(), home: home.clone() }
    }

    /// A line about another plan than this one, which nobody carries out; what a person says is marked as such.
    pub(crate) fn forged<'r>(&self, plan: &str, records: &'r [Punch]) -> Option<&'r Punch> {
        let evidence = |record: &&Punch| {
            let other = record.plan != plan && !record.plan.is_empty();
            other && record.trust != Trust::Typed && is_behind(record.kind)
        };
        records.iter().filter(evidence).find(|record| !self.is_under_way(&record.plan))
    }

    fn is_under_way(&self, plan: &str) -> bool {
        let real = inside(self.home.root(), plan).ok().and_then(|path| path.canonicalize().ok());
        let name = real.map(|real| lock::of_run(&real));
        name.is_some_and(|name| self.held.contains(&name) || lock::is_held(&self.home, &name))
    }
}
