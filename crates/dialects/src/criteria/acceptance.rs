//! Acceptance criteria: categories, items with and without a box, and their commands.

use crate::criteria::results;
use crate::criteria::tables;
use crate::fields::item_text;
use crate::fields::labels::LabelledField;
use checks::{criterion, fenced};
use markdown::{Extent, Fence, Item, Outline, code_spans, marks};
use wire::plan::Criterion;

/// Reads the criteria of one field and appends them; `category` applies until a line names another.
pub(crate) fn read(
    outline: &Outline,
    task: &str,
    category: &str,
    field: &LabelledField,
    criteria: &mut Vec<Criterion>,
) {
    let body = field.body;
    let mut reader = Reader { outline, task, category: category.to_owned(), criteria };
    reader.plain(field.inline);
    let base = outline.items.partition_point(|item| item.at.start < body.start);
    let items = outline.items_in(body);
    let mut taken = vec![false; items.len()];
    let mut next = 0;
    for line in outline.lines_in(body) {
        let from = next;
        while items.get(next).is_some_and(|item| item.at.start < line.at.end) {
            next += 1;
        }
        if line.veil.is_none() && from == next {
            reader.line(line.at);
        }
        for (number, item) in items.iter().enumerate().take(next).skip(from).filter(|(_, item)| !item.quoted)
        {
            let parent = item.parent.and_then(|parent| parent.checked_sub(base));
            // A plain item below a criterion explains it; a boxed one is a criterion of its own, and so is a command.
            let nested = item.mark.is_none() && parent.is_some_and(|at| taken.get(at) == Some(&true));
            let explains = nested && !reader.is_check(item, body.end);
            let is_one = !explains && reader.item(item, nested, body.end);
            if let Some(slot) = taken.get_mut(number) {
                *slot = is_one || explains;
            }
        }
    }
    for check in outline.tables_in(body).iter().flat_map(|table| tables::checks(outline, table)) {
        let id = format!("{task}:{}", criteria.len() + 1);
        criteria.push(Criterion { id, category: category.to_owned(), ..check });
    }
}

/// Whether a lowercase name is the name of a category.
pub(crate) fn is_category(name: &str) -> bool {
    CATEGORIES.contains(&name.split([' ', '/', '-']).next().unwrap_or(name))
}

/// The category that a line announces, in lowercase, and the text after it.
pub(crate) fn category_line(line: &str) -> Option<(String, &str)> {
    let text = line.trim();
    if !text.starts_with(['*', '#', '_']) {
        return None;
    }
    let fence = if text.starts_with("**") { "**" } else { "*" };
    if let Some(title) = text.strip_prefix('#') {
        let name = title.trim_matches(['#', ' ', ':', '*']).to_lowercase();
        return is_category(&name).then_some((name, ""));
    }
    let inner = text.strip_prefix(fence).or_else(|| text.strip_prefix('_'))?;
    let (name, rest) = inner.split_once(if text.starts_with('_') { "_" } else { fence })?;
    let colon = name.trim_end().ends_with(':') || rest.trim_start().starts_with(':');
    let name = name.trim().trim_end_matches(':').trim().to_lowercase();
    let name = TRANSLATED.iter().find(|(own, _)| *own == name).map_or(name, |(_, plain)| (*plain).to_owned());
    let short = !name.is_empty() && name.split_whitespace().count() <= 3;
    (short && (colon || is_category(&name) && rest.trim().is_empty()))
        .then(|| (name, rest.trim_start().trim_start_matches(':').trim()))
}

/// The names of the template in the languages into which it was translated.
const TRANSLATED: &[(&str, &str)] = &[
    ("기능", "functional"),
    ("정적", "static"),
    ("런타임", "runtime"),
    ("정리", "cleanup"),
    ("功能", "functional"),
    ("静态", "static"),
    ("运行时", "runtime"),
];

const CATEGORIES: &[&str] = &[
    "functional",
    "static",
    "runtime",
    "cleanup",
    "scenario",
    "scenarios",
    "check",
    "checks",
    "build",
    "lint",
    "format",
    "test",
    "tests",
    "integration",
    "manual",
    "e2e",
    "performance",
    "security",
];

struct Reader<'r, 'o> {
    outline: &'r Outline<'o>,
    task: &'r str,
    category: String,
    criteria: &'r mut Vec<Criterion>,
}

impl Reader<'_, '_> {
    /// A line outside of items: a category, perhaps followed by a criterion.
    fn line(&mut self, at: Extent) {
        let outline = self.outline;
        let line = outline.str(at);
        let Some((name, rest)) = category_line(line) else { return };
        self.category = name;
        let end = at.start + line.trim_end().len();
        self.plain(Extent { start: end - rest.len(), end });
    }

    /// A criterion on the line of a label.
    fn plain(&mut self, at: Extent) {
        let text = self.outline.str(at).trim();
        let note = text.starts_with('(') && text.ends_with(')');
        if !item_text::is_none(text) && !note {
            let category = self.category.clone();
            self.push(&self.outline.shown(at), category, at, None);
        }
    }

    /// Whether the item is a criterion; `nested` is a check of its own below another criterion.
    fn item(&mut self, item: &Item, nested: bool, end: usize) -> bool {
        let at = item_text::first(self.outline, item, end);
        let text = item_text::joined(self.outline, at);
        // `[A]`, `[S]` and `[H]` are not boxes: they say that an agent, an agent at the running program, or a person
        // checks it.
        let who = item.mark.and_then(|mark| who(self.outline.str(mark)));
        let boxed = item.mark.filter(|_| who.is_none());
        let (text, category) = match category_line(&text) {
            Some((name, rest)) => {
                let rest = rest.to_owned();
                self.category.clone_from(&name);
                (rest, name)
            }
            None => (text, who.map_or_else(|| self.category.clone(), str::to_owned)),
        };
        if item_text::is_none(&text) && (item.mark.is_none() || text.is_empty()) {
            return false;
        }
        self.push(&text, category, Extent { start: item.at.start, end: at.end }, boxed);
        let mut below = Extent { start: at.end, end: self.end_of(item, end).max(at.end) };
        let Some(criterion) = self.criteria.last_mut() else { return true };
        if let Some(check) = check_of(&text).filter(|_| nested && criterion.command.is_none()) {
            let told = criterion::told(check);
            (criterion.command, criterion.expect) = (told.command, told.expect);
            (criterion.runnable, criterion.skip) = (told.runnable, told.skip);
        }
        let mut intro = "";
        if criterion.command.is_none()
            && criterion.skip.is_none()
            && let Some((fence, command)) = shell(self.outline, at.end, item.at.end.min(end))
        {
            (criterion.command, criterion.runnable) = (Some(command), true);
            (below.start, intro) = (fence.at.end.min(below.end), &text);
        }
        results::settle(criterion, &results::below(self.outline, below), intro);
        true
    }

    /// Where the text of an item's own check ends: before the next check, or at the end of the enclosing item or the
    /// item.
    fn end_of(&self, item: &Item, end: usize) -> usize {
        let outer = item.parent.and_then(|parent| self.outline.items.get(parent));
        let end = outer.map_or(item.at.end, |outer| outer.at.end).min(end);
        let inner = self.outline.items_in(Extent { start: item.at.start + 1, end });
        let next = inner.iter().find(|next| next.mark.is_some() || self.is_check(next, end));
        next.map_or(end, |next| next.at.start)
    }

    /// Whether an item is a command with its result, or ends with a command.
    fn is_check(&self, item: &Item, end: usize) -> bool {
        check_of(&item_text::joined(self.outline, item_text::first(self.outline, item, end))).is_some()
    }

    fn push(&mut self, text: &str, category: String, at: Extent, boxed: Option<Extent>) {
        let (tag, plain) = tag(text);
        // Most tasks have only one.
        if self.criteria.is_empty() {
            self.criteria.reserve_exact(1);
        }
        self.criteria.push(Criterion {
            id: format!("{}:{}", self.task, self.criteria.len() + 1),
            category: tag.map_or(category, str::to_lowercase),
            text: text.to_owned(),
            checked: boxed.is_some_and(|mark| marks::is_ticked(self.outline.str(mark))),
            span: self.outline.span(boxed.unwrap_or(at)),
            boxed: boxed.is_some(),
            ..criterion::told(plain)
        });
    }
}

/// The first block directly below a criterion, before any other item, if it is the only block of shell lines.
fn shell<'o>(outline: &'o Outline, start: usize, end: usize) -> Option<(&'o Fence, String)> {
    let next = outline.items.partition_point(|item| item.at.start < start);
    let end = outline.items.get(next).map_or(end, |next| next.at.start.min(end));
    let fences = outline.fences_in(Extent { start, end: end.max(start) });
    let mut commands = fences.iter().filter_map(|fence| Some((fence, fenced::command(outline, fence)?)));
    let first = commands.next().filter(|(fence, _)| fences.first().is_some_and(|f| f.at == fence.at))?;
    commands.next().is_none().then_some(first)
}

/// The command and result in a text: the whole text, or the single command that it ends with.
fn check_of(text: &str) -> Option<&str> {
    let spans = code_spans::spans(text);
    let first = spans.first()?;
    let check = text.get(first.at.start..)?;
    let rest = check.get(first.at.end - first.at.start..)?.trim_start();
    let ends =
        rest.is_empty() && spans.len() == 1 || criterion::ARROW_WORDS.iter().any(|a| rest.starts_with(a));
    (first.at.start == 0 || ends).then_some(check).filter(|check| criterion::told(check).command.is_some())
}

/// The meaning of a letter in brackets before a criterion.
fn who(mark: &str) -> Option<&'static str> {
    match mark {
        "A" => Some("agent"),
        "S" => Some("sandbox"),
        "H" => Some("human"),
        _ => None,
    }
}

/// A tag such as `[static]` at the end, with or without backticks.
fn tag(text: &str) -> (Option<&str>, &str) {
    let found = || {
        let inner = text.trim_end().trim_end_matches('`').strip_suffix(']')?;
        let (rest, tag) = inner.rsplit_once('[')?;
        is_category(tag).then_some((tag, rest.trim_end_matches('`').trim_end()))
    };
    found().map_or((None, text), |(tag, rest)| (Some(tag), rest))
}
