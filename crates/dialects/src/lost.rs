//! Lines that were meant as tasks, and that a slip of the pen made into something else: whoever wrote them would miss them.
//!
//! A blank that is missing behind `###` or `-` makes a sentence of a task; a fence or a comment that nobody closes hides
//! everything behind it. A plan with such a line may be carried out, and is not complete.

use crate::{Extent, Hidden, Outline, Plan, Veil, mark};
use wire::plan::{Diagnostic, Severity};

/// The code words of all such lines.
const CODES: [&str; 4] = ["heading-without-box", NO_BLANK.0, NO_BLANK.1, UNCLOSED];
const NO_BLANK: (&str, &str) = ("heading-without-blank", "item-without-blank");
const UNCLOSED: &str = "task-unclosed";

/// Whether a diagnostic tells of a task that seems to be lost.
pub fn is_lost(found: &Diagnostic) -> bool {
    CODES.contains(&found.code.as_str())
}

/// Names them all.
pub(crate) fn tell(outline: &Outline, plan: &mut Plan) {
    unclosed(outline, plan);
    let text = outline.str(Extent { start: 0, end: outline.bytes.len() });
    for (at, _) in text.match_indices('[') {
        let Some(begin) = line_begin(text.as_bytes(), at) else { continue };
        let (lead, rest) = (&text[begin..at], &text[at..]);
        let sign = lead.trim_start();
        let code = match sign {
            "-" | "*" | "+" => NO_BLANK.1,
            _ if !sign.is_empty() && sign.len() <= 6 && sign.bytes().all(|b| b == b'#') => NO_BLANK.0,
            _ => continue,
        };
        let boxed = mark::find(rest).is_some_and(|(_, after)| rest[..after].ends_with([' ', '\t']));
        if boxed && outline.veil(at).is_none() {
            let message = format!("there is no blank between '{sign}' and its box, so it is not a task");
            let start = begin + lead.len() - sign.len();
            plan.diagnostics.push(outline.diagnostic(Severity::Warning, code, message, start));
        }
    }
}

/// How far back a line is looked for; most brackets stand far behind its beginning.
const NEAR: usize = 64;

/// Where the line begins, if only signs and blanks stand before `at`.
fn line_begin(text: &[u8], at: usize) -> Option<usize> {
    let near = &text[at.saturating_sub(NEAR)..at];
    let other = near.iter().rposition(|byte| !matches!(byte, b'#' | b'-' | b'*' | b'+' | b' ' | b'\t'));
    match other {
        Some(other) => (near[other] == b'\n').then_some(at - near.len() + other + 1),
        None => (at <= NEAR).then_some(0),
    }
}

/// What looks like a task in a fence or a comment without an end was probably not meant to be in it.
fn unclosed(outline: &Outline, plan: &mut Plan) {
    let Some(last) = outline.hidden.last().filter(|last| is_open(outline, last)) else { return };
    let begins = outline.line(last.at.start);
    let what = if last.veil == Veil::Html { "comment" } else { "code fence" };
    let inside = |found: &&mut Diagnostic| {
        found.line >= begins && matches!(found.code.as_str(), "task-in-code" | "task-in-comment")
    };
    for found in plan.diagnostics.iter_mut().filter(inside) {
        found.severity = Severity::Warning;
        UNCLOSED.clone_into(&mut found.code);
        found.message = format!(
            "the {what} that begins in line {begins} has no end, so what looks like a task in it is not one"
        );
    }
}

fn is_open(outline: &Outline, hidden: &Hidden) -> bool {
    let text = outline.str(hidden.at);
    match hidden.veil {
        Veil::Html => text.trim_start().starts_with("<!--") && !text.contains("-->"),
        Veil::Fence => {
            let first = text.trim_start();
            let sign = first.chars().next().filter(|sign| matches!(sign, '`' | '~'));
            let length = first.chars().take_while(|c| Some(*c) == sign).count();
            let last = text.trim_end().lines().skip(1).last().unwrap_or_default().trim();
            sign.is_some() && !(last.len() >= length && last.chars().all(|c| Some(c) == sign))
        }
        Veil::Indented | Veil::Quote => false,
    }
}
