//! The bytes of a ledger up to a moment, to detect later whether anything but an append happened.
//!
//! A process that looks again reads only the lines added since: it keeps the digests of those before, and takes those of
//! an old part from its index. Whether they are still the same is for the comparison to say, which reads every byte
//! unless the file is untouched ([`Stamp`]).

use crate::chain::Chain;
use crate::index::{self, BLOCK, Block, Index};
use crate::{Head, Last, Ledger, Tail};
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
    blocks: Vec<Block>,
    /// Of what follows the blocks.
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

/// The part of a ledger that its index has.
#[derive(Debug)]
pub struct OldPart {
    /// Its last record.
    pub head: Head,
    /// How many lines it has.
    pub lines: u64,
    /// How many bytes.
    pub end: u64,
    index: Index,
}

impl OldPart {
    /// Where the records of a plan are, and others with them.
    pub fn places(&self, plan: &str) -> &[(u64, u64)] {
        self.index.places(plan)
    }
}

/// The lines of a ledger that this process has walked.
#[derive(Debug, Default)]
struct Walked {
    /// How many bytes, always to the end of a line.
    bytes: u64,
    lines: u64,
    index: Index,
    /// The last line of its last block.
    indexed: Vec<u8>,
    /// Of what follows the blocks.
    hasher: sha::Hasher,
    /// The last line.
    last: Vec<u8>,
}

static WALKED: LazyLock<Mutex<HashMap<PathBuf, Walked>>> = LazyLock::new(Mutex::default);

impl Walked {
    /// Takes the lines that were added since, or all of them if the last one is not in its place.
    fn walk(&mut self, path: &Path) -> Result<(), Fail> {
        if !is_at(path, self.bytes, &self.last)? {
            *self = Self::default();
        }
        if self.bytes == 0
            && let Some((index, last)) = Index::read(path)
        {
            let lines = index.lines();
            let (bytes, indexed, hasher) = (index.end(), last.clone(), sha::Hasher::default());
            *self = Self { bytes, lines, index, indexed, hasher, last };
        }
        lines_from(path, self.bytes, |line| {
            let from = self.bytes;
            self.bytes += line.len() as u64;
            self.lines += 1;
            self.hasher.update(line);
            if let Some(plan) = index::plan_of(line) {
                self.index.note(&plan, from, self.bytes);
            }
            if self.bytes - self.index.end() >= BLOCK {
                let sha256 = std::mem::take(&mut self.hasher).finish();
                let (end, lines) = (self.bytes, self.lines);
                self.index.blocks.push(Block { line: from, end, lines, sha256 });
                line.clone_into(&mut self.indexed);
            }
            line.clone_into(&mut self.last);
        })
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
        let (bytes, blocks, sha256, last) = self.walked(|walked| {
            let sha256 = walked.hasher.clone().finish();
            (walked.bytes, walked.index.blocks.clone(), sha256, walked.last.clone())
        })?;
        // Take the head from the lines just read: others may have written since.
        let head = Last::of(&last).map(|last| Head { seq: last.seq, hash: last.hash.into_owned() });
        let head = if head.is_some() { head } else { self.head()? };
        Ok(Extent { bytes, blocks, sha256, head, stamp: stamp.filter(|stamp| stamp.size == bytes) })
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
        let mut blocks = before.blocks.iter().peekable();
        let mut chain = Chain::default();
        if let Some(head) = &before.head {
            chain.head = head.clone();
        }
        self.lines(|line| {
            seen += line.len() as u64;
            if seen <= before.bytes {
                hasher.update(line);
                if let Some(block) = blocks.next_if(|block| block.end <= seen) {
                    whole &= block.end == seen && std::mem::take(&mut hasher).finish() == block.sha256;
                }
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
        self.walked(|walked| walked.index.plans().map(str::to_owned).collect())
    }

    /// Keeps an index of a ledger that has become long since the last one, unless its chain is broken. Only the conductor
    /// of a run calls this, before the first worker.
    pub fn keep_index(&self) -> Result<(), Fail> {
        let path = self.path();
        let size = path.metadata().map_or(0, |about| about.len());
        if size < BLOCK {
            return Ok(());
        }
        let (mut chain, mut is_whole, mut from) = (Chain::default(), true, 0);
        if let Some(old) = self.old_part() {
            (chain.head, chain.lines, from) = (old.head, old.lines, old.end);
        }
        if size - size.min(from) < BLOCK {
            return Ok(());
        }
        lines_from(&path, from, |line| drop(chain.take(line, &mut |_| is_whole = false)))?;
        if !is_whole {
            return Ok(());
        }
        let (index, last) = self.walked(|walked| (walked.index.clone(), walked.indexed.clone()))?;
        index.write(&path, &last)
    }

    /// The part of the ledger that an index of before this run has; its chain was whole then.
    pub fn old_part(&self) -> Option<OldPart> {
        let (index, last) = Index::read(&self.path())?;
        let last = Last::of(&last)?;
        let head = Head { seq: last.seq, hash: last.hash.into_owned() };
        Some(OldPart { head, lines: index.lines(), end: index.end(), index })
    }

    /// Removes an index that was written since the run began: a worker or a check may have done so.
    pub fn drop_young_index(&self) -> Result<(), Fail> {
        Index::drop_young(&self.path())
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
