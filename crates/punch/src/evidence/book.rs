//! `Book`: the verified part of the ledger, read further as it grows.

use crate::evidence::scope::Scope;
use ledger::Ledger;
use ledger::chain::Checked;
use toolkit::Fail;
use toolkit::files::root::Home;
use wire::punch::{Punch, Trust, Type};

/// The records of a ledger, each with its line.
pub(crate) struct Book {
    checked: Checked,
    pub(crate) records: Vec<(u64, Punch)>,
}

impl Book {
    /// The ledger of a home, not read yet.
    pub(crate) fn of(home: &Home) -> Self {
        Self { checked: Checked::new(&Ledger::new(home.clone()).path()), records: Vec::new() }
    }

    /// Reads the lines appended since the last call; a broken chain is an error with its line.
    pub(crate) fn read_on(&mut self) -> Result<(), Fail> {
        let records = &mut self.records;
        self.checked.read(&mut |line, punch| records.push((line, punch)))
    }

    /// The latest seal of the attempt's punch file.
    pub(crate) fn seal(&self, scope: &Scope) -> Option<(u64, &Punch)> {
        let mine =
            |punch: &Punch| punch.kind == Type::Seal && punch.trust != Trust::Typed && scope.is_about(punch);
        self.records.iter().rev().find(|(_, punch)| mine(punch)).map(|(line, punch)| (*line, punch))
    }
}
