//! Walks the chain of a ledger or a punch file line by line.
//!
//! Each line carries the hash of its own bytes and that of the line before. Walking does not serialize JSON again;
//! a line that was cut off is accepted if the record after it says so.

use crate::{Head, NO_HASH, hash_of, split_hash};
use serde::Deserialize;
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use toolkit::Fail;
use toolkit::files::sha;
use wire::Punch;

/// The fields that place a line in the chain.
#[derive(Debug, Deserialize)]
pub struct Link<'l> {
    /// Its number.
    pub seq: u64,
    /// The hash of the line before.
    #[serde(borrow)]
    pub prev: Cow<'l, str>,
    /// Its own hash.
    #[serde(borrow)]
    pub hash: Cow<'l, str>,
    /// What kind of record it is.
    #[serde(borrow, rename = "type")]
    pub kind: Cow<'l, str>,
}

/// A line where the chain is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// The line, counted from 1.
    pub line: u64,
    /// What is wrong with it.
    pub what: Wrong,
}

/// What is wrong with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    /// Its own hash does not fit its bytes.
    Edited,
    /// It does not follow the line before it.
    Unchained,
    /// It is no record, and no `torn` record accounts for it.
    NoRecord,
}

impl Wrong {
    /// The words for a message, after the place.
    pub fn words(self) -> &'static str {
        match self {
            Self::Edited => "was edited: its hash does not fit",
            Self::Unchained => "does not follow the line before it",
            Self::NoRecord => "is no record, and no 'torn' record follows",
        }
    }
}

/// The state of a walk along a chain.
#[derive(Debug)]
pub struct Chain {
    /// How many lines were read.
    pub lines: u64,
    /// How many of them are records.
    pub records: u64,
    /// The last record.
    pub head: Head,
    torn: Option<(u64, String)>,
}

impl Default for Chain {
    fn default() -> Self {
        Self::after(NO_HASH)
    }
}

impl Chain {
    /// A chain whose first line follows this hash.
    pub fn after(hash: &str) -> Self {
        Self { lines: 0, records: 0, head: Head { seq: 0, hash: hash.to_owned() }, torn: None }
    }

    /// Takes one line, with its newline if it has one, and reports its flaws; `None` if it is no record.
    pub fn take<'l>(&mut self, bytes: &'l [u8], flaws: &mut dyn FnMut(Flaw)) -> Option<Link<'l>> {
        self.lines += 1;
        let number = self.lines;
        let text = bytes.strip_suffix(b"\n").and_then(|b| std::str::from_utf8(b).ok());
        let parsed = text.and_then(|t| Some((serde_json::from_str::<Link<'_>>(t).ok()?, split_hash(t)?)));
        let Some((link, (before, hash))) = parsed else {
            self.end(flaws);
            self.torn = Some((number, sha::hex(bytes.strip_suffix(b"\n").unwrap_or(bytes))));
            return None;
        };
        if let Some((line, digest)) = self.torn.take()
            && !(link.kind == "torn" && vouches(before, &digest))
        {
            flaws(Flaw { line, what: Wrong::NoRecord });
        }
        self.records += 1;
        if hash_of(before) != hash {
            flaws(Flaw { line: number, what: Wrong::Edited });
        }
        if link.prev != self.head.hash || link.seq != self.head.seq + 1 {
            flaws(Flaw { line: number, what: Wrong::Unchained });
        }
        self.head.seq = link.seq;
        hash.clone_into(&mut self.head.hash);
        Some(link)
    }

    /// Ends the walk: no `torn` record can follow a last line that is no record.
    pub fn end(&mut self, flaws: &mut dyn FnMut(Flaw)) {
        if let Some((line, _)) = self.torn.take() {
            flaws(Flaw { line, what: Wrong::NoRecord });
        }
    }
}

/// Whether a `torn` record accounts for the bytes with this digest.
fn vouches(before: &str, digest: &str) -> bool {
    #[derive(Deserialize)]
    struct Torn<'t> {
        #[serde(borrow)]
        data: Data<'t>,
    }
    #[derive(Deserialize)]
    struct Data<'t> {
        #[serde(borrow)]
        sha256: Cow<'t, str>,
    }
    serde_json::from_str::<Torn<'_>>(&format!("{before}}}")).is_ok_and(|torn| torn.data.sha256 == digest)
}

/// Reads a ledger from where the last read stopped, checking every line.
#[derive(Debug)]
pub struct Checked {
    path: PathBuf,
    offset: u64,
    chain: Chain,
}

impl Checked {
    /// The ledger at a path, from its beginning; it may be missing.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_path_buf(), offset: 0, chain: Chain::default() }
    }

    /// Passes every new record with its line to `each`; a broken chain is an error with the line's number.
    pub fn read(&mut self, each: &mut dyn FnMut(u64, Punch)) -> Result<(), Fail> {
        let failed = |e: std::io::Error| Fail::io(&self.path, &e);
        let mut file = match File::open(&self.path) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
            other => other.map_err(failed)?,
        };
        file.seek(SeekFrom::Start(self.offset)).map_err(failed)?;
        let mut reader = BufReader::with_capacity(1 << 16, file);
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let got = reader.read_until(b'\n', &mut bytes).map_err(failed)?;
            // A last line without its newline is still being written, or the next record will say that it was cut
            // off.
            if got == 0 || bytes.last() != Some(&b'\n') {
                return Ok(());
            }
            self.offset += got as u64;
            let mut flaw = None;
            let link = self.chain.take(&bytes, &mut |found| flaw = flaw.take().or(Some(found)));
            if let Some(flaw) = flaw {
                return Err(broken(&self.path, &flaw));
            }
            if link.is_some()
                && let Ok(punch) = serde_json::from_slice::<Punch>(&bytes)
            {
                each(self.chain.lines, punch);
            }
        }
    }
}

/// The failure for a broken ledger or punch file, with the line.
pub fn broken(path: &Path, flaw: &Flaw) -> Fail {
    let message = format!("line {} {}", flaw.line, flaw.what.words());
    Fail::data("broken-chain", message).at(path.display().to_string(), flaw.line)
}
