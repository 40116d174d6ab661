//! The ledgers that a process has read: later reads only read the lines added since.
//!
//! Without this, a stage that carries a thousand orders would read a growing file many thousand times. The records
//! stay valid while the last line read is still in its place; otherwise everything is read again. A caller that
//! must know that no earlier line changed reads the file itself (`Ledger::has_grown_from`, `punch verify`); for all
//! others the first version of a line counts more than a later edit.

use crate::index::{self, Index};
use crate::{Last, task_history};
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use toolkit::Fail;
use wire::TaskId;
use wire::punch::{Punch, SCHEMA};

/// Records of a ledger, oldest first, as of one moment.
#[derive(Debug, Clone, Default)]
pub struct Records(Arc<Vec<Punch>>);

impl Deref for Records {
    type Target = [Punch];

    fn deref(&self) -> &[Punch] {
        &self.0
    }
}

/// A file, and the plan whose records are wanted.
type Key = (PathBuf, Option<String>);

static KEPT: LazyLock<Mutex<HashMap<Key, Kept>>> = LazyLock::new(Mutex::default);

/// The records of one plan, or of all, as the file is now. Skips lines that were cut off.
pub fn records(path: &Path, plan: Option<&str>) -> Result<Records, Fail> {
    let mut all = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = all.entry((path.to_path_buf(), plan.map(str::to_owned))).or_default();
    let read = match File::open(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => {
            *kept = Kept::default();
            Ok(())
        }
        other => other.and_then(|file| kept.follow(path, file, &Wanted { plan })),
    };
    read.map_err(|e| Fail::io(path, &e))?;
    Ok(kept.records.clone())
}

/// The records from the one with this number on: those that an index of the old part has are left out if they are older.
pub fn since(path: &Path, seq: u64) -> Result<Records, Fail> {
    let indexed = Index::read(path).filter(|(_, last)| Last::of(last).is_some_and(|last| last.seq <= seq));
    let Some((index, last)) = indexed else { return records(path, None) };
    let mut kept = Kept { read: index.end(), last, ..Kept::default() };
    let read = File::open(path).and_then(|file| kept.follow(path, file, &Wanted { plan: None }));
    read.map_err(|e| Fail::io(path, &e))?;
    Ok(kept.records)
}

/// The records of a plan that are about one task, among others or alone, or about none; however long the plan is.
pub fn about(path: &Path, plan: &str, task: &TaskId) -> Result<Vec<Punch>, Fail> {
    records(path, Some(plan))?;
    let all = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(kept) = all.get(&(path.to_path_buf(), Some(plan.to_owned()))) else { return Ok(Vec::new()) };
    let of = |task: Option<&TaskId>| kept.places.get(&task.cloned()).map_or(&[][..], Vec::as_slice);
    let mut places = [of(Some(task)), of(None)].concat();
    places.sort_unstable();
    places.dedup();
    Ok(places.into_iter().filter_map(|at| kept.records.get(at).cloned()).collect())
}

/// One file up to the point read.
#[derive(Debug, Default)]
struct Kept {
    records: Records,
    /// Which of them are about each task, and about none.
    places: HashMap<Option<TaskId>, Vec<usize>>,
    /// The offset read so far, always at the end of a line.
    read: u64,
    /// The last line read.
    last: Vec<u8>,
}

impl Kept {
    fn follow(&mut self, path: &Path, mut file: File, wanted: &Wanted) -> std::io::Result<()> {
        if !self.is_there(&mut file)? {
            *self = Self::default();
        }
        if self.read == 0 {
            self.take_indexed(path, &mut file, wanted)?;
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
            self.take(&line, wanted);
            std::mem::swap(&mut self.last, &mut line);
        }
    }

    /// Takes the records of the plan that an index of the old part of the file knows.
    fn take_indexed(&mut self, path: &Path, file: &mut File, wanted: &Wanted) -> std::io::Result<()> {
        let Some((plan, (index, last))) = wanted.plan.zip(Index::read(path)) else { return Ok(()) };
        let mut bytes = Vec::new();
        for (from, to) in index.places(plan) {
            bytes.clear();
            file.seek(SeekFrom::Start(*from))?;
            Read::take(&mut *file, to.saturating_sub(*from)).read_to_end(&mut bytes)?;
            bytes.split_inclusive(|byte| *byte == b'\n').for_each(|line| self.take(line, wanted));
        }
        (self.read, self.last) = (index.end(), last);
        Ok(())
    }

    fn take(&mut self, line: &[u8], wanted: &Wanted) {
        let Some(punch) = wanted.record(line) else { return };
        let place = self.records.len();
        for other in task_history::sharing(&punch) {
            self.places.entry(Some(other.into())).or_default().push(place);
        }
        self.places.entry(punch.task.clone()).or_default().push(place);
        Arc::make_mut(&mut self.records.0).push(punch);
    }

    /// Whether the last line read is still in its place.
    fn is_there(&self, file: &mut File) -> std::io::Result<bool> {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(self.read - self.last.len() as u64))?;
        file.take(self.last.len() as u64).read_to_end(&mut bytes)?;
        Ok(bytes == self.last)
    }
}

/// The records to return.
struct Wanted<'a> {
    plan: Option<&'a str>,
}

impl Wanted<'_> {
    /// The record of a line, if it is one and wanted.
    fn record(&self, line: &[u8]) -> Option<Punch> {
        if self.plan.is_some_and(|plan| index::written_plan(line).is_some_and(|of| of != plan.as_bytes())) {
            return None;
        }
        let punch = serde_json::from_slice::<Punch>(line).ok()?;
        (punch.schema == SCHEMA && self.plan.is_none_or(|plan| plan == punch.plan)).then_some(punch)
    }
}
