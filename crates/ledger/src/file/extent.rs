//! The bytes of a ledger up to a moment, to detect later whether anything but an append happened.
//!
//! A process that looks again reads only the lines added since: it keeps the digest of those before. Whether they are
//! still the same is for the comparison to say, which reads every byte unless the file is untouched ([`Stamp`]).

use crate::chain::Chain;
use crate::{Head, Last, Ledger, Tail};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use toolkit::Fail;
use toolkit::files::sha;
use toolkit::files::stamp::Stamp;

/// A ledger up to a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extent {
    bytes: u64,
    sha256: String,
    head: Option<Head>,
    /// Of the whole file, if it ended here.
    stamp: Option<Stamp>,
}

impl Extent {
    /// The number of its last line.
    pub fn seq(&self) -> u64 {
        self.head.as_ref().map_or(0, |head| head.seq)
    }

    /// Whether these lines are its last one.
    pub fn ends_with(&self, lines: &[Head]) -> bool {
        lines.iter().all(|line| Some(line) == self.head.as_ref())
    }
}

/// The last record of a ledger, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Where its line ends.
    end: u64,
    line: Vec<u8>,
}

/// The lines of a ledger that this process has walked.
#[derive(Debug, Default)]
struct Walked {
    /// How many bytes, always to the end of a line.
    bytes: u64,
    hasher: sha::Hasher,
    /// The last line.
    last: Vec<u8>,
    /// Every plan that has records.
    plans: Vec<String>,
    /// The field with the last of them.
    about: Vec<u8>,
}

static WALKED: LazyLock<Mutex<HashMap<PathBuf, Walked>>> = LazyLock::new(Mutex::default);

impl Walked {
    /// Takes the lines that were added since, or all of them if the last one is not in its place.
    fn walk(&mut self, path: &Path) -> Result<(), Fail> {
        if !is_at(path, self.bytes, &self.last)? {
            *self = Self::default();
        }
        lines_from(path, self.bytes, |line| {
            self.bytes += line.len() as u64;
            self.hasher.update(line);
            self.note_plan(line);
            line.clone_into(&mut self.last);
        })
    }

    /// The name of a plan is near the beginning of a line, and mostly the same as in the line before.
    fn note_plan(&mut self, line: &[u8]) {
        #[derive(Deserialize)]
        struct About<'l> {
            #[serde(borrow)]
            plan: Cow<'l, str>,
        }
        let head = &line[..line.len().min(4096)];
        let about = head.windows(8).position(|w| w == b"\"plan\":\"").map(|at| &head[at..]);
        let end =
            about.and_then(|about| about.windows(2).position(|w| w == b"\",").map(|end| &about[..=end]));
        let Some(end) = end.filter(|end| **end != self.about[..]) else { return };
        end.clone_into(&mut self.about);
        if let Ok(about) = serde_json::from_slice::<About<'_>>(&[b"{", end, b"}"].concat())
            && !about.plan.is_empty()
            && !self.plans.iter().any(|known| *known == about.plan)
        {
            self.plans.push(about.plan.into_owned());
        }
    }
}

impl Ledger {
    /// What this process knows of the file, brought up to date.
    fn walked<T>(&self, ask: impl FnOnce(&Walked) -> T) -> Result<T, Fail> {
        let path = self.path();
        let mut all = WALKED.lock().unwrap_or_else(PoisonError::into_inner);
        let walked = all.entry(path.clone()).or_default();
        walked.walk(&path)?;
        Ok(ask(walked))
    }

    /// The ledger as it is now, to compare with a later state.
    pub fn extent(&self) -> Result<Extent, Fail> {
        let stamp = Stamp::of(&self.path());
        let (bytes, sha256, last) =
            self.walked(|walked| (walked.bytes, walked.hasher.clone().finish(), walked.last.clone()))?;
        // Take the head from the lines just read: others may have written since.
        let head = Last::of(&last).map(|last| Head { seq: last.seq, hash: last.hash.into_owned() });
        let head = if head.is_some() { head } else { self.head()? };
        Ok(Extent { bytes, sha256, head, stamp: stamp.filter(|stamp| stamp.size == bytes) })
    }

    /// Whether nothing has touched the file since, as far as that can be told without reading it.
    pub fn is_untouched_since(&self, before: &Extent) -> bool {
        before.stamp.is_some_and(|stamp| stamp.holds(&self.path()))
    }

    /// Whether every old byte is still there, and the added lines continue the chain.
    pub fn has_grown_from(&self, before: &Extent) -> Result<bool, Fail> {
        if self.is_untouched_since(before) {
            return Ok(true);
        }
        let (mut hasher, mut seen, mut whole) = (sha::Hasher::new(), 0, true);
        let mut chain = Chain::default();
        if let Some(head) = &before.head {
            chain.head = head.clone();
        }
        self.lines(|line| {
            seen += line.len() as u64;
            if seen <= before.bytes {
                hasher.update(line);
            } else {
                chain.take(line, &mut |_| whole = false);
            }
        })?;
        chain.end(&mut |_| whole = false);
        Ok(whole && seen >= before.bytes && hasher.finish() == before.sha256)
    }

    /// The last record; `None` in an empty ledger.
    pub fn mark(&self) -> Result<Option<Mark>, Fail> {
        let path = self.path();
        let Some(mut file) = open(&path)? else { return Ok(None) };
        let tail = Tail::of(&mut file).map_err(|e| Fail::io(&path, &e))?;
        Ok(tail.line.map(|(end, line)| Mark { end, line }))
    }

    /// Whether a record is still in its place.
    pub fn has_mark(&self, mark: &Mark) -> Result<bool, Fail> {
        is_at(&self.path(), mark.end, &mark.line)
    }

    /// Every plan that has records.
    pub fn plans(&self) -> Result<Vec<String>, Fail> {
        self.walked(|walked| walked.plans.clone())
    }

    /// Passes every whole line, with its newline, to `show`.
    pub fn lines(&self, show: impl FnMut(&[u8])) -> Result<(), Fail> {
        lines_from(&self.path(), 0, show)
    }
}

/// The file, if it is there.
fn open(path: &Path) -> Result<Option<File>, Fail> {
    match File::open(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        other => other.map(Some).map_err(|e| Fail::io(path, &e)),
    }
}

/// Whether this line ends at this place; no line ends nowhere.
fn is_at(path: &Path, end: u64, line: &[u8]) -> Result<bool, Fail> {
    let Some(start) = end.checked_sub(line.len() as u64) else { return Ok(false) };
    let Some(mut file) = open(path)? else { return Ok(line.is_empty()) };
    let mut bytes = Vec::new();
    let read = file.seek(SeekFrom::Start(start));
    read.and_then(|_| Read::take(&mut file, line.len() as u64).read_to_end(&mut bytes))
        .map_err(|e| Fail::io(path, &e))?;
    Ok(bytes == line)
}

/// Passes every whole line from a place on, with its newline, to `show`.
fn lines_from(path: &Path, start: u64, mut show: impl FnMut(&[u8])) -> Result<(), Fail> {
    let failed = |e: std::io::Error| Fail::io(path, &e);
    let Some(mut file) = open(path)? else { return Ok(()) };
    file.seek(SeekFrom::Start(start)).map_err(failed)?;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).map_err(failed)? > 0 && line.ends_with(b"\n") {
        show(&line);
        line.clear();
    }
    Ok(())
}
