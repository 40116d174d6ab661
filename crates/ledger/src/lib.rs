//! The ledger: append-only, one locked and synced write per line; each line carries the hash of the line before.
//!
//! The hash of a line is the SHA-256 of its bytes before `,"hash":`, so the chain is checked without serializing
//! JSON again. A line that a crash cut off is kept and followed by a `torn` record.

pub mod changed;
pub mod evidence;
pub mod file;
pub mod leases;
pub mod pins;
pub mod recorder;
pub mod same_error;
pub mod task_history;

pub use crate::evidence::{level, proof, unclear, verdict};
pub use crate::file::extent::{Extent, Mark, OldPart};
pub(crate) use crate::file::index;
pub use crate::file::{chain, extent, punch_files, read_cache};

use crate::read_cache::Records;
use serde::Deserialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use toolkit::Fail;
use toolkit::files::lock::{Lock, PATIENCE};
use toolkit::files::root::Home;
use toolkit::files::{fs, sha};
use wire::punch::{Punch, SCHEMA, Source, SourceKind, Trust, Type};
use wire::{Fingerprint, RunId, TaskId, TreeHash};

/// The `prev` of the first line.
pub const NO_HASH: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// A record to append; the ledger adds number and hashes.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The plan's path relative to the root.
    pub plan: String,
    /// The task.
    pub task: Option<TaskId>,
    /// Its fingerprint.
    pub fingerprint: Option<Fingerprint>,
    /// The attempt.
    pub attempt: Option<u32>,
    /// The run.
    pub run: RunId,
    /// What kind of record.
    pub kind: Type,
    /// What it is about.
    pub key: String,
    /// When.
    pub observed_at: String,
    /// The tree it is bound to.
    pub tree: Option<TreeHash>,
    /// Which program observed it.
    pub source: SourceKind,
    /// The file it was read from.
    pub source_path: Option<String>,
    /// How far it can be trusted.
    pub trust: Trust,
    /// The rest.
    pub data: Value,
    /// Digest of the source it was derived from.
    pub source_hash: Option<String>,
}

impl Entry {
    /// A record that one of our tools observed; the caller fills in the rest.
    pub fn new(run: RunId, kind: Type, key: impl Into<String>, observed_at: String) -> Self {
        Self {
            plan: String::new(),
            task: None,
            fingerprint: None,
            attempt: None,
            run,
            kind,
            key: key.into(),
            observed_at,
            tree: None,
            source: SourceKind::Tool,
            source_path: None,
            trust: Trust::Observed,
            data: Value::Null,
            source_hash: None,
        }
    }
}

/// The end of the ledger: the last line's number and hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The last line's number.
    pub seq: u64,
    /// The last line's hash.
    pub hash: String,
}

/// The ledger of one root.
#[derive(Debug, Clone)]
pub struct Ledger {
    home: Home,
}

impl Ledger {
    /// The ledger of a home; it may not exist.
    pub fn new(home: Home) -> Self {
        Self { home }
    }

    /// The file.
    pub fn path(&self) -> PathBuf {
        self.home.path("ledger.ndjson")
    }

    /// Appends one record.
    pub fn append(&self, entry: Entry) -> Result<Head, Fail> {
        self.append_all(vec![entry])
    }

    /// Appends several records with one write and one sync.
    pub fn append_all(&self, entries: Vec<Entry>) -> Result<Head, Fail> {
        self.write(entries).map(|(head, _)| head)
    }

    /// Appends records that the next one syncs. A power cut before that loses them all, never one in the middle; so they
    /// must be of a kind that is made again, such as the results of checks.
    pub fn append_unsynced(&self, entries: Vec<Entry>) -> Result<Head, Fail> {
        let _lock = self.lock()?;
        self.write_unsynced(entries).map(|(_, head, _)| head)
    }

    /// Appends one record and returns its line without the newline.
    pub fn append_shown(&self, entry: Entry) -> Result<String, Fail> {
        let (_, text) = self.write(vec![entry])?;
        Ok(text.lines().last().unwrap_or_default().to_owned())
    }

    /// Appends one record if `allows`, called under the ledger's lock, permits it; otherwise returns its reason.
    pub fn append_if<R>(
        &self,
        entry: Entry,
        allows: impl FnOnce() -> Result<Result<(), R>, Fail>,
    ) -> Result<Result<Head, R>, Fail> {
        let _lock = self.lock()?;
        match allows()? {
            Ok(()) => self.write_locked(vec![entry]).map(|(head, _)| Ok(head)),
            Err(reason) => Ok(Err(reason)),
        }
    }

    fn lock(&self) -> Result<Lock, Fail> {
        let locks = self.home.folder("locks")?;
        Lock::take(&locks.join("ledger"), PATIENCE, "a record being written")
    }

    fn write(&self, entries: Vec<Entry>) -> Result<(Head, String), Fail> {
        let _lock = self.lock()?;
        self.write_locked(entries)
    }

    fn write_locked(&self, entries: Vec<Entry>) -> Result<(Head, String), Fail> {
        let (file, head, text) = self.write_unsynced(entries)?;
        file.sync_data().map_err(|e| Fail::io(&self.path(), &e))?;
        Ok((head, text))
    }

    fn write_unsynced(&self, entries: Vec<Entry>) -> Result<(File, Head, String), Fail> {
        let path = self.path();
        let failed = |e: std::io::Error| Fail::io(&path, &e);
        let mut file =
            fs::open_own(&path, OpenOptions::new().read(true).append(true).create(true).mode(0o600))?;
        let is_new = file.metadata().map_err(failed)?.len() == 0;
        let tail = Tail::of(&mut file).map_err(failed)?;
        let mut head = tail.head();
        let mut text = String::new();
        if let Some(torn) = tail.torn {
            text.push('\n');
            let first = entries.first();
            text.push_str(&line_of(torn_entry(&torn, first), None, &mut head)?);
        }
        for entry in entries {
            text.push_str(&line_of(entry, None, &mut head)?);
        }
        file.write_all(text.as_bytes()).map_err(failed)?;
        if is_new {
            fs::sync_folder_of(&path)?;
        }
        Ok((file, head, text))
    }

    /// Every whole record, oldest first. Skips lines that were cut off; `punch verify` names them.
    pub fn read(&self) -> Result<Records, Fail> {
        read_cache::records(&self.path(), None)
    }

    /// The records from the one with this number on, and some before it.
    pub fn read_since(&self, seq: u64) -> Result<Records, Fail> {
        read_cache::since(&self.path(), seq)
    }

    /// The same for the records of one plan: a ledger may be full of others.
    pub fn read_of(&self, plan: &str) -> Result<Records, Fail> {
        read_cache::records(&self.path(), Some(plan))
    }

    /// The same for the records about one task or about none.
    pub fn read_about(&self, plan: &str, task: &TaskId) -> Result<Vec<Punch>, Fail> {
        read_cache::about(&self.path(), plan, task)
    }

    /// Whether the file itself contains all these lines.
    pub fn has(&self, heads: &[Head]) -> Result<bool, Fail> {
        let mut missing: HashMap<u64, &str> =
            heads.iter().map(|head| (head.seq, head.hash.as_str())).collect();
        self.lines(|line| {
            if let Some(last) = Last::of(line)
                && missing.get(&last.seq).is_some_and(|hash| *hash == last.hash)
            {
                missing.remove(&last.seq);
            }
        })?;
        Ok(missing.is_empty())
    }

    /// The end of the ledger; `None` if there is no line yet.
    pub fn head(&self) -> Result<Option<Head>, Fail> {
        let path = self.path();
        let mut file = match File::open(&path) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            other => other.map_err(|e| Fail::io(&path, &e))?,
        };
        let tail = Tail::of(&mut file).map_err(|e| Fail::io(&path, &e))?;
        Ok(tail.last)
    }

    /// The name of this ledger: the beginning of the hash of its first record. `None` if there is no record yet.
    pub fn name(&self) -> Result<Option<String>, Fail> {
        let path = self.path();
        let file = match File::open(&path) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            other => other.map_err(|e| Fail::io(&path, &e))?,
        };
        // A first line that was cut off is no record.
        for line in BufReader::new(file).split(b'\n') {
            let line = line.map_err(|e| Fail::io(&path, &e))?;
            if let Some((_, hash)) = std::str::from_utf8(&line).ok().and_then(split_hash) {
                return Ok(Some(hash.chars().take(NAME).collect()));
            }
        }
        Ok(None)
    }

    /// What a commit says of this ledger: the number and the hash of its last record, and its name. `None` if it is empty.
    pub fn anchor(&self) -> Result<Option<String>, Fail> {
        let named = self.head()?.zip(self.name()?);
        Ok(named.map(|(head, name)| format!("{}:{}:{name}", head.seq, head.hash)))
    }
}

/// The length of a ledger's name.
const NAME: usize = 16;

/// The hash of a line, given everything before `,"hash":`.
pub fn hash_of(before: &str) -> String {
    sha::hex(before.as_bytes())
}

/// The part before `,"hash":` and the hash itself, if a line ends as a record does.
pub fn split_hash(line: &str) -> Option<(&str, &str)> {
    const CLOSE: usize = 64 + 2;
    let at = line.len().checked_sub(CLOSE)?;
    let (before, after) = (line.get(..at)?, line.get(at..)?);
    Some((before.strip_suffix(",\"hash\":\"")?, after.strip_suffix("\"}")?))
}

/// The line of a record that follows `head`, and moves `head` to it; `line` is where the record was read.
pub fn line_of(entry: Entry, line: Option<u64>, head: &mut Head) -> Result<String, Fail> {
    let punch = Punch {
        schema: SCHEMA.to_owned(),
        seq: head.seq + 1,
        plan: entry.plan,
        task: entry.task,
        fingerprint: entry.fingerprint,
        attempt: entry.attempt,
        run: entry.run,
        kind: entry.kind,
        key: entry.key,
        observed_at: entry.observed_at,
        tree: entry.tree,
        source: Source { kind: entry.source, path: entry.source_path, line },
        trust: entry.trust,
        data: entry.data.into(),
        source_hash: entry.source_hash,
        prev: head.hash.clone(),
        hash: String::new(),
    };
    let text = serde_json::to_string(&punch)
        .map_err(|e| Fail::data("bad-record", format!("record cannot be written: {e}")))?;
    let before = text.strip_suffix(",\"hash\":\"\"}").unwrap_or(&text);
    let hash = hash_of(before);
    let text = format!("{before},\"hash\":\"{hash}\"}}\n");
    *head = Head { seq: punch.seq, hash };
    Ok(text)
}

fn torn_entry(torn: &[u8], next: Option<&Entry>) -> Entry {
    Entry {
        plan: next.map(|e| e.plan.clone()).unwrap_or_default(),
        data: json!({ "bytes": torn.len(), "sha256": sha::hex(torn) }),
        ..Entry::new(
            next.map(|e| e.run.clone()).unwrap_or_default(),
            Type::Torn,
            "torn",
            next.map(|e| e.observed_at.clone()).unwrap_or_default(),
        )
    }
}

/// The last whole line, and the bytes after it.
struct Tail {
    last: Option<Head>,
    /// Where its line ends, and the line itself.
    line: Option<(u64, Vec<u8>)>,
    torn: Option<Vec<u8>>,
}

/// The number and hash in a line.
#[derive(Deserialize)]
struct Last<'a> {
    seq: u64,
    #[serde(borrow)]
    hash: Cow<'a, str>,
}

impl<'a> Last<'a> {
    /// Number and hash of a line; a line in our own format is not parsed.
    fn of(line: &'a [u8]) -> Option<Self> {
        let ours = || {
            let line = std::str::from_utf8(line).ok()?;
            let (before, hash) = split_hash(line.trim_ascii_end())?;
            let rest = before.strip_prefix("{\"schema\":\"punch/1\",\"seq\":")?;
            Some(Self { seq: rest.split_once(',')?.0.parse().ok()?, hash: Cow::Borrowed(hash) })
        };
        ours().or_else(|| serde_json::from_slice(line).ok())
    }
}

impl Tail {
    fn head(&self) -> Head {
        self.last.clone().unwrap_or_else(|| Head { seq: 0, hash: NO_HASH.to_owned() })
    }

    /// Reads backwards in growing steps until it finds a whole line.
    fn of(file: &mut File) -> std::io::Result<Self> {
        let length = file.seek(SeekFrom::End(0))?;
        let mut window = 8192u64;
        loop {
            let from = length.saturating_sub(window);
            file.seek(SeekFrom::Start(from))?;
            let mut bytes = Vec::new();
            Read::take(&mut *file, length - from).read_to_end(&mut bytes)?;
            if let Some(tail) = Self::within(&bytes, from) {
                return Ok(tail);
            }
            window *= 4;
        }
    }

    /// The tail in a window of bytes from a place on; `None` if it may begin before the window.
    fn within(bytes: &[u8], from: u64) -> Option<Self> {
        let is_all = from == 0;
        let mut end = bytes.len();
        let mut torn = None;
        if bytes.last().is_some_and(|b| *b != b'\n') {
            let start = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
            if start == 0 && !is_all {
                return None;
            }
            torn = Some(bytes[start..].to_vec());
            end = start;
        }
        // Skip whole lines that are no records (cut off in an earlier crash).
        loop {
            if end == 0 {
                return is_all.then_some(Self { last: None, line: None, torn });
            }
            let line_end = end - 1;
            let start = bytes[..line_end].iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
            if start == 0 && !is_all {
                return None;
            }
            if let Ok(Last { seq, hash }) = serde_json::from_slice(&bytes[start..line_end]) {
                let line = Some((from + end as u64, bytes[start..end].to_vec()));
                return Some(Self { last: Some(Head { seq, hash: hash.into_owned() }), line, torn });
            }
            end = start;
        }
    }
}
