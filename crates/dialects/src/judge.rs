//! What an expectation in words means: `exit 0`, `>= 2`, `0 warnings`, `valid JSON`, a literal, `PASS`.
//!
//! The command is looked at too: `no matches` of a search that prints nothing is its exit code. What nobody can
//! tell is [`ExpectKind::Unclear`]; guessing would make false proofs.

use crate::number::{compare, counted, counted_noun, number, tests};
use crate::{code, command};
use wire::plan::{Expect, ExpectKind};

/// The expectation that `text` states for `command`.
pub(crate) fn judge(command: &str, text: &str) -> Expect {
    let whole = text.trim().trim_start_matches([':', '=', ' ']).trim();
    let plain = whole.trim_matches('*').trim();
    let mut expect = one(command, plain);
    let mut main = plain;
    if let Some((before, note)) = note_at_end(plain).filter(|_| expect.kind == ExpectKind::Unclear) {
        main = before;
        expect = if main.is_empty() { exit(0) } else { one(command, main) };
        // `exit 0 (count >= 6)`: the note is what really counts.
        let of_note = counted(note).or_else(|| Some(one("", note)).filter(|e| e.kind == ExpectKind::Count));
        // `PASS (12 tests)`: not every runner tells how many it ran.
        let of_note = of_note.or_else(|| {
            tests(&note.to_lowercase()).map(|tests| Expect { op: Some(WHERE_TOLD.into()), ..tests })
        });
        match (expect.kind, of_note) {
            (ExpectKind::Exit, Some(counted)) => expect = counted,
            (ExpectKind::Exit, None) if is_about_output(note) => expect = unclear(),
            _ => {}
        }
    }
    if expect.kind == ExpectKind::Unclear {
        expect = several(command, plain).unwrap_or(expect);
    }
    if expect.kind == ExpectKind::Unclear
        && let Some((before, remark)) = main.split_once(" — ")
        && !is_about_output(remark)
    {
        expect = one(command, before.trim());
    }
    if denies_success(plain) && !matches!(expect.kind, ExpectKind::Exit | ExpectKind::NonZero) {
        expect = unclear();
    }
    let praised = || command::judges_by_exit(command) && is_mere_praise(main);
    if expect.kind == ExpectKind::Unclear
        && (praised() || command::is_silent(command) && is_mere_remark(command, main))
    {
        expect = exit(0);
    }
    whole.clone_into(&mut expect.text);
    expect
}

/// The operator of a number of tests that counts only where the output tells one.
const WHERE_TOLD: &str = "where-told";

fn one(command: &str, text: &str) -> Expect {
    let lower = text.to_lowercase();
    exits(&lower)
        .or_else(|| literal(command, text))
        .or_else(|| tests(&lower))
        .or_else(|| number(&lower))
        .or_else(|| counted_noun(&lower))
        .or_else(|| words(command, &lower))
        .unwrap_or_else(unclear)
}

/// `exit 0, 58+ tests`: every part must be understood. What only says that the command succeeds is part of what says more;
/// of those that do there may be several only where one expectation can hold them.
fn several(command: &str, text: &str) -> Option<Expect> {
    let lower = text.to_lowercase();
    if let Some(counted) = lower.split_once(" with ").and_then(|(_, rest)| counted(rest)) {
        return Some(counted);
    }
    let parts = parts_of(text);
    if parts.len() < 2 {
        return None;
    }
    let mut strong: Vec<Expect> = Vec::new();
    for part in parts {
        let expect = one(command, part);
        match expect.kind {
            ExpectKind::Unclear if is_mere_praise(part) => {}
            ExpectKind::Unclear => return None,
            ExpectKind::Exit if expect.number == Some(0) => {}
            _ => strong.push(expect),
        }
    }
    let tests = strong.iter().position(|part| part.kind == ExpectKind::Tests);
    if let Some(tests) = tests {
        // A report of tests with a failure is no pass anyhow.
        let same = |part: &Expect| part.kind == ExpectKind::Tests && part.number == strong[tests].number;
        return strong.iter().all(|part| same(part) || is_no_failure(part)).then(|| strong[tests].clone());
    }
    let Some(first) = strong.first().cloned() else { return Some(exit(0)) };
    let alike = |part: &Expect| {
        part.kind == first.kind
            && part.number == first.number
            && matches!(part.kind, ExpectKind::Count | ExpectKind::Line | ExpectKind::Contains)
    };
    let literals: Vec<&str> = strong.iter().filter_map(|part| part.literal.as_deref()).collect();
    match strong.len() {
        1 => Some(first),
        _ if strong.iter().all(alike) => Some(Expect { literal: Some(literals.join("\n")), ..first }),
        _ => None,
    }
}

/// `0 failed` beside a number of tests.
fn is_no_failure(part: &Expect) -> bool {
    let failed = |noun: &str| matches!(noun, "failed" | "failures" | "failure" | "failing" | "fail");
    part.kind == ExpectKind::Count && part.number == Some(0) && part.literal.as_deref().is_some_and(failed)
}

/// The parts between commas, semicolons and `and`, outside of code and quotes.
fn parts_of(text: &str) -> Vec<&str> {
    let mut spans = code::spans(text).into_iter().peekable();
    let (mut parts, mut from, mut quote) = (Vec::new(), 0, false);
    for (at, c) in text.char_indices() {
        while spans.next_if(|span| span.at.end <= at).is_some() {}
        let in_code = spans.peek().is_some_and(|span| span.at.start <= at);
        quote ^= c == '"' && !in_code;
        if quote || in_code {
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        let length = match c {
            ',' | ';' => 1,
            ' ' if rest.starts_with(" and ") => " and ".len(),
            _ => continue,
        };
        if at >= from {
            parts.push(text.get(from..at).unwrap_or_default().trim());
            from = at + length;
        }
    }
    parts.push(text.get(from..).unwrap_or_default().trim());
    // `a, and b`
    let parts = parts.into_iter().map(|part| part.strip_prefix("and ").unwrap_or(part).trim());
    parts.filter(|part| !part.is_empty()).collect()
}

fn exits(lower: &str) -> Option<Expect> {
    let rest =
        ["exit code", "exit status", "exits with code", "exits with", "exit with", "exits", "exit", "rc"]
            .iter()
            .find_map(|word| lower.strip_prefix(word))?;
    let rest = rest.trim_start_matches([' ', '=', ':', '`', 'i', 's']).trim_end_matches(['`', '.', ' ']);
    if let Ok(number) = rest.parse::<i64>() {
        return Some(exit(number));
    }
    let other = matches!(rest, "non-zero" | "nonzero" | "non zero" | "!= 0" | "!0" | "≠ 0" | "> 0" | ">0");
    other.then(|| Expect { kind: ExpectKind::NonZero, ..Expect::default() })
}

/// A literal in backticks is a line, one in quotes is somewhere in the output.
fn literal(command: &str, text: &str) -> Option<Expect> {
    let lower = text.to_lowercase();
    let contains = CONTAINS.iter().find(|word| lower.starts_with(**word));
    let rest = contains.and_then(|word| text.get(word.len()..)).unwrap_or(text).trim();
    let rest = rest.strip_prefix(':').unwrap_or(rest).trim();
    if let Some(exact) = rest.strip_prefix("exactly ").and_then(|rest| quoted(rest.trim())) {
        return Some(found(ExpectKind::Line, exact));
    }
    let inner = code::bare(rest);
    if inner.len() < rest.len() {
        let nested = exits(&inner.to_lowercase()).or_else(|| number(&inner.to_lowercase()));
        let kind = if contains.is_some_and(|word| !PRINTS.contains(word)) {
            ExpectKind::Contains
        } else {
            ExpectKind::Line
        };
        return Some(nested.unwrap_or_else(|| found(kind, inner)));
    }
    if let Some(inner) = quoted(rest) {
        return Some(found(ExpectKind::Contains, inner));
    }
    if contains.is_some_and(|word| !PRINTS.contains(word)) && !rest.is_empty() && !rest.contains(' ') {
        return Some(found(ExpectKind::Contains, rest));
    }
    // `prints PASS` is about what is printed, whatever the word means elsewhere.
    let is_word = !rest.is_empty() && rest.chars().all(char::is_alphanumeric);
    if contains.is_some_and(|word| SHOWS.contains(word))
        && is_word
        && PASS.contains(&rest.to_lowercase().as_str())
    {
        return Some(found(ExpectKind::Contains, rest));
    }
    // `prints 3`: the words around a number or a state are read again without the verb.
    match contains {
        Some(_) if !rest.is_empty() => {
            Some(one_without_verb(command, rest)).filter(|e| e.kind != ExpectKind::Unclear)
        }
        _ => None,
    }
}

fn one_without_verb(command: &str, rest: &str) -> Expect {
    let lower = rest.to_lowercase();
    number(&lower).or_else(|| counted_noun(&lower)).or_else(|| words(command, &lower)).unwrap_or_else(unclear)
}

const PRINTS: &[&str] =
    &["outputs", "output", "prints", "print", "returns", "return", "stdout", "shows", "is", "출력"];

const SHOWS: &[&str] = &["outputs", "output", "prints", "print", "stdout", "shows"];

#[rustfmt::skip]
const CONTAINS: &[&str] = &[
    "output contains", "output includes", "stdout contains", "contains", "contain", "includes",
    "include", "outputs", "output", "prints", "print", "returns", "return", "stdout", "shows",
    "matches", "is ", "출력", "포함",
];

/// The text in quotes, where nothing but a word like "output" or a note in parentheses follows.
fn quoted(text: &str) -> Option<&str> {
    for (open, close) in [('"', '"'), ('“', '”'), ('\'', '\'')] {
        let Some(inner) = text.strip_prefix(open) else { continue };
        let (inner, after) = inner.split_once(close)?;
        let after = after.trim().trim_end_matches('.');
        let done = after.is_empty()
            || after.starts_with('(')
            || matches!(after, "출력" | "포함" | "output" | "printed" | "in output");
        return (done && !inner.is_empty()).then_some(inner);
    }
    None
}

fn words(command: &str, lower: &str) -> Option<Expect> {
    let text = lower.trim_matches(['.', '!', '`', ' ', '*']);
    if PASS.contains(&text) {
        return Some(exit(0));
    }
    let kind = match text {
        "no errors" | "no error" | "zero errors" | "without errors" => return Some(none_of("errors")),
        "no warnings" | "no warning" | "zero warnings" | "without warnings" => {
            return Some(none_of("warnings"));
        }
        "valid json" | "valid json output" | "parses as json" | "유효한 json" => ExpectKind::Json,
        "not empty" | "non-empty" | "nonempty" | "non-empty output" | "has output" | "prints something" => {
            ExpectKind::NotEmpty
        }
        "empty" | "no output" | "nothing" | "empty output" | "prints nothing" | "빈 출력" | "无输出"
        | "没有输出" | "出力なし" | "sin salida" | "keine ausgabe" => ExpectKind::Empty,
        "fails" | "fail" | "non-zero exit" | "non-zero" | "실패" => ExpectKind::NonZero,
        "true" | "false" => return Some(found(ExpectKind::Line, text)),
        // `null` is something, so that it must be excluded by name.
        "not null" | "non-null" => {
            return Some(Expect { op: Some("!=".into()), ..found(ExpectKind::NotEmpty, "null") });
        }
        _ if ABSENT.contains(&text) => return Some(absent(command)),
        _ => return None,
    };
    Some(Expect { kind, ..Expect::default() })
}

#[rustfmt::skip]
const PASS: &[&str] = &[
    "pass", "passes", "passed", "all pass", "all passed", "all tests pass", "all passing", "tests pass",
    "all green", "green", "ok", "success", "succeeds", "successful", "succeeded", "works", "clean",
    "runs without error", "runs without errors",
    "no runtime errors", "builds", "build succeeds", "compiles", "성공", "통과", "빌드 성공", "전체 통과", "테스트 통과",
    "모두 통과", "executable", "exists", "file exists", "found", "존재", "all checks pass",
    "✅", "should pass", "pass without errors", "성공적으로 완료", "exists and is executable",
    "오류 없음", "에러 없음", "경고 없음", "오류 없이 통과", "通过", "全部通过", "成功", "全绿", "无错误", "没有错误", "合格", "エラーなし", "pasa", "sin errores",
    "erfolgreich", "ohne fehler", "sans erreur",
];

const ABSENT: &[&str] = &[
    "no matches",
    "no match",
    "not found",
    "no results",
    "no result",
    "no hits",
    "없음",
    "존재하지 않음",
    "absent",
    "none",
    "0건",
    "매치 없음",
    "does not exist",
    "not present",
];

/// Nothing is to be found: a search that is quiet says so by its exit code, one that counts by its number.
fn absent(command: &str) -> Expect {
    if command.trim_start().starts_with("! ") {
        exit(0)
    } else if command::is_quiet_search(command) || command.trim_start().starts_with("test ") {
        Expect { kind: ExpectKind::NonZero, ..Expect::default() }
    } else if command::is_count_search(command) {
        compare("==", 0)
    } else {
        Expect { kind: ExpectKind::Empty, ..Expect::default() }
    }
}

/// Words that only say in other words that the command succeeds: no number, no literal, no negation.
fn is_mere_praise(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words: Vec<_> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let denied = words.iter().any(|word| DENIALS.contains(word));
    let praised = words.first().is_some_and(|word| PRAISE.contains(word))
        || words.last().is_some_and(|word| PRAISE.contains(word));
    let numbers = lower.contains(|c: char| c.is_ascii_digit());
    !denied && praised && !numbers && !lower.contains(['"', '`', '<', '>', '='])
}

/// Words about a command that prints nothing can only be about its success, unless they deny it.
fn is_mere_remark(command: &str, text: &str) -> bool {
    let lower = text.to_lowercase();
    let denied = lower.split(|c: char| !c.is_alphanumeric()).any(|word| DENIALS.contains(&word));
    !lower.contains(|c: char| c.is_ascii_digit() || matches!(c, '"' | '`'))
        && (!denied || command.starts_with("! "))
}

const DENIALS: &[&str] =
    &["no", "not", "never", "without", "fail", "fails", "failure", "failures", "error", "errors", "없음"];

const PRAISE: &[&str] =
    &["pass", "passes", "passed", "ok", "success", "succeeds", "통과", "성공", "exists", "존재", "works"];

/// A remark that asks for something in the output, which nobody would look for who looks at the exit code.
fn is_about_output(remark: &str) -> bool {
    let lower = remark.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| {
        matches!(word, "line" | "output" | "prints" | "printed" | "shows" | "contains" | "says" | "stdout")
    })
}

/// `usage (exit 2)`: an exit code in a note is no part of an expectation that is about the output.
fn denies_success(text: &str) -> bool {
    let exits = note_at_end(text).and_then(|(_, note)| exits(&note.to_lowercase()));
    exits.is_some_and(|exits| exits.number != Some(0))
}

fn note_at_end(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_end_matches('.');
    let inner = text.strip_suffix(')')?;
    let mut depth = 1;
    for (at, c) in inner.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((text.get(..at)?.trim_end(), inner.get(at + 1..)?));
        }
    }
    None
}

fn none_of(noun: &str) -> Expect {
    Expect { number: Some(0), ..found(ExpectKind::Count, noun) }
}

fn unclear() -> Expect {
    Expect { kind: ExpectKind::Unclear, ..Expect::default() }
}

fn exit(number: i64) -> Expect {
    Expect { kind: ExpectKind::Exit, number: Some(number), ..Expect::default() }
}

fn found(kind: ExpectKind, literal: &str) -> Expect {
    Expect { kind, literal: Some(literal.to_owned()), ..Expect::default() }
}
