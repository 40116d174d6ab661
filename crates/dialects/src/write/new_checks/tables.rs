//! Checks in a table: the cell of a column for them, or a new column.

use super::{NewCheck, Page};
use crate::write::Edit;

/// The names of columns that hold checks, in lowercase.
const COLUMNS: &[&str] = &["acceptance", "verification", "verify", "validation"];

/// Puts the check into the task's row. A row has one check: several go into one cell only if they read back so.
pub(super) fn column(page: &Page<'_>, checks: &[NewCheck<'_>], name: &str) -> Vec<Vec<Edit>> {
    let row = page.line_start(page.start());
    if !line_at(page, row).trim_start().starts_with('|') {
        return Vec::new();
    }
    let texts: Vec<String> = checks.iter().map(|check| check.text.replace('|', "\\|")).collect();
    let text = texts.join(", ");
    let rows = table(page, row);
    let Some(head) = rows.first().copied() else { return Vec::new() };
    let cells = cells(line_at(page, head));
    let known = cells.iter().position(|(_, title)| COLUMNS.contains(&title.trim().to_lowercase().as_str()));
    if let Some(index) = known {
        let own = self::cells(line_at(page, row));
        let Some((at, said)) = own.get(index) else { return Vec::new() };
        if !said.trim().is_empty() {
            return Vec::new();
        }
        let (at, text) =
            if said.is_empty() { (*at, format!(" {text} ")) } else { (at + 1, format!("{text} ")) };
        return vec![page.put(row + at, text)];
    }
    let mut edits = Vec::new();
    for (number, start) in rows.iter().enumerate() {
        let line = line_at(page, *start);
        if !line.trim_end().ends_with('|') {
            return Vec::new();
        }
        let cell = match number {
            0 => format!(" {name} |"),
            1 => "---|".to_owned(),
            _ if *start == row => format!(" {text} |"),
            _ => " |".to_owned(),
        };
        edits.extend(page.put(start + line.trim_end().len(), cell));
    }
    vec![edits]
}

/// Where the lines of the table around a row begin.
fn table(page: &Page<'_>, row: usize) -> Vec<usize> {
    let is_row = |at: usize| line_at(page, at).trim_start().starts_with('|');
    let mut first = row;
    while first > 0 && is_row(page.line_start(first - 1)) {
        first = page.line_start(first - 1);
    }
    let mut rows = vec![];
    let mut at = first;
    while at < page.text.len() && is_row(at) {
        rows.push(at);
        at = page.line_end(at);
    }
    rows
}

fn line_at<'t>(page: &Page<'t>, at: usize) -> &'t str {
    page.text.get(at..page.line_end(at)).unwrap_or_default()
}

/// The cells of a row, each with the offset of its first byte in the line.
fn cells(line: &str) -> Vec<(usize, &str)> {
    let bytes = line.as_bytes();
    let bars: Vec<usize> = (0..bytes.len())
        .filter(|at| bytes[*at] == b'|' && at.checked_sub(1).is_none_or(|before| bytes[before] != b'\\'))
        .collect();
    bars.windows(2).filter_map(|pair| Some((pair[0] + 1, line.get(pair[0] + 1..pair[1])?))).collect()
}
