//! What an expectation in words means: `exit 0`, `>= 2`, `0 warnings`, `valid JSON`, a literal, `PASS`.
//!
//! The command is looked at too: `no matches` of a search that prints nothing is its exit code. What nobody can
//! tell is [`ExpectKind::Unclear`]; guessing would make false proofs.

use crate::numbers::{compare, counted, counted_noun, number, tests};
use crate::{commands, remarks};
use markdown::code_spans;
use wire::plan::{Expect, ExpectKind};

/// The expectation that `text` states for `command`.
pub fn judge(command: &str, text: &str) -> Expect {
    let same = text.trim().starts_with("== `");
    let whole = text.trim().trim_start_matches([':', '=', ' ']).trim();
    let plain = whole.trim_matches('*').trim();
    let mut expect = one(command, plain);
    let mut main = plain;
    let mut open = false;
    if let Some((before, note)) = note_at_end(plain).filter(|_| expect.kind == ExpectKind::Unclear) {
        main = before;
        let of_main = if main.is_empty() { exit(0) } else { one(command, main) };
        expect = noted(command, of_main, main.is_empty(), note);
        // What a note asks for is not met by what is said before it.
        open = expect.kind == ExpectKind::Unclear && remarks::asks(note);
    }
    if expect.kind == ExpectKind::Unclear {
        expect = several(command, plain).unwrap_or(expect);
    }
    if expect.kind == ExpectKind::Unclear
        && let Some((before, said)) = main.split_once(" — ")
        && !remarks::asks(said)
    {
        expect = one(command, before.trim());
    }
    let praised = || commands::judges_by_exit(command) && remarks::is_praise(main);
    if expect.kind == ExpectKind::Unclear
        && !open
        && (praised() || commands::is_silent(command) && remarks::is_mere(command, main))
    {
        expect = exit(0);
    }
    if same && expect.kind == ExpectKind::Line {
        expect.op = Some("==".to_owned());
    }
    whole.clone_into(&mut expect.text);
    expect
}

/// What is expected where a note in parentheses follows: `exit 0 (count >= 6)`, `PASS (12 tests)`, `(should fail)`. The note
/// may say more than that the command succeeds; where it asks for something that nobody understands, nobody can judge.
fn noted(command: &str, of_main: Expect, alone: bool, note: &str) -> Expect {
    let note = note.trim().trim_start_matches(['→', '⇒']).trim();
    let note = note.strip_prefix("->").or_else(|| note.strip_prefix("=>")).unwrap_or(note).trim();
    let of_note = counted(note)
        // Not every runner tells how many it ran.
        .or_else(|| tests(&note.to_lowercase()).map(|tests| Expect { op: Some(WHERE_TOLD.into()), ..tests }))
        .unwrap_or_else(|| one(command, note));
    // A mere number may be anything, unless it is all that is said.
    let bare = note.starts_with(|c: char| c.is_ascii_digit()) && of_note.kind == ExpectKind::Number && !alone;
    let says_more = match of_note.kind {
        ExpectKind::Unclear => false,
        ExpectKind::Exit => of_note.number != Some(0),
        _ => !bare,
    };
    match of_main.kind {
        ExpectKind::Exit if of_main.number == Some(0) && says_more => of_note,
        _ if of_note.kind == ExpectKind::Unclear && remarks::asks(note) => unclear(),
        // `usage (exit 2)`: two things, and only one of them could be judged.
        ExpectKind::Exit | ExpectKind::NonZero | ExpectKind::Unclear => of_main,
        _ if matches!(of_note.kind, ExpectKind::Exit | ExpectKind::NonZero) && says_more => unclear(),
        _ => of_main,
    }
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
            ExpectKind::Unclear if remarks::is_praise(part) => {}
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
    let mut spans = code_spans::spans(text).into_iter().peekable();
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
    // A pattern is no text that could be looked for.
    if lower.starts_with("matches `") || lower.starts_with("matches /") {
        return Some(unclear());
    }
    let contains = CONTAINS.iter().find(|word| lower.starts_with(**word));
    let rest = contains.and_then(|word| text.get(word.len()..)).unwrap_or(text).trim();
    let rest = rest.strip_prefix(':').unwrap_or(rest).trim();
    if let Some(exact) = rest.strip_prefix("exactly ").and_then(|rest| quoted(rest.trim())) {
        return Some(Expect { op: Some("==".to_owned()), ..found(ExpectKind::Line, exact) });
    }
    let inner = code_spans::bare(rest);
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
    let verb = contains.is_some_and(|word| !PRINTS.contains(word));
    if verb && !rest.is_empty() && !rest.contains(' ') {
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
    &["outputs", "output", "prints", "print", "returns", "return", "stdout", "shows", "is ", "출력"];

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
    if text == "clean" && command.trim_start().starts_with("git status") {
        // What is clean has nothing to list, or says so.
        let lists = command.contains("--porcelain") || command.contains(" -s") || command.contains("--short");
        let empty = Expect { kind: ExpectKind::Empty, ..Expect::default() };
        return Some(if lists { empty } else { found(ExpectKind::Contains, "nothing to commit") });
    }
    if PASS.contains(&text) {
        return Some(exit(0));
    }
    if FAIL.contains(&text) {
        return Some(Expect { kind: ExpectKind::NonZero, ..Expect::default() });
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
        "true" if commands::is_silent(command) => return Some(exit(0)),
        "false" if commands::is_silent(command) => ExpectKind::NonZero,
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

#[rustfmt::skip]
const FAIL: &[&str] = &[
    "fails", "fail", "failed", "should fail", "must fail", "will fail", "expected to fail", "is expected to fail", "expected: fail",
    "expected fail", "error", "errors", "an error", "should error", "is rejected", "non-zero", "nonzero", "non-zero exit",
    "returns non-zero", "returns nonzero", "should not succeed", "must not succeed", "should not pass", "must not pass",
    "should be false", "red", "❌", "실패", "실패해야 함", "실패해야 한다", "失败", "应该失败", "必须失败", "失敗", "失敗する", "は失敗する",
    "schlägt fehl", "muss fehlschlagen", "soll fehlschlagen", "darf nicht gelingen", "échoue", "doit échouer", "falla", "debe fallar",
    "deve falhar", "falha", "должно упасть", "должен упасть", "ошибка",
];

const ABSENT: &[&str] = &[
    "no matches",
    "no match",
    "finds nothing",
    "nothing found",
    "0 times",
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
    } else if commands::is_quiet_search(command) || command.trim_start().starts_with("test ") {
        Expect { kind: ExpectKind::NonZero, ..Expect::default() }
    } else if commands::is_count_search(command) {
        compare("==", 0)
    } else {
        Expect { kind: ExpectKind::Empty, ..Expect::default() }
    }
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
