//! The commands in a text, each with the words before and behind it.

use crate::commands::{self, Shape};
use crate::grammar::titles;
use crate::grammar::tokens::{Token, TokenKind, has_arrow};
use crate::labels::{self, Label};
use memchr::{memchr, memchr_iter};

/// The commands of a text.
pub(super) enum Found {
    /// No text.
    None,
    /// There are several, and the words between them may belong to either; the one command that runs all of them, where
    /// the text says no more than that.
    Several(Option<String>),
    /// An arrow stands behind something that is no command by its looks.
    Doubtful(String),
    /// In order.
    Commands(Vec<Command>),
}

/// One command with its words.
pub(super) struct Command {
    pub(super) text: String,
    pub(super) title: Vec<Token>,
    pub(super) after: Vec<Token>,
    /// Whether what is said behind the next command may hold for this one too.
    pub(super) shares_next: bool,
    /// Where its code span ends in the text.
    pub(super) end: usize,
}

/// Whether a text without a label may hold a command: a look that is cheaper than `commands`, and finds no fewer.
pub(super) fn may_hold_command(text: &str) -> bool {
    let bytes = text.as_bytes();
    if memchr(b'<', bytes).is_some() && text.contains("<code>") {
        return true;
    }
    // Code spans between single backquotes, each the name of a file or a thing.
    let mut signs = memchr_iter(b'`', bytes);
    let is_escaped = |at: usize| at.checked_sub(1).and_then(|at| bytes.get(at)) == Some(&b'\\');
    let mut names = false;
    while let Some(open) = signs.next() {
        let Some(close) = signs.next() else { return true };
        let span = text.get(open + 1..close).unwrap_or_default();
        if is_escaped(open) || is_escaped(close) || !is_name_of_thing(span) {
            return true;
        }
        names = true;
    }
    names && has_arrow(text)
}

/// Whether a code span is a word, and neither a command nor a program.
fn is_name_of_thing(span: &str) -> bool {
    commands::is_path(span)
        || !span.is_empty()
            && !span.contains(char::is_whitespace)
            && commands::shape(span) == Shape::Other
            && commands::programs::PROGRAMS.binary_search(&span).is_err()
}

/// The commands of a text; `asked` says that a label asks for one.
pub(super) fn commands(all: &[Token], asked: bool) -> Found {
    let Some(first) = first(all, asked) else { return doubtful(all) };
    // `All tests pass (npm test)`: the brackets hold the command alone.
    let is =
        |at: Option<usize>, sign: char| at.and_then(|at| all.get(at)).is_some_and(|token| token.is(sign));
    if is(first.checked_sub(1), '(') && is(Some(first + 1), ')') {
        let bare: Vec<Token> = all
            .iter()
            .enumerate()
            .filter(|(at, _)| *at + 1 != first && *at != first + 1)
            .map(|(_, token)| token.clone())
            .collect();
        return commands(&bare, asked);
    }
    let mut places = vec![first];
    for (at, token) in all.iter().enumerate().skip(first + 1) {
        let TokenKind::Code(text) = &token.kind else { continue };
        if commands::shape(text) == Shape::Command && follows_connector(all, at) {
            places.push(at);
        }
    }
    // `` `cat a` equals `cat b` ``: the other command is run, or it is the text.
    let is_equals = |token: &Token| {
        matches!(token.kind, TokenKind::Op(_))
            || token.is('=')
            || matches!(token.word(), Some("equals" | "equal" | "matches" | "match" | "as"))
    };
    let compared = all.windows(2).skip(first).any(|pair| match pair {
        [before, Token { kind: TokenKind::Code(text), .. }] => {
            is_equals(before) && commands::shape(text) == Shape::Command
        }
        _ => false,
    });
    if compared {
        return Found::Several(None);
    }
    if let Some(both) = in_order(all) {
        return Found::Several(Some(both));
    }
    let mut found = Vec::new();
    for (number, place) in places.iter().enumerate() {
        let Some(Token { kind: TokenKind::Code(text), .. }) = all.get(*place) else { continue };
        let next = places.get(number + 1).copied();
        let end = next.map_or(all.len(), |next| before_connectors(all, *place, next));
        let after = all.get(place + 1..end).unwrap_or_default();
        // A literal before the next command: is that one a literal too?
        if next.is_some() && after.iter().any(|token| token.literal().is_some()) {
            return Found::Several(None);
        }
        let title = if number == 0 { all.get(..first).unwrap_or_default().to_vec() } else { Vec::new() };
        let shares_next = next.is_some() && after.is_empty();
        let end = all.get(*place).map_or(0, |token| token.at.end);
        found.push(Command { text: text.clone(), title, after: after.to_vec(), shares_next, end });
    }
    Found::Commands(found)
}

/// Commands of which each must succeed before the next: `` `a` then `b` ``, `` `a`; `b` ``.
fn in_order(all: &[Token]) -> Option<String> {
    let all = behind_label(all);
    let commands: Vec<&str> = all.iter().filter_map(Token::literal).collect();
    let joins =
        |token: &Token| token.is(';') || token.is(',') || matches!(token.word(), Some("then" | "and"));
    let ordered = all.iter().any(|token| token.is(';') || token.word() == Some("then"));
    let only = all.iter().all(|token| matches!(token.kind, TokenKind::Code(_)) || joins(token));
    let simple = commands.iter().all(|command| commands::shape(command) == Shape::Command);
    (ordered && only && simple && commands.len() > 1).then(|| commands.join(" && "))
}

/// The first code span that is a command. A script or an unknown program is one where an arrow or a label says so.
fn first(all: &[Token], asked: bool) -> Option<usize> {
    let alone = || matches!(asked_alone(all), Some(Label::Run | Label::Verify));
    all.iter().enumerate().find_map(|(at, token)| {
        let TokenKind::Code(text) = &token.kind else { return None };
        let arrow = all.get(at + 1).is_some_and(|next| next.kind == TokenKind::Arrow);
        let is_one = match commands::shape(text) {
            Shape::Command => true,
            Shape::Script => arrow || asked || alone() || says_result(all.get(at + 1..).unwrap_or_default()),
            // A comment is no command.
            _ if text.starts_with('#') => false,
            Shape::Other if !is_announced(all.get(..at).unwrap_or_default()) => false,
            Shape::Other => {
                let status = || says_status(all.get(at + 2..).unwrap_or_default()) && is_name(text);
                (arrow || asked) && is_program(text) || arrow && status()
            }
        };
        is_one.then_some(at)
    })
}

/// What a text asks for that is nothing but a label and the place of one code span: ``Verify: `./check.sh` ``.
fn asked_alone(all: &[Token]) -> Option<Label> {
    let at = all.iter().position(|token| matches!(token.kind, TokenKind::Code(_)))?;
    let (title, behind) = (all.get(..at)?, all.get(at + 1..)?);
    let ends = behind.iter().all(|token| matches!(token.kind, TokenKind::Sign('.' | ')' | ';')));
    let words = title.iter().all(|token| token.word().is_some() || token.is(':') || token.is('('));
    let name: Vec<&str> = title.iter().filter_map(Token::word).collect();
    // What stands behind the command is its result; ``Test: `tests/a.sh` for the parser`` names a file.
    let is_test = matches!(name.as_slice(), ["test" | "tests"]);
    let is_called = matches!(&all.get(at)?.kind, TokenKind::Code(text) if text.starts_with("./"));
    let closed = title.last().is_some_and(|last| last.is(':')) && !is_test;
    // ``Test: `tests/a.sh` `` names a file, as in a list of files; ``Test: `./check.sh` `` is run.
    if !words || !(ends || closed) || is_test && !is_called {
        return None;
    }
    labels::of_words(name.into_iter())
}

/// A code span with an arrow behind it is never prose, and neither is a script with an arrow or a word about a result
/// anywhere behind it.
fn doubtful(all: &[Token]) -> Found {
    let found = all.iter().enumerate().find_map(|(at, token)| {
        let TokenKind::Code(text) = &token.kind else { return None };
        let mut behind = all.get(at + 1..).unwrap_or_default().iter();
        let arrow = if commands::shape(text) == Shape::Script {
            behind.any(|token| token.kind == TokenKind::Arrow || token.word().is_some_and(is_result_word))
        } else {
            behind.next().is_some_and(|token| token.kind == TokenKind::Arrow)
        };
        // Nothing but the name of a program: it starts, or it is the name of a thing.
        let name = behind_label(all).len() == 1
            && commands::programs::PROGRAMS.binary_search(&text.as_str()).is_ok();
        // An unknown program behind `Verify:` is run, or it is a thing to look at.
        let program = is_program(text) && asked_alone(all) == Some(Label::Verify);
        (arrow || name || program || is_session(text)).then(|| text.clone())
    });
    found.map_or(Found::None, Found::Doubtful)
}

/// A fence in the line of a box is a code span for Markdown: `console $ command`.
fn is_session(text: &str) -> bool {
    let language = text.split_whitespace().next().unwrap_or_default();
    matches!(language, "console" | "sh" | "bash" | "shell" | "zsh" | "terminal" | "cram" | "trycmd")
        && text.split_whitespace().nth(1) == Some("$")
}

/// The tokens behind a label.
fn behind_label(all: &[Token]) -> &[Token] {
    let colon = all.iter().position(|token| token.is(':')).map_or(0, |at| at + 1);
    let (label, rest) = all.split_at_checked(colon).unwrap_or((&[], all));
    let words = label.iter().all(|token| token.is(':') || token.word().is_some());
    if words { rest } else { all }
}

/// Words behind a code span that speak of its result.
fn says_result(after: &[Token]) -> bool {
    is_result_word(after.iter().find_map(Token::word).unwrap_or_default())
}

fn is_result_word(word: &str) -> bool {
    matches!(
        word,
        "exit"
            | "exits"
            | "prints"
            | "outputs"
            | "fails"
            | "passes"
            | "succeeds"
            | "should"
            | "must"
            | "returns"
            | "contains"
    )
}

/// Whether a title stands before a command, or none: a colon ends it, or it only says that something is run. The words
/// of a sentence may be about something else: ``Rename `a b` → `c` ``.
fn is_announced(title: &[Token]) -> bool {
    title.last().is_none_or(|last| last.is(':')) || titles::is_neutral(title)
}

/// Words behind an arrow that only a command can have.
fn says_status(after: &[Token]) -> bool {
    let first = after.first().and_then(Token::word).unwrap_or_default();
    matches!(first, "exit" | "exits" | "fails" | "succeeds")
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'+'))
}

/// Whether a text may be a program with its arguments: plain words, no code of another language.
pub(super) fn is_program(text: &str) -> bool {
    let (word, args) = text.split_once(' ').unwrap_or((text, ""));
    let plain = word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'+'));
    plain && !args.is_empty() && !args.contains(['{', '}']) && !args.trim_start().starts_with(['=', ':', '('])
}

fn follows_connector(all: &[Token], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).and_then(|at| all.get(at)) else { return false };
    is_connector(before) || matches!(before.kind, TokenKind::Code(_))
}

fn is_connector(token: &Token) -> bool {
    match &token.kind {
        TokenKind::Sign(',' | ';' | '&' | '+') => true,
        TokenKind::Word(word) => {
            matches!(word.as_str(), "and" | "then" | "und" | "et" | "y" | "e" | "и" | "및" | "和" | "と")
        }
        _ => false,
    }
}

fn before_connectors(all: &[Token], place: usize, next: usize) -> usize {
    let mut end = next;
    while end > place + 1 && all.get(end - 1).is_some_and(is_connector) {
        end -= 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::{Found, Shape, commands as all_commands, may_hold_command};
    use crate::commands;
    use crate::grammar::tokens::tokens;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_path_of_a_file_is_no_command(text in "(bin/|src/|vendor/bin/)?[a-z./_-]{1,12}") {
            prop_assert!(!commands::is_path(&text) || commands::shape(&text) == Shape::Other, "{text}");
        }

        #[test]
        fn the_cheap_look_misses_no_command(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "`", "`", "``", "npm test", "src/a.rs", "run.sh", "pytest", "make", "x", " ", " → ", "->", "\\", "passes",
                    "exit 0", "(", ")", ":", "\n", "$", "é", "<code>ls</code>",
                ]),
                0..12,
            )
        ) {
            let text = pieces.concat();
            let found = all_commands(&tokens(text.trim()), false);
            prop_assert!(may_hold_command(&text) || matches!(found, Found::None), "{text}");
        }
    }
}
