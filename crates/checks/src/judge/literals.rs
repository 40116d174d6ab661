//! Literals: a whole line, the whole output, or a text that is not part of a longer word or number.

use super::{Verdict, quoted};

/// One whole line equals it.
pub(super) fn line(wanted: &str, text: &str) -> Verdict {
    let wanted = wanted.trim();
    if text.lines().any(|line| line.trim() == wanted) {
        return Verdict::Pass(format!("printed {}", quoted(wanted)));
    }
    match contains(wanted, text) {
        Verdict::Pass(_) => Verdict::NoVerdict(format!(
            "{} stands within a longer line: write contains, or the whole line",
            quoted(wanted)
        )),
        _ => Verdict::Fail(format!("printed {}", quoted(text))),
    }
}

/// The whole output equals it.
pub(super) fn exactly(wanted: &str, text: &str) -> Verdict {
    let lines = |text: &str| text.trim().lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    let said = format!("printed {}", quoted(text));
    if lines(wanted) == lines(text) { Verdict::Pass(said) } else { Verdict::Fail(said) }
}

/// Found in the text, not inside a longer word or number.
pub(super) fn contains(wanted: &str, text: &str) -> Verdict {
    let wanted = wanted.trim();
    if wanted.is_empty() {
        return Verdict::NoVerdict("there is nothing to look for".to_owned());
    }
    let mut best = Edge::Inside;
    let mut found = false;
    for (at, _) in text.match_indices(wanted) {
        found = true;
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + wanted.len()..).unwrap_or_default();
        best = best.max(begins(wanted, before).min(ends(wanted, after)));
        if best == Edge::Clean {
            return Verdict::Pass(format!("printed {}", quoted(wanted)));
        }
    }
    match (found, best) {
        (true, Edge::Doubtful) => {
            Verdict::NoVerdict(format!("{} may be a part of a longer word", quoted(wanted)))
        }
        (true, _) => Verdict::Fail(format!("{} stands only inside a longer word or number", quoted(wanted))),
        (false, _) => Verdict::Fail(format!("printed {}", quoted(text))),
    }
}

/// What stands at the edge of a text that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Edge {
    /// The word or number goes on.
    Inside,
    /// Scripts without blanks, and words with a hyphen, do not tell.
    Doubtful,
    /// It begins or ends here.
    Clean,
}

fn begins(wanted: &str, before: &str) -> Edge {
    let Some(first) = wanted.chars().next().filter(|c| is_word(*c)) else { return Edge::Clean };
    let mut back = before.chars().rev();
    let (last, second) = (back.next(), back.next());
    match last {
        Some(last) if is_word(last) => {
            if is_wide(last) || is_wide(first) {
                Edge::Doubtful
            } else {
                Edge::Inside
            }
        }
        Some('.' | ',') if first.is_ascii_digit() && second.is_some_and(|c| c.is_ascii_digit()) => {
            Edge::Inside
        }
        Some('-') if first.is_ascii_digit() && !second.is_some_and(is_word) => Edge::Inside,
        Some('-') if second.is_some_and(is_word) => Edge::Doubtful,
        _ => Edge::Clean,
    }
}

fn ends(wanted: &str, after: &str) -> Edge {
    let Some(last) = wanted.chars().next_back().filter(|c| is_word(*c)) else { return Edge::Clean };
    let mut ahead = after.chars();
    let (first, second) = (ahead.next(), ahead.next());
    match first {
        Some(first) if is_word(first) => {
            if is_wide(first) || is_wide(last) {
                Edge::Doubtful
            } else {
                Edge::Inside
            }
        }
        Some('.' | ',') if last.is_ascii_digit() && second.is_some_and(|c| c.is_ascii_digit()) => {
            Edge::Inside
        }
        Some('%') if last.is_ascii_digit() => Edge::Doubtful,
        Some('-') if second.is_some_and(is_word) => Edge::Doubtful,
        _ => Edge::Clean,
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_wide(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}')
}
