//! The table of synonyms: whole phrases, in any language, that mean clauses of the grammar.
//!
//! The rows are in `synonyms.toml`; a project adds its own in `[checks.synonyms]`. A phrase is found by its tokens with
//! numbers, literals, comparisons and durations as holes, so that looking one up costs one hash.

use crate::commands::class::Classes;
use crate::grammar::tokens::{Token, TokenKind, tokens};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{LazyLock, Mutex, PoisonError};
use wire::plan::clause::Op;

/// The phrases that are understood beyond the grammar itself.
#[derive(Debug, Clone, Default)]
pub struct Synonyms {
    rows: HashMap<String, Vec<Row>>,
    /// What titles mean.
    pub titles: Titles,
    /// Whether the rows of every project hold too.
    extends: bool,
}

/// What a title before a command means where a clause is stated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Titles {
    /// Nothing, unless it has a number, a comparison or a negation: then the criterion is unclear.
    #[default]
    Read,
    /// Nothing at all: `[checks] titles = "ignore"`.
    Ignore,
}

/// One phrase for a class of commands.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    classes: Classes,
    /// The clauses, in the grammar, with holes.
    clauses: String,
}

/// The table that every project has: its rows as they are written, until a phrase is looked up.
static BUILTIN: LazyLock<Builtin> = LazyLock::new(Builtin::new);

/// The table without rows of a project.
static PLAIN: LazyLock<Synonyms> = LazyLock::new(|| Synonyms { extends: true, ..Synonyms::default() });

/// The rows of the table by the first word of their phrases. Most plans need a few of them.
struct Builtin {
    written: HashMap<String, Vec<(Classes, String, String)>>,
    /// The first words of the phrases that mean nothing: `before {n}`.
    decorations: HashSet<String>,
    read: Mutex<HashMap<String, &'static Synonyms>>,
}

impl Builtin {
    fn new() -> Self {
        let mut written: HashMap<String, Vec<(Classes, String, String)>> = HashMap::new();
        let mut decorations = HashSet::new();
        for (classes, phrases) in builtin_rows() {
            for (phrase, clauses) in phrases {
                let mut firsts = firsts(&phrase);
                firsts.sort_unstable();
                firsts.dedup();
                if clauses.is_empty() {
                    decorations.extend(firsts.iter().cloned());
                }
                for first in firsts {
                    written.entry(first).or_default().push((classes, phrase.clone(), clauses.clone()));
                }
            }
        }
        Self { written, decorations, read: Mutex::default() }
    }

    /// The clauses that a phrase means for a command of these classes.
    fn find(&self, key: &str, of: Classes) -> Option<&'static str> {
        let first = key.split(' ').next().unwrap_or_default();
        let rows = self.written.get(first)?;
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let table: &'static Synonyms = read.entry(first.to_owned()).or_insert_with(|| {
            let mut table = Synonyms::default();
            for (classes, phrase, clauses) in rows {
                table.add(*classes, phrase, clauses);
            }
            // One table for each first word of the table, for as long as the program runs.
            Box::leak(Box::new(table))
        });
        drop(read);
        table.find(key, of)
    }
}

/// The first words of the keys that a phrase stands for.
fn firsts(phrase: &str) -> Vec<String> {
    let mut found = Vec::new();
    for word in phrase.split(' ').filter(|word| !word.is_empty()) {
        let optional = word.strip_prefix('[').and_then(|inner| inner.strip_suffix(']'));
        for choice in optional.unwrap_or(word).split('|') {
            let key = phrase_key(&choice.replace('_', " "));
            found.extend(key.split(' ').next().filter(|first| !first.is_empty()).map(str::to_owned));
        }
        if optional.is_none() {
            break;
        }
    }
    found
}

/// The sections of `synonyms.toml` with their classes, in order.
pub fn builtin_rows() -> Vec<(Classes, Vec<(String, String)>)> {
    section_rows().into_iter().map(|(names, rows)| (classes(&names), rows)).collect()
}

/// The sections of `synonyms.toml` by the names of their classes, sorted: the first row that holds for a command counts.
/// The file has one row a line, which is read without a reader of all TOML; a test compares the two.
pub fn section_rows() -> Vec<(String, Vec<(String, String)>)> {
    let mut sections: Vec<(String, Vec<(String, String)>)> = Vec::new();
    for line in include_str!("synonyms.toml").lines() {
        if let Some(name) = line.strip_prefix("[\"").and_then(|rest| rest.strip_suffix("\"]")) {
            sections.push((name.to_owned(), Vec::new()));
        } else if let Some(row) = line.strip_prefix('"')
            && let Some((phrase, clauses)) = row.split_once("\" = \"")
            && let Some((_, rows)) = sections.last_mut()
        {
            let plain = |text: &str| text.replace("\\\"", "\"");
            rows.push((plain(phrase), plain(clauses.strip_suffix('"').unwrap_or(clauses))));
        }
    }
    for (_, rows) in &mut sections {
        rows.sort();
    }
    sections.sort();
    sections
}

fn classes(names: &str) -> Classes {
    let known = |name: &str| Classes::NAMES.iter().find(|(known, _)| *known == name).map(|(_, class)| *class);
    names.split(' ').filter_map(known).fold(Classes::ANY, Classes::and)
}

impl Synonyms {
    /// The table that every project has.
    pub fn builtin() -> &'static Self {
        &PLAIN
    }

    /// The table with the rows of a project: `[checks.synonyms]`, phrase to clauses. An error names the row that is no
    /// clause of the grammar.
    pub fn with(rows: &BTreeMap<String, String>, titles: Titles) -> Result<Self, String> {
        let mut table = Self { titles, extends: true, ..Self::default() };
        for (phrase, clauses) in rows {
            let plain = expanded(phrase);
            let names = |hole: &str| plain.iter().all(|phrase| phrase.contains(hole));
            let missing = ["{n}", "{op}", "{lit}", "{time}"]
                .iter()
                .find(|hole| clauses.contains(**hole) && !names(hole));
            if let Some(hole) = missing {
                return Err(format!("'{clauses}' uses {hole}, which the phrase '{phrase}' has not"));
            }
            let sample = clauses
                .replace("{n}", "0")
                .replace("{op}", ">=")
                .replace("{lit}", "`x`")
                .replace("{time}", "1s");
            let tokens = tokens(&sample);
            if !clauses.is_empty() && crate::grammar::clauses::of_grammar(&tokens).is_none() {
                return Err(format!("'{clauses}' is no clause of plantools-checks(7)"));
            }
            table.add(Classes::ANY, phrase, clauses);
        }
        Ok(table)
    }

    fn add(&mut self, of: Classes, phrase: &str, clauses: &str) {
        for plain in expanded(phrase) {
            let row = Row { classes: of, clauses: clauses.to_owned() };
            let rows = self.rows.entry(phrase_key(&plain)).or_default();
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
    }

    /// Whether a phrase may be in the table, by its first token; most words begin none.
    pub(crate) fn may_have(&self, tokens: &[Token]) -> bool {
        let Some(first) = first_key(tokens) else { return true };
        !self.rows.is_empty() || self.extends && BUILTIN.written.contains_key(first)
    }

    /// Whether a phrase may be one that means nothing.
    pub(crate) fn may_decorate(&self, tokens: &[Token]) -> bool {
        let Some(first) = first_key(tokens) else { return true };
        !self.rows.is_empty() || self.extends && BUILTIN.decorations.contains(first)
    }

    /// The clauses that a phrase means for a command of these classes, as text of the grammar with its holes.
    pub(crate) fn find(&self, key: &str, of: Classes) -> Option<&str> {
        let own = self.rows.get(key).and_then(|rows| rows.iter().find(|row| row.classes.meets(of)));
        match own {
            Some(row) => Some(&row.clauses),
            None if self.extends => BUILTIN.find(key, of),
            None => None,
        }
    }
}

/// The phrases that a row stands for.
pub fn expanded(phrase: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    for word in phrase.split(' ').filter(|word| !word.is_empty()) {
        let optional = word.strip_prefix('[').and_then(|inner| inner.strip_suffix(']'));
        let choices = optional.unwrap_or(word).split('|').map(|choice| choice.replace('_', " "));
        let mut choices: Vec<String> = choices.collect();
        if optional.is_some() {
            choices.push(String::new());
        }
        let join = |before: &String, choice: &String| match (before.is_empty(), choice.is_empty()) {
            (_, true) => before.clone(),
            (true, false) => choice.clone(),
            (false, false) => format!("{before} {choice}"),
        };
        all = all.iter().flat_map(|before| choices.iter().map(move |choice| join(before, choice))).collect();
    }
    all.retain(|phrase| !phrase.is_empty());
    all
}

/// The key of a phrase of the table.
fn phrase_key(phrase: &str) -> String {
    // Most phrases are plain words, which are their own key.
    let plain = |word: &str| {
        HOLES.contains(&word)
            || word.chars().all(|c| c.is_alphabetic() && !c.is_uppercase() || matches!(c, '-' | '\''))
    };
    if phrase.split(' ').all(plain) {
        return phrase.to_owned();
    }
    let mut key = String::new();
    let mut rest = phrase;
    while !rest.is_empty() {
        let (plain, hole, after) = match rest.find('{') {
            Some(at) => {
                let end =
                    rest.get(at..).and_then(|hole| hole.find('}')).map_or(rest.len(), |end| at + end + 1);
                let hole = match rest.get(at..end).unwrap_or_default() {
                    "{n1}" | "{n2}" => "{n}",
                    other => other,
                };
                (rest.get(..at).unwrap_or_default(), hole, rest.get(end..).unwrap_or_default())
            }
            None => (rest, "", ""),
        };
        for token in tokens(plain) {
            push_key(&mut key, &token.kind);
        }
        if !hole.is_empty() {
            push_word(&mut key, hole);
        }
        rest = after;
    }
    key
}

const HOLES: [&str; 4] = ["{n}", "{op}", "{lit}", "{time}"];

fn push_word(key: &mut String, word: &str) {
    if !key.is_empty() {
        key.push(' ');
    }
    key.push_str(word);
}

fn push_key(key: &mut String, kind: &TokenKind) {
    match kind {
        TokenKind::Code(_) | TokenKind::Quote(_) => push_word(key, "{lit}"),
        TokenKind::Number(_) => push_word(key, "{n}"),
        TokenKind::Op(_) => push_word(key, "{op}"),
        TokenKind::Arrow => push_word(key, "→"),
        TokenKind::Regex(_) => push_word(key, "{regex}"),
        TokenKind::Pointer(_) => push_word(key, "{pointer}"),
        TokenKind::Word(word) => push_word(key, word),
        TokenKind::Sign(':') => {}
        TokenKind::Sign(sign) => push_word(key, sign.encode_utf8(&mut [0; 4])),
    }
}

/// What fills the holes of a phrase.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Holes {
    pub(crate) numbers: Vec<String>,
    pub(crate) op: Option<Op>,
    pub(crate) literals: Vec<String>,
    pub(crate) times: Vec<u64>,
}

/// The key of tokens, and what fills its holes. A number with a unit of time is a duration.
pub(crate) fn key_of(tokens: &[Token]) -> (String, Holes) {
    let mut key = String::new();
    let mut holes = Holes::default();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if let Some((milliseconds, length)) = duration(tokens.get(at..).unwrap_or_default()) {
            holes.times.push(milliseconds);
            push_word(&mut key, "{time}");
            at += length;
            continue;
        }
        if let Some(length) = modal(tokens.get(at..).unwrap_or_default()) {
            push_word(&mut key, "should");
            at += length;
            continue;
        }
        match &token.kind {
            TokenKind::Code(text) | TokenKind::Quote(text) => holes.literals.push(text.clone()),
            TokenKind::Number(number) => holes.numbers.push(number.clone()),
            TokenKind::Op(op) if holes.op.is_none() => holes.op = Some(*op),
            // No row has two comparisons.
            TokenKind::Op(_) => push_word(&mut key, "{op}"),
            _ => {}
        }
        push_key(&mut key, &token.kind);
        at += 1;
    }
    (key, holes)
}

/// The first word of the key of tokens, where it is a plain word.
fn first_key(tokens: &[Token]) -> Option<&str> {
    let word = tokens.first()?.word()?;
    let is_plain = word.starts_with(char::is_alphabetic) && modal(tokens).is_none();
    is_plain.then_some(word)
}

/// How many tokens the modal verb at the beginning has.
pub(crate) fn modal(tokens: &[Token]) -> Option<usize> {
    let word = |at: usize| tokens.get(at).and_then(Token::word).unwrap_or_default();
    match (word(0), word(1), word(2)) {
        ("is" | "are", "expected" | "supposed" | "required", "to") => Some(3),
        ("has" | "have" | "needs" | "need" | "ought" | "expected", "to", _) => Some(2),
        ("should" | "must" | "will" | "shall", _, _) => Some(1),
        _ => None,
    }
}

/// The duration at the beginning, in milliseconds, and how many tokens it has: `30s`, `2 minutes`.
pub(crate) fn duration(tokens: &[Token]) -> Option<(u64, usize)> {
    let first = tokens.first()?;
    match &first.kind {
        TokenKind::Number(number) => {
            let unit = unit(tokens.get(1)?.word()?)?;
            Some((milliseconds(number, unit)?, 2))
        }
        TokenKind::Word(word) => {
            let digits = word.find(|c: char| !c.is_ascii_digit() && c != '.').filter(|at| *at > 0)?;
            let (number, name) = word.split_at_checked(digits)?;
            Some((milliseconds(number, unit(name)?)?, 1))
        }
        _ => None,
    }
}

fn milliseconds(number: &str, unit: u64) -> Option<u64> {
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    let whole = whole.parse::<u64>().ok()?.checked_mul(unit)?;
    let digits = part.get(..part.len().min(3))?;
    let scale = 10_u64.checked_pow(u32::try_from(digits.len()).ok()?)?;
    whole.checked_add(digits.parse::<u64>().ok()?.checked_mul(unit)? / scale)
}

fn unit(name: &str) -> Option<u64> {
    Some(match name {
        "ms" | "millisecond" | "milliseconds" | "msec" | "밀리초" | "毫秒" | "ミリ秒" => 1,
        "s" | "sec" | "secs" | "second" | "seconds" | "초" | "秒" | "sekunde" | "sekunden" | "seconde"
        | "secondes" | "segundo" | "segundos" | "секунд" | "секунды" | "секунда" => 1000,
        "m" | "min" | "mins" | "minute" | "minutes" | "분" | "分" | "分钟" | "分間" | "minuten"
        | "minuto" | "minutos" | "минут" | "минуты" => 60_000,
        "h" | "hour" | "hours" | "시간" | "小时" | "時間" | "stunden" | "heures" | "horas" => 3_600_000,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_toml() {
        let all: toml::Table = toml::from_str(include_str!("synonyms.toml")).unwrap_or_default();
        let sections = section_rows();
        assert_eq!(all.len(), sections.len());
        for (name, rows) in sections {
            let table = all.get(&name).and_then(toml::Value::as_table).cloned().unwrap_or_default();
            assert_eq!(table.len(), rows.len(), "{name}");
            for (phrase, clauses) in rows {
                assert_eq!(
                    table.get(&phrase).and_then(toml::Value::as_str),
                    Some(clauses.as_str()),
                    "{phrase}"
                );
            }
        }
    }

    #[test]
    fn every_phrase_is_found_by_its_first_word() {
        for (classes, rows) in builtin_rows() {
            for phrase in rows.iter().flat_map(|(phrase, _)| expanded(phrase)) {
                assert!(Synonyms::builtin().find(&phrase_key(&phrase), classes).is_some(), "{phrase}");
            }
        }
    }

    #[test]
    fn a_row_stands_for_its_phrases() {
        assert_eq!(expanded("a|b_c [x] d"), ["a x d", "a d", "b c x d", "b c d"]);
        assert_eq!(phrase_key("{n}/{n} passed"), "{n} / {n} passed");
        assert_eq!(phrase_key("오류 {n}건"), "오류 {n} 건");
        // The short way to a key is the long one.
        for (_, rows) in section_rows() {
            for phrase in rows.iter().flat_map(|(phrase, _)| expanded(phrase)) {
                if !phrase.contains('{') {
                    assert_eq!(phrase_key(&phrase), key_of(&tokens(&phrase)).0, "{phrase}");
                }
            }
        }
        assert_eq!(key_of(&tokens("must pass in less than 1 second")).0, "should pass in less than {time}");
    }

    #[test]
    fn every_row_of_the_table_is_of_the_grammar() {
        let sections = section_rows();
        assert!(sections.len() > 10);
        for (names, rows) in sections {
            for name in names.split(' ') {
                assert!(Classes::NAMES.iter().any(|(known, _)| *known == name), "{name}");
            }
            for (phrase, clauses) in rows {
                let sample = clauses
                    .replace("{n}", "3")
                    .replace("{n1}", "3")
                    .replace("{n2}", "4")
                    .replace("{op}", "==")
                    .replace("{lit}", "`x`")
                    .replace("{time}", "1s");
                let special =
                    ["exit-op", "literal-op", "time-op"].iter().any(|name| clauses.starts_with(name));
                let read = crate::grammar::clauses::of_grammar(&tokens(&sample));
                assert!(special || clauses.is_empty() || read.is_some(), "{phrase} = {clauses}");
            }
        }
    }

    #[test]
    fn a_project_adds_rows() {
        let row = |phrase: &str, clauses: &str| BTreeMap::from([(phrase.to_owned(), clauses.to_owned())]);
        assert!(Synonyms::with(&row("baseline 유지", "exit 0"), Titles::Read).is_ok());
        assert!(Synonyms::with(&row("is {n} fine", ">= {n}"), Titles::Read).is_ok());
        assert!(Synonyms::with(&row("fine", ">= {n}"), Titles::Read).is_err());
        assert!(Synonyms::with(&row("fine", "looks good"), Titles::Read).is_err());
        let table = Synonyms::with(&row("Baseline 유지!", "exit 0"), Titles::Read).unwrap_or_default();
        assert_eq!(table.find("passes", Classes::RUNNER), Some("tests pass"));
    }
}
