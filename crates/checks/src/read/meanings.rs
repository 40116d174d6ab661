//! What a text that is no clause most likely means. A meaning uses every number, comparison, negation and literal of the
//! text; words that may be about the output are never left out.

use crate::commands::class::{Classes, Nature};
use crate::commands::shell::Stderr;
use crate::commands::{self, Shape, shell};
use crate::grammar::clauses;
use crate::grammar::titles;
use crate::grammar::tokens::{Token, TokenKind};
use crate::synonyms::{self, Synonyms};
use wire::plan::Clause;
use wire::plan::clause::{self, Count, Op};

/// What a text may mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning {
    /// These clauses; `equal` if the table and the grammar say so.
    Clauses { text: String, equal: bool },
    /// Another command, with these clauses.
    Command(String, String),
    /// Only a person can tell; the words are the reason.
    Person(String),
}

impl Meaning {
    pub(super) fn clause(clause: &Clause) -> Self {
        Self::Clauses { text: clause.to_string(), equal: false }
    }
}

/// The meanings of a text behind a command, the likeliest first.
pub(super) fn of(said: &[Token], command: &str, nature: &Nature, table: &Synonyms) -> Vec<Meaning> {
    if clauses::has_two_arrows(said) {
        return Vec::new();
    }
    let said = clauses::trimmed(said);
    let mut found = Vec::new();
    if let Some(text) = joined(said, nature, table).or_else(|| pattern(said)) {
        found.push(Meaning::Clauses { text, equal: true });
    }
    found.extend(
        range(said, nature)
            .or_else(|| either(said, nature))
            .map(|text| Meaning::Clauses { text, equal: false }),
    );
    found.extend(other_command(said, command, nature));
    match understood(said, nature, table) {
        Beginning::Nothing => {}
        // Only what reports by itself is surely meant as a whole.
        Beginning::Clauses(text) if reports(nature) => found.push(Meaning::Clauses { text, equal: false }),
        Beginning::Clauses(_) | Beginning::MoreToKeep => return found,
    }
    found.extend(guess(said, nature).as_ref().map(Meaning::clause));
    found
}

/// The meanings of a title without a clause.
pub(super) fn of_title(title: &[Token], command: &str, nature: &Nature, table: &Synonyms) -> Vec<Meaning> {
    let pieces = title.split(|token| token.is(':') || token.is('—'));
    let said: Vec<&[Token]> =
        pieces.filter(|piece| !piece.is_empty() && !titles::is_neutral(piece)).collect();
    match said.as_slice() {
        [only] => {
            let meant = of(only, command, nature, table).into_iter();
            meant.filter(|meaning| !matches!(meaning, Meaning::Command(..))).collect()
        }
        _ => guess(title, nature).as_ref().map(Meaning::clause).into_iter().collect(),
    }
}

/// Clauses that stand one behind the other without a comma: `exit 0 within 2s`.
fn joined(said: &[Token], nature: &Nature, table: &Synonyms) -> Option<String> {
    (1..said.len()).find_map(|at| {
        let (head, tail) = said.split_at_checked(at)?;
        let of = |part: &[Token]| clauses::parse(part, nature, table).filter(|found| !found.is_empty());
        // A literal and a verb are one statement: `"test_login" passes`.
        if said.iter().any(|token| token.literal().is_some()) {
            return None;
        }
        let (head, tail) = (of(head)?, of(tail)?);
        // A word behind a number may be what is counted: `1 match`.
        if head.iter().chain(&tail).any(|clause| matches!(clause, Clause::Number { .. })) {
            return None;
        }
        let both: Vec<Clause> = head.into_iter().chain(tail).collect();
        // `not empty` and the like are one clause: only parts that speak of different things are two.
        let kinds: Vec<_> = both.iter().map(std::mem::discriminant).collect();
        let apart =
            kinds.iter().enumerate().all(|(at, kind)| !kinds.iter().skip(at + 1).any(|other| other == kind));
        (apart && clauses::agree(&both)).then(|| clause::text(&both))
    })
}

/// ``matches `regex` ``: the pattern stands in backquotes instead of slashes.
fn pattern(said: &[Token]) -> Option<String> {
    let [verb, pattern] = said else { return None };
    let pattern = pattern.literal().filter(|_| verb.word() == Some("matches"))?;
    regex::Regex::new(pattern).ok().map(|_| Clause::Matches { pattern: pattern.to_owned() }.to_string())
}

/// `5-10`, `5 to 10`, `from 5 to 10`.
fn range(said: &[Token], nature: &Nature) -> Option<String> {
    let number = |token: &Token| match &token.kind {
        TokenKind::Number(number) => Some(number.clone()),
        _ => None,
    };
    let joins = |token: &Token| {
        matches!(token.kind, TokenKind::Sign('-' | '.' | '…' | '—' | '~'))
            || matches!(token.word(), Some("to" | "bis" | "à" | "a" | "до" | "至" | "から"))
    };
    let said = match said.split_first() {
        Some((first, rest))
            if matches!(first.word(), Some("from" | "between" | "von" | "de" | "от" | "从")) =>
        {
            rest
        }
        _ => said,
    };
    let (first, rest) = said.split_first()?;
    let (last, between) = rest.split_last()?;
    let (low, high) = (number(first)?, number(last)?);
    let is_one = !between.is_empty() && between.len() <= 3 && between.iter().all(joins);
    let ordered = low.parse::<f64>().ok()? < high.parse::<f64>().ok()?;
    (is_one && ordered && is_plain(nature)).then(|| format!(">= {low}, <= {high}"))
}

/// `` `a` or `b` ``: one line is one of them.
fn either(said: &[Token], nature: &Nature) -> Option<String> {
    let said = match said.split_first() {
        Some((first, rest)) if matches!(first.word(), Some("either" | "prints" | "outputs")) => rest,
        _ => said,
    };
    let is_or = |token: &Token| {
        token.is('/')
            || token.is('|')
            || matches!(token.word(), Some("or" | "oder" | "ou" | "o" | "или" | "或" | "または" | "또는"))
    };
    let literals: Vec<&str> = said.iter().filter_map(Token::literal).collect();
    let alternates = said
        .iter()
        .enumerate()
        .all(|(at, token)| if at % 2 == 0 { token.literal().is_some() } else { is_or(token) });
    let commands = literals.iter().any(|text| commands::shape(text) != Shape::Other);
    if literals.len() < 2
        || !alternates
        || said.len() % 2 == 0
        || commands
        || nature.classes.has(Classes::QUIET)
    {
        return None;
    }
    let any = literals.iter().map(|text| regex::escape(text)).collect::<Vec<_>>().join("|");
    Some(Clause::Matches { pattern: format!("^\\s*({any})\\s*$") }.to_string())
}

/// A meaning that needs another command: a number of lines, or a text that must not be there.
fn other_command(said: &[Token], command: &str, nature: &Nature) -> Option<Meaning> {
    lines(said, command, nature).or_else(|| denied_literal(said, command, nature))
}

/// `3 lines`: `command | wc -l` prints the number.
fn lines(said: &[Token], command: &str, nature: &Nature) -> Option<Meaning> {
    let kept: Vec<&Token> = said
        .iter()
        .filter(|token| {
            !matches!(token.word(), Some("prints" | "print" | "outputs" | "shows" | "exactly" | "the" | "of"))
        })
        .collect();
    let (op, rest) = match kept.as_slice() {
        [Token { kind: TokenKind::Op(op), .. }, rest @ ..] => (*op, rest),
        [at, least, rest @ ..] if at.word() == Some("at") && least.word() == Some("least") => (Op::Ge, rest),
        [at, most, rest @ ..] if at.word() == Some("at") && most.word() == Some("most") => (Op::Le, rest),
        rest => (Op::Eq, rest),
    };
    let [number, noun] = rest else { return None };
    let number = match &number.kind {
        TokenKind::Number(number) => number.clone(),
        TokenKind::Word(word) => {
            let place =
                ["zero", "one", "two", "three", "four", "five", "six"].iter().position(|own| own == word)?;
            place.to_string()
        }
        _ => return None,
    };
    let counts = matches!(noun.word()?, "line" | "lines" | "zeilen" | "lignes" | "líneas" | "行" | "줄");
    let clause = Clause::Number { op, value: number };
    (counts && is_plain(nature) && shell::is_simple(command))
        .then(|| Meaning::Command(format!("{command} | wc -l"), clause.to_string()))
}

/// ``does not contain `x` ``: a search that must find nothing.
fn denied_literal(said: &[Token], command: &str, nature: &Nature) -> Option<Meaning> {
    let literals: Vec<&str> = said.iter().filter_map(Token::literal).collect();
    let [text] = literals.as_slice() else { return None };
    let others = said.iter().filter(|token| token.literal().is_none());
    let (mut denials, mut rest) = (0, true);
    for token in others {
        match token.word() {
            Some(word) if DENIALS.contains(&word) => denials += 1,
            Some("exit") => {}
            _ if matches!(&token.kind, TokenKind::Number(number) if number == "0") => {}
            Some(
                "does" | "do" | "should" | "must" | "contain" | "contains" | "include" | "print" | "prints"
                | "output" | "show" | "de" | "but" | "in" | "the" | "any" | "present" | "and",
            ) => {}
            None if matches!(token.kind, TokenKind::Sign(',' | '—') | TokenKind::Arrow) => {}
            _ => rest = false,
        }
    }
    let fits = !text.contains(['\'', '\n']) && commands::shape(text) == Shape::Other;
    // `not "1.0"` is about a whole line, as the literal alone is.
    let alone = said.len() == 2 && matches!(said.first().and_then(Token::word), Some("not" | "never"));
    let flags = if alone { "-qxF" } else { "-qF" };
    (denials == 1 && rest && fits && is_plain(nature) && shell::is_simple(command))
        .then(|| Meaning::Command(format!("! {command} | grep {flags} -- '{text}'"), String::new()))
}

const DENIALS: &[&str] = &[
    "no",
    "not",
    "without",
    "never",
    "ohne",
    "kein",
    "keine",
    "sans",
    "pas",
    "sin",
    "sem",
    "без",
    "不含",
    "不包含",
    "无",
    "doesn't",
    "mustn't",
    "shouldn't",
    "absent",
    "lacks",
    "excludes",
];

/// Whether a command reports by itself whether all is well.
fn reports(nature: &Nature) -> bool {
    [Classes::RUNNER, Classes::LINTER, Classes::BUILDER, Classes::TASK]
        .iter()
        .any(|class| nature.classes.has(*class))
}

/// Whether a command prints what it is asked for, and no report of its own.
fn is_plain(nature: &Nature) -> bool {
    let reports = [Classes::QUIET, Classes::RUNNER, Classes::LINTER, Classes::BUILDER, Classes::COUNT];
    !reports.iter().any(|class| nature.classes.has(*class)) && nature.masked.is_none() && !nature.negated
}

/// What the beginning of a text is.
enum Beginning {
    /// No clause.
    Nothing,
    /// Clauses, before words that may be left out.
    Clauses(String),
    /// Clauses, before a number, a comparison, a negation, a literal or words about the output, which no offer may drop.
    MoreToKeep,
}

/// The clauses at the beginning of a text, as far as they are understood.
fn understood(said: &[Token], nature: &Nature, table: &Synonyms) -> Beginning {
    for end in (1..said.len()).rev() {
        let Some((head, rest)) = said.split_at_checked(end) else { continue };
        let found = clauses::parse(head, nature, table).filter(|found| !found.is_empty());
        let Some(found) = found else { continue };
        // A quiet test says one thing; words that deny or count turn it round.
        if nature.classes.has(Classes::QUIET) && head.iter().any(|token| titles::reserved(token).is_some()) {
            return Beginning::Nothing;
        }
        // `0 results` is no `0`.
        let counts = matches!(found.last(), Some(Clause::Number { .. }))
            && rest.first().is_some_and(|next| next.word().is_some());
        // Only words that say no more than that something is run may be left out.
        let says_no_more =
            rest.iter().all(|token| token.is(',') || titles::is_neutral(std::slice::from_ref(token)));
        return if counts && says_no_more {
            Beginning::Nothing
        } else if says_no_more {
            Beginning::Clauses(clause::text(&found))
        } else {
            Beginning::MoreToKeep
        };
    }
    Beginning::Nothing
}

/// Whether a word says that a text is printed.
fn shows(word: &str) -> bool {
    let wide = ["출력", "표시", "输出", "打印", "显示", "包含", "出力", "表示", "含", "포함"];
    wide.iter().any(|part| word.contains(part))
        || [
            "print", "output", "show", "display", "return", "list", "contain", "includ", "say", "mention",
            "report",
        ]
        .iter()
        .any(|stem| word.starts_with(stem))
}

/// Words that only praise.
fn is_praise(word: &str) -> bool {
    matches!(
        word,
        "ok" | "okay"
            | "works"
            | "work"
            | "good"
            | "fine"
            | "done"
            | "clean"
            | "green"
            | "pass"
            | "passes"
            | "passing"
            | "right"
            | "correct"
            | "success"
            | "successful"
    )
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
            "at" | "least" | "more" | "most" | "than" | "or" | "up" | "exactly" | "min" | "minimum" | "one"
        )
    };
    let others: Vec<&str> = words()
        .filter(|word| {
            !compares(word) && !matches!(*word, "old" | "bad" | "stale" | "dead" | "first" | "last")
        })
        .filter(|word| titles::is_reserved(word))
        .collect();
    match (numbers.as_slice(), others.as_slice(), literals.as_slice()) {
        ([(at, number)], [exit], []) if exit.starts_with("exit") && said.iter().all(names_status) => {
            let code = number.parse().ok().filter(|code| (0..=255).contains(code))?;
            (*at > 0).then_some(Clause::Exit { code })
        }
        // A number behind a path is a part of it: `src/a:0`.
        ([_], [], [])
            if said.iter().any(|token| token.is('/')) || words().any(|word| word.contains(['/', '_'])) =>
        {
            None
        }
        ([(at, number)], [], []) if !quiet => counted(said, *at, number, classes),
        ([], [], [text]) if !quiet => {
            let shows = words().any(shows) && commands::shape(text) == Shape::Other;
            let plain = is_plain(nature)
                && !words().any(|word| matches!(word, "in" | "with" | "if" | "for" | "when"));
            (shows && plain).then(|| Clause::Contains { text: (*text).to_owned() })
        }
        ([], [], [])
            if said.iter().any(|token| matches!(token.kind, TokenKind::Op(_) | TokenKind::Regex(_))) =>
        {
            None
        }
        ([], [], []) if words().any(compares) => None,
        ([], [], []) => vague(&words().collect::<Vec<_>>(), classes),
        // `not more than one`
        ([], _, []) if words().any(compares) => None,
        // `no matches besides vendor`: no offer drops an exception.
        ([], _, []) if words().any(is_exception) => None,
        ([], [word, more @ ..], []) => {
            let meant = denied(word, nature)?;
            let rest = more.iter().all(|word| denied(word, nature).as_ref() == Some(&meant));
            let quiet_about =
                quiet || classes.has(Classes::SEARCH) || !words().any(|word| word.starts_with("print"));
            (rest && quiet_about).then_some(meant)
        }
        _ => None,
    }
}

/// Whether a word leaves something out of what is denied.
fn is_exception(word: &str) -> bool {
    let wide = ["外", "除", "외", "кроме", "außer", "помимо"];
    wide.iter().any(|part| word.contains(part))
        || [
            "except", "exclud", "besides", "beside", "barring", "apart", "aside", "outside", "other", "save",
            "sauf", "hormis", "salvo", "excepto", "exceto", "behalve", "tranne",
        ]
        .iter()
        .any(|own| word.starts_with(own))
}

/// Whether a token of a text about an exit status says no more than which one it is.
fn names_status(token: &Token) -> bool {
    match &token.kind {
        TokenKind::Number(_) | TokenKind::Op(Op::Eq) | TokenKind::Arrow => true,
        TokenKind::Sign(sign) => matches!(sign, ':' | ',' | '—' | '(' | ')' | '[' | ']' | '.'),
        TokenKind::Word(word) => {
            word.starts_with("exit")
                || synonyms::modal(std::slice::from_ref(token)).is_some()
                || matches!(
                    word.as_str(),
                    "code"
                        | "codes"
                        | "status"
                        | "with"
                        | "of"
                        | "is"
                        | "be"
                        | "a"
                        | "an"
                        | "the"
                        | "its"
                        | "it"
                        | "process"
                        | "command"
                )
        }
        _ => false,
    }
}

/// Words that say that something is there.
fn is_found(word: &str) -> bool {
    matches!(
        word,
        "found"
            | "finds"
            | "find"
            | "match"
            | "matches"
            | "matched"
            | "exists"
            | "exist"
            | "present"
            | "there"
            | "appears"
            | "appear"
            | "defined"
            | "used"
            | "available"
            | "hit"
            | "hits"
            | "some"
            | "added"
            | "registered"
            | "listed"
    )
}

/// What words without a number, a comparison, a negation or a literal mean for a command that reports by itself.
fn vague(words: &[&str], classes: Classes) -> Option<Clause> {
    let praise = words.iter().any(|word| is_praise(word));
    let reports = [Classes::RUNNER, Classes::LINTER, Classes::BUILDER, Classes::TASK]
        .iter()
        .any(|class| classes.has(*class));
    match () {
        // `test_login passes` is about one test: no offer drops a name.
        () if words.iter().any(|word| shows(word) || word.contains(['_', '.', '/'])) => None,
        () if reports => Some(Clause::TestsPass),
        () if classes.has(Classes::FILE) => Some(Clause::Exit { code: 0 }),
        () if classes.has(Classes::SEARCH) || classes.has(Classes::LIST) => {
            (words.iter().any(|word| is_found(word)) && !praise).then_some(Clause::NotEmpty)
        }
        () if classes.has(Classes::QUIET) => None,
        () => None,
    }
}

/// A number with what it counts.
fn counted(said: &[Token], at: usize, number: &str, classes: Classes) -> Option<Clause> {
    let op = compared(said, at)?;
    let noun = said.get(at + 1).and_then(Token::word);
    let nothing = number == "0" && op == Op::Eq && noun.is_some_and(|noun| NOUNS.contains(&noun));
    let reports = [Classes::LINTER, Classes::BUILDER].iter().any(|class| classes.has(*class));
    match number.parse() {
        Ok(number) if classes.has(Classes::RUNNER) => {
            let tests =
                noun.is_none_or(|noun| matches!(noun, "test" | "tests" | "or" | "new" | "cases" | "specs"));
            tests.then_some(Clause::Tests { count: Count::Passed, op, number })
        }
        _ if reports => None,
        _ if nothing && !classes.has(Classes::COUNT) => Some(Clause::Empty),
        // `1 MB` is not 1, and `3 lines` are no number that is printed.
        _ if noun
            .is_some_and(|noun| !(classes.has(Classes::COUNT) && NOUNS.contains(&noun) || noun == "or")) =>
        {
            None
        }
        // A share is one number among others in a report.
        _ if number.ends_with('%') => None,
        // `status 2` and `returns 2` may be the exit status or what is printed.
        _ if said.len() > 1
            && !matches!(
                said.first().map(|first| &first.kind),
                Some(TokenKind::Op(_) | TokenKind::Number(_))
            )
            && !classes.has(Classes::COUNT)
            && !matches!(
                said.first().and_then(Token::word),
                Some("at" | "more" | "less" | "minimum" | "exactly")
            ) =>
        {
            None
        }
        _ => Some(Clause::Number { op, value: number.to_owned() }),
    }
}

/// What a number may count.
const NOUNS: &[&str] = &[
    "line", "lines", "row", "rows", "item", "items", "file", "files", "entry", "entries", "match", "matches",
    "result", "results", "time", "times", "개", "个", "件",
];

/// What one word that denies means for a command.
fn denied(word: &str, nature: &Nature) -> Option<Clause> {
    let classes = nature.classes;
    let begins = |stems: &[&str]| stems.iter().any(|stem| word.starts_with(stem));
    let has = |parts: &[&str]| parts.iter().any(|part| word.contains(part));
    let fails = !word.starts_with("failure")
        && (begins(&["fail", "reject", "error", "refus", "den", "invalid", "throw", "rais", "ошибк"])
            || has(&["失败", "失敗", "실패"]) && !has(&["或", "不", "않", "ない"]));
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
            | "kein"
            | "keine"
            | "aucun"
            | "aucune"
            | "sans"
            | "sin"
            | "sem"
            | "ohne"
            | "нет"
            | "не"
            | "plus"
            | "больше"
    ) || begins(&[
        "remov", "delet", "drop", "elimin", "purg", "lack", "supprim", "entfern", "gelösch", "borr", "apag",
        "nenhum", "ningun", "удал",
    ]) || has(&["删", "移除", "削除", "삭제", "제거", "없", "不再", "残っていない"]);
    // `ls x 2>/dev/null` prints nothing and fails where there is no x.
    let fails_where_absent = (classes.has(Classes::LIST) || classes.has(Classes::FILE))
        && nature.streams.stderr == Stderr::Dropped;
    match () {
        () if fails_where_absent => None,
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
        (_, ("at", "least") | (_, "minimum"), 0) => Some(Op::Ge),
        (_, ("at", "most"), 0) => Some(Op::Le),
        (_, ("more", "than"), 0) => Some(Op::Gt),
        (_, _, 0) if said.get(at + 1).is_some_and(|next| next.is('+')) => Some(Op::Ge),
        (_, _, 0)
            if !said.iter().filter_map(Token::word).any(|word| {
                matches!(word, "or" | "least" | "most" | "more" | "than" | "up" | "min" | "de" | "so")
                    || !word.is_ascii()
            }) =>
        {
            Some(Op::Eq)
        }
        _ => None,
    }
}
