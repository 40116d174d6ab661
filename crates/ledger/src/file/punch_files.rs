//! Punch files: records minted from a transcript, one chained line each, sealed by one record in the ledger.
//!
//! The first line follows the ledger's head of that moment, so that a punch file and the ledger confirm each other.
//! A file is written beside its place and renamed when complete; memory does not grow with it.

use crate::chain::{Chain, Flaw};
use crate::{Entry, Head, Ledger, NO_HASH, line_of};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use toolkit::files::root::{Home, inside};
use toolkit::files::{fs, sha};
use toolkit::{Exit, Fail};
use wire::{Punch, RunId};

/// The facts about a punch file that a seal states.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seal {
    /// The file, relative to the root.
    pub path: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// How many lines it has.
    pub count: u64,
    /// The hash that its first line follows.
    pub after: String,
    /// The hash of its last line; equal to `after` if it has none.
    pub head: String,
}

/// The name of the punch file of an attempt.
pub fn name(run: &RunId, key: &str, attempt: u32) -> String {
    if attempt <= 1 { format!("{run}-{key}.ndjson") } else { format!("{run}-{key}.{attempt}.ndjson") }
}

/// A punch file that is being written.
pub struct PunchFile {
    home: Home,
    path: PathBuf,
    temporary: PathBuf,
    writer: BufWriter<File>,
    digest: sha::Hasher,
    after: String,
    head: Head,
}

impl PunchFile {
    /// Begins a file of this name.
    pub fn create(home: &Home, name: &str) -> Result<Self, Fail> {
        let path = home.folder("punches")?.join(name);
        let temporary = fs::sibling(&path);
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary);
        let file = file.map_err(|e| Fail::io(&temporary, &e))?;
        let after = Ledger::new(home.clone()).head()?.map_or_else(|| NO_HASH.to_owned(), |head| head.hash);
        Ok(Self {
            home: home.clone(),
            path,
            temporary,
            writer: BufWriter::with_capacity(1 << 16, file),
            digest: sha::Hasher::new(),
            head: Head { seq: 0, hash: after.clone() },
            after,
        })
    }

    /// Adds one record, read at this line of its source.
    pub fn push(&mut self, entry: Entry, line: Option<u64>) -> Result<(), Fail> {
        let line = line_of(entry, line, &mut self.head)?;
        self.digest.update(line.as_bytes());
        self.writer.write_all(line.as_bytes()).map_err(|e| Fail::io(&self.temporary, &e))
    }

    /// Moves the file to its place and returns its seal.
    pub fn finish(mut self) -> Result<Seal, Fail> {
        let failed = |e: std::io::Error| Fail::io(&self.temporary, &e);
        self.writer.flush().map_err(failed)?;
        self.writer.get_ref().sync_all().map_err(failed)?;
        fs::rename(&self.temporary, &self.path)?;
        Ok(Seal {
            path: self.home.relative(&self.path),
            sha256: self.digest.clone().finish(),
            count: self.head.seq,
            after: self.after.clone(),
            head: self.head.hash.clone(),
        })
    }
}

impl Drop for PunchFile {
    fn drop(&mut self) {
        // A finished file is already renamed; an unfinished one is no evidence.
        let _ = fs::remove(&self.temporary);
    }
}

/// Walks a sealed file, passes its punches to `each`, and returns its flaws by line.
pub fn walk(root: &Path, seal: &Seal, each: &mut dyn FnMut(u64, &[u8])) -> Result<Vec<(u64, String)>, Fail> {
    let path = inside(root, &seal.path)?;
    let file = match File::open(&path) {
        Err(e) if e.kind() == ErrorKind::NotFound => {
            return Ok(vec![(0, format!("is not there; it held {} records", seal.count))]);
        }
        other => other.map_err(|e| Fail::io(&path, &e))?,
    };
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let mut chain = Chain::after(&seal.after);
    let mut digest = sha::Hasher::new();
    let mut flaws: Vec<Flaw> = Vec::new();
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).map_err(|e| Fail::io(&path, &e))? == 0 {
            break;
        }
        digest.update(&bytes);
        chain.take(&bytes, &mut |flaw| flaws.push(flaw));
        each(chain.lines, &bytes);
    }
    chain.end(&mut |flaw| flaws.push(flaw));
    let mut found: Vec<_> = flaws.iter().map(|flaw| (flaw.line, flaw.what.words().to_owned())).collect();
    if found.is_empty() && digest.finish() != seal.sha256 {
        found.push(outgrown(&chain, seal));
    }
    Ok(found)
}

/// The flaw of an intact chain that is not the sealed one.
fn outgrown(chain: &Chain, seal: &Seal) -> (u64, String) {
    let count = seal.count;
    match chain.records {
        0 => (0, format!("is empty; {count} records were sealed")),
        less if less < count => (less, format!("is the last line; {count} were sealed: the end was removed")),
        more if more > count => (count + 1, format!("was added: {count} lines were sealed")),
        _ => (count, "is another line than the one that was sealed: the file was replaced".to_owned()),
    }
}

/// Passes the punches of a sealed file to `each`; a broken file is an error with the line.
pub fn read(root: &Path, seal: &Seal, each: &mut dyn FnMut(u64, Punch)) -> Result<(), Fail> {
    let found = walk(root, seal, &mut |line, bytes| {
        if let Ok(punch) = serde_json::from_slice::<Punch>(bytes) {
            each(line, punch);
        }
    })?;
    match found.first() {
        None => Ok(()),
        Some((0, words)) => {
            Err(Fail::new(Exit::Data, "broken-seal", words.clone()).in_file(&root.join(&seal.path)))
        }
        Some((line, words)) => {
            let path = root.join(&seal.path).display().to_string();
            Err(Fail::data("broken-seal", format!("line {line} {words}")).at(path, *line))
        }
    }
}

/// The seal that a record carries, if it carries one.
pub fn seal_of(punch: &Punch) -> Option<Seal> {
    punch.data.get("punches").and_then(|value| serde_json::from_value(value.clone()).ok())
}
