//! A table of checks: each row with a command in code is a check, and a column `Expected` holds its result.

use crate::criteria::expected::StatedResult;
use crate::criteria::results;
use crate::deps::requires::{cell, header};
use checks::criterion;
use markdown::{Extent, Outline, Table};
use wire::plan::Criterion;

/// The checks of a table in order, each with its text and the position of its row.
pub(crate) fn checks(outline: &Outline, table: &Table) -> Vec<Criterion> {
    let titles = header(outline, table);
    let gives = titles.iter().position(|title| is_result(title));
    // `| Item | Method |` describes how people work, not a command.
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
        let text = cells.find(|text| text.starts_with('`') && criterion::told(text).command.is_some())?;
        let mut check = criterion::told(&text);
        let said = cell(outline, gives.and_then(|at| row.get(at).copied()));
        if !said.is_empty() {
            results::settle(&mut check, &[StatedResult::Words(said.clone())], "");
        }
        let text = if said.is_empty() { text } else { format!("{text} → {said}") };
        let at = Extent { start: row.first()?.start, end: row.last()?.end };
        Some(Criterion { text, span: outline.span(outline.trimmed(at)), ..check })
    })
    .collect()
}

/// Whether the cells below a title hold the result of a command.
pub(crate) fn is_result(title: &str) -> bool {
    ["expect", "output", "result"].iter().any(|word| title.starts_with(word))
}
