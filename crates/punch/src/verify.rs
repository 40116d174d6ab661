//! `punch verify`: the chain of the ledger, the anchors in commits, and the punch files that it seals.
//!
//! The walk stores only what seals and anchors need, so a ledger of any length needs little memory.

pub(crate) mod damage;

use ledger::Ledger;
use ledger::chain::{Chain, Flaw};
use ledger::punch_files::{self, Seal};
use repo::anchors::{self, Anchor};
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use toolkit::cli::tool;
use toolkit::files::root::{self, Home};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::Punch;

/// How many hashes to remember for the seals: a punch file follows a recent record.
const REMEMBERED: usize = 4096;

/// Walks a ledger and reports every broken line.
pub(crate) fn run(folder: &Path, out: &mut Output) -> Result<Exit, Fail> {
    let home = Home::of(&root::find(folder)?)?;
    let path = Ledger::new(home.clone()).path();
    let found = anchors::read(&home)?;
    let mut walk = Walk { anchors: found.own, ..Walk::default() };
    walk.ledger(&path)?;
    let mut problems: Vec<(String, u64, String)> = Vec::new();
    let mut say =
        |path: &Path, line: u64, words: String| problems.push((path.display().to_string(), line, words));
    let chain = if walk.flaws.is_empty() { Vec::new() } else { damage::explain(&path, &walk.flaws)? };
    for (line, words) in chain.into_iter().chain(walk.unanchored()) {
        say(&path, line, words);
    }
    for (line, seal, known) in walk.seals.values() {
        let file = home.root().join(&seal.path);
        if !known {
            say(&path, *line, format!("seals '{}', which follows no record of this ledger", seal.path));
        }
        for (number, words) in punch_files::walk(home.root(), seal, &mut |_, _| ())? {
            say(&file, number, format!("{words} (sealed by line {line} of the ledger)"));
        }
    }
    for (path, line, words) in &problems {
        let place = if *line == 0 { path.clone() } else { format!("{path}:{line}") };
        tool::note(&format!("punch: {place}: {words}"));
    }
    for file in unsealed(&home, &walk) {
        tool::note(&format!("punch: {file}: no record seals it, so it counts for nothing"));
    }
    if found.elsewhere > 0 {
        tool::note(&format!(
            "punch: {} of another ledger: of another clone or worktree, or of one that was removed",
            commits(found.elsewhere)
        ));
    }
    let count = |n: u64, noun: &str| format!("{n} {noun}{}", if n == 1 { "" } else { "s" });
    let found = count(problems.len() as u64, "problem");
    let seals =
        if walk.seals.is_empty() { String::new() } else { count(walk.seals.len() as u64, "seal") + ", " };
    let anchors = if walk.anchors.is_empty() {
        String::new()
    } else {
        count(walk.anchors.len() as u64, "anchor") + ", "
    };
    out.text(&format!("{}, {seals}{anchors}{found}\n", count(walk.records, "record")))?;
    Ok(if problems.is_empty() { Exit::Ok } else { Exit::No })
}

fn commits(number: u64) -> String {
    if number == 1 { "1 commit names a record".to_owned() } else { format!("{number} commits name records") }
}

/// The faults of a ledger, line by line.
pub(crate) fn flaws(path: &Path) -> Result<Vec<Flaw>, Fail> {
    let mut walk = Walk::default();
    walk.ledger(path)?;
    Ok(walk.flaws)
}

#[derive(Default)]
struct Walk {
    anchors: Vec<Anchor>,
    /// The number of anchors passed, and those that do not match: line and message.
    passed: usize,
    wrong: Vec<(u64, String)>,
    flaws: Vec<Flaw>,
    records: u64,
    lines: u64,
    last: u64,
    recent: VecDeque<String>,
    /// The latest seal of each punch file: its line, and whether the record that the file follows is present.
    seals: BTreeMap<String, (u64, Seal, bool)>,
}

impl Walk {
    fn ledger(&mut self, path: &Path) -> Result<(), Fail> {
        let file = File::open(path).map_err(|e| Fail::io(path, &e))?;
        let mut reader = BufReader::with_capacity(1 << 18, file);
        let mut chain = Chain::default();
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            if reader.read_until(b'\n', &mut bytes).map_err(|e| Fail::io(path, &e))? == 0 {
                break;
            }
            let flaws = &mut self.flaws;
            if let Some(link) = chain.take(&bytes, &mut |flaw| flaws.push(flaw)) {
                self.record(chain.lines, link.seq, &link.hash, &link.kind, &bytes);
            }
        }
        let flaws = &mut self.flaws;
        chain.end(&mut |flaw| flaws.push(flaw));
        (self.records, self.lines) = (chain.records, chain.lines);
        Ok(())
    }

    fn record(&mut self, line: u64, seq: u64, hash: &str, kind: &str, bytes: &[u8]) {
        self.last = self.last.max(seq);
        while let Some(anchor) = self.anchors.get(self.passed).filter(|anchor| anchor.seq <= seq) {
            if anchor.seq == seq && anchor.hash != hash {
                self.wrong.push((
                    line,
                    format!(
                        "is another record than the one that commit {} vouches for: the ledger was rewritten",
                        anchor.commit
                    ),
                ));
            } else if anchor.seq < seq {
                self.wrong.push((
                    line,
                    format!(
                        "stands where record {} is missing, which commit {} vouches for",
                        anchor.seq, anchor.commit
                    ),
                ));
            }
            self.passed += 1;
        }
        if kind == "seal"
            && let Ok(punch) = serde_json::from_slice::<Punch>(bytes)
            && let Some(seal) = punch_files::seal_of(&punch)
        {
            let known = seal.after == ledger::NO_HASH || self.recent.contains(&seal.after);
            self.seals.insert(seal.path.clone(), (line, seal, known));
        }
        // Reuse the oldest string: a walk over a million records must not allocate a million strings.
        let mut text = if self.recent.len() < REMEMBERED {
            String::new()
        } else {
            self.recent.pop_front().unwrap_or_default()
        };
        hash.clone_into(&mut text);
        self.recent.push_back(text);
    }

    /// Records that commits anchor but that the ledger does not have.
    fn unanchored(&self) -> Vec<(u64, String)> {
        let beyond = self.anchors.get(self.passed..).and_then(<[Anchor]>::last);
        let beyond = beyond.map(|anchor| {
            let words = format!(
                "is the last line, record {}; commit {} vouches for record {}: the end was removed",
                self.last, anchor.commit, anchor.seq
            );
            (self.lines, words)
        });
        self.wrong.iter().cloned().chain(beyond).collect()
    }
}

/// Punch files without a seal: a crash came first, or the record was removed.
fn unsealed(home: &Home, walk: &Walk) -> Vec<String> {
    let entries = std::fs::read_dir(home.path("punches")).into_iter().flatten().flatten();
    let files = entries.map(|entry| home.relative(&entry.path()));
    let mut files: Vec<_> =
        files.filter(|file| file.ends_with(".ndjson") && !walk.seals.contains_key(file)).collect();
    files.sort();
    files
}
