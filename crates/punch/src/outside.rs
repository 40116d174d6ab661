//! The parsers of external input, for tests that feed them anything. None of them may panic.

use crate::cards::card::{self, Card};
use crate::cards::{card_file, seeds};
use crate::evidence::gate_log::{self, Batch};
use crate::hook;
use crate::verify::{self, damage};
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

/// An event of a client's hook, checked against the built-in cards.
pub fn hook(bytes: &[u8]) {
    let rules = card::built_in().unwrap_or_default();
    let cards: Vec<Card> = rules.iter().filter_map(|(name, rule)| Card::of(name, rule).ok()).collect();
    hook::try_event(bytes, &cards);
}

/// The gate log of the source system.
pub fn gate_log(path: &Path) {
    if gate_log::is(path) {
        let _ = gate_log::read(path, Batch { bead: "b", timestamp: None });
    }
}

/// Walks the ledger of a root line by line, and explains its damage.
pub fn ledger(path: &Path) {
    if let Ok(flaws) = verify::flaws(path) {
        let _ = damage::explain(path, &flaws);
    }
}
