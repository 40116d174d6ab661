//! The ledger for people and scripts: list it, walk its chain.

use serde::Deserialize;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use toolkit::ledger::{Ledger, NO_HASH, hash_of, split_hash};
use toolkit::output::Output;
use toolkit::root::{self, Home};
use toolkit::{Exit, Fail, sha, tool};
use wire::Punch;

/// Which records are asked for.
pub(crate) struct Wanted<'a> {
    pub(crate) task: Option<&'a str>,
    pub(crate) kind: Option<&'a str>,
    pub(crate) run: Option<&'a str>,
}

/// Prints the records that are asked for.
pub(crate) fn list(folder: &Path, wanted: &Wanted<'_>, text: bool, out: &mut Output) -> Result<Exit, Fail> {
    let ledger = Ledger::new(Home::of(&root::find(folder)?)?);
    let is = |asked: Option<&str>, value: &str| asked.is_none_or(|a| a == value);
    for punch in ledger.read()? {
        let task = punch.task.as_ref().map_or("", |t| t.as_str());
        if is(wanted.task, task) && is(wanted.kind, punch.kind.word()) && is(wanted.run, punch.run.as_str()) {
            if text {
                out.text(&line(&punch, task))?;
            } else {
                out.document(&punch, false)?;
            }
        }
    }
    Ok(Exit::Ok)
}

/// Walks the chain; every broken line is named.
pub(crate) fn verify(folder: &Path, out: &mut Output) -> Result<Exit, Fail> {
    let path = Ledger::new(Home::of(&root::find(folder)?)?).path();
    let file = File::open(&path).map_err(|e| Fail::io(&path, &e))?;
    let mut walk = Walk::default();
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).map_err(|e| Fail::io(&path, &e))? == 0 {
            break;
        }
        walk.line(&bytes);
    }
    walk.end();
    for (number, problem) in &walk.problems {
        tool::note(&format!("punch: {}:{number}: {problem}", path.display()));
    }
    let count = |n: u64, noun: &str| format!("{n} {noun}{}", if n == 1 { "" } else { "s" });
    let problems = count(walk.problems.len() as u64, "problem");
    out.text(&format!("{}, {problems}\n", count(walk.records, "record")))?;
    Ok(if walk.problems.is_empty() { Exit::Ok } else { Exit::No })
}

struct Walk {
    number: u64,
    records: u64,
    seq: u64,
    hash: String,
    torn: Option<(u64, String)>,
    problems: Vec<(u64, String)>,
}

impl Default for Walk {
    fn default() -> Self {
        Self { number: 0, records: 0, seq: 0, hash: NO_HASH.to_owned(), torn: None, problems: Vec::new() }
    }
}

#[derive(Deserialize)]
struct Links {
    seq: u64,
    prev: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    data: serde_json::Value,
}

impl Walk {
    fn line(&mut self, bytes: &[u8]) {
        self.number += 1;
        let whole = bytes.strip_suffix(b"\n");
        let text = whole.and_then(|b| std::str::from_utf8(b).ok());
        let parsed = text.and_then(|t| Some((t, serde_json::from_str::<Links>(t).ok()?, split_hash(t)?)));
        let Some((_, links, (before, hash))) = parsed else {
            let digest = sha::hex(whole.unwrap_or(bytes));
            self.end();
            self.torn = Some((self.number, digest));
            return;
        };
        if let Some((number, digest)) = self.torn.take() {
            let known =
                links.kind == "torn" && links.data.get("sha256").and_then(|v| v.as_str()) == Some(&digest);
            if !known {
                self.problems.push((number, "is no record, and no 'torn' record follows".to_owned()));
            }
        }
        self.records += 1;
        if hash_of(before) != hash {
            self.problems.push((self.number, "was edited: its hash does not fit".to_owned()));
        }
        if links.prev != self.hash {
            self.problems.push((self.number, "does not follow the line before it".to_owned()));
        }
        if links.seq != self.seq + 1 {
            self.problems.push((self.number, format!("is number {}, expected {}", links.seq, self.seq + 1)));
        }
        self.seq = links.seq;
        hash.clone_into(&mut self.hash);
    }

    /// A last line that is no record was cut off, and the next record will say so.
    fn end(&mut self) {
        if let Some((number, _)) = self.torn.take() {
            self.problems.push((number, "is no record".to_owned()));
        }
    }
}

fn line(punch: &Punch, task: &str) -> String {
    let attempt = punch.attempt.map(|a| format!(" #{a}")).unwrap_or_default();
    format!(
        "{:>5} {} {:<14} {task}{attempt} {}\n",
        punch.seq,
        punch.observed_at,
        punch.kind.word(),
        punch.key
    )
}
