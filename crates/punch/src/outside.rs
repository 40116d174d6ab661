//! The readers of what comes from outside, for tests that give them anything. None of them may panic.

use crate::card::{self, Card};
use crate::gate_log::{self, Batch};
use crate::{card_file, damage, hook, seeds, verify};
use std::path::Path;

/// Cards as TOML, JSON and SQL.
pub fn cards(text: &str) {
    for rules in [card_file::of_toml(text), card_file::of_json(text), seeds::read(text)].into_iter().flatten()
    {
        for (name, rule) in &rules {
            let _ = Card::of(name, rule);
        }
        let _ = seeds::write(&rules);
    }
}

/// An event of a client's hook, held against the cards that come with the tool.
pub fn hook(bytes: &[u8]) {
    let rules = card::built_in().unwrap_or_default();
    let cards: Vec<Card> = rules.iter().filter_map(|(name, rule)| Card::of(name, rule).ok()).collect();
    hook::try_event(bytes, &cards);
}

/// The log of gates of the source system.
pub fn gate_log(path: &Path) {
    if gate_log::is(path) {
        let _ = gate_log::read(path, Batch { bead: "b", timestamp: None });
    }
}

/// The ledger of a root, walked line by line, and what was done to it.
pub fn ledger(path: &Path) {
    if let Ok(flaws) = verify::flaws(path) {
        let _ = damage::explain(path, &flaws);
    }
}
