//! Headings and items that name a unit of work: `Phase 2: Build`, `Step 1.`, `阶段 3：…`, `第一阶段：…`, `T004: …`.

use markdown::marks;

/// A unit of work at the beginning of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unit<'t> {
    pub(crate) rank: Rank,
    /// The word, as in the table.
    pub(crate) word: &'static str,
    /// The number or letter, as written.
    pub(crate) id: String,
    /// The text after number and separator.
    pub(crate) title: &'t str,
    /// Whether a colon or a dash separates the title from the number.
    pub(crate) parted: bool,
}

/// How fine a unit is: a plan with tasks in phases has its tasks at the finest rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// A span of time: it orders work and is a task only where nothing else is.
    Time,
    /// A group of work.
    Group,
    /// A phase.
    Phase,
    /// A step.
    Step,
    /// A task.
    Task,
}

/// The unit at the beginning of a text without signs.
pub(crate) fn unit(text: &str) -> Option<Unit<'_>> {
    ordinal(text)
        .or_else(|| worded(text))
        .or_else(|| numbered_task(text))
        .or_else(|| numbered_milestone(text))
}

/// The unit that a heading names, behind a number of its own or not: `3. Phase 2 — Build`.
pub(crate) fn of_heading(text: &str) -> Option<Unit<'_>> {
    let text = marks::without_signs(text);
    unit(text).or_else(|| {
        let (_, bare) = super::without_number(text);
        unit(marks::without_signs(bare)).filter(|unit| unit.parted && bare.len() < text.len())
    })
}

/// `Phase 2: Build`.
fn worded(text: &str) -> Option<Unit<'_>> {
    // The number or letter follows the word; most texts have none there.
    if !text.bytes().skip(1).take(NEAR).any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase()) {
        return None;
    }
    let (word, rank) = WORDS.iter().find_map(|(rank, words)| {
        let word = words.iter().find(|word| begins(text, word))?;
        Some((*word, *rank))
    })?;
    let rest = text.get(word.len()..)?;
    // A word of letters ends with a blank before its number; others are written together with it.
    let bare = rest.trim_start_matches([' ', '\t', '#', '-', '_']);
    if bare.len() == rest.len() && word.is_ascii() {
        return None;
    }
    let end = bare
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '–')))
        .unwrap_or(bare.len());
    let id = bare.get(..end)?.trim_end_matches(['.', '-', '–']);
    let numbered = id.starts_with(|c: char| c.is_ascii_digit());
    let letter = id.len() == 1 || id.len() <= 4 && id.bytes().all(|byte| matches!(byte, b'I' | b'V' | b'X'));
    // `Task p01-t02: …`, `Phase A1 — …`.
    let mixed = id.bytes().any(|byte| byte.is_ascii_digit()) && !id.contains("--");
    if id.is_empty() || id.len() > 12 || !(numbered || (letter || mixed) && is_closed(bare.get(id.len()..)?))
    {
        return None;
    }
    // `Step 2-3` and `Week 1-2` name several.
    let after = bare.get(id.len()..)?;
    Some(parted(rank, word, id.to_owned(), after))
}

/// How far behind the beginning a number may stand, in bytes.
const NEAR: usize = 32;

/// `第一阶段：…`, `第 2 阶段：…`, `제2단계`.
fn ordinal(text: &str) -> Option<Unit<'_>> {
    let rest = text.strip_prefix(['第', '제'])?.trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (id, rest) = if digits > 0 {
        (rest.get(..digits)?.to_owned(), rest.get(digits..)?)
    } else {
        let first = rest.chars().next()?;
        let number = "一二三四五六七八九十".chars().position(|c| c == first)? + 1;
        (number.to_string(), rest.get(first.len_utf8()..)?)
    };
    let rest = rest.trim_start();
    let word =
        ["阶段", "階段", "步", "部分", "단계", "段階"].into_iter().find(|word| rest.starts_with(word))?;
    Some(parted(Rank::Phase, word, id, rest.get(word.len()..)?))
}

/// `T004: …`, `T4 — …`.
fn numbered_task(text: &str) -> Option<Unit<'_>> {
    let rest = text.strip_prefix('T')?;
    let number = rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let digits = rest.get(..number)?.trim_end_matches('.').len();
    let after = rest.get(digits..)?;
    let letter = after.bytes().take_while(u8::is_ascii_lowercase).count();
    let after = after.get(letter..).filter(|_| letter < 2)?;
    let id = text.get(..1 + digits + letter)?.to_owned();
    let closed = is_closed(after) || digits > 2 && after.starts_with(' ');
    (rest.starts_with(|c: char| c.is_ascii_digit()) && closed).then(|| parted(Rank::Task, "t", id, after))
}

/// `M2: …`, `M0 — …`.
fn numbered_milestone(text: &str) -> Option<Unit<'_>> {
    let rest = text.strip_prefix('M')?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let after = rest.get(digits..)?;
    (1..=2).contains(&digits).then_some(())?;
    is_closed(after)
        .then(|| parted(Rank::Phase, "m", text.get(..1 + digits).unwrap_or_default().to_owned(), after))
}

/// `J02-P1 — …`, `AUTH-12: …`: an id of letters and digits, apart from its title.
pub(crate) fn identified(text: &str) -> Option<Unit<'_>> {
    let end =
        text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))).unwrap_or(text.len());
    let id = text.get(..end)?.trim_end_matches(['.', '-']);
    let digits = id.bytes().filter(u8::is_ascii_digit).count();
    let letters =
        id.starts_with(|c: char| c.is_ascii_uppercase()) && !id.contains(|c: char| c.is_ascii_lowercase());
    let after = text.get(id.len()..)?;
    // `O-01 🔴 Title`
    let signed =
        id.contains('-') && marks::without_signs(after.trim_start()).len() < after.trim_start().len();
    let closed = is_closed(after) || signed;
    let found = letters && digits > 0 && (digits > 1 || id.contains('-')) && id.len() <= 16 && closed;
    found.then(|| parted(Rank::Task, ID, id.to_owned(), after)).filter(|unit| !unit.title.is_empty())
}

/// The word of units that an id names.
pub(crate) const ID: &str = "id";

/// `Lane L0: …`, `WS1 — …`: any word with a number or an id, apart from its title; and the word in lowercase.
pub(crate) fn alike(text: &str) -> Option<(String, Unit<'_>)> {
    let is_id = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    let (word, rest) = text.split_once(' ')?;
    let end = rest.find(|c: char| !is_id(c)).unwrap_or(rest.len());
    let id = rest.get(..end)?.trim_end_matches(['.', '-']);
    let after = rest.get(id.len()..)?;
    let named = word.starts_with(char::is_uppercase) && word.chars().all(char::is_alphabetic);
    let counted = id.bytes().any(|byte| byte.is_ascii_digit()) && id.len() <= 6;
    if named && counted && is_closed(after) {
        let unit = parted(Rank::Task, LIKE, id.to_owned(), after);
        return Some((word.to_lowercase(), unit)).filter(|(_, unit)| !unit.title.is_empty());
    }
    let end = text.find(|c: char| !is_id(c)).unwrap_or(text.len());
    let id = text.get(..end)?.trim_end_matches(['.', '-']);
    let letters = id.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = id.get(letters..)?;
    let counted = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let after = text.get(id.len()..)?;
    let unit = parted(Rank::Task, LIKE, id.to_owned(), after);
    let found = (1..=4).contains(&letters) && counted && is_closed(after) && !unit.title.is_empty();
    found.then(|| (id.get(..letters).unwrap_or_default().to_owned(), unit))
}

/// A heading without word and number as a unit.
pub(crate) fn bare(text: &str) -> Unit<'_> {
    Unit { rank: Rank::Task, word: LIKE, id: String::new(), title: text, parted: true }
}

/// The word of units that are known only because they are alike.
const LIKE: &str = "like";

fn parted<'t>(rank: Rank, word: &'static str, id: String, after: &'t str) -> Unit<'t> {
    let bare = after.trim_start_matches(['*', '_', '`', ' ', '\t']);
    let title = bare.trim_start_matches([':', '：', '.', '-', '—', '–', ')', '）', '、', '|']);
    let parted = title.len() < bare.len();
    Unit { rank, word, id, title: title.trim().trim_start_matches(['*', '_', ' ']), parted }
}

fn is_closed(after: &str) -> bool {
    let after = after.trim_start_matches(['*', '_', '`']);
    after.is_empty()
        || after.starts_with([':', '：', '.', ')'])
        || [" -", " —", " –"].iter().any(|dash| after.starts_with(dash))
}

/// The word for a unit that a text is, in the singular or the plural.
pub(crate) fn word(text: &str) -> Option<&'static str> {
    let one = text.strip_suffix('s').filter(|one| one.is_ascii());
    // A heading `Group 1` may name people or things; after `Depends on:` it names work.
    let mut words = WORDS.iter().flat_map(|(_, words)| words.iter()).chain(&["group"]);
    words.find(|word| **word == text || Some(**word) == one).copied()
}

/// Whether headings of this word may be no work in a plan that has others: the parts of a product, what is wrong with it.
pub(crate) fn is_weak(word: &str) -> bool {
    [
        ID,
        "feature",
        "priority",
        "part",
        "module",
        "component",
        "issue",
        "fix",
        "change",
        "bug",
        "pr",
        "commit",
        "branch",
    ]
    .contains(&word)
}

fn begins(text: &str, word: &str) -> bool {
    // Nearly every word ends here.
    let first = |text: &str| text.as_bytes().first().map(u8::to_ascii_lowercase);
    let plain = word.is_ascii() || text.starts_with(|c: char| c.is_ascii());
    if plain && first(text) != first(word) {
        return false;
    }
    let Some((head, rest)) = text.split_at_checked(word.len()) else { return false };
    let ends = !word.is_ascii() || !rest.starts_with(char::is_alphanumeric);
    ends && (head == word || head.to_lowercase() == *word)
}

#[rustfmt::skip]
const WORDS: &[(Rank, &[&str])] = &[
    (Rank::Group, &["task group"]),
    (Rank::Task, &[
        "task", "tarea", "tâche", "aufgabe", "tarefa", "задача", "завдання", "taak", "zadanie", "úkol", "görev", "tugas",
        "uppgift", "oppgave", "opgave", "ticket", "sub-ticket", "subtask", "sub-task", "issue", "fix", "change", "bug", "pr",
        "commit", "任务", "タスク", "작업", "nhiệm vụ",
    ]),
    (Rank::Step, &[
        "step", "iteration", "paso", "étape", "schritt", "passo", "шаг", "крок", "krok", "stap", "adım", "langkah", "steg",
        "trin", "步骤", "ステップ", "bước",
    ]),
    (Rank::Phase, &[
        "phase", "stage", "milestone", "slice", "increment", "meilenstein", "stufe", "fase", "faza", "fáze", "fas", "etap", "etapa", "этап", "етап",
        "фаза", "aşama", "tahap", "阶段", "階段", "フェーズ", "段階", "단계", "giai đoạn",
    ]),
    (Rank::Group, &[
        "feature", "priority", "part", "module", "epic", "story", "track", "wave", "chunk", "workstream", "work item",
        "action item", "deliverable", "component", "branch", "work package",
    ]),
    (Rank::Time, &["sprint", "week", "day", "batch", "round", "month", "tier", "semaine", "semana", "woche", "неделя"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_of_letters_and_digits_names_a_unit() {
        for (text, id) in [
            ("J02-P1 — Dig", Some("J02-P1")),
            ("AUTH-12: Dig", Some("AUTH-12")),
            ("A1. Current state", None),
            ("HTTP-based: dig", None),
            ("2026-01: dig", None),
        ] {
            assert_eq!(identified(text).map(|unit| unit.id).as_deref(), id, "{text}");
        }
    }

    #[test]
    fn units_are_found_with_number_and_title() {
        for (text, rank, id, title) in [
            ("Phase 1: Capability System", Rank::Phase, "1", "Capability System"),
            ("PHASE 2 — Build", Rank::Phase, "2", "Build"),
            ("Phase 0b: Dev Console", Rank::Phase, "0b", "Dev Console"),
            ("Step 1.2. Do it", Rank::Step, "1.2", "Do it"),
            ("BƯỚC 2: MODULE 6", Rank::Step, "2", "MODULE 6"),
            ("阶段 1：基线", Rank::Phase, "1", "基线"),
            ("第一阶段：项目", Rank::Phase, "1", "项目"),
            ("第 2 阶段：核心", Rank::Phase, "2", "核心"),
            ("フェーズ8: 可視化", Rank::Phase, "8", "可視化"),
            ("T001: Do it", Rank::Task, "T001", "Do it"),
            ("Task 10a: Do it", Rank::Task, "10a", "Do it"),
            ("Phase A: Do it", Rank::Phase, "A", "Do it"),
            ("Task Group 2: API Layer", Rank::Group, "2", "API Layer"),
            ("Week 1-2: Quick", Rank::Time, "1-2", "Quick"),
            ("Stufe 3: Suche", Rank::Phase, "3", "Suche"),
            ("M0 — Ground", Rank::Phase, "M0", "Ground"),
            ("Sub-ticket #8: Tags", Rank::Task, "8", "Tags"),
            ("Slice 1：骨架", Rank::Phase, "1", "骨架"),
        ] {
            let unit = unit(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((unit.rank, unit.id.as_str(), unit.title), (rank, id, title), "{text}");
        }
        for text in [
            "Phases",
            "Phase Overview",
            "Tasks",
            "Task list",
            "Stepping 1",
            "Timeline",
            "T",
            "Part of it",
            "Phase a thing",
        ] {
            assert_eq!(unit(text), None, "{text}");
        }
    }
}
