//! Whether what a command gave is what was expected.

use wire::plan::{Expect, ExpectKind};

/// What a command printed.
pub(crate) struct Printed<'a> {
    /// On standard output.
    pub(crate) stdout: &'a str,
    /// The end of everything, in the order in which it came.
    pub(crate) all: &'a str,
}

/// Whether the output decides, so that it must be kept apart from stderr.
pub(crate) fn needs_output(expect: Option<&Expect>) -> bool {
    expect.is_some_and(|e| !matches!(e.kind, ExpectKind::Exit | ExpectKind::NonZero | ExpectKind::Unclear))
}

/// Whether anything but exit 0 is a failure.
pub(crate) fn wants_success(expect: Option<&Expect>) -> bool {
    expect.is_none_or(|e| match e.kind {
        ExpectKind::Exit => e.number.unwrap_or(0) == 0,
        ExpectKind::NonZero | ExpectKind::Number | ExpectKind::Empty => false,
        _ => true,
    })
}

/// Whether this very exit code is what was expected.
pub(crate) fn wants_code(expect: Option<&Expect>, code: i32) -> bool {
    expect.is_some_and(|e| e.kind == ExpectKind::Exit && e.number == Some(i64::from(code)))
}

/// Whether it is true, and what was measured.
pub(crate) fn judge(expect: Option<&Expect>, code: i32, printed: &Printed<'_>) -> (bool, String) {
    let Some(expect) = expect else { return (code == 0, format!("exit {code}")) };
    let zero = code == 0;
    let literal = expect.literal.as_deref().unwrap_or_default();
    let number = expect.number.unwrap_or(0);
    match expect.kind {
        ExpectKind::Exit => (i64::from(code) == number, format!("exit {code}")),
        ExpectKind::NonZero => (!zero, format!("exit {code}")),
        ExpectKind::Number => compare(expect, printed.stdout),
        ExpectKind::Line => {
            let found = printed.stdout.lines().any(|l| l.trim() == literal.trim());
            (zero && found, said(code, found, "the line"))
        }
        ExpectKind::Contains => {
            let found = printed.stdout.contains(literal) || printed.all.contains(literal);
            (zero && found, said(code, found, "the text"))
        }
        ExpectKind::Json => {
            let valid = serde_json::from_str::<serde::de::IgnoredAny>(printed.stdout).is_ok();
            (zero && valid, said(code, valid, "valid JSON"))
        }
        ExpectKind::NotEmpty => {
            // `not null` is something, and not that word.
            let text = printed.stdout.trim();
            let any = !text.is_empty() && (expect.op.as_deref() != Some("!=") || text != literal);
            (zero && any, said(code, any, "something"))
        }
        ExpectKind::Empty => {
            let none = printed.stdout.trim().is_empty();
            (none, format!("printed {}", if none { "nothing" } else { "something" }))
        }
        ExpectKind::Tests => tests(number, code, printed),
        ExpectKind::Count => counted(number, literal, code, printed),
        ExpectKind::Unclear => (false, "nobody can tell what was expected".to_owned()),
    }
}

fn said(code: i32, found: bool, what: &str) -> String {
    format!("exit {code}, {what} was {}printed", if found { "" } else { "not " })
}

/// The number that a command prints: all of its output, else the last number of its last line.
fn compare(expect: &Expect, stdout: &str) -> (bool, String) {
    let text = stdout.trim();
    let last = text.lines().last().unwrap_or_default();
    let number = text.parse::<i64>().ok().or_else(|| numbers(last).last().copied());
    let Some(measured) = number else { return (false, "printed no number".to_owned()) };
    let wanted = expect.number.unwrap_or(0);
    let holds = match expect.op.as_deref().unwrap_or("==") {
        ">=" => measured >= wanted,
        "<=" => measured <= wanted,
        ">" => measured > wanted,
        "<" => measured < wanted,
        "!=" => measured != wanted,
        _ => measured == wanted,
    };
    (holds, format!("printed {measured}"))
}

/// Whole numbers in a text.
fn numbers(text: &str) -> Vec<i64> {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect()
}

/// `N+ tests, 0 failures`: exit 0, and the reports say at least so many passed and none failed.
fn tests(wanted: i64, code: i32, printed: &Printed<'_>) -> (bool, String) {
    let text = format!("{}\n{}", printed.stdout, printed.all);
    let near =
        |words: &[&str]| -> Option<i64> { text.lines().filter_map(|line| count_before(line, words)).max() };
    let passed = near(&["passed", "passing", "tests", "test"]);
    let failed = near(&["failed", "failures", "failing"]).unwrap_or(0);
    let enough = passed.is_some_and(|n| n >= wanted);
    let passed = passed.map_or("no".to_owned(), |n| n.to_string());
    (code == 0 && enough && failed == 0, format!("exit {code}, {passed} tests, {failed} failures reported"))
}

/// `0 warnings`: exit 0, and the last report of that noun has that number; a noun that is never mentioned is 0.
fn counted(wanted: i64, noun: &str, code: i32, printed: &Printed<'_>) -> (bool, String) {
    let stem = noun.trim_end_matches('s');
    let text = printed.all.to_lowercase();
    let found = text.lines().rev().find_map(|line| count_before(line, &[noun, stem])).unwrap_or(0);
    (code == 0 && found == wanted, format!("exit {code}, {found} {noun} reported"))
}

/// The number right before one of the words: `12 passed`.
fn count_before(line: &str, words: &[&str]) -> Option<i64> {
    let tokens: Vec<_> = line.split(|c: char| !c.is_ascii_alphanumeric()).filter(|t| !t.is_empty()).collect();
    tokens
        .windows(2)
        .find(|w| words.iter().any(|word| w[1].eq_ignore_ascii_case(word)))
        .and_then(|w| w[0].parse().ok())
}

#[cfg(test)]
mod tests {
    use super::{Printed, judge};
    use wire::plan::{Expect, ExpectKind};

    fn check(expect: &Expect, code: i32, stdout: &str) -> bool {
        judge(Some(expect), code, &Printed { stdout, all: stdout }).0
    }

    #[test]
    fn a_number_is_compared_and_the_exit_code_of_grep_does_not_matter() {
        let at_least = |n| Expect {
            kind: ExpectKind::Number,
            op: Some(">=".into()),
            number: Some(n),
            ..Expect::default()
        };
        assert!(check(&at_least(2), 0, "3\n"));
        assert!(!check(&at_least(2), 0, "1\n"));
        assert!(check(&at_least(0), 1, "0\n"));
        assert!(!check(&at_least(0), 0, "many\n"));
    }

    #[test]
    fn a_line_must_be_there_whole() {
        let line =
            |text: &str| Expect { kind: ExpectKind::Line, literal: Some(text.into()), ..Expect::default() };
        assert!(check(&line("ok"), 0, "first\nok\n"));
        assert!(!check(&line("ok"), 0, "not ok\n"));
        assert!(!check(&line("ok"), 1, "ok\n"));
    }

    #[test]
    fn reports_of_tests_are_read() {
        let tests = |n| Expect { kind: ExpectKind::Tests, number: Some(n), ..Expect::default() };
        assert!(check(&tests(3), 0, "test result: ok. 5 passed; 0 failed"));
        assert!(!check(&tests(9), 0, "5 passed"));
        assert!(!check(&tests(1), 0, "5 passed; 1 failed"));
        assert!(!check(&tests(0), 0, "nothing ran"));
    }

    #[test]
    fn what_nobody_can_tell_is_no_pass() {
        assert!(!check(&Expect { kind: ExpectKind::Unclear, ..Expect::default() }, 0, ""));
    }
}
