//! The law of the grammar: nothing is dropped. A word that is added behind a command makes the check unclear, a word that
//! is taken away changes its clauses or makes it unclear, and no text at all makes a reader or the judge panic.

use checks::judge::{self, Output, Stages};
use checks::{Located, Reading, Synonyms, read, read_block, read_field, synonyms};
use markdown::{Extent, Outline, Text};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::time::Duration;
use wire::plan::{Clause, clause};

/// Legal checks: the words behind the command are all of the grammar or of the table.
const CHECKS: &[&str] = &[
    "`./app` → exit 2",
    "`./app` → fails",
    "`./app` → empty",
    "`./app` → not empty",
    "`./app` → `x y`",
    "`./app` → contains \"x\"",
    "`./app` → exactly \"x\"",
    "`./app` → matches /^v[0-9]+$/",
    "`./app` → >= 3",
    "`./app` → json /a/b == \"x\"",
    "`./app` → stderr contains \"x\"",
    "`./app` → exit 0, within 2s",
    "`pytest -q` → 12 passed, 0 failed",
    "`pytest -q` → 12 tests and 0 skipped",
    "`make lint` → 0 warnings, 0 errors",
    "`pytest -q` passes",
    "`pytest -q` — all tests pass",
    "`test -f x` → does not exist",
    "`grep -rn x src` → no matches",
    "`grep -c x f` → 10 이상",
    "`./app` should print `x`",
    "`./app` → at least 3",
    "Version: `./app` → `x`, stderr empty",
];

/// Every word of the grammar and of the table, and the words that only introduce a phrase.
static VOCABULARY: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let grammar = "exit fails empty not contains exactly matches passed failed skipped tests pass warnings errors problems json \
                   stderr within skip skipped and with plus und et y e that it this they which still also now must will shall should \
                   has have needs need ought expected expects expect is are to be make sure ensure verify confirm check assert the \
                   command script output stdout result standard outcome expecting supposed required true false null n or s m h ms min sec";
    let rows = synonyms::section_rows().into_iter().flat_map(|(_, rows)| rows);
    let phrases = rows.flat_map(|(phrase, _)| synonyms::expanded(&phrase));
    let words = phrases.flat_map(|phrase| phrase.split(' ').map(str::to_lowercase).collect::<Vec<_>>());
    words.chain(grammar.split_whitespace().map(str::to_owned)).collect()
});

fn reading(text: &str) -> Reading {
    read(&Located::text(text, Extent { start: 0, end: text.len() }), Synonyms::builtin())
}

fn clauses(reading: &Reading) -> Option<(String, Vec<Clause>)> {
    match reading {
        Reading::Check(check) if check.skip.is_none() => Some((check.command.clone(), check.clauses.clone())),
        _ => None,
    }
}

/// Where a word may be put behind the command: before a word, and at the end; never within a literal.
fn places(text: &str) -> Vec<usize> {
    let start = text.rfind('`').filter(|_| text.matches('`').count() == 2).or_else(|| {
        let open = text.find('`')?;
        Some(open + 1 + text[open + 1..].find('`')?)
    });
    let Some(start) = start else { return Vec::new() };
    let (mut places, mut quoted) = (Vec::new(), false);
    for (at, c) in text.char_indices().filter(|(at, _)| *at > start) {
        quoted ^= matches!(c, '`' | '"' | '/');
        if c == ' ' && !quoted {
            places.push(at);
        }
    }
    places.push(text.len());
    places
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_word_that_is_added_makes_a_check_unclear(
        check in prop::sample::select(CHECKS),
        word in "[a-z]{3,9}|[가-힣]{2,4}|[а-я]{3,8}",
        place in any::<prop::sample::Index>(),
    ) {
        prop_assume!(!VOCABULARY.contains(&word));
        prop_assert!(clauses(&reading(check)).is_some(), "{check}");
        let places = places(check);
        let at = places[place.index(places.len())];
        let text = format!("{} {word}{}", &check[..at], &check[at..]);
        prop_assert!(matches!(reading(&text), Reading::Unclear(_)), "{text}: {:?}", reading(&text));
    }

    #[test]
    fn a_word_of_the_table_that_is_added_drops_no_number_and_no_literal(
        check in prop::sample::select(CHECKS),
        word in prop::sample::select(VOCABULARY.iter().filter(|word| !word.contains('{')).cloned().collect::<Vec<_>>()),
        place in any::<prop::sample::Index>(),
    ) {
        let places = places(check);
        let at = places[place.index(places.len())];
        let text = format!("{} {word}{}", &check[..at], &check[at..]);
        let Some((_, before)) = clauses(&reading(check)) else { return Err(TestCaseError::fail(check)) };
        if let Some((_, after)) = clauses(&reading(&text)) {
            // Whatever is still understood keeps every number and literal.
            let after = clause::text(&after);
            let kept = |clause: &Clause| values(clause).iter().all(|value| after.contains(value.as_str()));
            prop_assert!(before.iter().all(kept), "{text}: {after}");
        }
    }

    #[test]
    fn nothing_panics(text in "\\PC{0,120}", info in "(console|bash|text|)", marks in "[`→\\-:,()|#$ \\n0-9a-z>=\"]{0,80}") {
        for text in [&text, &marks] {
            let _ = reading(text);
            let _ = read_field(text, Some(&marks), Extent::default(), Synonyms::builtin());
            let _ = read_block(&info, text, Extent::default(), Synonyms::builtin());
            let outline = Outline::new(&Text { path: "-", bytes: text.as_bytes() });
            let located = Located::range(&outline, Extent { start: 0, end: text.len() }, &[]);
            let _ = read(&located, Synonyms::builtin());
            let _ = checks::conditions::commit(text);
            let _ = checks::conditions::must_not(text);
        }
    }

    #[test]
    fn a_verdict_never_panics(check in prop::sample::select(CHECKS), stdout in "\\PC{0,80}(\\n\\PC{0,40})?", exit in 0..256_i32) {
        let Some((command, clauses)) = clauses(&reading(check)) else { return Err(TestCaseError::fail(check)) };
        let output = Output {
            stdout: &stdout,
            stderr: "",
            both: &stdout,
            exit,
            stages: Stages::Single,
            elapsed: Duration::from_secs(1),
        };
        let _ = judge::judge(&command, &clauses, &output);
    }
}

/// The numbers and literals of a clause.
fn values(clause: &Clause) -> Vec<String> {
    let text = clause.to_string();
    let cut = text.split(|c: char| !c.is_alphanumeric() && c != '.');
    let numbers = cut.filter(|word| word.starts_with(|c: char| c.is_ascii_digit())).map(str::to_owned);
    let literals = text.split('`').skip(1).step_by(2).map(str::to_owned);
    numbers.chain(literals).collect()
}

#[test]
fn a_word_that_is_taken_away_changes_the_clauses_or_makes_them_unclear() {
    let grammar = CHECKS
        .iter()
        .filter(|check| check.contains('→') && !check.contains("does") && !check.contains("at least"));
    for check in grammar {
        let Some((_, whole)) = clauses(&reading(check)) else { panic!("{check}") };
        let behind = check.find('→').unwrap();
        let words: Vec<&str> = check[behind..].split(' ').collect();
        for skipped in 1..words.len() {
            let connects = words[skipped] == "and";
            let rest: Vec<&str> =
                words.iter().enumerate().filter(|(at, _)| *at != skipped).map(|(_, word)| *word).collect();
            let text = format!("{}{}", &check[..behind], rest.join(" "));
            let same = clauses(&reading(&text)).is_some_and(|(_, clauses)| clauses == whole);
            assert!(!same || connects, "{text}");
        }
    }
}
