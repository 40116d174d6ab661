//! The output of a console block: `[..]` stands for any characters of a line, a line `...` for any lines.

use super::{Verdict, quoted};

/// All lines must match.
pub(super) fn judge(wanted: &[String], text: &str) -> Verdict {
    let printed: Vec<&str> = text.trim_end().lines().map(str::trim_end).collect();
    let wanted: Vec<&str> = wanted.iter().map(|line| line.trim_end()).collect();
    if lines(&wanted, &printed) {
        return Verdict::Pass("printed what the block shows".to_owned());
    }
    let different = wanted.iter().zip(&printed).find(|(wanted, own)| **wanted != "..." && !line(wanted, own));
    Verdict::Fail(match different {
        Some((wanted, own)) => format!("printed {} instead of {}", quoted(own), quoted(wanted)),
        None => format!("printed {} lines, the block has {}", printed.len(), wanted.len()),
    })
}

/// Whether all lines match; each gap is tried at its shortest first and never again before it.
fn lines(wanted: &[&str], printed: &[&str]) -> bool {
    let (mut at, mut own) = (0, 0);
    let mut gap: Option<(usize, usize)> = None;
    while own < printed.len() {
        match wanted.get(at) {
            Some(&"...") => {
                gap = Some((at, own));
                at += 1;
            }
            Some(pattern) if printed.get(own).is_some_and(|text| line(pattern, text)) => {
                at += 1;
                own += 1;
            }
            _ => {
                let Some((back, from)) = gap else { return false };
                gap = Some((back, from + 1));
                at = back + 1;
                own = from + 1;
            }
        }
    }
    wanted.get(at..).unwrap_or_default().iter().all(|rest| *rest == "...")
}

fn line(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split("[..]");
    let Some(first) = parts.next() else { return false };
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}
