//! Checks in Markdown: labelled lines, boxes, elements.

use super::{NewCheck, Page};
use crate::write::Edit;
use std::fmt::Write;

/// `Verify:` lines: below an item as items of it, below a heading as paragraphs.
pub(super) fn verify(page: &Page<'_>, checks: &[NewCheck<'_>]) -> Vec<Vec<Edit>> {
    let (start, end) = (page.start(), page.end());
    let first = page.text.get(start..).unwrap_or_default();
    if first.starts_with('|') {
        return Vec::new();
    }
    let is_matter = first.starts_with("---");
    let places = [page.after_text(start, end), page.line_end(start)];
    if first.starts_with('#') || is_matter {
        let places = if is_matter { &places[..1] } else { &places[..] };
        return places
            .iter()
            .map(|at| page.insert(*at, &paragraphs(page, *at, checks, "Verify: ")))
            .collect();
    }
    let lead = indent(page, start, end);
    let line = |check: &NewCheck<'_>| format!("{lead}Verify: {}{}", check.text, page.eol());
    let lines = checks.iter().map(line).collect::<Vec<_>>().concat();
    places.iter().map(|at| page.insert(*at, &lines)).collect()
}

/// `Run:` and `Expected:` at the end of the section; where the steps are boxes, also as a step of its own.
pub(super) fn run_expected(page: &Page<'_>, checks: &[NewCheck<'_>]) -> Vec<Vec<Edit>> {
    let (at, eol) = (page.after_text(page.start(), page.end()), page.eol());
    let mut lines = String::new();
    for check in checks {
        let expected = if check.expected.is_empty() { "exit 0" } else { check.expected };
        let run = wire::plan::clause::literal(check.command);
        let _ = write!(lines, "{eol}Run: {run}{eol}Expected: {expected}{eol}");
    }
    let lines = closed(page, at, lines);
    vec![page.insert(at, &lines)]
}

/// Boxes below a label: behind the last item of its list, or below a new label at the end of the section.
pub(super) fn boxes(page: &Page<'_>, checks: &[NewCheck<'_>], label: &str, new: &str) -> Vec<Vec<Edit>> {
    let (start, end, eol) = (page.start(), page.end(), page.eol());
    let list = |lead: &str| -> String {
        checks.iter().map(|check| format!("{lead}- [ ] {}{eol}", check.text)).collect::<Vec<_>>().concat()
    };
    let mut ways = Vec::new();
    if let Some((at, lead)) = list_below(page, start, end, label) {
        ways.push(page.insert(at, &list(&lead)));
    }
    let at = page.after_text(start, end);
    let lines = format!("{eol}{}{}", new.replace('\n', eol), list(""));
    ways.push(page.insert(at, &closed(page, at, lines)));
    ways
}

/// The end of the list below a label, and the indentation of its items.
fn list_below(page: &Page<'_>, start: usize, end: usize, label: &str) -> Option<(usize, String)> {
    let mut at = start;
    let mut found: Option<(usize, Option<String>)> = None;
    for line in page.text.get(start..end)?.split_inclusive('\n') {
        at += line.len();
        let bare = line.trim();
        match &mut found {
            None if !is_item(bare) && bare.to_lowercase().contains(label) => found = Some((at, None)),
            Some((last, lead)) if is_item(bare) || line.starts_with([' ', '\t']) && !bare.is_empty() => {
                *last = at;
                let own = line.get(..line.len() - line.trim_start().len()).unwrap_or_default();
                lead.get_or_insert_with(|| own.to_owned());
            }
            Some(_) if !bare.is_empty() => break,
            _ => {}
        }
    }
    found.and_then(|(at, lead)| Some((at, lead?)))
}

/// An element before the end of the task's own.
pub(super) fn element(page: &Page<'_>, checks: &[NewCheck<'_>], name: &str) -> Vec<Vec<Edit>> {
    let (start, eol) = (page.start(), page.eol());
    let end = usize::try_from(page.task.span.end).unwrap_or(usize::MAX).min(page.text.len());
    let body = page.text.get(start..end).unwrap_or_default();
    let Some(close) = body.rfind("</") else { return Vec::new() };
    let at = page.line_start(start + close);
    if at <= start {
        return Vec::new();
    }
    // The children of the task show how far they are indented.
    let child = body.lines().skip(1).find(|line| line.trim_start().starts_with('<')).unwrap_or("  ");
    let lead = child.get(..child.len() - child.trim_start().len()).unwrap_or_default();
    let text = match checks {
        [one] => format!("{lead}<{name}>{}</{name}>{eol}", one.text),
        several => {
            let item = |check: &NewCheck<'_>| format!("{lead}  - {}{eol}", check.text);
            let items = several.iter().map(item).collect::<Vec<_>>().concat();
            format!("{lead}<{name}>{eol}{items}{lead}</{name}>{eol}")
        }
    };
    vec![page.put(at, text)]
}

/// A paragraph for each check, with a blank line before it and, where text follows, after it.
fn paragraphs(page: &Page<'_>, at: usize, checks: &[NewCheck<'_>], label: &str) -> String {
    let eol = page.eol();
    let line = |check: &NewCheck<'_>| format!("{eol}{label}{}{eol}", check.text);
    let lines = checks.iter().map(line).collect::<Vec<_>>().concat();
    closed(page, at, lines)
}

/// A blank line behind inserted paragraphs where the next line is not blank.
fn closed(page: &Page<'_>, at: usize, mut lines: String) -> String {
    let next = page.text.get(at..page.line_end(at)).unwrap_or_default();
    if !next.trim().is_empty() {
        lines.push_str(page.eol());
    }
    lines
}

/// The indentation and the mark of the items below an item.
fn indent(page: &Page<'_>, start: usize, end: usize) -> String {
    let own = page.text.get(page.line_start(start)..start).unwrap_or_default();
    let below = page.text.get(page.line_end(start)..end.max(page.line_end(start))).unwrap_or_default();
    let blanks = |line: &str| line.len() - line.trim_start().len();
    let outer = own.len();
    let child = below.lines().find(|line| blanks(line) > outer && is_item(line.trim_start()));
    if let Some(line) = child {
        let lead = line.get(..blanks(line)).unwrap_or_default();
        let mark = line.trim_start().chars().next().filter(|c| "*+-".contains(*c)).unwrap_or('-');
        return format!("{lead}{mark} ");
    }
    // The items below a numbered item stand below its text.
    let item = page.text.get(start..).unwrap_or_default();
    let digits = item.chars().take_while(char::is_ascii_digit).count();
    let width = if digits > 0 { digits + 2 } else { 2 };
    let outer: String = own.chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    let mark = item.chars().next().filter(|c| "*+".contains(*c)).unwrap_or('-');
    format!("{outer}{}{mark} ", " ".repeat(width))
}

fn is_item(line: &str) -> bool {
    let mut rest = line.trim_start_matches(|c: char| c.is_ascii_digit()).chars();
    let digits = line.len() - rest.as_str().len();
    let mark = rest.next().unwrap_or(' ');
    let is_mark = if digits > 0 { matches!(mark, '.' | ')') } else { "-*+".contains(mark) };
    is_mark && rest.next().is_some_and(char::is_whitespace)
}
