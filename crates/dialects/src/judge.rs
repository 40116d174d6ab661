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
        if let (ExpectKind::Exit, Some(counted)) = (expect.kind, counted(note)) {
            expect = counted;
        }
    }
    if expect.kind == ExpectKind::Unclear {
        expect = several(command, plain).unwrap_or(expect);
    }
    if expect.kind == ExpectKind::Unclear
        && let Some((before, _)) = main.split_once(" — ")
    {
        expect = one(command, before.trim());
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

fn one(command: &str, text: &str) -> Expect {
    let lower = text.to_lowercase();
    exits(&lower)
        .or_else(|| literal(command, text))
        .or_else(|| tests(&lower))
        .or_else(|| number(&lower))
        .or_else(|| counted_noun(&lower))
        .or_else(|| words(command, &lower))
        .unwrap_or(Expect { kind: ExpectKind::Unclear, ..Expect::default() })
}

/// `exit 0, 58+ tests`: the part that says more wins; otherwise an explicit exit code stands.
fn several(command: &str, text: &str) -> Option<Expect> {
    let parts: Vec<_> = text.split([',', ';']).map(|part| one(command, part.trim())).collect();
    let counted = text.to_lowercase().split_once(" with ").and_then(|(_, rest)| counted(rest));
    let better = parts.iter().find(|part| matches!(part.kind, ExpectKind::Tests | ExpectKind::Contains));
    let first = parts.first().filter(|part| part.kind != ExpectKind::Unclear && parts.len() > 1);
    counted
        .or_else(|| better.filter(|_| parts.len() > 1).cloned())
        .or_else(|| first.cloned())
        .or_else(|| text.to_lowercase().starts_with("exit 0 ").then(|| exit(0)))
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
    number(&lower)
        .or_else(|| counted_noun(&lower))
        .or_else(|| words(command, &lower))
        .unwrap_or(Expect { kind: ExpectKind::Unclear, ..Expect::default() })
}

const PRINTS: &[&str] =
    &["outputs", "output", "prints", "print", "returns", "return", "stdout", "shows", "is", "출력"];

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
        "valid json" | "valid json output" | "parses as json" | "유효한 json" => ExpectKind::Json,
        "not empty" | "non-empty" | "nonempty" | "non-empty output" | "has output" | "prints something" => {
            ExpectKind::NotEmpty
        }
        "empty" | "no output" | "nothing" | "empty output" | "prints nothing" | "빈 출력" => {
            ExpectKind::Empty
        }
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
    "no errors", "no error", "without errors", "runs without error", "runs without errors",
    "no runtime errors", "builds", "build succeeds", "compiles", "성공", "통과", "빌드 성공", "전체 통과", "테스트 통과",
    "모두 통과", "executable", "exists", "file exists", "found", "존재", "zero errors", "all checks pass",
    "✅", "should pass", "pass without errors", "성공적으로 완료", "exists and is executable", "no warnings",
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

fn exit(number: i64) -> Expect {
    Expect { kind: ExpectKind::Exit, number: Some(number), ..Expect::default() }
}

fn found(kind: ExpectKind, literal: &str) -> Expect {
    Expect { kind, literal: Some(literal.to_owned()), ..Expect::default() }
}
