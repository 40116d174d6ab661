//! Explains the damage to a ledger with a broken chain, line by line.
//!
//! It runs only after a walk has found a fault, since it stores every line's hash.

use ledger::chain::{Chain, Flaw, Link, Wrong};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use toolkit::Fail;

/// Every faulty line, with a message.
pub(crate) fn explain(path: &Path, flaws: &[Flaw]) -> Result<Vec<(u64, String)>, Fail> {
    let lines = Lines::read(path)?;
    let broken: HashSet<u64> = flaws.iter().map(|flaw| flaw.line).collect();
    let mut out = Vec::new();
    for flaw in flaws {
        match flaw.what {
            Wrong::Unchained => out.extend(lines.unchained(flaw.line, &broken)),
            what => out.push((flaw.line, what.words().to_owned())),
        }
    }
    out.sort();
    out.dedup();
    Ok(out)
}

/// The positions of all records.
#[derive(Default)]
struct Lines {
    /// By line: sequence number, own hash, previous hash.
    places: HashMap<u64, (u64, String, String)>,
    /// The first line with a hash.
    by_hash: HashMap<String, u64>,
}

impl Lines {
    fn read(path: &Path) -> Result<Self, Fail> {
        let file = File::open(path).map_err(|e| Fail::io(path, &e))?;
        let mut reader = BufReader::with_capacity(1 << 16, file);
        let (mut lines, mut chain, mut bytes) = (Self::default(), Chain::default(), Vec::new());
        loop {
            bytes.clear();
            if reader.read_until(b'\n', &mut bytes).map_err(|e| Fail::io(path, &e))? == 0 {
                return Ok(lines);
            }
            if let Some(Link { seq, prev, hash, .. }) = chain.take(&bytes, &mut |_| ()) {
                lines.places.insert(chain.lines, (seq, hash.clone().into_owned(), prev.into_owned()));
                lines.by_hash.entry(hash.into_owned()).or_insert(chain.lines);
            }
        }
    }

    /// Why a line does not follow the previous one; empty if a line already reported is the cause.
    fn unchained(&self, line: u64, broken: &HashSet<u64>) -> Vec<(u64, String)> {
        let Some((seq, hash, prev)) = self.places.get(&line) else { return Vec::new() };
        let say = |line: u64, words: String| vec![(line, words)];
        if let Some(first) = self.by_hash.get(hash).filter(|first| **first < line) {
            return say(line, format!("is a copy of line {first}"));
        }
        let before = (1..line).rev().find_map(|line| Some((line, self.places.get(&line)?.0)));
        match (self.by_hash.get(prev), before) {
            (Some(parent), _) if *parent > line => {
                say(line, format!("is out of order: it follows line {parent}, which comes later"))
            }
            (Some(parent), _) => {
                let between = (parent + 1..line).filter(|line| self.places.contains_key(line));
                let strangers = between.filter(|line| !broken.contains(line));
                strangers
                    .map(|stranger| (stranger, format!("was inserted: line {line} follows line {parent}")))
                    .collect()
            }
            (None, Some((last, number))) if *seq == number + 1 => {
                say(last, format!("was replaced: line {line} follows another record"))
            }
            (None, before) => {
                let number = before.map_or(0, |(_, number)| number);
                let removed = seq.checked_sub(number + 1).filter(|count| *count > 0);
                let words = removed.map_or_else(
                    || "is out of order: the record that it follows is not here".to_owned(),
                    |count| {
                        format!(
                            "has lost the records before it: {count} were removed, number {} to {}",
                            number + 1,
                            seq - 1
                        )
                    },
                );
                say(line, words)
            }
        }
    }
}
