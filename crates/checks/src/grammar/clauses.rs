//! Clauses: the grammar itself, the table beside it, and lists of clauses. Every token is consumed, or there is no
//! reading.

use super::tokens::{Token, TokenKind, tokens};
use crate::commands::class::{Classes, Nature};
use crate::commands::shell::{Stderr, Streams};
use crate::synonyms::{self, Holes, Synonyms};
use regex::Regex;
use wire::plan::Clause;
use wire::plan::clause::{Count, Finding, JsonValue, Op};

/// The clauses of a text behind a command, if all of it is understood; a text without a token has none.
pub(crate) fn parse(tokens: &[Token], nature: &Nature, table: &Synonyms) -> Option<Vec<Clause>> {
    let mut list = List { tokens: trimmed(tokens), classes: nature.classes, table, dead: Vec::new() };
    if list.tokens.is_empty() {
        return Some(Vec::new());
    }
    if list.tokens.len() > LONGEST
        || !is_balanced(list.tokens)
        || is_aside(list.tokens)
        || has_two_arrows(tokens)
    {
        return None;
    }
    list.dead = vec![false; list.tokens.len() + 1];
    let clauses = list.from(0, None)?;
    accepted(clauses, nature)
}

/// Longer texts are prose.
const LONGEST: usize = 80;

/// The clauses of a text in the grammar alone, without the table.
pub(crate) fn of_grammar(tokens: &[Token]) -> Option<Vec<Clause>> {
    let parts = tokens.split(|token| token.is(',') || token.word() == Some("and"));
    parts.map(clause).collect()
}

/// The tokens without what separates them from the command, and without a final full stop or sign of joy.
pub(crate) fn trimmed(tokens: &[Token]) -> &[Token] {
    let mut rest = tokens;
    while let Some((first, after)) = rest.split_first() {
        let separates = matches!(first.kind, TokenKind::Arrow | TokenKind::Sign('—' | ':' | ',' | ';' | '.'));
        if !separates {
            break;
        }
        rest = after;
    }
    while let Some((last, before)) = rest.split_last() {
        let ends = match last.kind {
            TokenKind::Sign('.' | '!' | ';' | '…') => true,
            TokenKind::Sign(sign) => is_joy(sign) && !before.is_empty(),
            _ => false,
        };
        if !ends {
            break;
        }
        rest = before;
    }
    rest
}

/// A sign of joy, which says no more than that all is well. Any other sign may say something.
#[rustfmt::skip]
pub(crate) fn is_joy(sign: char) -> bool {
    matches!(
        sign,
        '✅' | '✓' | '✔' | '☑' | '👍' | '👌' | '🎉' | '🎊' | '🚀' | '✨' | '⭐' | '🌟' | '💚' | '🟢' | '💯' | '🙌' | '😀' | '🙂' | '😊' | '🥳' | '🏁' | '🏆'
    )
}

/// A sign that only decorates: no bracket, no letter, and none that says that something is wrong.
pub(crate) fn is_decoration(sign: char) -> bool {
    !sign.is_ascii()
        && !sign.is_alphanumeric()
        && u32::from(sign) > 0x2190
        && !matches!(sign, '❌' | '✗' | '✘' | '✖' | '⛔' | '🚫' | '×' | '≈' | '±' | '≪' | '≫' | '∼' | '～')
}

/// `(`x`)` behind a command: another name of it, an argument, a file; nothing says that the command prints it.
fn is_aside(tokens: &[Token]) -> bool {
    let [open, inner @ .., close] = tokens else { return false };
    open.is('(')
        && close.is(')')
        && inner.iter().any(|token| token.literal().is_some())
        && inner.iter().all(|token| token.literal().is_some() || token.is(','))
}

/// `→ => 3`: whether the second arrow is a comparison is not said.
pub(crate) fn has_two_arrows(tokens: &[Token]) -> bool {
    tokens.windows(2).any(|pair| pair.iter().all(|token| token.kind == TokenKind::Arrow))
}

fn is_balanced(tokens: &[Token]) -> bool {
    let mut depth = 0_i32;
    for token in tokens {
        depth += i32::from(token.is('(')) - i32::from(token.is(')'));
        if !(0..=1).contains(&depth) {
            return false;
        }
    }
    depth == 0
}

/// A list of clauses between connectors. The longest phrase that is a clause counts.
struct List<'l> {
    tokens: &'l [Token],
    classes: Classes,
    table: &'l Synonyms,
    /// Positions from which there is no reading.
    dead: Vec<bool>,
}

impl List<'_> {
    fn from(&mut self, start: usize, before: Option<&Clause>) -> Option<Vec<Clause>> {
        let mut at = start;
        while self
            .tokens
            .get(at)
            .is_some_and(|token| connects(token) || token.kind == TokenKind::Arrow && opens(self.tokens, at))
        {
            at += 1;
        }
        // `and and` connects nothing.
        let words =
            self.tokens.get(start..at).unwrap_or_default().iter().filter(|token| token.word().is_some());
        if words.count() > 1 {
            return None;
        }
        if at >= self.tokens.len() {
            // A connector that connects nothing is not understood, except for a closing bracket.
            let closed = self.tokens.get(start..).unwrap_or_default().iter().all(|token| token.is(')'));
            return closed.then(Vec::new);
        }
        if self.dead.get(at).copied().unwrap_or(true) {
            return None;
        }
        let all = self.tokens;
        let ends = (at + 1..=all.len())
            .rev()
            .filter(|end| all.get(*end).is_none_or(connects) && !all.get(end - 1).is_some_and(connects));
        for end in ends {
            let part = self.tokens.get(at..end).unwrap_or_default();
            // `JSON with "x"` says where the text is.
            let with =
                at.checked_sub(1).and_then(|at| self.tokens.get(at)).and_then(Token::word) == Some("with");
            if with && part.iter().any(|token| token.literal().is_some()) {
                continue;
            }
            let Some(mut own) = self.segment(part) else { continue };
            // `fails with 2`, `fails (2)`: the number may be the exit status.
            let listed = at
                .checked_sub(1)
                .and_then(|at| self.tokens.get(at))
                .is_none_or(|token| token.is(',') || token.word() == Some("and"));
            if let (Some(Clause::Exit { .. } | Clause::Fails), [Clause::Number { .. }]) =
                (before, own.as_slice())
                && part.len() == 1
                && !listed
            {
                continue;
            }
            // `contains "a" and "b"`
            if let (Some(Clause::Contains { .. }), [Clause::Line { text }]) = (before, own.as_slice())
                && part.len() == 1
            {
                own = vec![Clause::Contains { text: text.clone() }];
            }
            // `exactly "a" and "b"` cannot be both.
            if matches!(
                (before, own.as_slice()),
                (Some(Clause::Exactly { .. }), [Clause::Line { .. } | Clause::Exactly { .. }])
            ) {
                continue;
            }
            let last = own.last().cloned();
            if let Some(rest) = self.from(end, last.as_ref().or(before)) {
                own.extend(rest);
                return Some(own);
            }
        }
        if let Some(dead) = self.dead.get_mut(at) {
            *dead = true;
        }
        None
    }

    /// The clauses of one phrase.
    fn segment(&self, tokens: &[Token]) -> Option<Vec<Clause>> {
        let tokens = trimmed(tokens);
        if tokens.is_empty() {
            return None;
        }
        if let Some(clause) = clause(tokens) {
            return Some(vec![clause]);
        }
        if let Some(clauses) = self.phrase(tokens) {
            return Some(clauses);
        }
        if let Some((first, rest)) = tokens.split_first()
            && first.word() == Some("stderr")
            && !rest.is_empty()
        {
            let inner = self.segment(rest)?;
            return inner.into_iter().map(about_stderr).collect();
        }
        let bare = without_frame(tokens);
        if bare.len() < tokens.len() && !bare.is_empty() {
            let behind =
                synonyms::modal(bare).and_then(|length| bare.get(length..)).filter(|rest| !rest.is_empty());
            let found = clause(bare).or_else(|| clause(behind?)).map(|clause| vec![clause]);
            if let Some(found) = found.or_else(|| self.phrase(bare)) {
                return Some(found);
            }
        } else if let Some(behind) = synonyms::modal(tokens).and_then(|length| tokens.get(length..))
            && let Some(clause) = clause(behind)
        {
            return Some(vec![clause]);
        }
        // A decoration at the end: `must pass before task 3`.
        (1..bare.len()).find_map(|at| {
            let (head, tail) = bare.split_at_checked(at)?;
            if !self.table.may_decorate(tail) {
                return None;
            }
            let (key, _) = synonyms::key_of(tail);
            (self.table.find(&key, self.classes)?.is_empty()).then(|| self.segment(head))?
        })
    }

    /// The clauses that the table has for a phrase.
    fn phrase(&self, tokens: &[Token]) -> Option<Vec<Clause>> {
        if !self.table.may_have(tokens) {
            return None;
        }
        let (key, holes) = synonyms::key_of(tokens);
        let found = self.table.find(&key, self.classes)?;
        filled(found, &holes)
    }
}

/// The clauses of a row with its holes filled.
fn filled(row: &str, holes: &Holes) -> Option<Vec<Clause>> {
    if row.is_empty() {
        return Some(Vec::new());
    }
    let number = holes.numbers.first();
    let in_order = row.contains("{n1}");
    if !in_order && holes.numbers.iter().any(|other| Some(other) != number) {
        return None;
    }
    if !in_order && !row.contains("{n}") && number.is_some_and(|number| number != "0") {
        return None;
    }
    if let Some((name @ ("exit-op" | "literal-op" | "time-op"), _)) = row.split_once(' ') {
        return special(name, holes).map(|clause| vec![clause]);
    }
    let mut filled = Vec::new();
    for token in tokens(&row.replace('{', " {").replace('}', "} ")) {
        filled.push(token);
    }
    // The holes are tokens `{`, `name`, `}`.
    let mut out: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(token) = filled.get(at) {
        if !token.is('{') {
            out.push(token.clone());
            at += 1;
            continue;
        }
        let name = filled.get(at + 1).and_then(Token::word).unwrap_or_default();
        let kind = match name {
            "n" | "n1" => TokenKind::Number(number?.clone()),
            "n2" => TokenKind::Number(holes.numbers.get(1)?.clone()),
            "op" => TokenKind::Op(holes.op?),
            "lit" => TokenKind::Quote(holes.literals.first().filter(|_| holes.literals.len() == 1)?.clone()),
            "time" => {
                TokenKind::Word(format!("{}ms", holes.times.first().filter(|_| holes.times.len() == 1)?))
            }
            _ => return None,
        };
        out.push(Token { kind, at: token.at });
        at += 3;
    }
    of_grammar(&out)
}

/// The clause of a row that depends on the comparison.
fn special(name: &str, holes: &Holes) -> Option<Clause> {
    let number = holes.numbers.first().map(String::as_str);
    match (name, holes.op?) {
        ("exit-op", Op::Eq) => Some(Clause::Exit { code: exit_code(number?)? }),
        ("exit-op", Op::Ne | Op::Gt) if number == Some("0") => Some(Clause::Fails),
        ("literal-op", Op::Eq) => Some(Clause::Exactly { text: holes.literals.first()?.clone() }),
        ("time-op", Op::Lt | Op::Le) => Some(Clause::Within { milliseconds: *holes.times.first()? }),
        _ => None,
    }
}

fn about_stderr(clause: Clause) -> Option<Clause> {
    let of_output = matches!(
        clause,
        Clause::Empty
            | Clause::NotEmpty
            | Clause::Line { .. }
            | Clause::Contains { .. }
            | Clause::Exactly { .. }
            | Clause::Matches { .. }
            | Clause::Number { .. }
            | Clause::Json { .. }
    );
    of_output.then(|| Clause::Stderr { of: Box::new(clause) })
}

fn opens(tokens: &[Token], at: usize) -> bool {
    at == 0 || tokens.get(at - 1).is_some_and(|before| before.is('('))
}

/// What stands between two clauses.
fn connects(token: &Token) -> bool {
    match &token.kind {
        TokenKind::Sign(',' | ';' | '.' | '—' | '(' | ')' | '&') => true,
        TokenKind::Word(word) => CONNECTORS.contains(&word.as_str()),
        _ => false,
    }
}

const CONNECTORS: &[&str] =
    &["and", "with", "plus", "und", "et", "y", "и", "및", "그리고", "和", "且", "并且", "かつ"];

/// A phrase without the words that only introduce it: `and make sure that it`, `expected:`, `the output`.
fn without_frame(tokens: &[Token]) -> &[Token] {
    let mut rest = tokens;
    for frame in FRAMES {
        let word =
            |at: usize| rest.get(at).filter(|token| !token.is(':')).and_then(Token::word).unwrap_or_default();
        let longest =
            frame.iter().filter(|words| words.iter().enumerate().all(|(at, wanted)| word(at) == *wanted));
        let length = longest.map(|words| words.len()).max().unwrap_or(0);
        rest = rest.get(length..).unwrap_or_default();
        while rest.first().is_some_and(|token| token.is(':')) {
            rest = rest.get(1..).unwrap_or_default();
        }
    }
    rest
}

/// The frames in their order; of each, one may stand.
#[rustfmt::skip]
const FRAMES: &[&[&[&str]]] = &[
    &[&["make", "sure"], &["to", "verify"], &["to", "confirm"], &["to", "check"], &["to", "ensure"], &["to", "make", "sure"], &["ensure"], &["verify"], &["confirm"], &["check"], &["assert"], &["expect"], &["expected"],
      &["expects"], &["expected", "result"], &["expected", "output"], &["expected", "outcome"], &["expecting"],
      &["예상"], &["기대"], &["预期"], &["期望"], &["期待"], &["erwartet"], &["attendu"], &["esperado"], &["ожидается"]],
    &[&["that"]],
    &[&["it"], &["this"], &["they"], &["which"], &["the", "command"], &["command"], &["the", "script"], &["the", "output"], &["output"], &["stdout"],
      &["the", "result"], &["result"], &["standard", "output"]],
    &[&["still"], &["also"], &["now"]],
];

/// One clause of the grammar.
fn clause(tokens: &[Token]) -> Option<Clause> {
    let word = |at: usize| tokens.get(at).and_then(Token::word).unwrap_or_default();
    let number = |at: usize| match tokens.get(at).map(|token| &token.kind) {
        Some(TokenKind::Number(number)) => Some(number.as_str()),
        _ => None,
    };
    let literal = |at: usize| tokens.get(at).and_then(Token::literal).map(str::to_owned);
    match (tokens.len(), word(0)) {
        (2, "exit") => return Some(Clause::Exit { code: exit_code(number(1)?)? }),
        (1, "fails") => return Some(Clause::Fails),
        (1, "empty") => return Some(Clause::Empty),
        (2, "not") if word(1) == "empty" => return Some(Clause::NotEmpty),
        (2, "contains") => return Some(Clause::Contains { text: literal(1)? }),
        (2, "exactly") if literal(1).is_some() => return Some(Clause::Exactly { text: literal(1)? }),
        (2, "matches") => {
            let TokenKind::Regex(pattern) = &tokens.get(1)?.kind else { return None };
            return Regex::new(pattern).ok().map(|_| Clause::Matches { pattern: pattern.clone() });
        }
        (2, "tests") if word(1) == "pass" => return Some(Clause::TestsPass),
        (_, "json") => return json(tokens.get(1..)?),
        (_, "stderr") => return clause(tokens.get(1..)?).and_then(about_stderr),
        (2 | 3, "within") => {
            let (milliseconds, length) = synonyms::duration(tokens.get(1..)?)?;
            return (length + 1 == tokens.len()).then_some(Clause::Within { milliseconds });
        }
        (1, "") => {
            if let Some(text) = literal(0) {
                return of_literal(text);
            }
        }
        _ => {}
    }
    compared(tokens)
}

/// `[op] number`, `[op] number passed`.
fn compared(tokens: &[Token]) -> Option<Clause> {
    let (op, rest) = match tokens.split_first() {
        Some((Token { kind: TokenKind::Op(op), .. }, rest)) => (*op, rest),
        _ => (Op::Eq, tokens),
    };
    let (Token { kind: TokenKind::Number(value), .. }, rest) = rest.split_first()? else { return None };
    let count = || value.parse::<u64>().ok();
    match rest {
        [] => Some(Clause::Number { op, value: value.clone() }),
        [noun] => {
            let tests = |count, number| Some(Clause::Tests { count, op, number });
            let findings = |finding, number| Some(Clause::Findings { finding, op, number });
            match noun.word()? {
                "passed" => tests(Count::Passed, count()?),
                "failed" => tests(Count::Failed, count()?),
                "skipped" => tests(Count::Skipped, count()?),
                "tests" => tests(Count::Tests, count()?),
                "errors" => findings(Finding::Errors, count()?),
                "warnings" => findings(Finding::Warnings, count()?),
                "problems" => findings(Finding::Problems, count()?),
                _ => None,
            }
        }
        _ => None,
    }
}

fn exit_code(number: &str) -> Option<i32> {
    number.parse::<i32>().ok().filter(|code| (0..=255).contains(code))
}

/// A literal. No command prints `exit 0`: that is the clause in backquotes.
fn of_literal(text: String) -> Option<Clause> {
    if text.is_empty() {
        return None;
    }
    let inner = tokens(&text);
    if let [first, Token { kind: TokenKind::Number(code), .. }] = inner.as_slice()
        && first.word() == Some("exit")
    {
        return Some(Clause::Exit { code: exit_code(code)? });
    }
    if matches!(
        inner.as_slice(),
        [Token { kind: TokenKind::Op(_), .. }, Token { kind: TokenKind::Number(_), .. }]
    ) {
        return compared(&inner);
    }
    Some(Clause::Line { text })
}

/// `json`, `json /a/b`, `json /a/b == "x"`.
fn json(tokens: &[Token]) -> Option<Clause> {
    let Some((first, rest)) = tokens.split_first() else {
        return Some(Clause::Json { pointer: None, op: None, value: None });
    };
    let pointer = match &first.kind {
        TokenKind::Pointer(pointer) => Some(pointer.clone()),
        // The empty pointer is the whole output.
        TokenKind::Op(_) => None,
        _ => return None,
    };
    let (pointer, rest) = match pointer {
        Some(pointer) => (pointer, rest),
        None => (String::new(), tokens),
    };
    let Some((compare, rest)) = rest.split_first() else {
        return Some(Clause::Json { pointer: Some(pointer), op: None, value: None });
    };
    let TokenKind::Op(op) = compare.kind else { return None };
    let [value] = rest else { return None };
    let value = match &value.kind {
        TokenKind::Number(number) => serde_json::from_str(number).ok()?,
        TokenKind::Quote(text) => serde_json::Value::String(text.clone()),
        TokenKind::Code(text) => {
            serde_json::from_str(text).unwrap_or_else(|_| serde_json::Value::String(text.clone()))
        }
        TokenKind::Word(word) => match word.as_str() {
            "true" => true.into(),
            "false" => false.into(),
            "null" => serde_json::Value::Null,
            _ => return None,
        },
        _ => return None,
    };
    Some(Clause::Json { pointer: Some(pointer), op: Some(op), value: Some(JsonValue(value)) })
}

/// The clauses if they can hold together and can hold for this command.
fn accepted(clauses: Vec<Clause>, nature: &Nature) -> Option<Vec<Clause>> {
    let own = nature.classes;
    let clauses: Vec<Clause> = clauses
        .into_iter()
        .map(|clause| match clause {
            Clause::TestsPass if own.has(Classes::QUIET) => Clause::Exit { code: 0 },
            // `"12 passed"` is what the runner reports, not a line of its own.
            Clause::Line { text } if own.has(Classes::RUNNER) => {
                counted(&text).unwrap_or(Clause::Line { text })
            }
            other => other,
        })
        .collect();
    let judged_by_report =
        [Classes::RUNNER, Classes::LINTER, Classes::BUILDER].iter().any(|class| own.has(*class));
    let can_hold = |clause: &Clause| match clause {
        Clause::Number { .. } => !own.has(Classes::QUIET) && !judged_by_report,
        Clause::Line { text } | Clause::Exactly { text } => {
            !(own.has(Classes::QUIET) || judged_by_report && is_praise(text))
        }
        // `null` is not empty.
        Clause::NotEmpty if nature.manner.prints_null => false,
        // `test -f x && echo found` prints where it exits with 0.
        Clause::Empty if nature.manner.says_so => false,
        // Nothing that shows or lists something passes.
        Clause::TestsPass => ![Classes::FILE, Classes::COUNT, Classes::LIST, Classes::STATUS]
            .iter()
            .any(|class| own.has(*class)),
        Clause::Contains { .. }
        | Clause::Empty
        | Clause::NotEmpty
        | Clause::Matches { .. }
        | Clause::Json { .. }
        | Clause::Tests { .. } => !own.has(Classes::QUIET),
        _ => true,
    };
    let is_seen = |clause: &Clause| is_seen(clause, nature.streams);
    (clauses.iter().all(can_hold) && clauses.iter().all(is_seen) && agree(&clauses)).then_some(clauses)
}

/// Whether the command shows what a clause is about. What goes into a file or nowhere is not seen.
fn is_seen(clause: &Clause, streams: Streams) -> bool {
    match clause {
        Clause::Exit { .. }
        | Clause::Fails
        | Clause::Within { .. }
        | Clause::TestsPass
        | Clause::Tests { .. } => true,
        Clause::Stderr { .. } => streams.stderr == Stderr::Own,
        Clause::Findings { .. } => !streams.hides_stdout && streams.stderr != Stderr::Dropped,
        _ => !streams.hides_stdout,
    }
}

/// A literal that is a count of tests.
fn counted(text: &str) -> Option<Clause> {
    compared(&tokens(text)).filter(|clause| matches!(clause, Clause::Tests { .. }))
}

fn is_praise(text: &str) -> bool {
    matches!(
        text.to_lowercase().trim_end_matches('!'),
        "pass" | "passes" | "passed" | "ok" | "success" | "green" | "all pass" | "all passed"
    )
}

/// Whether clauses can hold together.
pub(crate) fn agree(clauses: &[Clause]) -> bool {
    let status = |clause: &Clause| match clause {
        Clause::Exit { code: 0 } | Clause::TestsPass => Some(0),
        Clause::Exit { code } => Some(*code),
        Clause::Fails => Some(-1),
        _ => None,
    };
    let mut statuses = clauses.iter().filter_map(status);
    let Some(first) = statuses.next() else { return output_agrees(clauses) };
    let same = |other: i32| other == first || first > 0 && other == -1 || first == -1 && other > 0;
    statuses.all(same) && output_agrees(clauses)
}

fn output_agrees(clauses: &[Clause]) -> bool {
    // Tests that fail make the runner fail.
    let failing = clauses.iter().any(|clause| match clause {
        Clause::Tests { count: Count::Failed, op, number } => !op.holds(0.cmp(number)),
        _ => false,
    });
    if failing && !clauses.iter().any(|clause| matches!(clause, Clause::Fails | Clause::Exit { code: 1.. })) {
        return false;
    }
    let empty = clauses.contains(&Clause::Empty);
    let some = |clause: &Clause| {
        matches!(
            clause,
            Clause::NotEmpty
                | Clause::Line { .. }
                | Clause::Contains { .. }
                | Clause::Exactly { .. }
                | Clause::Number { .. }
                | Clause::Json { .. }
        )
    };
    let whole = clauses
        .iter()
        .filter(|clause| matches!(clause, Clause::Exactly { .. } | Clause::Number { op: Op::Eq, .. }));
    !(empty && clauses.iter().any(some))
        && whole.collect::<Vec<_>>().windows(2).all(|pair| pair.first() == pair.last())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::class::nature;

    fn read(command: &str, text: &str) -> Option<String> {
        let clauses = parse(&tokens(text), &nature(command), Synonyms::builtin())?;
        Some(clauses.iter().map(Clause::to_string).collect::<Vec<_>>().join(", "))
    }

    #[test]
    fn every_clause_of_the_grammar() {
        for (text, clauses) in [
            ("→ exit 2", "exit 2"),
            ("-> fails", "fails"),
            ("=> empty", "empty"),
            ("— not empty", "not empty"),
            ("→ `a, b → c`", "`a, b → c`"),
            ("→ “a”", "`a`"),
            ("→ contains \"x\"", "contains `x`"),
            ("→ exactly 'x'", "exactly `x`"),
            ("→ matches /^v\\d+\\/x$/", "matches /^v\\d+\\/x$/"),
            ("→ >= 3", ">= 3"),
            ("→ ≥ 80%", ">= 80%"),
            ("→ 3", "3"),
            ("→ 12 passed, 0 failed", "12 passed, 0 failed"),
            ("→ >= 12 tests", ">= 12 tests"),
            ("→ 0 warnings and 0 errors", "0 warnings, 0 errors"),
            ("→ json", "json"),
            ("→ json /a/b == \"x\"", "json /a/b == \"x\""),
            ("→ json /n > 3", "json /n > 3"),
            ("→ stderr empty", "stderr empty"),
            ("→ stderr contains `x`", "stderr contains `x`"),
            ("→ within 2 minutes", "within 120s"),
            (": exit 0", "exit 0"),
            ("- Expected: `x`, within 500ms", "`x`, within 500ms"),
        ] {
            assert_eq!(read("./app", text).as_deref(), Some(clauses), "{text}");
        }
    }

    #[test]
    fn phrases_mean_clauses_as_a_whole() {
        for (command, text, clauses) in [
            ("./app", "exits with code 2", "exit 2"),
            ("./app", "must fail", "fails"),
            ("./app", "should print `x`", "`x`"),
            ("./app", "and make sure that it passes", "tests pass"),
            ("make test", "— must pass before task 3", "tests pass"),
            ("make test", "PASS (12 tests)", "tests pass, 12 tests"),
            ("pytest", "all 12 tests pass, no skips", "12 passed, 0 skipped"),
            ("pytest", "12/12 passed", "12 passed"),
            ("pytest", "58+ tests, 0 failures", ">= 58 tests, 0 failed"),
            ("test -f x", "→ removed", "fails"),
            ("test -f x", "→ 없음", "fails"),
            ("test -f x", "→ exists", "exit 0"),
            ("grep -c x f", "→ 10 이상", ">= 10"),
            ("grep -rn x f", "→ no matches", "empty"),
            ("grep -rn x f", "→ 0 matches", "empty"),
            ("grep -q x f", "→ no matches", "fails"),
            ("./n", "at least 10 but not more than 20", ">= 10, <= 20"),
            ("./n", "contains `a` and `b`", "contains `a`, contains `b`"),
            ("./n", "stderr is empty", "stderr empty"),
            ("./n", "exit code != 0", "fails"),
            ("./n", "in less than 1 second", "within 1s"),
            ("jq .a f", "→ not null", "json != null"),
            ("make lint", "→ 0 violations", "0 problems"),
            ("pytest -q", "→ \"3 passed\"", "3 passed"),
            ("./n", "nothing on stderr", "stderr empty"),
            ("npm test", ". All tests should pass.", "tests pass"),
            ("npm test", "to verify that it passes", "tests pass"),
            ("pytest", "fails, 3 failed", "fails, 3 failed"),
            ("swiftlint", "→ 0 warnings ✅", "0 warnings"),
            ("make build", "exit 0 (경고 0건)", "exit 0, 0 warnings"),
        ] {
            assert_eq!(read(command, text).as_deref(), Some(clauses), "{command} {text}");
        }
    }

    #[test]
    fn what_is_not_wholly_understood_is_no_clause() {
        for (command, text) in [
            ("pytest", "passes, including test_login"),
            ("pytest", "12 passed (once)"),
            ("./app", "→ OK"),
            ("./app", "exit 0 and"),
            ("./app", "exit 0 or exit 1"),
            ("./app", "not contain `x`"),
            ("./app", "prints OK"),
            ("./app", "`a` or `b`"),
            ("./app", "fails, exit 0"),
            ("./app", "matches /(/"),
            ("grep -rn x f", "→ 3 matches"),
            ("grep -q x f", "→ 3"),
            ("pytest", "→ 12"),
            ("pytest", "→ `PASS`"),
            ("./app", "exactly `a` and `b`"),
            ("pytest", "11/12 passed"),
            ("test -f x", "→ executable"),
            ("./app", "exit 0 (unless offline"),
            ("./app", "≈ 3"),
            ("./app", "→ 3-5"),
            ("./app", "prints `x` then `y`"),
            ("./app", "JSON with `x`"),
            ("./app", "returns 1"),
            ("pytest", "→ 3 failures"),
            ("! grep -q x f", "→ no matches"),
            ("! test -f x", "→ exists"),
            ("test ! -f x", "→ removed"),
            ("[ ! -d x ]", "→ deleted"),
            ("test -f a && test -f b", "→ removed"),
            ("test -s x", "→ empty"),
        ] {
            assert_eq!(read(command, text), None, "{command} {text}");
        }
    }
}
