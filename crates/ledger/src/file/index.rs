//! What is known of the old part of a long ledger: digests of its blocks, and where the records of each plan are. With it
//! a process reads of a long ledger only the records of its plan and the last lines.
//!
//! A worker may forge the file. Like the index of the tree it counts only if it is older than the run, and a stage that
//! compares the ledger before and after a worker or a check removes one that is younger ([`Index::drop_young`]): no run
//! goes by what a worker of an earlier run wrote. It changes only with the conductor of a run, before its first worker.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};
use toolkit::Fail;
use toolkit::cli::clock;
use toolkit::files::stamp::Stamp;
use toolkit::files::{fs, sha};

/// The least size of a block; a ledger that is shorter has no index.
pub(crate) const BLOCK: u64 = 1 << 20;

/// Lines of other plans up to this many bytes between two of a plan are read with them.
const GAP: u64 = 1 << 16;

const SCHEMA: &str = "ledger-index/1";

/// Some whole lines of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Block {
    /// Where the last of them begins.
    pub(crate) line: u64,
    /// Where it ends.
    pub(crate) end: u64,
    /// How many lines there are up to its end.
    pub(crate) lines: u64,
    /// The digest of the block.
    pub(crate) sha256: String,
}

/// The blocks of a ledger from its beginning, and the places of the records of each plan.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Index {
    schema: String,
    pub(crate) blocks: Vec<Block>,
    /// The digest of the last line of the last block.
    last: String,
    places: BTreeMap<String, Vec<(u64, u64)>>,
}

impl Index {
    fn path_of(ledger: &Path) -> PathBuf {
        ledger.with_extension("index")
    }

    /// The index of a ledger and the last line that it covers, if there is one that counts.
    pub(crate) fn read(ledger: &Path) -> Option<(Self, Vec<u8>)> {
        let mut file = File::open(Self::path_of(ledger)).ok()?;
        let about = file.metadata().ok().filter(|about| about.is_file() && !is_young(about))?;
        let mut bytes = Vec::new();
        Read::take(&mut file, about.len()).read_to_end(&mut bytes).ok()?;
        let index: Self =
            serde_json::from_slice(&bytes).ok().filter(|index: &Self| index.schema == SCHEMA)?;
        let block = index.blocks.last()?;
        let mut file = File::open(ledger).ok()?;
        file.seek(SeekFrom::Start(block.line)).ok()?;
        let mut line = Vec::new();
        file.take(block.end.checked_sub(block.line)?).read_to_end(&mut line).ok()?;
        // A ledger that was cut or written anew has another line there.
        (sha::hex(&line) == index.last).then_some((index, line))
    }

    /// Writes the index, and waits until a run that begins now takes it for an older one.
    pub(crate) fn write(mut self, ledger: &Path, last: &[u8]) -> Result<(), Fail> {
        (self.schema, self.last) = (SCHEMA.to_owned(), sha::hex(last));
        let end = self.end();
        for places in self.places.values_mut() {
            places.retain_mut(|(from, to)| {
                *to = end.min(*to);
                *from < end
            });
        }
        let path = Self::path_of(ledger);
        let bytes = serde_json::to_vec(&self).map_err(|e| Fail::data("bad-json", e.to_string()))?;
        fs::create_unsynced(&path, &bytes)?;
        Stamp::of(&path);
        Ok(())
    }

    /// Removes an index that was written since the run began.
    pub(crate) fn drop_young(ledger: &Path) -> Result<(), Fail> {
        let path = Self::path_of(ledger);
        let is_young = path.symlink_metadata().is_ok_and(|about| is_young(&about));
        if is_young { fs::remove(&path) } else { Ok(()) }
    }

    /// Where its blocks end.
    pub(crate) fn end(&self) -> u64 {
        self.blocks.last().map_or(0, |block| block.end)
    }

    /// How many lines they have.
    pub(crate) fn lines(&self) -> u64 {
        self.blocks.last().map_or(0, |block| block.lines)
    }

    /// Every plan that has records.
    pub(crate) fn plans(&self) -> impl Iterator<Item = &str> {
        self.places.keys().map(String::as_str).filter(|plan| !plan.is_empty())
    }

    /// The parts of the ledger with the records of a plan.
    pub(crate) fn places(&self, plan: &str) -> &[(u64, u64)] {
        self.places.get(plan).map_or(&[], Vec::as_slice)
    }

    /// Notes a line of a plan.
    pub(crate) fn note(&mut self, plan: &str, from: u64, to: u64) {
        let Some(places) = self.places.get_mut(plan) else {
            self.places.insert(plan.to_owned(), vec![(from, to)]);
            return;
        };
        match places.last_mut().filter(|(_, end)| from <= *end + GAP) {
            Some((_, end)) => *end = to,
            None => places.push((from, to)),
        }
    }
}

/// Whether a file has changed since the run began, so that a worker of the run may have written it.
fn is_young(about: &Metadata) -> bool {
    let changed = Duration::new(about.ctime().cast_unsigned(), about.ctime_nsec().try_into().unwrap_or(0));
    UNIX_EPOCH + changed >= clock::began()
}

/// The plan that a line is about; `None` if it is no record. Most lines are in our own form and need not be parsed.
pub(crate) fn plan_of(line: &[u8]) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct About<'l> {
        #[serde(borrow, default)]
        plan: Cow<'l, str>,
    }
    if let Some(plan) = written_plan(line) {
        return str::from_utf8(plan).ok().map(Cow::Borrowed);
    }
    serde_json::from_slice(line).ok().map(|About { plan }| plan)
}

/// The name after `"plan":` of a line in our own form, if it has no escapes.
pub(crate) fn written_plan(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(b"{\"schema\":\"punch/1\",\"seq\":")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let plan = rest[digits..].strip_prefix(b",\"plan\":\"")?;
    let end = memchr::memchr2(b'"', b'\\', plan)?;
    (plan[end] == b'"').then(|| &plan[..end])
}
