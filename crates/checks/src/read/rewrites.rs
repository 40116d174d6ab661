//! Why a criterion is unclear, and the legal form that is offered for it. Every offer is read again before it is made:
//! one that is not a check is none.

use super::draft::{Below, Draft, Region};
use crate::commands::class::{Classes, Nature};
use crate::grammar::clauses;
use crate::grammar::titles;
use crate::grammar::tokens::{Token, TokenKind};
use crate::located::{Located, Part};
use crate::reading::{Reading, Unclear};
use crate::synonyms::{self, Synonyms};
use wire::plan::Clause;
use wire::plan::clause::{self, Count, Op};

/// A text behind or below the command that is not understood.
pub(super) fn of_region(draft: &Draft, region: &Region, nature: &Nature, table: &Synonyms) -> Unclear {
    let guess = match understood(&region.tokens, nature, table) {
        Beginning::Nothing => guess(&region.tokens, nature).map(|guess| guess.to_string()),
        Beginning::Clauses(text) => Some(text),
        Beginning::MoreToKeep => None,
    };
    let (key, _) = synonyms::key_of(clauses::trimmed(&region.tokens));
    let said = shortened(&region.text);
    let meant =
        guess.as_ref().map_or_else(|| "state a clause".to_owned(), |guess| format!("take as: {guess}"));
    let (code, rewrite, meant) = match region.kind {
        None => ("unclear-clause", guess.and_then(|guess| whole(draft, &guess)), meant),
        Some(Below::Cell) => ("unclear-clause", guess.map(|guess| guess.replace('|', "\\|")), meant),
        Some(Below::Comment) => ("unclear-below", guess.and_then(|guess| whole(draft, &guess)), meant),
        Some(Below::Expected) => ("unclear-clause", guess.map(|guess| format!("Expected: {guess}")), meant),
        Some(Below::Text | Below::Item) if is_stated(&region.tokens) => {
            ("unclear-clause", guess.map(|guess| format!("Expected: {guess}")), meant)
        }
        Some(Below::Text | Below::Item) => {
            ("unclear-below", Some(format!("Note: {}", region.text)), "take as a note".to_owned())
        }
    };
    Unclear {
        command: Some(draft.command.clone()),
        code,
        message: format!("'{said}' is no clause of plantools-checks(7)"),
        rewrite,
        group: format!("'{}': {meant}", shortened(&key)),
        equal: false,
        at: region.at,
    }
}

/// A title that may mean something.
pub(super) fn of_title(draft: &Draft, word: Option<&str>, nature: &Nature, stated: &[Clause]) -> Unclear {
    let (message, group) = match word {
        Some(word) => (
            format!(
                "the title has '{word}', which may be part of the result: state it as a clause behind the command"
            ),
            "a number, a comparison or a negation in a title",
        ),
        None => (
            "the title may ask for more than exit 0: state the result as a clause behind the command"
                .to_owned(),
            "a title without a clause",
        ),
    };
    let guess = match stated {
        // Whether an unknown word affirms or denies only a person can say.
        [] if word.is_none() && nature.classes.has(Classes::QUIET) => None,
        [] => guess(&draft.title, nature).map(|guess| guess.to_string()),
        stated => Some(clause::text(stated)),
    };
    let meant =
        guess.as_ref().map_or_else(|| "state a clause".to_owned(), |guess| format!("take as: {guess}"));
    Unclear {
        command: Some(draft.command.clone()),
        code: "unclear-title",
        message,
        rewrite: guess.and_then(|guess| whole(draft, &guess)),
        group: format!("{group}: {meant}"),
        equal: false,
        at: draft.at,
    }
}

/// Title and clauses, or two clauses, that cannot hold together.
pub(super) fn contradiction(draft: &Draft, stated: &[Clause]) -> Unclear {
    Unclear {
        command: Some(draft.command.clone()),
        code: "unclear-clause",
        message: format!("these cannot hold together: {}", clause::text(stated)),
        group: "clauses that cannot hold together".to_owned(),
        at: draft.at,
        ..Unclear::default()
    }
}

/// An arrow, or `Expected:`, with nothing behind it.
pub(super) fn nothing_stated(draft: &Draft) -> Unclear {
    Unclear {
        command: Some(draft.command.clone()),
        code: "unclear-clause",
        message: "nothing stands behind the arrow or `Expected:`: state the result".to_owned(),
        rewrite: whole(draft, &Clause::Exit { code: 0 }.to_string()),
        group: "an arrow without a result: take as: exit 0".to_owned(),
        equal: false,
        at: draft.at,
    }
}

/// A command whose success says nothing.
pub(super) fn says_nothing(draft: &Draft, code: &'static str, why: &str, nature: &Nature) -> Unclear {
    let guess = match code {
        "always-succeeds" => None,
        _ if nature.classes.has(Classes::COUNT) => Some(Clause::Number { op: Op::Ge, value: "1".to_owned() }),
        _ if nature.classes.has(Classes::RUNNER) => Some(Clause::TestsPass),
        _ => Some(Clause::Exit { code: 0 }),
    };
    Unclear {
        command: Some(draft.command.clone()),
        code,
        message: format!("its success says nothing, since {why}: state what it must print"),
        rewrite: guess.as_ref().and_then(|guess| whole(draft, &guess.to_string())),
        group: guess.map_or_else(|| why.to_owned(), |guess| format!("{why}: take as: {guess}")),
        equal: false,
        at: draft.at,
    }
}

/// A command without backquotes.
pub(super) fn bare(part: &Part<'_>, rest: &str) -> Unclear {
    let cut = [" → ", " -> ", " => ", " — "].iter().filter_map(|arrow| rest.find(arrow)).min();
    let (command, said) = rest.split_at_checked(cut.unwrap_or(rest.len())).unwrap_or((rest, ""));
    Unclear {
        command: None,
        code: "bare-command",
        message: "the command has no backquotes, so that its end cannot be told".to_owned(),
        rewrite: cut.map(|_| format!("{}{said}", clause::literal(command.trim()))),
        group: "a command without backquotes".to_owned(),
        equal: false,
        at: part.at,
    }
}

/// Takes back an offer that is no check itself.
pub(super) fn proved(unclear: &mut Unclear, table: &Synonyms) {
    let Some(rewrite) = &unclear.rewrite else { return };
    let is_whole = rewrite.starts_with('`');
    if is_whole && !matches!(super::read(&Located::text(rewrite, unclear.at), table), Reading::Check(_)) {
        unclear.rewrite = None;
    }
}

/// The criterion's own text with this result; its title stays where it means nothing.
fn whole(draft: &Draft, guess: &str) -> Option<String> {
    draft.own_text.as_ref()?;
    Some(format!("{} → {guess}", clause::literal(&draft.command)))
}

/// What the beginning of a text is.
enum Beginning {
    /// No clause.
    Nothing,
    /// Clauses, before words that may be left out.
    Clauses(String),
    /// Clauses, before a number, a comparison, a negation or a literal, which no offer may drop.
    MoreToKeep,
}

/// The clauses at the beginning of a text, as far as they are understood.
fn understood(said: &[Token], nature: &Nature, table: &Synonyms) -> Beginning {
    for end in (1..said.len()).rev() {
        let Some((head, rest)) = said.split_at_checked(end) else { continue };
        let found = clauses::parse(head, nature, table).filter(|found| !found.is_empty());
        let Some(found) = found else { continue };
        let keeps = rest.iter().any(|token| titles::reserved(token).is_some() || token.literal().is_some());
        return if keeps { Beginning::MoreToKeep } else { Beginning::Clauses(clause::text(&found)) };
    }
    Beginning::Nothing
}

/// The clause that a text most likely means, if it uses every number, comparison, negation and literal of it.
fn guess(said: &[Token], nature: &Nature) -> Option<Clause> {
    let words = || said.iter().filter_map(Token::word);
    let signs =
        |token: &Token| matches!(token.kind, TokenKind::Sign(sign) if !sign.is_ascii() && sign != '—');
    if words().any(|word| word == "stderr") || said.iter().any(signs) {
        return None;
    }
    let classes = nature.classes;
    let quiet = classes.has(Classes::QUIET);
    let reported =
        [Classes::RUNNER, Classes::LINTER, Classes::BUILDER].iter().any(|class| classes.has(*class));
    let literals: Vec<&str> = said.iter().filter_map(Token::literal).collect();
    let numbers: Vec<(usize, &String)> = said
        .iter()
        .enumerate()
        .filter_map(
            |(at, token)| if let TokenKind::Number(number) = &token.kind { Some((at, number)) } else { None },
        )
        .collect();
    let compares = |word: &str| {
        matches!(
            word,
            "at" | "least" | "more" | "most" | "than" | "or" | "up" | "exactly" | "min" | "minimum"
        )
    };
    let others: Vec<&str> = words()
        .filter(|word| {
            !compares(word) && !matches!(*word, "old" | "bad" | "stale" | "dead" | "first" | "last")
        })
        .filter(|word| titles::is_reserved(word))
        .collect();
    match (numbers.as_slice(), others.as_slice(), literals.as_slice()) {
        ([(at, number)], [exit], []) if exit.starts_with("exit") => {
            let code = number.parse().ok().filter(|code| (0..=255).contains(code))?;
            (*at > 0).then_some(Clause::Exit { code })
        }
        ([(at, number)], [], []) if !quiet => {
            let op = compared(said, *at)?;
            // `1 MB` is not 1.
            let noun = said.get(at + 1).and_then(Token::word);
            if noun.is_some_and(|noun| !NOUNS.contains(&noun)) {
                return None;
            }
            match number.parse() {
                Ok(number) if classes.has(Classes::RUNNER) => {
                    Some(Clause::Tests { count: Count::Passed, op, number })
                }
                _ if reported => None,
                _ => Some(Clause::Number { op, value: (*number).clone() }),
            }
        }
        ([], [], [text]) if !quiet => Some(Clause::Contains { text: (*text).to_owned() }),
        ([], [], []) if said.iter().any(|token| matches!(token.kind, TokenKind::Op(_))) => None,
        ([], [], []) if words().any(compares) => None,
        ([], [], []) if classes.has(Classes::RUNNER) => Some(Clause::TestsPass),
        ([], [], []) if classes.has(Classes::SEARCH) || classes.has(Classes::LIST) => Some(Clause::NotEmpty),
        ([], [], []) => Some(Clause::Exit { code: 0 }),
        ([], [word, more @ ..], []) => {
            let meant = denied(word, nature)?;
            more.iter().all(|word| denied(word, nature).as_ref() == Some(&meant)).then_some(meant)
        }
        _ => None,
    }
}

/// What a number may count.
const NOUNS: &[&str] = &[
    "line", "lines", "row", "rows", "item", "items", "file", "files", "entry", "entries", "match", "matches",
    "result", "results", "test", "tests", "time", "times", "commits", "users", "or", "and", "개", "个", "件",
];

/// What one word that denies means for a command.
fn denied(word: &str, nature: &Nature) -> Option<Clause> {
    let classes = nature.classes;
    let begins = |stems: &[&str]| stems.iter().any(|stem| word.starts_with(stem));
    let fails = !word.starts_with("failure")
        && begins(&["fail", "reject", "error", "refus", "den", "invalid", "throw", "rais"]);
    let absent = matches!(
        word,
        "no" | "not"
            | "none"
            | "gone"
            | "nothing"
            | "never"
            | "without"
            | "missing"
            | "absent"
            | "zero"
            | "nowhere"
            | "free"
    ) || begins(&["remov", "delet", "drop", "elimin", "purg"]);
    match () {
        () if absent && (classes.has(Classes::SEARCH) || classes.has(Classes::LIST)) => Some(Clause::Empty),
        () if absent && classes.has(Classes::COUNT) => {
            Some(Clause::Number { op: Op::Eq, value: "0".to_owned() })
        }
        () if absent && classes.has(Classes::QUIET) && !nature.denies => Some(Clause::Fails),
        () if absent && classes.has(Classes::QUIET) => Some(Clause::Exit { code: 0 }),
        () if word == "nothing" => Some(Clause::Empty),
        () if fails && !classes.has(Classes::LINTER) && !classes.has(Classes::BUILDER) => Some(Clause::Fails),
        () => None,
    }
}

/// The comparison with the number at this place.
fn compared(said: &[Token], at: usize) -> Option<Op> {
    let word = |at: Option<usize>| at.and_then(|at| said.get(at)).and_then(Token::word).unwrap_or_default();
    let before = (word(at.checked_sub(2)), word(at.checked_sub(1)));
    let signs = said.iter().filter(|token| matches!(token.kind, TokenKind::Op(_))).count();
    match (at.checked_sub(1).and_then(|at| said.get(at)).map(|token| &token.kind), before, signs) {
        (Some(TokenKind::Op(op)), _, 1) => Some(*op),
        (_, ("at", "least"), 0) => Some(Op::Ge),
        (_, ("at", "most"), 0) => Some(Op::Le),
        (_, ("more", "than"), 0) => Some(Op::Gt),
        (_, _, 0) if said.get(at + 1).is_some_and(|next| next.is('+')) => Some(Op::Ge),
        (_, _, 0)
            if !said
                .iter()
                .filter_map(Token::word)
                .any(|word| matches!(word, "or" | "least" | "most" | "more" | "than" | "up")) =>
        {
            Some(Op::Eq)
        }
        _ => None,
    }
}

/// Whether a text below a command speaks of a result rather than of what the check is for.
fn is_stated(said: &[Token]) -> bool {
    said.iter().any(|token| {
        titles::reserved(token).is_some() || token.literal().is_some() || token.kind == TokenKind::Arrow
    })
}

fn shortened(text: &str) -> String {
    let mut short: String = text.trim().chars().take(60).collect();
    if short.len() < text.trim().len() {
        short.push('…');
    }
    short
}
