//! The ledgers that a process has read: later reads only read the lines added since.
//!
//! Without this, a stage that carries a thousand orders would read a growing file many thousand times. The records
//! stay valid while the last line read is still in its place; otherwise everything is read again. A caller that
//! must know that no earlier line changed reads the file itself (`Ledger::has_grown_from`, `punch verify`); for all
//! others the first version of a line counts more than a later edit.

use crate::task_history;
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
        other => other.and_then(|file| kept.follow(file, &Wanted::of(plan))),
    };
    read.map_err(|e| Fail::io(path, &e))?;
    Ok(kept.records.clone())
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
                let place = self.records.len();
                for other in task_history::sharing(&punch) {
                    self.places.entry(Some(other.into())).or_default().push(place);
                }
                self.places.entry(punch.task.clone()).or_default().push(place);
                Arc::make_mut(&mut self.records.0).push(punch);
            }
            std::mem::swap(&mut self.last, &mut line);
        }
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
    /// The plan as written in a line.
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

/// The rest of a line in our own format after `"plan":`, if the name has no escapes: most lines are about other
/// plans and need not be parsed.
fn plan_of(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(b"{\"schema\":\"punch/1\",\"seq\":")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let plan = rest[digits..].strip_prefix(b",\"plan\":")?;
    let end = plan.iter().skip(1).position(|byte| matches!(byte, b'"' | b'\\'))? + 1;
    (plan.first() == Some(&b'"') && plan.get(end) == Some(&b'"')).then_some(plan)
}
