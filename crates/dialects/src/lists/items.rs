//! The boxed items of a text as a tree of tasks; the basis of every dialect that is a list with boxes.
//!
//! The position and the id of an item never depend on its mark.

use crate::Plan;
use crate::fields::{item_text, task_fields};
use crate::read::fingerprint;
use crate::states::decoration;
use checks::labels;
use markdown::{Extent, Item, Outline, Veil, marks, two_threads};
use memchr::memchr2;
use std::collections::{HashMap, HashSet};
use wire::plan::{Diagnostic, Kind, Severity};
use wire::{State, Task, TaskId, ids};

/// A boxed item that is a task.
pub(crate) struct Entry {
    /// From its bullet to the end, nested lists included.
    pub(crate) at: Extent,
    /// The content of its box.
    pub(crate) mark: Extent,
    /// The index of the enclosing entry.
    pub(crate) parent: Option<usize>,
    /// Its number within the enclosing entry.
    number: usize,
    /// The number of entries directly inside it.
    children: usize,
    /// From its bullet to the first entry inside it.
    pub(crate) own: Extent,
    /// The first line of its text.
    pub(crate) line: Extent,
    /// The items inside it that are not entries, boxed or not, as indices into the outline's items.
    pub(crate) below: Vec<usize>,
}

/// The policy for two items that begin with the same id.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ids {
    /// The first of them keeps a name such as `T001`; items with the same number are known by their position.
    Lenient,
    /// Both keep the id, and the plan has an error.
    Strict,
}

/// The boxed items that `takes` accepts as tasks.
/// The first argument of `takes` is the item's index.
pub(crate) fn entries(outline: &Outline, takes: impl Fn(usize, &Item, Option<&Entry>) -> bool) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::with_capacity(outline.items.len());
    // For each item, the entry that it is or belongs to.
    let mut holder: Vec<Option<usize>> = Vec::with_capacity(outline.items.len());
    let mut top = 0;
    for (index, item) in outline.items.iter().enumerate() {
        let outer = item.parent.and_then(|parent| holder.get(parent).copied().flatten());
        let inside = outer.and_then(|outer| entries.get(outer));
        let Some(mark) = item.mark.filter(|_| !item.quoted && takes(index, item, inside)) else {
            holder.push(outer);
            if let Some(outer) = outer.and_then(|outer| entries.get_mut(outer)) {
                outer.below.push(index);
            }
            continue;
        };
        let number = if let Some(parent) = outer.and_then(|outer| entries.get_mut(outer)) {
            parent.children += 1;
            parent.own.end = parent.own.end.min(item.at.start);
            parent.children
        } else {
            top += 1;
            top
        };
        holder.push(Some(entries.len()));
        entries.push(Entry {
            at: item.at,
            mark,
            parent: outer,
            number,
            children: 0,
            own: item.at,
            line: line_of(outline, item),
            below: Vec::new(),
        });
    }
    entries
}

/// The items of these indices as entries, without boxes; `mark` finds the sign in the first line.
pub(crate) fn unboxed(outline: &Outline, chosen: &[usize], mark: impl Fn(Extent) -> Extent) -> Vec<Entry> {
    let entry = |(number, &index): (usize, &usize)| {
        let item = outline.items.get(index)?;
        let below = outline.items.iter().enumerate().skip(index + 1);
        let below =
            below.take_while(|(_, below)| below.at.start < item.at.end).map(|(below, _)| below).collect();
        let line = line_of(outline, item);
        let (at, mark) = (item.at, mark(line));
        Some(Entry { at, mark, parent: None, number: number + 1, children: 0, own: at, line, below })
    };
    chosen.iter().enumerate().filter_map(entry).collect()
}

/// The tasks of all entries, without fingerprints.
pub(crate) fn tasks(
    outline: &Outline,
    entries: &[Entry],
    policy: Ids,
    found: &mut Vec<Diagnostic>,
) -> Vec<Task> {
    let mut tasks: Vec<Task> = Vec::with_capacity(entries.len());
    for (entry, id) in entries.iter().zip(names(outline, entries, policy)) {
        let parent = entry.parent.and_then(|parent| tasks.get(parent)).map(|parent| parent.id.clone());
        tasks.push(Task { id: TaskId(id), parent, ..Task::default() });
    }
    found.extend(two_threads::fill(&mut tasks, entries, |task, entry, found| {
        complete(outline, entry, task, found);
    }));
    tasks
}

/// Computes every task's fingerprint, now that its dependencies are known.
pub(crate) fn seal(outline: &Outline, entries: &[Entry], plan: &mut Plan) {
    two_threads::fill(&mut plan.tasks, entries, |task, entry, _: &mut Vec<()>| {
        let own = outline.trimmed(entry.own);
        let below = entry.below.iter().filter_map(|&index| outline.items.get(index)?.mark);
        let mut below: Vec<Extent> = below.filter(|mark| mark.end <= own.end).collect();
        let boxes: &[Extent] = if below.is_empty() {
            std::slice::from_ref(&entry.mark)
        } else {
            below.push(entry.mark);
            below.sort_unstable_by_key(|at| at.start);
            &below
        };
        task.fingerprint = fingerprint::with_boxes(outline, own, boxes, entry.line, &task.depends_on);
    });
}

/// Reports every hidden box: it is not a task.
pub(crate) fn hidden(outline: &Outline, found: &mut Vec<Diagnostic>) {
    for item in outline.items.iter().filter(|item| item.quoted && item.mark.is_some()) {
        let message = "a box in a block quote is not a task".to_owned();
        found.push(outline.diagnostic(Severity::Hint, "task-in-quote", message, item.at.start));
    }
    for veil in outline.hidden.iter().filter(|hidden| hidden.veil != Veil::Quote) {
        for line in outline.lines_in(veil.at) {
            let text = outline.str(line.at);
            let start = line.at.start + text.len() - text.trim_start().len();
            if marks::after_bullet(text.trim_start()).is_some_and(|rest| marks::find(rest).is_some()) {
                let (code, place) = match veil.veil {
                    Veil::Html => ("task-in-comment", "an HTML block"),
                    _ => ("task-in-code", "a code block"),
                };
                let message = format!("a box in {place} is not a task");
                found.push(outline.diagnostic(Severity::Hint, code, message, start));
            }
        }
    }
}

/// The state of a box; `line` is the text beside it. Words beside an open box count: people strike abandoned work out
/// and leave its box.
pub(crate) fn state(outline: &Outline, mark: Extent, line: Extent, found: &mut Vec<Diagnostic>) -> State {
    let text = outline.str(line);
    match marks::meaning(outline.str(mark)) {
        marks::Meaning::Is(State::Pending) if decoration::is_struck(text) => State::Skipped,
        marks::Meaning::Is(State::Pending) if decoration::says_begun(text) => State::InProgress,
        marks::Meaning::Is(State::Pending) if decoration::begins_with(text).is_some_and(is_open) => {
            decoration::begins_with(text).unwrap_or_default()
        }
        marks::Meaning::Is(State::Pending | State::InProgress) if decoration::notes_dropped(text) => {
            State::Skipped
        }
        marks::Meaning::Is(State::Pending) if decoration::notes_deferred(text) => State::Blocked,
        marks::Meaning::Is(state) => state,
        marks::Meaning::Dropped if decoration::says_dropped(text) => State::Skipped,
        marks::Meaning::Dropped => State::InProgress,
        marks::Meaning::Unknown => {
            let message = format!("unknown mark '{}' is taken as not done", outline.shown(mark));
            found.push(outline.diagnostic(Severity::Warning, "unknown-mark", message, mark.start));
            State::Pending
        }
    }
}

/// Whether a word beside an open box may say more than the box.
fn is_open(state: State) -> bool {
    matches!(state, State::InProgress | State::Blocked | State::Skipped)
}

/// The first line of an item's text, without a mark at its end.
pub(crate) fn line_of(outline: &Outline, item: &Item) -> Extent {
    if let Some(mark) = item.mark.filter(|mark| mark.start > item.text) {
        return outline.trimmed(Extent { start: item.text, end: mark.start - 1 });
    }
    let text = outline.str(Extent { start: item.text, end: item.at.end });
    let end = memchr2(b'\n', b'\r', text.as_bytes()).unwrap_or(text.len());
    outline.trimmed(Extent { start: item.text, end: item.text + end })
}

/// The id of each entry: its own, otherwise its position.
fn names(outline: &Outline, entries: &[Entry], policy: Ids) -> Vec<String> {
    let id = if policy == Ids::Lenient { named_id } else { own_id };
    let own: Vec<Option<&str>> = entries.iter().map(|entry| id(outline.str(entry.line))).collect();
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for id in own.iter().flatten() {
        *uses.entry(id).or_default() += 1;
    }
    let mut kept: HashSet<&str> = HashSet::new();
    let mut places: Vec<String> = Vec::with_capacity(entries.len());
    let mut names = Vec::with_capacity(entries.len());
    for (entry, own) in entries.iter().zip(&own) {
        let place = match entry.parent.and_then(|parent| places.get(parent)) {
            // Bounds the length of ids in deeply nested hostile lists.
            Some(parent) if parent.len() < 200 => format!("{parent}.{}", entry.number),
            Some(_) => format!("~{}", places.len() + 1),
            None => entry.number.to_string(),
        };
        let name = match own {
            Some(id)
                if policy == Ids::Strict || uses.get(id) == Some(&1) || is_name(id) && kept.insert(*id) =>
            {
                (*id).to_owned()
            }
            _ if uses.contains_key(place.as_str()) => format!("i{place}"),
            _ => place,
        };
        // Only an entry with children needs its position.
        places.push(if entry.children > 0 { name.clone() } else { String::new() });
        names.push(name);
    }
    names
}

/// Whether an id is more than the number of an item in its list: two lists may both have a `1.`, and `T001` twice is a
/// mistake.
fn is_name(id: &str) -> bool {
    id.contains(|c: char| c.is_ascii_alphabetic() || c == '-')
}

/// Reports ids that are given twice: the first task keeps it, the others are known by their position.
pub(crate) fn repeated(
    outline: &Outline,
    entries: &[Entry],
    own: &dyn Fn(&str) -> Option<String>,
    plan: &mut Plan,
) {
    let mut seen: HashSet<String> = HashSet::new();
    for (task, entry) in plan.tasks.iter().zip(entries) {
        let line = outline.str(entry.line);
        let id = own(line).or_else(|| named_id(line).map(str::to_owned)).filter(|id| is_name(id));
        let Some(id) = id else { continue };
        if task.id.as_str() != id && seen.contains(&id) {
            let message = format!("the id '{id}' is used before: this task is '{}'", task.id);
            let mut found = outline.diagnostic(Severity::Warning, "repeated-id", message, entry.line.start);
            found.task = Some(task.id.clone());
            plan.diagnostics.push(found);
        }
        seen.insert(id);
    }
}

/// Fills a task that already has its id and its container.
fn complete(outline: &Outline, entry: &Entry, task: &mut Task, found: &mut Vec<Diagnostic>) {
    task.key = ids::key_of(&task.id.0);
    task.title = line_title(outline, entry.line, &task.id.0);
    for line in wrapped(outline, entry) {
        task.title.push(' ');
        task.title.push_str(decoration::without(outline.view(line).trim()).trim());
    }
    task.kind = match task.title.to_lowercase() {
        _ if entry.children > 0 => Kind::Container,
        title if title.contains(BY_A_PERSON) => Kind::Human,
        _ => Kind::Work,
    };
    task.state = state(outline, entry.mark, entry.line, found);
    // The box is on the line of its bullet.
    let line = outline.line(entry.mark.start);
    task.state_from = Some(outline.place_on(line));
    task.span = outline.span_on(line, outline.trimmed(entry.at));
    task.mark = Some(outline.span_on(line, entry.mark));
}

/// The words of a step in which a person looks at the result.
const BY_A_PERSON: &str = "user manual verification";

/// The title in the first line of an item, without its id, its label and the traces of a tick.
pub(crate) fn line_title(outline: &Outline, line: Extent, id: &str) -> String {
    let title = without_id(&decoration::without(outline.view(line).trim()), id);
    let bare = title.trim_start_matches("**");
    let Some(named) = ["Task:", "TASK:"].iter().find_map(|label| bare.strip_prefix(label)) else {
        return unmarked(title);
    };
    let named = named.trim_start_matches("**").trim_start();
    let odd = named.matches("**").count() % 2 == 1;
    let named = if odd { named.replacen("**", "", 1) } else { named.to_owned() };
    if named.trim().is_empty() { title } else { unmarked(named.trim().to_owned()) }
}

/// A title without bold marks around all of it.
fn unmarked(title: String) -> String {
    let inner = title.strip_prefix("**").and_then(|rest| rest.strip_suffix("**"));
    match inner.filter(|inner| !inner.contains("**") && !inner.is_empty()) {
        Some(inner) => inner.to_owned(),
        None => title,
    }
}

/// The further lines of a name that is broken at the width of the page: the line before is long and no sentence ends there,
/// and the next is neither an item nor a field.
fn wrapped(outline: &Outline, entry: &Entry) -> Vec<Extent> {
    let mut found = Vec::new();
    let mut last = entry.line;
    let below = Extent { start: entry.line.end, end: entry.own.end };
    if below.start >= below.end || entry.line.end - entry.line.start < WIDTH {
        return found;
    }
    for line in outline.lines_in(below).filter(|line| line.at.start > entry.line.end) {
        let text = outline.str(line.at);
        let said = outline.str(last).trim_end();
        let goes_on = said.len() >= WIDTH && !said.ends_with(['.', ':', '!', '?', '。', '：']);
        let other = text.trim().is_empty()
            || line.veil.is_some()
            || !outline.items_in(line.at).is_empty()
            || item_text::is_structure(text.trim_start())
            || labels::begins_part(text)
            || task_fields::is_one(text.trim())
            || text.trim_start().starts_with(['*', '_', '#', '|', '>', '<']) && text.contains(':');
        if !goes_on || other {
            break;
        }
        last = line.at;
        found.push(line.at);
    }
    found
}

/// The length in bytes from which a line may be broken for the width of the page.
const WIDTH: usize = 50;

/// The id at the beginning of a text.
pub(crate) fn own_id(text: &str) -> Option<&str> {
    let text = text.get(before_id(text)..)?;
    // Fast path: the first letter rules out ordinary words.
    if !text.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit()) {
        return None;
    }
    let inside = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let end = text.bytes().take_while(inside).count();
    let word = text.get(..end)?;
    let rest = text.get(end..)?;
    let id = word.trim_end_matches(['.', '-']);
    let closed = id.len() < word.len() || rest.starts_with([':', ')']);
    if id.len() > 24 || !(closed || rest.starts_with([' ', '\t', '*', '`'])) {
        return None;
    }
    let letters = id.bytes().take_while(u8::is_ascii_uppercase).count();
    let tail = id.get(letters..)?.trim_start_matches('-');
    let numbered = tail.starts_with(|c: char| c.is_ascii_digit())
        && tail.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'));
    let is_id = numbered && (letters > 0 || closed || id.contains('.'));
    is_id.then_some(id)
}

/// The id at the beginning of a text, or the number after the word `Task`.
pub(crate) fn named_id(text: &str) -> Option<&str> {
    own_id(text).or_else(|| {
        let bare = text.get(before_id(text)..)?;
        let rest = WORDS.iter().find_map(|word| bare.strip_prefix(word))?;
        let end = rest
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
            .count();
        let id = rest.get(..end)?.trim_end_matches(['.', '-']);
        let after = rest.get(id.len()..)?.trim_start_matches(['*', '`', '_']);
        let closed = after.starts_with([':', '.', ')']) || after.starts_with(" -") || after.starts_with(" —");
        (closed && id.len() <= 12 && id.starts_with(|c: char| c.is_ascii_digit())).then_some(id)
    })
}

const WORDS: &[&str] = &["Task ", "TASK ", "TODO ", "Todo ", "Step ", "STEP "];

/// Where the id of a text begins: after bold, code and strike-through marks.
pub(crate) fn before_id(text: &str) -> usize {
    let signs = text.bytes().take_while(|byte| matches!(byte, b'*' | b'`' | b'_' | b'~')).count();
    signs + text.get(signs..).map_or(0, before_tagged_id)
}

/// The length of tags such as `[P] [US1] ` before an id with letters.
fn before_tagged_id(text: &str) -> usize {
    let mut rest = text;
    while let Some((tag, after)) = rest.strip_prefix('[').and_then(|inner| inner.split_once("] ")) {
        if tag.len() > 8 || !tag.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return 0;
        }
        rest = after.trim_start_matches(' ');
    }
    let letters = rest.bytes().take_while(u8::is_ascii_uppercase).count();
    let numbered = rest
        .get(letters..)
        .is_some_and(|rest| rest.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit()));
    if letters > 0 && numbered { text.len() - rest.len() } else { 0 }
}

/// A title without its leading id.
pub(crate) fn without_id(title: &str, id: &str) -> String {
    let (signs, bare) = title.split_at_checked(before_id(title)).unwrap_or(("", title));
    let named = WORDS.iter().find_map(|word| bare.strip_prefix(word)).unwrap_or(bare);
    let Some(rest) = named.strip_prefix(id).filter(|_| named_id(title) == Some(id)) else {
        return title.to_owned();
    };
    // Marks opened before the id are closed after it or after the title; tags before it belong to the title.
    let part = |text: &str| text.trim_start_matches(['.', ':', ')', ' ', '\t', '-', '—']).to_owned();
    let (signs, tags) = signs.split_at_checked(signs.find('[').unwrap_or(signs.len())).unwrap_or((signs, ""));
    let rest = if signs.is_empty() { rest.to_owned() } else { rest.replacen(signs, "", 1) };
    let rest = part(&rest);
    if rest.is_empty() { title.to_owned() } else { format!("{tags}{rest}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_what_stands_behind_the_id() {
        for (text, id, title) in [
            ("1.1 `pom.xml`", "1.1", "`pom.xml`"),
            ("**T01: Do it** `est:30m`", "T01", "Do it `est:30m`"),
            ("**T01**: Do it", "T01", "Do it"),
            ("**1.1:** Do it", "1.1", "Do it"),
            ("`T1` Do it", "T1", "Do it"),
            ("**Task 1.2**: Do **it**", "1.2", "Do **it**"),
            ("Task 3 - Do it", "3", "Do it"),
            ("**Step 1.1** — Do it", "1.1", "Do it"),
            ("[P] T080 [US1] Do it", "T080", "[P] [US1] Do it"),
        ] {
            assert_eq!(named_id(text), Some(id), "{text}");
            assert_eq!(without_id(text, id), title);
        }
        assert_eq!(named_id("Task 3 of them"), None);
    }

    #[test]
    fn own_ids_are_recognised() {
        for (text, id) in [
            ("1.2 Do it", Some("1.2")),
            ("T001 Do it", Some("T001")),
            ("TASK-3: Do it", Some("TASK-3")),
            ("1. Do it", Some("1")),
            ("**IMPL-1.2** Do it", Some("IMPL-1.2")),
            ("3 apples", None),
            ("[link] 1.2 Do it", None),
            ("Do it", None),
            ("v2 of it", None),
            ("", None),
        ] {
            assert_eq!(own_id(text), id, "{text}");
        }
    }
}
