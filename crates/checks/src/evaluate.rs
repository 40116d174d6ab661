//! Whether what a command gave is what was expected.

mod counts;

use crate::evaluate::counts::{SCALE, count_before, count_behind, numbers, unreported};
use wire::plan::{Expect, ExpectKind};

/// The first of the exit codes that say that a command could not be run.
const NOT_RUN: i32 = 126;

/// What a command printed.
pub struct Printed<'a> {
    /// On standard output.
    pub stdout: &'a str,
    /// The end of everything, in the order in which it came.
    pub all: &'a str,
}

/// Whether the output decides, so that it must be kept apart from stderr.
pub fn needs_output(expect: Option<&Expect>) -> bool {
    expect.is_some_and(|e| !matches!(e.kind, ExpectKind::Exit | ExpectKind::NonZero | ExpectKind::Unclear))
}

/// Whether a yes may be wrong where not all of the output is known: what was found stays found.
pub fn needs_all(expect: Option<&Expect>) -> bool {
    let found = |e: &Expect| matches!(e.kind, ExpectKind::Line | ExpectKind::Contains | ExpectKind::NotEmpty);
    needs_output(expect) && !expect.is_some_and(found)
}

/// Whether a no may be wrong there: what was not found may have been in the rest.
pub fn may_be_in_the_rest(expect: Option<&Expect>) -> bool {
    expect.is_some_and(|e| matches!(e.kind, ExpectKind::Line | ExpectKind::Contains | ExpectKind::Json))
}

/// Whether anything but exit 0 is a failure.
pub fn wants_success(expect: Option<&Expect>) -> bool {
    expect.is_none_or(|e| match e.kind {
        ExpectKind::Exit => e.number.unwrap_or(0) == 0,
        ExpectKind::NonZero | ExpectKind::Number | ExpectKind::Empty => false,
        _ => true,
    })
}

/// Whether the command has to fail.
pub fn wants_failure(expect: Option<&Expect>) -> bool {
    expect.is_some_and(|e| match e.kind {
        ExpectKind::Exit => e.number.unwrap_or(0) != 0,
        kind => kind == ExpectKind::NonZero,
    })
}

/// Whether this very exit code is what was expected.
pub fn wants_code(expect: Option<&Expect>, code: i32) -> bool {
    expect.is_some_and(|e| e.kind == ExpectKind::Exit && e.number == Some(i64::from(code)))
}

/// Whether it is true, and what was measured.
pub fn judge(expect: Option<&Expect>, code: i32, printed: &Printed<'_>) -> (bool, String) {
    let Some(expect) = expect else { return (code == 0, format!("exit {code}")) };
    let zero = code == 0;
    let literal = expect.literal.as_deref().unwrap_or_default();
    let number = expect.number.unwrap_or(0);
    match expect.kind {
        ExpectKind::Exit => (i64::from(code) == number, format!("exit {code}")),
        ExpectKind::NonZero => (!zero, format!("exit {code}")),
        ExpectKind::Number => compare(expect, code, printed.stdout),
        ExpectKind::Line => {
            // Of several lines each must be there.
            let has = |line: &str| printed.stdout.lines().any(|l| l.trim() == line.trim());
            let found = match expect.op.as_deref() {
                // Nothing but this.
                Some("==") => printed.stdout.trim() == literal.trim(),
                _ if literal.contains('\n') => literal.lines().all(has),
                _ => has(literal),
            };
            (zero && found, said(code, found, "the line"))
        }
        ExpectKind::Contains => {
            let has = |text: &str| printed.stdout.contains(text) || printed.all.contains(text);
            let found = if literal.contains('\n') { literal.lines().all(has) } else { has(literal) };
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
            // A search that finds nothing may fail, in silence; what complains could not look.
            let none = printed.stdout.trim().is_empty();
            let looked = zero || code < NOT_RUN && printed.all.trim().is_empty();
            let said = format!("printed {}", if none { "nothing" } else { "something" });
            (none && looked, if none && !looked { format!("exit {code}, {said}") } else { said })
        }
        ExpectKind::Tests => tests(number, expect.op.as_deref() == Some("where-told"), code, printed),
        ExpectKind::Count => counted(number, literal, code, printed),
        ExpectKind::Unclear => (false, "nobody can tell what was expected".to_owned()),
    }
}

fn said(code: i32, found: bool, what: &str) -> String {
    format!("exit {code}, {what} was {}printed", if found { "" } else { "not " })
}

/// The number that a command prints: all of its output, whatever its exit code (a search that finds nothing fails), else
/// the last number of the last line of a command that succeeded.
fn compare(expect: &Expect, code: i32, stdout: &str) -> (bool, String) {
    let text = stdout.trim();
    let last = text.lines().last().unwrap_or_default();
    let alone =
        numbers(text).into_iter().find(|number| number.text.len() == text.trim_end_matches('%').len());
    let is_alone = alone.is_some();
    let Some(measured) = alone.or_else(|| numbers(last).pop()) else {
        return (false, "printed no number".to_owned());
    };
    if !is_alone && code != 0 {
        return (false, format!("exit {code}, printed {} among other words", measured.text));
    }
    let wanted = expect.number.unwrap_or(0).saturating_mul(SCALE);
    let value = measured.thousandths;
    let holds = match expect.op.as_deref().unwrap_or("==") {
        ">=" => value >= wanted,
        "<=" => value <= wanted,
        ">" => value > wanted,
        "<" => value < wanted,
        "!=" => value != wanted,
        _ => value == wanted,
    };
    (holds, format!("printed {}", measured.text))
}

/// `N+ tests, 0 failures`: exit 0, and the reports say at least so many passed and none failed.
/// Where only a note names the number, a runner that tells none is believed by its exit code.
fn tests(wanted: i64, where_told: bool, code: i32, printed: &Printed<'_>) -> (bool, String) {
    let text = format!("{}\n{}", printed.stdout, printed.all);
    let near =
        |words: &[&str]| -> Option<i64> { text.lines().filter_map(|line| count_before(line, words)).max() };
    let passed = near(&["passed", "passing", "tests", "test"]);
    let failed = near(&["failed", "failures", "failing"]).unwrap_or(0);
    let enough = passed.map_or(where_told, |n| n >= wanted);
    let passed = passed.map_or("no".to_owned(), |n| n.to_string());
    (code == 0 && enough && failed == 0, format!("exit {code}, {passed} tests, {failed} failures reported"))
}

/// `0 warnings`: exit 0, and the last report of that noun has that number. A problem that is never mentioned is none; lines
/// are counted where nobody reports them; anything else has to be reported.
fn counted(wanted: i64, noun: &str, code: i32, printed: &Printed<'_>) -> (bool, String) {
    let text = printed.all.to_lowercase();
    let reported = |noun: &str| -> Option<i64> {
        let stem = noun.trim_end_matches('s');
        let told = |line: &str| count_before(line, &[noun, stem]).or_else(|| count_behind(line, noun));
        let mut counts = text.lines().rev().filter_map(told);
        // Each runner of tests has a summary of its own, and a good one does not undo a bad one.
        let found = if stem.starts_with("fail") { counts.max() } else { counts.next() };
        found.or_else(|| unreported(noun, stem, &text, printed.stdout))
    };
    let found: Vec<(&str, Option<i64>)> = noun.lines().map(|noun| (noun, reported(noun))).collect();
    let shown = |count: Option<i64>| count.map_or("no number of".to_owned(), |count| count.to_string());
    let said: Vec<String> = found.iter().map(|(noun, count)| format!("{} {noun}", shown(*count))).collect();
    let holds = found.iter().all(|(_, count)| *count == Some(wanted));
    (code == 0 && holds, format!("exit {code}, {} reported", said.join(", ")))
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
        // A number in a note counts where the runner tells one.
        let noted = Expect { op: Some("where-told".into()), ..tests(9) };
        assert!(check(&noted, 0, "ok  example  0.01s") && check(&noted, 0, "9 passed"));
        assert!(!check(&noted, 0, "5 passed") && !check(&noted, 1, "ok") && !check(&noted, 0, "1 failed"));
    }

    #[test]
    fn a_number_among_other_words_counts_where_the_command_succeeded() {
        let is = Expect { kind: ExpectKind::Number, number: Some(42), ..Expect::default() };
        assert!(check(&is, 1, "42\n") && check(&is, 0, "42 lines\n"));
        assert!(!check(&is, 1, "42 tests failed\n"));
    }

    #[test]
    fn of_several_lines_or_nouns_each_counts() {
        let of = |kind, text: &str| Expect {
            kind,
            literal: Some(text.into()),
            number: Some(0),
            ..Expect::default()
        };
        assert!(check(&of(ExpectKind::Line, "a\nb"), 0, "b\nx\na\n"));
        assert!(!check(&of(ExpectKind::Line, "a\nb"), 0, "a\n"));
        assert!(check(&of(ExpectKind::Contains, "a\nb"), 0, "xbya"));
        assert!(!check(&of(ExpectKind::Contains, "a\nb"), 0, "xby"));
        assert!(check(&of(ExpectKind::Count, "errors\nwarnings"), 0, "0 errors, 0 warnings"));
        assert!(!check(&of(ExpectKind::Count, "errors\nwarnings"), 0, "0 errors, 12 warnings"));
    }

    #[test]
    fn a_failure_in_any_summary_is_one() {
        let none = Expect {
            kind: ExpectKind::Count,
            literal: Some("failed".into()),
            number: Some(0),
            ..Expect::default()
        };
        assert!(check(&none, 0, "test result: ok. 5 passed; 0 failed;"));
        assert!(!check(&none, 0, "test result: FAILED. 5 passed; 3 failed;"));
        assert!(!check(
            &none,
            0,
            "test result: FAILED. 5 passed; 3 failed;\ntest result: ok. 1 passed; 0 failed;"
        ));
    }

    #[test]
    fn nothing_printed_is_empty_only_if_somebody_looked() {
        let empty = Expect { kind: ExpectKind::Empty, ..Expect::default() };
        let with = |code, all| judge(Some(&empty), code, &Printed { stdout: "", all }).0;
        assert!(with(0, "") && with(0, "a warning") && with(1, "") && with(2, ""));
        assert!(
            !with(1, "find: 'lib': No such file or directory") && !with(128, "fatal: x") && !with(127, "")
        );
    }

    #[test]
    fn what_nobody_can_tell_is_no_pass() {
        assert!(!check(&Expect { kind: ExpectKind::Unclear, ..Expect::default() }, 0, ""));
    }
}
