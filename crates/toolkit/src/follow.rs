//! The ledger as a stage follows it: read once, then only what was added.
//!
//! A stage that carries a thousand orders would otherwise read a growing file a thousand times. What was read counts only
//! while it is still there: if the last line that was read is no longer where it was, everything is read again.

use crate::Fail;
use crate::ledger::Ledger;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use wire::punch::{Punch, SCHEMA};

/// The records of a ledger up to where they were read.
#[derive(Debug)]
pub struct Follower {
    ledger: Ledger,
    records: Vec<Punch>,
    /// How far the file was read, always to the end of a line.
    read: u64,
    /// The last line of it.
    last: Vec<u8>,
}

impl Follower {
    /// Follows a ledger from its beginning.
    pub fn new(ledger: Ledger) -> Self {
        Self { ledger, records: Vec::new(), read: 0, last: Vec::new() }
    }

    /// The ledger.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Every whole record as the file is now, oldest first. Lines that were cut off are passed over.
    pub fn records(&mut self) -> Result<&[Punch], Fail> {
        let path = self.ledger.path();
        let mut file = match File::open(&path) {
            Err(e) if e.kind() == ErrorKind::NotFound => {
                self.forget();
                return Ok(&self.records);
            }
            other => other.map_err(|e| Fail::io(&path, &e))?,
        };
        let added = self.added(&mut file).map_err(|e| Fail::io(&path, &e))?;
        let end = added.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let whole = added.get(..end).unwrap_or_default();
        for line in whole.split_inclusive(|b| *b == b'\n') {
            if let Ok(punch) = serde_json::from_slice::<Punch>(line)
                && punch.schema == SCHEMA
            {
                self.records.push(punch);
            }
            line.clone_into(&mut self.last);
        }
        self.read += end as u64;
        Ok(&self.records)
    }

    /// The bytes behind what was read; all of them where that is no longer there.
    fn added(&mut self, file: &mut File) -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(self.read - self.last.len() as u64))?;
        file.read_to_end(&mut bytes)?;
        if bytes.starts_with(&self.last) {
            bytes.drain(..self.last.len());
            return Ok(bytes);
        }
        self.forget();
        bytes.clear();
        file.seek(SeekFrom::Start(0))?;
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn forget(&mut self) {
        self.records.clear();
        self.last.clear();
        self.read = 0;
    }
}
