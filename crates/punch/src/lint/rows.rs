//! Lints the rows of one card: whether anything could ever match a row, and whether it can be met at all.

use super::commands::Commands;
use super::words::{Words, meant_kinds};
use crate::cards::card::Card;
use crate::cards::pattern::Form;
use crate::cards::row::{Row, Use, What};
use transcripts::{Kind, vocabularies};
use wire::lint::{Finding, Severity};
use wire::punch::Type;

/// What cards are compared with.
pub(crate) struct LintContext {
    pub(crate) words: Words,
    /// Gates by id.
    pub(crate) gates: Vec<String>,
    pub(crate) commands: Vec<Commands>,
}

impl LintContext {
    /// Every existing gate.
    fn all_gates(&self) -> Vec<&str> {
        let of_commands = self.commands.iter().flat_map(Commands::gates);
        self.gates.iter().map(String::as_str).chain(of_commands).collect()
    }
}

/// All faults of a card.
pub(crate) fn look(card: &Card, ground: &LintContext) -> Vec<Finding> {
    let mut findings = Vec::new();
    if card.enforced().next().is_none() {
        let message = "no row decides anything: the card cannot fail".to_owned();
        findings.push(finding(card, None, Severity::Error, "toothless", message));
    }
    for (index, row) in card.rows.iter().enumerate() {
        let mut say =
            |severity, code: &str, message| findings.push(finding(card, Some(row), severity, code, message));
        if let Some(why) = never(row, ground) {
            match row.used() {
                Use::Forbidden => say(Severity::Error, "vacuous", format!("can never be broken: {why}")),
                Use::Required => say(Severity::Error, "unsatisfiable", format!("can never be met: {why}")),
                Use::Limit | Use::Optional => {
                    say(Severity::Warning, "never-matches", format!("never matches: {why}"));
                }
            }
        }
        if let Some(message) = unknown_gate(row, ground) {
            let severity = if row.used() == Use::Required { Severity::Error } else { Severity::Warning };
            say(severity, "unknown-gate", message);
        }
        if row.is_exit() && row.used() == Use::Required && row.enforced {
            let message =
                "is written by the act that waits for this card: hold the card against the record from \
                           outside after the worker has ended, or with --pre-exit"
                    .to_owned();
            say(Severity::Warning, "circular-exit", message);
        }
        for other in &card.rows[..index] {
            if let Some(message) = both_ways(row, other) {
                say(Severity::Error, "both-ways", message);
            }
        }
    }
    findings
}

/// Why nothing can ever match a row.
fn never(row: &Row, ground: &LintContext) -> Option<String> {
    let real = ground.words.real.as_ref().map(|real| (real.hits(row), real.meant(row)));
    match real {
        Some((hits, _)) if hits > 0 => None,
        Some((_, meant)) => by_words(row, ground).or_else(|| against(row, &meant)),
        None => by_words(row, ground),
    }
}

fn by_words(row: &Row, ground: &LintContext) -> Option<String> {
    match &row.what {
        What::Unknown(word) => Some(format!("no punch is of type '{word}'")),
        What::Type(Type::Message) => Some("no punch of type 'message' is minted".to_owned()),
        What::Type(Type::ToolCall) => no_tool(row, &ground.words),
        What::Type(Type::McpCall) => {
            let literal = row.pattern.literal().filter(|text| !text.contains(':'))?;
            Some(format!("the key is SERVER:TOOL, and '{literal}' leaves no room for the server"))
        }
        What::Type(Type::ChildSpawn) => {
            let literal = row.pattern.literal()?;
            let titles: Vec<_> =
                ground.words.vocabularies.iter().filter(|words| words.spawns_by_title).collect();
            let all = titles.len() == ground.words.vocabularies.len();
            all.then(|| format!("the record has the title that people see and not the id '{literal}'"))
        }
        What::Type(Type::StepComplete) => no_key(row, &["task_exit"]),
        What::Type(Type::ChildComplete) => no_key(row, &["child_return", "child_error"]),
        What::Type(Type::SessionLifecycle) => no_key(row, &["done", "error", "interrupted", "open"]),
        _ => None,
    }
}

/// What real records say about a row that they never match. A missing action proves nothing; an action under another
/// name does.
fn against(row: &Row, meant: &[String]) -> Option<String> {
    if !matches!(row.what, What::Type(_)) || row.gate().is_some() || meant.is_empty() {
        return None;
    }
    Some(format!("nothing on record is called so; there is {}{}", meant.join(", "), underscores(row)))
}

fn no_tool(row: &Row, words: &Words) -> Option<String> {
    if words.tools().any(|name| row.pattern.matches(name)) || row.pattern.shown.starts_with("mcp_") {
        return None;
    }
    let known: Vec<_> = words.vocabularies.iter().map(|words| words.name).collect();
    let elsewhere: Vec<_> = vocabularies()
        .iter()
        .filter(|words| words.tools.iter().any(|name| row.pattern.matches(name)))
        .map(|w| w.name)
        .collect();
    let kinds = meant_kinds(row);
    let mut real: Vec<_> = words.tools().filter(|name| kinds.contains(&Kind::of(name))).collect();
    real.sort_unstable();
    real.dedup();
    let mut why = format!("no tool of {} is called so", known.join(", "));
    if !elsewhere.is_empty() {
        why = format!("{why} (it is a word of {})", elsewhere.join(", "));
    }
    if !real.is_empty() {
        why = format!("{why}; the words are {}", real.join(", "));
    }
    Some(format!("{why}{}", underscores(row)))
}

fn no_key(row: &Row, keys: &[&str]) -> Option<String> {
    let any = keys.iter().any(|key| row.pattern.matches(key));
    (!any).then(|| format!("the keys of this type are {}", keys.join(", ")))
}

fn underscores(row: &Row) -> &'static str {
    let single = row.pattern.form == Form::Like && row.pattern.shown.replace("\\_", "").contains("__");
    if single { "; in LIKE each underscore stands for exactly one character" } else { "" }
}

fn unknown_gate(row: &Row, ground: &LintContext) -> Option<String> {
    row.gate()?;
    let gates = ground.all_gates();
    if gates.iter().any(|gate| row.pattern.matches(gate)) {
        return None;
    }
    // Criteria of a plan have ids such as `1:2`; a pattern that matches them is fine.
    if row.pattern.matches("1:1") {
        return None;
    }
    let known = if gates.is_empty() {
        "there is no gate at all".to_owned()
    } else {
        format!("gates are {}", gates.join(", "))
    };
    Some(format!("no gate has this id; {known}"))
}

/// Whether two rows require and forbid the same.
fn both_ways(row: &Row, other: &Row) -> Option<String> {
    let (required, forbidden) = match (row.used(), other.used()) {
        (Use::Required, Use::Forbidden) => (row, other),
        (Use::Forbidden, Use::Required) => (other, row),
        _ => return None,
    };
    let same_who = forbidden.who == crate::cards::row::Who::Any || forbidden.who == required.who;
    let kind_of_tool = |name: &str| Kind::of(name);
    let covered = match (&required.what, &forbidden.what) {
        (What::Type(a), What::Type(b)) => {
            let covers = required
                .pattern
                .literal()
                .map_or(forbidden.pattern.shown == "*" || forbidden.pattern.shown == "%", |text| {
                    forbidden.pattern.matches(text)
                });
            a == b && (covers || required.pattern.shown == forbidden.pattern.shown)
        }
        (What::Type(Type::ToolCall), What::Kind(kind)) => {
            required.pattern.literal().is_some_and(|name| kind_of_tool(name) == *kind)
        }
        (What::Type(Type::ChildSpawn), What::Kind(Kind::Spawn))
        | (What::Type(Type::McpCall), What::Kind(Kind::Mcp)) => true,
        (What::Kind(a), What::Kind(b)) => a == b,
        _ => false,
    };
    (covered && same_who && row.enforced && other.enforced)
        .then(|| format!("'{}' is required and '{}' forbids it", required.shown(), forbidden.shown()))
}

fn finding(card: &Card, row: Option<&Row>, severity: Severity, code: &str, message: String) -> Finding {
    Finding {
        severity,
        code: code.to_owned(),
        card: Some(card.name.clone()),
        row: row.map(Row::shown),
        path: None,
        line: None,
        message,
    }
}
