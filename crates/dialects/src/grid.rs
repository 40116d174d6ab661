//! A table of checks: each row with a command in code is one, and a column `Expected` says what it gives.

use crate::expected::Said;
use crate::plan_md::requires::{cell, header};
use crate::plan_md::result;
use crate::{Extent, Outline, Table, expect};
use wire::plan::Criterion;

/// The checks of a table in order, each with its text and the place of its row.
pub(crate) fn checks(outline: &Outline, table: &Table) -> Vec<Criterion> {
    let titles = header(outline, table);
    let gives = titles.iter().position(|title| is_result(title));
    // `| Item | Method |` tells how people go about it.
    let asks = |title: &String| {
        matches!(title.as_str(), "command" | "commands" | "cmd" | "check" | "run" | "verify")
    };
    if gives.is_none() && !titles.iter().any(asks) {
        return Vec::new();
    }
    let rows = table.rows.iter().skip(1);
    rows.filter_map(|row| {
        let mut cells =
            (0..row.len()).filter(|at| Some(*at) != gives).map(|at| cell(outline, row.get(at).copied()));
        let text = cells.find(|text| text.starts_with('`') && expect::told(text).command.is_some())?;
        let mut check = expect::told(&text);
        let said = cell(outline, gives.and_then(|at| row.get(at).copied()));
        if !said.is_empty() {
            result::settle(&mut check, &[Said::Words(said.clone())], "");
        }
        let text = if said.is_empty() { text } else { format!("{text} → {said}") };
        let at = Extent { start: row.first()?.start, end: row.last()?.end };
        Some(Criterion { text, span: outline.span(outline.trimmed(at)), ..check })
    })
    .collect()
}

/// Whether the cells below a title say what a command gives.
pub(crate) fn is_result(title: &str) -> bool {
    ["expect", "output", "result"].iter().any(|word| title.starts_with(word))
}
