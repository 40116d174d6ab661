//! The heading of a task: `### [x] TODO 2a: title`, `### [ ] P0-2b: title`, `#### [ ] Task Final — title`.

use crate::Plan;
use crate::deps::ids;
use crate::states::decoration;
use markdown::{Extent, Heading, Outline, Veil, marks};
use wire::plan::Severity;

/// A parsed heading.
pub(crate) struct Head {
    /// 1 to 6.
    pub(crate) level: u8,
    /// The whole heading, without its line end.
    pub(crate) at: Extent,
    /// The content of the brackets.
    pub(crate) mark: Option<Extent>,
    /// Whether it says `TODO` or `Task`.
    keyword: bool,
    /// The id as written.
    pub(crate) id: Option<String>,
    /// The title without decoration.
    pub(crate) title: String,
    /// Whether it was added during execution.
    pub(crate) added: bool,
}

impl Head {
    pub(crate) fn new(outline: &Outline, heading: &Heading) -> Self {
        let mark = heading.mark;
        // Without a box only a heading with a keyword matters; most are plain sections.
        let start = mark.map_or(heading.at.start, |mark| mark.end + 1);
        let shown = outline.view(Extent { start, end: heading.at.end });
        let text = decoration::without(shown.trim_matches(['#', ' ', '\t']));
        let text = if mark.is_some() { marks::without_signs(&text) } else { &text };
        let (keyword, rest) = ids::without_keyword(text);
        let (id, title) = split(rest, keyword);
        let (title, added) = match title.trim_start().strip_prefix("(ADDED)") {
            Some(rest) => (rest.trim_start_matches([':', ' ']), true),
            None => (title, false),
        };
        let title = clean(title);
        Self { level: heading.level, at: heading.at, mark, keyword, id, title, added }
    }

    /// The same for a list item, `- [ ] 1. title`; `at` is its first line.
    pub(crate) fn of_item(outline: &Outline, mark: Extent, at: Extent) -> Self {
        let heading = Heading { level: u8::MAX, at, mark: Some(mark), atx: false, inner: false };
        Self::new(outline, &heading)
    }

    /// Whether a heading without a box was probably meant as a task.
    pub(crate) fn looks_like_task(&self) -> bool {
        let numbered =
            |id: &String| id.eq_ignore_ascii_case("final") || id.contains(|c: char| c.is_ascii_digit());
        self.keyword && self.id.as_ref().is_some_and(numbered)
    }
}

/// Reports the headings that look like tasks but have no box.
pub(crate) fn unboxed(outline: &Outline, heads: &[Head], plan: &mut Plan) {
    for head in heads.iter().filter(|head| head.mark.is_none() && head.looks_like_task()) {
        let id = head.id.as_deref().unwrap_or_default();
        let message = format!("heading 'TODO {id}' has no box, so it is not a task");
        let found = outline.diagnostic(Severity::Warning, "heading-without-box", message, head.at.start);
        plan.diagnostics.push(found);
    }
}

/// Reports lines in code, comments or quotes that look like tasks.
pub(crate) fn hidden(outline: &Outline, plan: &mut Plan) {
    for hidden in &outline.hidden {
        let (code, place) = match hidden.veil {
            Veil::Fence | Veil::Indented => ("task-in-code", "code"),
            Veil::Html => ("task-in-comment", "HTML"),
            Veil::Quote => ("task-in-quote", "a block quote"),
        };
        for line in outline.lines_in(hidden.at) {
            let text = outline.str(line.at).trim_start_matches(['>', ' ', '\t']);
            if text.starts_with('#') && is_task(text) {
                let start = line.at.end - text.len();
                let message = format!("what looks like a task in {place} is not one");
                plan.diagnostics.push(outline.diagnostic(Severity::Hint, code, message, start));
            }
        }
    }
    for heading in outline.headings.iter().filter(|heading| heading.inner && heading.mark.is_some()) {
        if outline.veil(heading.at.start).is_none() {
            let message = "a heading with a box inside a list is not a task".to_owned();
            plan.diagnostics.push(outline.diagnostic(
                Severity::Hint,
                "task-in-list",
                message,
                heading.at.start,
            ));
        }
    }
}

fn is_task(line: &str) -> bool {
    let text = line.trim_start_matches('#');
    let boxed = marks::find(text.trim_start());
    let after = boxed.and_then(|(_, after)| text.trim_start().get(after..));
    let (keyword, rest) = ids::without_keyword(after.unwrap_or(text.trim_start()));
    text.len() < line.len()
        && (after.is_some()
            || keyword && split(rest, true).0.is_some_and(|id| id.contains(|c: char| c.is_ascii_digit())))
}

/// The id and the title.
fn split(text: &str, keyword: bool) -> (Option<String>, &str) {
    let text = text.trim_start_matches(['*', '_', '`', ' ']);
    let word = ids::word(text);
    let after = text.get(word.len()..).unwrap_or_default();
    let plain = after.trim_start_matches(['*', '_', '`']);
    let (note, plain) = added(plain);
    let title = ids::after_separator(plain);
    let id = word.trim_end_matches(['.', '-']);
    let numbered = id.contains(|c: char| c.is_ascii_digit()) || id.eq_ignore_ascii_case("final");
    let closed = title.is_some() || word.len() > id.len() && numbered;
    if !id.is_empty()
        && (closed || keyword && numbered || numbered && plain.starts_with([' ', '\t']) || plain.is_empty())
    {
        let title = title.unwrap_or(plain).trim();
        // Keep a note between id and separator as part of the title.
        return if note.is_empty() {
            (Some(id.to_owned()), title)
        } else {
            (Some(id.to_owned()), after.trim_start_matches(['*', '_', '`', ' ']))
        };
    }
    // `Phase 1: Setup`: the text before the colon is the only name.
    match text.split_once(':') {
        Some((name, title)) if !name.trim().is_empty() && name.len() <= 32 => {
            (Some(name.trim().to_owned()), title)
        }
        _ => (None, text),
    }
}

/// `(ADDED)` and similar notes between id and separator.
fn added(text: &str) -> (&str, &str) {
    let trimmed = text.trim_start();
    let Some(inner) = trimmed.strip_prefix('(') else { return ("", text) };
    match inner.split_once(')') {
        Some((note, rest)) if ids::after_separator(rest).is_some() => (note, rest),
        _ => ("", text),
    }
}

fn clean(title: &str) -> String {
    let title = title.trim_start_matches([':', '—', '–', '-', ' ', '\t']).trim();
    // `**TODO 2:** title`: the emphasis ends before the title.
    let title = title.strip_prefix("** ").unwrap_or(title).trim();
    let bold = title.strip_prefix("**").and_then(|inner| inner.strip_suffix("**"));
    bold.filter(|inner| !inner.contains("**")).unwrap_or(title).to_owned()
}
