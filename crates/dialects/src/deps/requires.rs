//! The requirements of a task, in all common spellings: `todo-1.config_path`, `TODO 1, 2, 3`, `todo-1~5`,
//! `${todo-1.outputs.x}`, `all work TODOs`, `Group A`, or the bare name of something that another task produces.

use crate::deps::ids::{self, Ids, is_number};
use crate::fields::item_text;
use crate::references;
use markdown::{Extent, Outline, Table};

/// One requirement.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// A task.
    Task(usize),
    /// Every task from one to the other, in document order.
    Range(usize, usize),
    /// Every task, or every work task.
    All { work: bool },
    /// The members of a group.
    Group(String),
    /// A task that does not exist.
    Unknown(String),
    /// The name of a product; its producer is not known here.
    Thing(String),
}

/// The text of a table cell, with its pipes unescaped.
pub(crate) fn cell(outline: &Outline, at: Option<Extent>) -> String {
    at.map(|at| outline.shown(outline.trimmed(at)).replace("\\|", "|")).unwrap_or_default()
}

/// The titles of a table's columns, in lowercase and without marks.
pub(crate) fn header(outline: &Outline, table: &Table) -> Vec<String> {
    let cells = table.rows.first().into_iter().flatten();
    cells.map(|at| outline.str(*at).trim().trim_matches(['*', '`', '_']).to_lowercase()).collect()
}

/// The tasks that a text names, in the order of the text.
pub(crate) fn tasks(text: &str, ids: &Ids) -> Vec<usize> {
    let text = text.replace('→', ",").replace("->", ",");
    let named = needs(&text, ids).into_iter().flat_map(|need| match need {
        Need::Task(index) => index..index + 1,
        Need::Range(first, last) => first..last + 1,
        _ => 0..0,
    });
    let mut tasks = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for index in named.take(LONGEST) {
        if seen.insert(index) {
            tasks.push(index);
        }
    }
    tasks
}

/// The maximum number of tasks that one row can name.
const LONGEST: usize = 1000;

/// The requirements in a text.
pub(crate) fn needs(text: &str, ids: &Ids) -> Vec<Need> {
    let mut needs = Vec::new();
    let mut listing = false;
    for piece in pieces(text) {
        let piece = piece.trim_matches(['`', '*', ' ', '[', ']', '\'', '"']).trim();
        if item_text::is_none(piece) {
            continue;
        }
        let found = references(piece);
        if !found.is_empty() {
            needs.extend(found.into_iter().map(|found| one(ids, &found.producer)));
            continue;
        }
        let (keyword, rest) = ids::without_keyword(piece);
        // `TODO 1, 2, 3`: the keyword applies to the whole list.
        listing = keyword || listing && starts_with_digit(piece);
        needs.push(need(piece, rest, keyword || listing, ids));
    }
    needs
}

fn need(piece: &str, rest: &str, listed: bool, ids: &Ids) -> Need {
    let lower = piece.to_lowercase();
    let first = lower.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    if matches!(first, "all" | "every" | "everything" | "모든" | "전체") {
        return Need::All { work: lower.split_whitespace().any(|word| word == "work") };
    }
    if let Some(name) = lower.strip_prefix("group ") {
        return Need::Group(ids::word(name).to_owned());
    }
    if let Some(range) = range(piece, rest, ids) {
        return range;
    }
    match ids.named(piece) {
        Some((index, after)) if listed || after.is_empty() || after.starts_with([' ', '.']) => {
            Need::Task(index)
        }
        _ if listed && (starts_with_digit(rest) || is_final(rest)) => {
            Need::Unknown(ids::word(rest).to_owned())
        }
        _ if listed && piece.len() != rest.len() && names_task(piece) => {
            Need::Unknown(ids::word(rest).to_owned())
        }
        _ => Need::Thing(piece.to_owned()),
    }
}

/// `todo-1~5`, `TODO 1-5`, `P0-1 ~ P0-5`: every task from one to the other, in document order.
fn range(piece: &str, rest: &str, ids: &Ids) -> Option<Need> {
    let whole = ids::word(rest);
    if ids.get(whole).is_some() && whole.len() == rest.trim_end().len() {
        return None;
    }
    let signs = ["~", "..", "–", "—", " to ", " through ", " - ", "-"];
    for sign in signs {
        let Some((from, to)) = rest.split_once(sign) else { continue };
        let to = ids::without_keyword(to.trim_start_matches('.').trim_start()).1;
        let (from, to) = (from.trim(), ids::word(to));
        // Ids contain hyphens too, so a hyphen makes a range only between numbers with the same letters before them.
        if matches!(sign, "-" | " - ") && !alike(from, to) {
            continue;
        }
        if let (Some(first), Some(last)) = (ids.get(from), ids.get(to)) {
            return Some(Need::Range(first.min(last), first.max(last)));
        }
        if is_number(from) && is_number(to) {
            let missing = [from, to].into_iter().find(|id| ids.get(id).is_none()).unwrap_or(piece);
            return Some(Need::Unknown(missing.to_owned()));
        }
    }
    None
}

fn one(ids: &Ids, id: &str) -> Need {
    ids.get(id).map_or_else(|| Need::Unknown(id.to_owned()), Need::Task)
}

/// The parts of a list, without notes in parentheses. Commas inside a code span separate too.
pub(crate) fn pieces(text: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut depth = 0usize;
    let text = before_blocks(text).replace(" and ", ",").replace(" & ", ",");
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' | ';' | '+' | '，' | '、' if depth == 0 => pieces.push(String::new()),
            _ if depth == 0 => {
                if let Some(last) = pieces.last_mut() {
                    last.push(c);
                }
            }
            _ => {}
        }
    }
    pieces
}

/// The text before `Blocks: …`: a task does not need what it blocks.
fn before_blocks(text: &str) -> &str {
    let lower = text.to_ascii_lowercase();
    let begins = |at: &usize| !text.get(..*at).is_some_and(|before| before.ends_with(char::is_alphanumeric));
    let cut = ["blocks:", "blocks**:"].iter().filter_map(|word| lower.find(word)).filter(begins).min();
    let text = cut.and_then(|cut| text.get(..cut)).unwrap_or(text);
    if cut.is_some() { text.trim_end_matches([' ', '—', '–', '-', '|', '·', '*', '/']) } else { text }
}

fn names_task(piece: &str) -> bool {
    let lower = piece.to_lowercase();
    (lower.starts_with("todo-") || lower.starts_with("task-")) && !lower.contains(' ')
}

fn starts_with_digit(text: &str) -> bool {
    text.trim_start().starts_with(|c: char| c.is_ascii_digit())
}

fn is_final(text: &str) -> bool {
    ids::word(text).eq_ignore_ascii_case("final")
}

/// `F1` and `F3`: the same letters before a number.
fn alike(from: &str, to: &str) -> bool {
    let letters = |text: &str| text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let numbered = |text: &str| text.get(letters(text)..).is_some_and(is_number);
    numbered(from) && numbered(to) && from.get(..letters(from)) == to.get(..letters(to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::Task;

    #[test]
    fn every_way_to_require_is_understood() {
        let names = ["1", "2", "3", "10", "2a", "P0-1", "P0-2b", "Final"];
        let tasks: Vec<_> = names.iter().map(|id| Task { id: (*id).into(), ..Task::default() }).collect();
        let ids = Ids::new(&tasks);
        let task = |list: &[usize]| list.iter().map(|n| Need::Task(*n)).collect::<Vec<_>>();
        for (text, needed) in [
            ("-", vec![]),
            ("—", vec![]),
            ("(none)", vec![]),
            ("`todo-1.config_path`", task(&[0])),
            ("`todo-1.a`, `todo-2.b`", task(&[0, 1])),
            ("`${todo-P0-2b.outputs.url}` (merged)", task(&[6])),
            ("todo-2, todo-3", task(&[1, 2])),
            ("TODO 1, 2, 3", task(&[0, 1, 2])),
            ("TODO-2 outputs", task(&[1])),
            ("P0-1 outputs", task(&[5])),
            ("`todo-1~3 completed`", vec![Need::Range(0, 2)]),
            ("TODO 1-3", vec![Need::Range(0, 2)]),
            ("1 and 2a", task(&[0, 4])),
            ("all outputs", vec![Need::All { work: false }]),
            ("all", vec![Need::All { work: false }]),
            ("all work TODOs", vec![Need::All { work: true }]),
            ("Group A", vec![Need::Group("a".into())]),
            ("TODO 9", vec![Need::Unknown("9".into())]),
            ("TODO 1, 9", vec![Need::Task(0), Need::Unknown("9".into())]),
            ("`${todo-7.outputs.x}`", vec![Need::Unknown("7".into())]),
            ("`sound_map`", vec![Need::Thing("sound_map".into())]),
            ("seeded rows", vec![Need::Thing("seeded rows".into())]),
            ("allocation_map", vec![Need::Thing("allocation_map".into())]),
        ] {
            assert_eq!(needs(text, &ids), needed, "{text}");
        }
    }
}
