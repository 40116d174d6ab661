//! How a criterion in words is split into its parts.

use checks::criterion::split;
use wire::plan::{Expect, ExpectKind};

fn judged(text: &str) -> (Option<String>, Option<Expect>) {
    let (command, expect, runnable, skip) = split(text);
    assert!(runnable && skip.is_none(), "{text}: not runnable");
    (command, expect)
}

#[track_caller]
fn judges(
    text: &str,
    command: &str,
    kind: ExpectKind,
    op: Option<&str>,
    number: Option<i64>,
    literal: Option<&str>,
) {
    let (found, expect) = judged(text);
    let expect = expect.unwrap_or_else(|| panic!("{text}: no expectation"));
    assert_eq!(found.as_deref(), Some(command), "{text}");
    let told = (expect.kind, expect.op.as_deref(), expect.number, expect.literal.as_deref());
    assert_eq!(told, (kind, op, number, literal), "{text}");
}

#[test]
fn commands_are_split_from_their_expectation() {
    use ExpectKind::{Contains, Count, Empty, Exit, Json, Line, NonZero, NotEmpty, Number, Tests};
    for (text, command, kind, op, number, literal) in [
        ("`test -f a` → exit 0", "test -f a", Exit, None, Some(0), None),
        ("`test -f a` -> exit 0 (note)", "test -f a", Exit, None, Some(0), None),
        ("`make x` => exits with code 3", "make x", Exit, None, Some(3), None),
        ("`make x` exit non-zero", "make x", NonZero, None, None, None),
        ("`grep -c a f` >= 2", "grep -c a f", Number, Some(">="), Some(2), None),
        ("`grep -c a f >= 2`", "grep -c a f", Number, Some(">="), Some(2), None),
        ("`grep -c a f` → ≥ 1", "grep -c a f", Number, Some(">="), Some(1), None),
        ("`wc -l < f` → <= 22 (at most)", "wc -l < f", Number, Some("<="), Some(22), None),
        ("`wc -l < f` → 11 (header + 10 rows)", "wc -l < f", Number, Some("=="), Some(11), None),
        ("`grep -c a f` → 10 이상", "grep -c a f", Number, Some(">="), Some(10), None),
        ("`grep -c a f` → exit 0 (count >= 6)", "grep -c a f", Number, Some(">="), Some(6), None),
        ("`grep -c a f`: stdout > 0", "grep -c a f", Number, Some(">"), Some(0), None),
        ("`jq . f` → valid JSON", "jq . f", Json, None, None, None),
        ("`jq .a f` → not null", "jq .a f", NotEmpty, Some("!="), None, Some("null")),
        ("`test -x f` → executable", "test -x f", Exit, None, Some(0), None),
        ("`npm test` → passes", "npm test", Exit, None, Some(0), None),
        ("`make test` PASS (301+)", "make test", Exit, None, Some(0), None),
        ("`make lint` → 0 warnings", "make lint", Count, None, Some(0), Some("warnings")),
        ("`make test` → 71+ tests, 0 failures", "make test", Tests, None, Some(71), None),
        ("`make v` → \"━ PASSED ━\"", "make v", Contains, None, None, Some("━ PASSED ━")),
        ("`python3 x.py` outputs \"Hello\"", "python3 x.py", Contains, None, None, Some("Hello")),
        ("`python3 x.py` outputs exactly \"Hello\"", "python3 x.py", Line, Some("=="), None, Some("Hello")),
        ("`cat a` == `hi`", "cat a", Line, Some("=="), None, Some("hi")),
        ("`head -1 f` → `#!/usr/bin/env bash`", "head -1 f", Line, None, None, Some("#!/usr/bin/env bash")),
        ("Header: `head -1 f` → `a,b`", "head -1 f", Line, None, None, Some("a,b")),
        ("`grep -q a f` → no matches", "grep -q a f", NonZero, None, None, None),
        ("`grep -c a f` → no matches", "grep -c a f", Number, Some("=="), Some(0), None),
        ("`grep -r a src` → no matches", "grep -r a src", Empty, None, None, None),
        ("`! grep -q 'a\\|b' f` → no network calls", "! grep -q 'a\\|b' f", Exit, None, Some(0), None),
        ("`./run.sh` → exit 0", "./run.sh", Exit, None, Some(0), None),
        ("test -f a/b → exit 0", "test -f a/b", Exit, None, Some(0), None),
        // Every part counts.
        ("`make x` → exit 0 and prints `ALL GOOD`", "make x", Line, None, None, Some("ALL GOOD")),
        ("`make x` → exit 0, output contains `a, b`", "make x", Contains, None, None, Some("a, b")),
        ("`make x` → `first`, `second`", "make x", Line, None, None, Some("first\nsecond")),
        ("`make x` → 0 errors, 0 warnings", "make x", Count, None, Some(0), Some("errors\nwarnings")),
        ("`make x` → no errors", "make x", Count, None, Some(0), Some("errors")),
        ("`make x` → zero warnings", "make x", Count, None, Some(0), Some("warnings")),
        ("`make x` → 3 passed, 0 failed", "make x", Tests, None, Some(3), None),
        ("`make x` → exit 0, passes", "make x", Exit, None, Some(0), None),
        ("`make x` → prints PASS", "make x", Contains, None, None, Some("PASS")),
        ("`make x` → exit 0 (no warnings)", "make x", Count, None, Some(0), Some("warnings")),
        ("`make x` → PASS (12 tests)", "make x", Tests, Some("where-told"), Some(12), None),
        ("`make x` → green (12 tests)", "make x", Tests, Some("where-told"), Some(12), None),
        ("`make x` → exit 0 — all is well", "make x", Exit, None, Some(0), None),
    ] {
        judges(text, command, kind, op, number, literal);
    }
}

#[test]
fn what_a_note_a_label_or_a_comment_says_counts() {
    use ExpectKind::{Count, Empty, Exit, Line, NonZero, Number};
    for (text, command, kind, op, number, literal) in [
        ("`test -f a` (should fail)", "test -f a", NonZero, None, None, None),
        ("`test -f a` (exit code 1)", "test -f a", Exit, None, Some(1), None),
        ("`cat a` (outputs `ho`)", "cat a", Line, None, None, Some("ho")),
        ("`cat a` (→ `ho`)", "cat a", Line, None, None, Some("ho")),
        ("`grep -c a f` (>= 5)", "grep -c a f", Number, Some(">="), Some(5), None),
        ("`grep -c a f` (0)", "grep -c a f", Number, Some("=="), Some(0), None),
        ("`cat a` → (empty)", "cat a", Empty, None, None, None),
        ("Should fail: `test -f a`", "test -f a", NonZero, None, None, None),
        ("Exit code 1: `test -f a`", "test -f a", Exit, None, Some(1), None),
        ("No output: `cat a`", "cat a", Empty, None, None, None),
        ("Returns 5: `cat a`", "cat a", Number, Some("=="), Some(5), None),
        ("`test -f a  # should fail`", "test -f a  # should fail", NonZero, None, None, None),
        ("`test -f a` schlägt fehl", "test -f a", NonZero, None, None, None),
        ("`test -f a` → 应该失败", "test -f a", NonZero, None, None, None),
        ("`test -f a` → ❌", "test -f a", NonZero, None, None, None),
        ("`grep -q a f` finds nothing", "grep -q a f", NonZero, None, None, None),
        ("`grep -q a f` 0 times", "grep -q a f", NonZero, None, None, None),
        ("`git status --porcelain` → clean", "git status --porcelain", Empty, None, None, None),
        ("`wc -l < f` is 0", "wc -l < f", Number, Some("=="), Some(0), None),
        ("`cat a` is empty", "cat a", Empty, None, None, None),
        ("`test -f a` is false", "test -f a", NonZero, None, None, None),
        ("`cat a` prints exactly 3 lines", "cat a", Count, None, Some(3), Some("lines")),
    ] {
        judges(text, command, kind, op, number, literal);
    }
}

#[test]
fn a_command_alone_must_succeed() {
    for (text, command) in [
        ("`cd web && npm run lint`", "cd web && npm run lint"),
        ("File exists: `test -f a`", "test -f a"),
        ("Run `make`", "make"),
        ("No type errors: `make x`", "make x"),
        ("Never fails: `make x`", "make x"),
        ("`! grep -q a f` (one gateway only)", "! grep -q a f"),
    ] {
        let (found, expect) = judged(text);
        assert_eq!(found.as_deref(), Some(command), "{text}");
        assert!(
            expect.is_none_or(|expect| expect.kind == ExpectKind::Exit && expect.number == Some(0)),
            "{text}"
        );
    }
}

#[test]
fn prose_names_and_paths_are_not_run() {
    for text in [
        "`component_path` file exists",
        "File exists: `./web`",
        "`src/x.ts` exists",
        "`.x` has `color: red`",
        "The api answers",
        "Do not run `npm install left-pad`",
        "`Scene.load(a:) -> Scene` exists",
        "`Shelf.count == 3`",
        "`{lint-command}` → no errors",
        "grep confirms the key",
        "`cat f` shows the right thing",
        "`make a` and `make b` pass",
        "",
    ] {
        let (_, _, runnable, skip) = split(text);
        assert!(!runnable && skip.is_none(), "{text}");
    }
}

#[test]
fn notes_to_skip_are_kept_as_reasons() {
    for (text, reason) in [
        ("(no tests)", "no tests"),
        ("(SKIP - no test framework configured)", "SKIP - no test framework configured"),
        ("(deferred to TODO Final)", "deferred to TODO Final"),
        ("(manual: look at it)", "manual: look at it"),
        ("SKIP — by hand", "SKIP — by hand"),
        ("`npm test` (SKIP - no framework)", "SKIP - no framework"),
    ] {
        let (_, _, runnable, skip) = split(text);
        assert_eq!((runnable, skip.as_deref()), (false, Some(reason)), "{text}");
    }
}

#[test]
fn what_is_understood_by_half_is_nobodys_to_judge() {
    for text in [
        "`make x` → exit 0 within 1 second",
        "`make x` → `usage` (exit 2)",
        "`make x` → exit 0, and the cache is warm",
        "`make x` → 3 passed, coverage 80",
        "`make x` → exit 0 — GOOD on the last line",
        "`make x` → exit 0 (prints GOOD)",
        "`cat a` → `hi` (twice)",
        "`cat a` → `hi` (and nothing else)",
        "`test -f a` breaks",
        "`test -f a` (skip on CI)",
        "`test -f a` soll nicht klappen",
        "`test -f a` （应该失败）",
        "`cat a` → matches `^x`",
        "`du a` → < 5 MB",
        "`make x` → 0 errors, 3 warnings",
        "`make x` → exit 0; grep for old names -> zero hits",
    ] {
        let (_, expect, runnable, _) = split(text);
        assert!(!runnable, "{text}: {expect:?}");
    }
}
