//! What a process keeps of the ledgers that it has read: the records so far, to which only what was added is read.
//!
//! A stage that carries a thousand orders would otherwise read a growing file many thousand times. What was read counts
//! only while it is still there: if the last line that was read is no longer where it was, everything is read again.
//! Whoever must know that nothing before it was changed looks at the file itself (`Ledger::has_grown_from`, `punch verify`); to
//! all others what stood there first is worth more than what somebody made of it.

use crate::Fail;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use wire::punch::{Punch, SCHEMA};

/// Records of a ledger, oldest first, as they were at one moment.
#[derive(Debug, Clone, Default)]
pub struct Records(Arc<Vec<Punch>>);

impl Deref for Records {
    type Target = [Punch];

    fn deref(&self) -> &[Punch] {
        &self.0
    }
}

/// A file, and the plan whose records were asked for.
type Key = (PathBuf, Option<String>);

static KEPT: LazyLock<Mutex<HashMap<Key, Kept>>> = LazyLock::new(Mutex::default);

/// The records of one plan, or of all, as the file is now. Lines that were cut off are passed over.
pub(crate) fn records(path: &Path, plan: Option<&str>) -> Result<Records, Fail> {
    let mut all = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = all.entry((path.to_path_buf(), plan.map(str::to_owned))).or_default();
    let read = match File::open(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => {
            *kept = Kept::default();
            Ok(())
        }
        other => other.and_then(|file| kept.follow(file, &Wanted::of(plan))),
    };
    read.map_err(|e| Fail::io(path, &e))?;
    Ok(kept.records.clone())
}

/// One file up to where it was read.
#[derive(Debug, Default)]
struct Kept {
    records: Records,
    /// How far the file was read, always to the end of a line.
    read: u64,
    /// The last line of it.
    last: Vec<u8>,
}

impl Kept {
    fn follow(&mut self, mut file: File, wanted: &Wanted) -> std::io::Result<()> {
        if !self.is_there(&mut file)? {
            *self = Self::default();
        }
        file.seek(SeekFrom::Start(self.read))?;
        let mut reader = BufReader::with_capacity(1 << 16, file);
        let mut line = Vec::new();
        loop {
            line.clear();
            let got = reader.read_until(b'\n', &mut line)?;
            if line.last() != Some(&b'\n') {
                return Ok(());
            }
            self.read += got as u64;
            if let Some(punch) = wanted.record(&line) {
                Arc::make_mut(&mut self.records.0).push(punch);
            }
            std::mem::swap(&mut self.last, &mut line);
        }
    }

    /// Whether the last line that was read is still where it was.
    fn is_there(&self, file: &mut File) -> std::io::Result<bool> {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(self.read - self.last.len() as u64))?;
        file.take(self.last.len() as u64).read_to_end(&mut bytes)?;
        Ok(bytes == self.last)
    }
}

/// Which records are asked for.
struct Wanted<'a> {
    plan: Option<&'a str>,
    /// The plan as a line has it.
    written: Vec<u8>,
}

impl<'a> Wanted<'a> {
    fn of(plan: Option<&'a str>) -> Self {
        let written = plan.map(|plan| serde_json::json!(plan).to_string() + ",");
        Self { plan, written: written.unwrap_or_default().into_bytes() }
    }

    /// The record of a line, if it is one and wanted.
    fn record(&self, line: &[u8]) -> Option<Punch> {
        if self.plan.is_some() && plan_of(line).is_some_and(|plan| !plan.starts_with(&self.written)) {
            return None;
        }
        let punch = serde_json::from_slice::<Punch>(line).ok()?;
        (punch.schema == SCHEMA && self.plan.is_none_or(|plan| plan == punch.plan)).then_some(punch)
    }
}

/// What follows `"plan":` in a line of the form that we write, where nothing in it is written in more than one way: most
/// lines are about other plans, and need not be taken apart.
fn plan_of(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(b"{\"schema\":\"punch/1\",\"seq\":")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let plan = rest[digits..].strip_prefix(b",\"plan\":")?;
    let end = plan.iter().skip(1).position(|byte| matches!(byte, b'"' | b'\\'))? + 1;
    (plan.first() == Some(&b'"') && plan.get(end) == Some(&b'"')).then_some(plan)
}
