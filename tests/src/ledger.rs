//! The ledger as the tests look at it.

use crate::Bench;
use serde_json::Value;

/// One record, as JSON.
pub type Record = Value;

impl Bench {
    /// Every record of the ledger, oldest first; none where there is no ledger.
    #[track_caller]
    pub fn records(&self) -> Vec<Record> {
        self.command("punch").args(["list"]).run().exits(0).json_lines()
    }

    /// The codes of all halts on record, with the stage that said no: `stage code`.
    pub fn halts(&self) -> Vec<String> {
        let word =
            |record: &Value, at: &str| record.pointer(at).and_then(Value::as_str).unwrap_or("").to_owned();
        let halts = self.records().into_iter().filter(|r| r["type"] == "halt");
        halts.map(|r| format!("{} {}", word(&r, "/data/halt/stage"), word(&r, "/data/halt/code"))).collect()
    }

    /// How many records of this type there are.
    pub fn count(&self, kind: &str) -> usize {
        self.records().iter().filter(|r| r["type"] == kind).count()
    }
}
