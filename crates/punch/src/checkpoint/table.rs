//! The self-check table: one line per row, each with a mark for its state.

use crate::checkpoint::class;
use std::fmt::Write as _;
use wire::order::{Card, CardRow, CardStatus};

/// The table of a card.
pub(crate) fn table(card: &Card) -> String {
    let mut out = String::new();
    for row in &card.rows {
        let _ = writeln!(out, "{}", line(row));
        for note in &row.notes {
            let _ = writeln!(out, "     {note}");
        }
    }
    let name = card.id.as_deref().unwrap_or_default();
    let word = match card.status {
        CardStatus::Pass => "PASS".to_owned(),
        CardStatus::Fail => format!("FAIL — {}", count(card)),
        CardStatus::NoEvidence => format!("NO EVIDENCE — {}", class::reason(card)),
        CardStatus::None => "no card is asked for".to_owned(),
    };
    let _ = writeln!(out, "{name}: {word}");
    let of = |field: &str| card.provenance.get(field).and_then(serde_json::Value::as_u64).unwrap_or_default();
    let _ = writeln!(
        out,
        "from {} calls in {} messages ({} lines not understood), {} checks, {} records of the ledger",
        of("calls"),
        of("messages"),
        of("unknown"),
        of("gates"),
        of("ledger_records")
    );
    out
}

fn line(row: &CardRow) -> String {
    let name = format!("{}:{}", row.kind, row.pattern);
    let hits = if row.hits == 1 { "1 hit".to_owned() } else { format!("{} hits", row.hits) };
    let shown = if row.shown_only { ", only shown" } else { "" };
    match (row.rule.as_str(), row.ok) {
        ("forbidden", true) => format!("🚫 {name} none found{shown}"),
        ("forbidden", false) => format!("❌ {name} FORBIDDEN ({hits}{shown})"),
        ("limit", false) => format!("❌ {name} TOO MANY OR TOO FEW ({hits}{shown})"),
        ("required", false) if row.hits == 0 => format!("❌ {name} MISSING{shown}"),
        ("required", false) => format!("❌ {name} NOT ENOUGH ({hits}{shown})"),
        ("optional", _) => format!("➖ {name} ({hits}, optional)"),
        _ => format!("✅ {name} ({hits}{shown})"),
    }
}

fn count(card: &Card) -> String {
    let word = |count: usize, noun: &str| match count {
        0 => None,
        1 => Some(format!("1 {noun}")),
        n => Some(format!("{n} {noun}s")),
    };
    let missing = word(card.missing.len(), "missing row");
    let broken = word(card.violations.len(), "violation");
    missing.into_iter().chain(broken).collect::<Vec<_>>().join(", ")
}
