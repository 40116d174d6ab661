//! Lines that were meant as tasks but that a typo turned into something else.
//!
//! A missing blank after `###` or `-`, or a box in bold, turns a task into prose; an unclosed fence or comment hides
//! everything after it. A plan with such a line can be executed, but it is not complete.

use crate::Plan;
use markdown::{Extent, Hidden, Outline, Veil, marks};
use memchr::memchr_iter;
use std::collections::HashSet;
use wire::plan::{Diagnostic, Severity};

/// The diagnostic codes for such lines.
const CODES: [&str; 5] = ["heading-without-box", NO_BLANK.0, NO_BLANK.1, NO_BOX, UNCLOSED];
const NO_BOX: &str = "box-not-understood";
const NO_BLANK: (&str, &str) = ("heading-without-blank", "item-without-blank");
const UNCLOSED: &str = "task-unclosed";

/// Whether a diagnostic reports a task that seems to be lost.
pub fn is_lost(found: &Diagnostic) -> bool {
    CODES.contains(&found.code.as_str())
}

/// Reports all such lines.
pub(crate) fn tell(outline: &Outline, plan: &mut Plan) {
    unclosed(outline, plan);
    let text = outline.str(Extent { start: 0, end: outline.bytes.len() });
    let by_boxes = outline.items.iter().any(|item| item.mark.is_some());
    // Some dialects accept more forms of a box than others.
    let tasks = plan.tasks.iter().filter(|task| task.span.path == outline.path);
    let marks: HashSet<u64> = tasks.filter_map(|task| Some(task.mark.as_ref()?.start)).collect();
    let brackets = text.match_indices('[').filter(|(at, _)| !marks.contains(&(*at as u64 + 1)));
    for (at, _) in brackets {
        let Some(begin) = line_begin(text.as_bytes(), at) else { continue };
        let (lead, rest) = (text.get(begin..at).unwrap_or_default(), text.get(at..).unwrap_or_default());
        let sign = lead.trim_start();
        let Some(code) = slip(sign, rest).filter(|code| *code != NO_BOX || by_boxes) else { continue };
        if sign.is_empty() && is_wrapped(text.get(..begin).unwrap_or_default()) {
            continue;
        }
        let message = if code == NO_BOX {
            format!("what stands around '{}' keeps it from being a box, so it is not a task", boxed(rest))
        } else {
            format!("there is no blank between '{sign}' and its box, so it is not a task")
        };
        say(outline, plan, code, message, begin + lead.len() - sign.len());
    }
    // All signs begin with the same byte, which most plans do not contain.
    for at in memchr_iter(SIGNS[0].as_bytes()[0], text.as_bytes()).filter(|_| by_boxes) {
        let Some(sign) = text.get(at..at + SIGNS[0].len()).filter(|sign| SIGNS.contains(sign)) else {
            continue;
        };
        let Some(begin) = line_begin(text.as_bytes(), at) else { continue };
        let lead = text.get(begin..at).unwrap_or_default().trim_start();
        if is_bullet(lead) || lead.is_empty() {
            let message = format!("'{sign}' is no box, so it is not a task");
            say(outline, plan, NO_BOX, message, at - lead.len());
        }
    }
}

/// Unicode characters that look like a box.
const SIGNS: [&str; 3] = ["☐", "☑", "☒"];

fn say(outline: &Outline, plan: &mut Plan, code: &'static str, message: String, at: usize) {
    if outline.veil(at).is_none() {
        plan.diagnostics.push(outline.diagnostic(Severity::Warning, code, message, at));
    }
}

/// The error in the bracket at the beginning of `rest`, if it was meant as a box after `sign`.
fn slip(sign: &str, rest: &str) -> Option<&'static str> {
    let found = marks::find(rest).is_some_and(|(_, after)| rest[..after].ends_with([' ', '\t']));
    match sign {
        "-" | "*" | "+" => return found.then_some(NO_BLANK.1),
        _ if !sign.is_empty() && sign.len() <= 6 && sign.bytes().all(|b| b == b'#') => {
            return found.then_some(NO_BLANK.0);
        }
        _ => {}
    }
    let mark = boxed(rest);
    let after = rest.get(mark.len()..).filter(|_| !mark.is_empty())?;
    let blank = after.starts_with([' ', '\t']);
    if is_bullet(sign) {
        // `[x](url)` and `[x][name]` are links; followed by a blank it is a box, unless a backslash closes it.
        let text = !after.starts_with(['(', '[', '\n', '\r']) && !after.is_empty();
        let wrong = if mark.contains('\\') { blank } else { text && marks::find(rest).is_none() };
        return wrong.then_some(NO_BOX);
    }
    let bare = ["- ", "* ", "+ "].iter().find_map(|bullet| sign.strip_prefix(bullet)).unwrap_or(sign);
    let other = matches!(bare.trim_end(), "" | "•" | "–" | "—" | "·" | "◦" | "▪" | "●");
    let dressed = bare.chars().all(|c| matches!(c, '*' | '_' | '~' | '\\'));
    (blank && (other || dressed)).then_some(NO_BOX)
}

/// Whether a line continues a sentence of the previous line.
fn is_wrapped(before: &str) -> bool {
    let before = before.strip_suffix('\n').unwrap_or(before);
    let above = before.rsplit('\n').next().unwrap_or_default().trim();
    !above.is_empty() && boxed(above).is_empty() && !above.starts_with(['#', '-', '*', '+'])
}

/// Whether the sign is a bullet or a number, followed by a blank.
fn is_bullet(sign: &str) -> bool {
    marks::after_bullet(sign).is_some_and(str::is_empty)
}

/// The box at the beginning of a text, if it can be nothing but a box.
fn boxed(text: &str) -> &str {
    let found = ["[ ]", "[x]", "[X]", "[ \\]", "[x\\]", "[X\\]"].iter().find(|b| text.starts_with(**b));
    found.map_or("", |found| text.get(..found.len()).unwrap_or_default())
}

/// How far back to search for the beginning of the line; most brackets stand far from it.
const NEAR: usize = 64;

/// The beginning of the line, if only signs and blanks stand before `at`.
fn line_begin(text: &[u8], at: usize) -> Option<usize> {
    let near = &text[at.saturating_sub(NEAR)..at];
    let sign =
        |byte: &u8| matches!(byte, b'!'..=b'/' | b'0'..=b'9' | b'\\' | b'_' | b'~' | b' ' | b'\t' | 0x80..);
    match near.iter().rposition(|byte| !sign(byte)) {
        Some(other) => (near[other] == b'\n').then_some(at - near.len() + other + 1),
        None => (at <= NEAR).then_some(0),
    }
}

/// Reports task-like lines in an unclosed fence or comment: they were probably not meant to be inside it.
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
