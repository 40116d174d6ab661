//! Conditions of commits and rules of what not to do, with the rule of checks: every word is understood, or a person is
//! asked; nothing is dropped.

use crate::commands::{self, Shape};
use crate::grammar::clauses;
use crate::grammar::tokens::{Token, TokenKind, tokens};
use crate::synonyms;

/// When a commit is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitCondition {
    /// Once the task is done, which is so when a commit is due: `always`, `if tests pass`.
    Always,
    /// Only if there is something to commit: `if any change`.
    IfChanged,
    /// Only if this command exits 0: a command in backquotes.
    Command(String),
    /// Not understood: a person is asked.
    Asked(String),
}

/// Commands of one word that say yes or no and nothing else.
const ANSWERS: [&str; 3] = ["true", "false", ":"];

/// When a commit is made, by the text of its condition.
pub fn commit(text: &str) -> CommitCondition {
    let all = tokens(text);
    let said = clauses::trimmed(&all);
    if let [Token { kind: TokenKind::Code(command), .. }] = strip_if(said)
        && (commands::shape(command) != Shape::Other || ANSWERS.contains(&command.as_str()))
    {
        return CommitCondition::Command(command.clone());
    }
    let mut found = CommitCondition::Always;
    for part in said.split(|token| token.is(',') || token.is(';') || token.word() == Some("and")) {
        let plain: Vec<Token> = strip_if(part).iter().map(unquoted).collect();
        let (key, _) = synonyms::key_of(&plain);
        match key.as_str() {
            "" | "—" => {}
            key if ALWAYS.contains(&key) => {}
            key if CHANGED.contains(&key) => found = CommitCondition::IfChanged,
            _ => return CommitCondition::Asked(text.trim().to_owned()),
        }
    }
    found
}

/// A word in backquotes is the word: `` `always` ``.
fn unquoted(token: &Token) -> Token {
    match &token.kind {
        TokenKind::Code(text) if !text.contains(' ') => {
            Token { kind: TokenKind::Word(text.to_lowercase()), at: token.at }
        }
        _ => token.clone(),
    }
}

/// What stands behind `if`, `only if`, `when`.
fn strip_if(mut said: &[Token]) -> &[Token] {
    while let Some((first, rest)) = said.split_first() {
        let is_if = first.word().is_some_and(|word| {
            matches!(word, "only" | "if" | "when" | "once" | "after" | "wenn" | "si" | "se" | "если")
        });
        if !is_if || rest.is_empty() {
            break;
        }
        said = rest;
    }
    said
}

/// What is so whenever a commit is due.
#[rustfmt::skip]
const ALWAYS: &[&str] = &[
    "always", "yes", "done", "verification passes", "verification passed", "verified", "verify passes", "tests pass", "all tests pass", "tests passed",
    "tests are green", "all tests are green", "checks pass", "all checks pass", "all criteria pass", "criteria pass", "acceptance criteria pass",
    "acceptance criteria met", "build passes", "task is done", "task is verified", "the task is done", "complete", "completed",
    "항상", "검증 통과", "테스트 통과", "总是", "始终", "验证通过", "测试通过", "常に", "検証に合格", "immer", "toujours", "siempre", "sempre", "всегда",
];

/// What is so where there is something to commit.
#[rustfmt::skip]
const CHANGED: &[&str] = &[
    "any change", "any changes", "changes", "changed", "there are changes", "there are any changes", "something changed", "files changed",
    "anything changed", "changes exist", "변경 시", "변경이 있으면", "有变更", "有更改", "変更があれば", "änderungen", "changements", "cambios", "mudanças", "изменения",
];

/// A rule of what not to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MustNot {
    /// These paths or patterns must not change.
    Change(Vec<String>),
    /// These paths or patterns must not be deleted or moved.
    Delete(Vec<String>),
    /// Only these paths or patterns may change.
    ChangeOnly(Vec<String>),
    /// For the worker and for a person; it names no path.
    Prose,
    /// It names paths, and not every word about them is understood. To forbid them is the safe reading until a person
    /// has said what is meant.
    Asked(Vec<String>),
}

/// What a rule of what not to do means.
pub fn must_not(text: &str) -> MustNot {
    let all = tokens(text);
    let said = clauses::trimmed(&all);
    let paths = |said: &[Token]| -> Vec<String> {
        let named = said
            .iter()
            .filter_map(|token| token.literal().or_else(|| token.word().filter(|word| is_file_name(word))));
        named.filter(|text| is_path(text)).map(str::to_owned).collect()
    };
    let named = paths(said);
    if named.is_empty() {
        return MustNot::Prose;
    }
    let except = said.iter().position(|token| token.word().is_some_and(|word| EXCEPT.contains(&word)));
    let (before, after) = said.split_at_checked(except.unwrap_or(said.len())).unwrap_or((said, &[]));
    let known = |token: &Token| match &token.kind {
        TokenKind::Word(word) => {
            FILL.contains(&word.as_str())
                || is_change(word)
                || EXCEPT.contains(&word.as_str())
                || is_file_name(word)
        }
        TokenKind::Code(text) | TokenKind::Quote(text) => is_path(text),
        TokenKind::Sign(sign) => matches!(sign, ',' | ';' | '.' | '(' | ')' | ':' | '—'),
        _ => false,
    };
    if !said.iter().all(known) {
        return MustNot::Asked(named);
    }
    let verbs: Vec<&str> = said.iter().filter_map(Token::word).filter(|word| is_change(word)).collect();
    let (forbidden, allowed) = (paths(before), paths(after));
    match (forbidden.is_empty(), allowed.is_empty()) {
        (true, _) if !verbs.is_empty() => MustNot::ChangeOnly(allowed),
        (false, true) if !verbs.is_empty() && verbs.iter().all(|verb| takes_away(verb)) => {
            MustNot::Delete(forbidden)
        }
        (false, true) if verbs.is_empty() || !verbs.iter().any(|verb| takes_away(verb)) => {
            MustNot::Change(forbidden)
        }
        _ => MustNot::Asked(named),
    }
}

/// Whether a word without quotes can only be the name of a file: `legacy.txt`, `src/main.rs`.
fn is_file_name(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending);
    let is_ending =
        |ending: &str| (2..=5).contains(&ending.len()) && ending.bytes().all(|b| b.is_ascii_lowercase());
    is_path(word) && ending.is_some_and(is_ending)
}

fn is_change(word: &str) -> bool {
    ["modif", "edit", "touch", "chang", "writ", "creat", "overwrit", "alter", "updat"]
        .iter()
        .any(|stem| word.starts_with(stem))
        || takes_away(word)
}

fn takes_away(word: &str) -> bool {
    ["delet", "remov", "renam", "mov"].iter().any(|stem| word.starts_with(stem))
}

const EXCEPT: &[&str] = &["except", "outside", "besides", "but"];

#[rustfmt::skip]
const FILL: &[&str] = &[
    "a", "all", "any", "anything", "at", "be", "by", "cannot", "contents", "directory", "do", "doesn't", "don't", "existing", "file", "files", "folder",
    "folders", "for", "from", "in", "into", "inside", "it", "its", "may", "must", "mustn't", "never", "no", "nor", "not", "nothing", "of", "or", "and", "should", "shouldn't", "the",
    "this", "to", "under", "within",
];

/// `src/x.rs`, `tests/`, `*.lock`, `Cargo.toml`, `Makefile`; not `foo()`, `--flag` or `a b`.
fn is_path(word: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "/._-*?@+".contains(c);
    !word.is_empty()
        && !word.starts_with('-')
        && !word.ends_with('.')
        && word != "*"
        && word.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_understood_as_a_whole() {
        for (text, wanted) in [
            ("", CommitCondition::Always),
            ("-", CommitCondition::Always),
            ("`always`", CommitCondition::Always),
            ("Only if tests pass", CommitCondition::Always),
            ("if verification passes", CommitCondition::Always),
            ("only if any change", CommitCondition::IfChanged),
            ("if all tests pass and any changes", CommitCondition::IfChanged),
            ("if `make lint` passes", CommitCondition::Asked("if `make lint` passes".to_owned())),
            ("`make lint`", CommitCondition::Command("make lint".to_owned())),
            ("always (after review)", CommitCondition::Asked("always (after review)".to_owned())),
            ("if the reviewer agrees", CommitCondition::Asked("if the reviewer agrees".to_owned())),
        ] {
            assert_eq!(commit(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_rule_forbids_what_it_names() {
        let paths = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
        for (text, wanted) in [
            ("Do not modify `tests/**` or `Cargo.toml`", MustNot::Change(paths(&["tests/**", "Cargo.toml"]))),
            ("`c.txt`", MustNot::Change(paths(&["c.txt"]))),
            ("Do not modify legacy.txt", MustNot::Change(paths(&["legacy.txt"]))),
            ("`c.txt` must not be changed", MustNot::Change(paths(&["c.txt"]))),
            ("Don't delete `a.txt`", MustNot::Delete(paths(&["a.txt"]))),
            ("Do not change files outside `src/auth/`", MustNot::ChangeOnly(paths(&["src/auth/"]))),
            ("Do not call `foo()`", MustNot::Prose),
            ("No new dependencies", MustNot::Prose),
            ("Do not delete `a.txt`, nor edit `b.txt`", MustNot::Asked(paths(&["a.txt", "b.txt"]))),
            ("Do not change `a.txt` unless asked", MustNot::Asked(paths(&["a.txt"]))),
            ("Do not change `a.txt` except `b.txt`", MustNot::Asked(paths(&["a.txt", "b.txt"]))),
            ("Do not call `foo.bar`", MustNot::Asked(paths(&["foo.bar"]))),
        ] {
            assert_eq!(must_not(text), wanted, "{text}");
        }
    }
}
