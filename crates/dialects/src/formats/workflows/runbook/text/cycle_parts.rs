//! The parts of a cycle: bootstrap, RED and GREEN, as byte ranges.
//!
//! All spellings of the marks are accepted (`**GREEN Phase:**`, `**GREEN:**`, `**GREEN — x:**`, `### GREEN Phase`): a
//! splitter that knows only one of them leaves the other cycles without an implementation.

use super::label::{self, Label};
use markdown::{Extent, Outline};
use serde_json::{Value, json};

/// The parts of a section with their ranges, in order.
pub(crate) fn parts(outline: &Outline, at: Extent, labels: &[Label]) -> Vec<(&'static str, Extent)> {
    let bold = labels.iter().filter_map(|label| Some((part(&label.name)?, label.start)));
    let heads = label::lines(outline, at).filter_map(|line| {
        let text = outline.str(line);
        let name = text.strip_prefix("###")?.trim_matches(['#', ' ', ':']).to_lowercase();
        Some((part(&name)?, line.start))
    });
    let mut marks: Vec<(&'static str, usize)> = bold.chain(heads).collect();
    marks.sort_by_key(|mark| mark.1);
    // Only the first occurrence of a word begins a part; a repeated one belongs to the open part.
    let mut seen: Vec<&str> = Vec::new();
    marks.retain(|(name, _)| {
        let new = !seen.contains(name);
        seen.push(name);
        new
    });
    let ends: Vec<usize> = marks.iter().skip(1).map(|mark| mark.1).chain([at.end]).collect();
    marks
        .iter()
        .zip(ends)
        .map(|((name, start), end)| (*name, outline.trimmed(Extent { start: *start, end })))
        .collect()
}

/// The parts as the value of the task's field.
pub(crate) fn value(outline: &Outline, parts: &[(&'static str, Extent)]) -> Value {
    let rows = parts.iter().map(
        |(name, at)| json!({"part": name, "line": outline.line(at.start), "start": at.start, "end": at.end}),
    );
    Value::Array(rows.collect())
}

fn part(name: &str) -> Option<&'static str> {
    let word = name.split([' ', ':', '—', '(']).next()?;
    match word {
        "red" => Some("red"),
        "green" => Some("green"),
        "bootstrap" if name == "bootstrap" => Some("bootstrap"),
        "test" if name == "test phase" => Some("test"),
        _ => None,
    }
}
