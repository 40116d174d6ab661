//! Code spans of one line, after `CommonMark`: a run of backticks up to the next run of the same length.

use crate::Extent;
use std::collections::HashMap;

/// A code span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// With its backticks.
    pub at: Extent,
    /// Without them, and without the one blank on each side that does not count.
    pub inner: Extent,
}

/// The code spans of `text`, in order.
pub fn spans(text: &str) -> Vec<Code> {
    let runs = runs(text);
    if runs.len() < 2 {
        return Vec::new();
    }
    // If all runs have the same length, which is nearly always so, each closes the one before it.
    let alike =
        |run: &Extent| runs.first().is_some_and(|first| run.end - run.start == first.end - first.start);
    if runs.iter().all(alike) {
        return runs
            .chunks_exact(2)
            .filter_map(|pair| Some(code(text, pair.first()?, pair.last()?)))
            .collect();
    }
    // For each length, the runs still to come, so that an unclosed run costs no search.
    let mut later: HashMap<usize, Vec<usize>> = HashMap::new();
    for (number, run) in runs.iter().enumerate().rev() {
        later.entry(run.end - run.start).or_default().push(number);
    }
    let mut found = Vec::new();
    let mut number = 0;
    while let Some(open) = runs.get(number) {
        let same = later.entry(open.end - open.start).or_default();
        while same.last().is_some_and(|&last| last <= number) {
            same.pop();
        }
        let close = same.last().copied();
        match close.and_then(|at| runs.get(at).map(|run| (at, run))) {
            Some((at, close)) => {
                found.push(code(text, open, close));
                number = at + 1;
            }
            None => number += 1,
        }
    }
    found
}

fn code(text: &str, open: &Extent, close: &Extent) -> Code {
    let inner = padding(text, Extent { start: open.end, end: close.start });
    Code { at: Extent { start: open.start, end: close.end }, inner }
}

/// `text` without one pair of backticks around all of it.
pub fn bare(text: &str) -> &str {
    let text = text.trim();
    match spans(text).as_slice() {
        [only] if only.at.start == 0 && only.at.end == text.len() => {
            text.get(only.inner.start..only.inner.end).unwrap_or(text)
        }
        _ => text,
    }
}

fn runs(text: &str) -> Vec<Extent> {
    let bytes = text.as_bytes();
    let mut runs: Vec<Extent> = Vec::new();
    for at in memchr::memchr_iter(b'`', bytes) {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(Extent { start: at, end: at + 1 }),
        }
    }
    runs
}

fn padding(text: &str, inner: Extent) -> Extent {
    let content = text.get(inner.start..inner.end).unwrap_or_default();
    let padded = content.len() > 2 && content.starts_with(' ') && content.ends_with(' ');
    if padded && !content.trim().is_empty() {
        return Extent { start: inner.start + 1, end: inner.end - 1 };
    }
    inner
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_follow_commonmark() {
        let inner = |text: &str| -> Vec<String> {
            spans(text).iter().map(|code| text[code.inner.start..code.inner.end].to_owned()).collect()
        };
        assert_eq!(inner("`a` and `b`"), ["a", "b"]);
        assert_eq!(inner("`` a ` b `` `c`"), ["a ` b", "c"]);
        assert_eq!(inner("`open and ``two`` "), ["two"]);
        assert!(inner("no code").is_empty());
        assert_eq!(bare("`x`"), "x");
        assert_eq!(bare("`x` y"), "`x` y");
    }

    #[test]
    fn a_million_backticks_are_read_in_one_pass() {
        let text: String = (0..2000).map(|n| "`".repeat(n % 50 + 1) + " ").collect();
        spans(&text);
    }
}
