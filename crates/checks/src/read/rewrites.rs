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
pub(super) fn of_region(draft: &Draft, region: &Region, nature: &Nature) -> Unclear {
    let guess = guess(&region.tokens, nature);
    let (key, _) = synonyms::key_of(clauses::trimmed(&region.tokens));
    let said = shortened(&region.text);
    let (code, rewrite, meant) = match region.kind {
        None => ("unclear-clause", whole(draft, &guess), format!("take as: {guess}")),
        Some(Below::Cell) => {
            ("unclear-clause", Some(guess.to_string().replace('|', "\\|")), format!("take as: {guess}"))
        }
        Some(Below::Comment) => ("unclear-below", None, "a comment".to_owned()),
        Some(Below::Expected) => {
            ("unclear-clause", Some(format!("Expected: {guess}")), format!("take as: {guess}"))
        }
        Some(Below::Text | Below::Item) if is_stated(&region.tokens) => {
            ("unclear-clause", Some(format!("Expected: {guess}")), format!("take as: {guess}"))
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
        [] => guess(&draft.title, nature).to_string(),
        stated => clause::text(stated),
    };
    Unclear {
        command: Some(draft.command.clone()),
        code: "unclear-title",
        message,
        rewrite: draft.own_text.as_ref().map(|_| format!("{} → {guess}", clause::literal(&draft.command))),
        group: format!("{group}: take as: {guess}"),
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
        rewrite: guess.as_ref().and_then(|guess| whole(draft, guess)),
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
fn whole(draft: &Draft, guess: &Clause) -> Option<String> {
    draft.own_text.as_ref()?;
    Some(format!("{} → {guess}", clause::literal(&draft.command)))
}

/// The clause that a text most likely means.
fn guess(said: &[Token], nature: &Nature) -> Clause {
    let words = || said.iter().filter_map(Token::word);
    let fails = words()
        .any(|word| word.starts_with("fail") || word.starts_with("reject") || word.starts_with("error"));
    let tests = words().any(|word| word.starts_with("pass") || word.starts_with("test"));
    let denies = words().any(|word| {
        matches!(word, "no" | "not" | "none" | "gone" | "without" | "never")
            || word.starts_with("remov")
            || word.starts_with("delet")
    });
    let number = said.iter().enumerate().find_map(|(at, token)| match &token.kind {
        TokenKind::Number(number) => Some((at, number.clone())),
        _ => None,
    });
    let op = |at: usize| match at.checked_sub(1).and_then(|at| said.get(at)).map(|token| &token.kind) {
        Some(TokenKind::Op(op)) => *op,
        _ if said.get(at + 1).is_some_and(|next| next.is('+')) || words().any(|word| word == "least") => {
            Op::Ge
        }
        _ => Op::Eq,
    };
    let classes = nature.classes;
    let quiet = classes.has(Classes::QUIET);
    if let Some((at, number)) = &number
        && classes.has(Classes::RUNNER)
        && let Ok(number) = number.parse()
    {
        return Clause::Tests { count: Count::Passed, op: op(*at), number };
    }
    let reported =
        [Classes::RUNNER, Classes::LINTER, Classes::BUILDER].iter().any(|class| classes.has(*class));
    if let Some((at, number)) = number
        && !quiet
        && !tests
        && !reported
    {
        return Clause::Number { op: op(at), value: number };
    }
    if let Some(text) = said.iter().find_map(Token::literal).filter(|_| !quiet && !denies) {
        return Clause::Contains { text: text.to_owned() };
    }
    match () {
        () if classes.has(Classes::SEARCH) || classes.has(Classes::LIST) => {
            if denies {
                Clause::Empty
            } else {
                Clause::NotEmpty
            }
        }
        () if classes.has(Classes::COUNT) && denies => Clause::Number { op: Op::Eq, value: "0".to_owned() },
        () if quiet && denies && !nature.negated => Clause::Fails,
        () if fails && !classes.has(Classes::RUNNER) => Clause::Fails,
        () if classes.has(Classes::RUNNER) => Clause::TestsPass,
        () => Clause::Exit { code: 0 },
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
