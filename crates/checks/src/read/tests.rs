//! Texts and what they are read as; the examples of plantools-checks(7) and of the reviews.

use super::*;
use std::borrow::Cow;
use wire::plan::clause;

fn shown(reading: &Reading) -> String {
    let one = |check: &Check| match &check.skip {
        Some(reason) => format!("{} | skip {reason}", check.command),
        None => format!("{} | {}", check.command, clause::text(&check.clauses)),
    };
    match reading {
        Reading::Check(check) => one(check),
        Reading::Checks(checks) => checks.iter().map(one).collect::<Vec<_>>().join(" & "),
        Reading::Unclear(unclear) => format!("UNCLEAR {}", unclear.code),
        Reading::Skip(reason) => format!("SKIP {reason}"),
        Reading::Prose => "PROSE".to_owned(),
    }
}

fn of(text: &str) -> String {
    shown(&read(&Located::text(text, Extent { start: 0, end: text.len() }), Synonyms::builtin()))
}

/// A criterion of several lines; a line that begins with `- ` is an item, a fence begins or ends a block.
fn located(text: &str) -> Located<'_> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        if let Some(info) = line.strip_prefix("```") {
            open = !open;
            if open {
                parts.push(Part {
                    kind: Kind::Fence { info: Cow::Borrowed(info) },
                    text: Cow::Borrowed(""),
                    at: Extent::default(),
                });
            }
        } else if open {
            if let Some(part) = parts.last_mut() {
                part.text.to_mut().push_str(line);
                part.text.to_mut().push('\n');
            }
        } else if let Some(item) = line.strip_prefix("- ") {
            parts.push(Part {
                kind: Kind::Item,
                text: Cow::Borrowed(item),
                at: Extent { start: parts.len(), end: parts.len() + 1 },
            });
        } else {
            parts.push(Part {
                kind: Kind::Text,
                text: Cow::Borrowed(line),
                at: Extent { start: parts.len(), end: parts.len() + 1 },
            });
        }
    }
    Located { role: Role::Criterion, parts }
}

fn lines(text: &str) -> String {
    shown(&read(&located(text), Synonyms::builtin()))
}

fn row(headings: &[&str], cells: &[&str]) -> String {
    let part = |(heading, cell): (&&str, &&str)| Part {
        kind: Kind::Cell { heading: Cow::Owned((*heading).to_owned()) },
        text: Cow::Owned((*cell).to_owned()),
        at: Extent::default(),
    };
    let parts = headings.iter().zip(cells).map(part).collect();
    shown(&read(&Located { role: Role::Criterion, parts }, Synonyms::builtin()))
}

#[test]
fn a_check_is_a_command_and_its_clauses() {
    for (text, read) in [
        ("`test -f a`", "test -f a | exit 0"),
        ("`test -f a` → exit 0", "test -f a | exit 0"),
        ("`make build` exit 0", "make build | exit 0"),
        ("Unit tests: `pytest -q` → 12 passed, within 30s", "pytest -q | 12 passed, within 30s"),
        ("`jq .a f.json` → not null", "jq .a f.json | json != null"),
        ("`head -1 x.sh` → `#!/usr/bin/env bash`", "head -1 x.sh | `#!/usr/bin/env bash`"),
        ("Run `make test` — all tests must pass before task 3", "make test | tests pass"),
        ("Verify that `make test` fails", "make test | fails"),
        ("`./run.sh` → `ok`", "./run.sh | `ok`"),
        ("`shelf list` → contains \"b\"", "shelf list | contains `b`"),
        ("File exists: `test -f web/index.js`", "test -f web/index.js | exit 0"),
        ("Contains INT32: `grep -q INT32 a.c`", "grep -q INT32 a.c | exit 0"),
        ("`uv run ruff check .` — zero violations", "uv run ruff check . | 0 problems"),
        ("`npm run lint` and `npm test`", "npm run lint | exit 0 & npm test | exit 0"),
        ("`npm run lint` and `npm test` pass", "npm run lint | tests pass & npm test | tests pass"),
        (
            "`app --help` succeeds; `just precommit` passes.",
            "app --help | exit 0 & just precommit | tests pass",
        ),
        ("`./cli bad; test $? = 2`", "./cli bad; test $? = 2 | exit 0"),
        ("Run full test suite: `npm test`", "npm test | exit 0"),
        ("All tests pass (`npm test`)", "npm test | tests pass"),
        ("Config exists (`test -f c`)", "test -f c | exit 0"),
        ("配置存在：`test -f c`", "test -f c | exit 0"),
        (
            "Run `npm test` and `npm run lint`. Both should pass.",
            "npm test | tests pass & npm run lint | tests pass",
        ),
        ("Run `npm test` to verify", "npm test | exit 0"),
        ("`make test` exits 0 with 2 passing tests", "make test | exit 0, 2 passed"),
        ("Verify: `./check.sh`", "./check.sh | exit 0"),
        ("**Verify**: `scripts/check.sh`", "scripts/check.sh | exit 0"),
        ("Acceptance: `../bin/check`", "../bin/check | exit 0"),
        ("`npm ci` → skip: no network here", "npm ci | skip skip: no network here"),
    ] {
        assert_eq!(of(text), read, "{text}");
    }
}

#[test]
fn prose_is_for_a_person() {
    for text in [
        "The page looks good",
        "`Button` has a `label` prop",
        "Verify: `src/main.rs`",
        "Update `src/app.ts`",
        "The colour is `#fff`",
        "Docs mention `config.toml`",
    ] {
        assert_eq!(of(text), "PROSE", "{text}");
    }
    assert_eq!(of("(SKIP - no tests yet)"), "SKIP SKIP - no tests yet");
}

#[test]
fn a_criterion_that_is_a_script_alone_is_never_dropped() {
    for text in ["`./check.sh`", "`scripts/check.sh`"] {
        assert!(of(text).starts_with("UNCLEAR"), "{text}: {}", of(text));
    }
}

#[test]
fn nothing_is_dropped() {
    for text in [
        "No TODOs remain: `grep -rn TODO src/`",
        "Rejects invalid input: `./cli bad`",
        "Coverage is at least 80%: `make cov`",
        "Tests (12 must pass): `pytest -q`",
        "`test -f x && echo OK || echo MISSING` → OK",
        "`tsc --noEmit | head` → looks fine",
        "`pytest` passes (no skips, once)",
        "`pytest` → 12 passed (once)",
        "`pytest` passes, including test_login",
        "`npm install commander`",
        "`grep x f | wc -l`",
        "`npm run lint | head -30`",
        "`make lint || true` → exit 0",
        "`app` → `a` or `b`",
        "`python3 app.py` → OK",
        "`pnpm tauri dev`",
        "The `npm test` script covers the parser",
        "`python3 app.py` prints OK",
        "`old name x` → renamed",
        "`cat run.sh` → `set -e`, `make test`",
        "`test -f a` → 0",
        "`make test` → baseline kept",
        "`./cli bad` should not print `x`",
        "Only one: `grep -c x f` → 1",
        "With `DEBUG=1`, `python3 a.py` → `x`",
        "`python3 a.py` → exit 0 — see `README.md`",
        "`curl -s http://x/health` succeeds",
        "`bash -c 'npm test | tail -5'` → exit 0",
        "`test -f a; test -f b`",
        "`! grep -q TODO src/a` → no matches",
    ] {
        assert!(of(text).starts_with("UNCLEAR"), "{text}: {}", of(text));
    }
}

#[test]
fn text_below_a_command_belongs_to_it() {
    for (text, read) in [
        ("Verify: `python3 app.py`\nExpected: `x`", "python3 app.py | `x`"),
        ("Verify: `python3 app.py`\n→ `x`", "python3 app.py | `x`"),
        ("`pytest`\n- 12 passed\n- no skips", "pytest | 12 passed, 0 skipped"),
        ("`python3 app.py`\n- Should print: `x`", "python3 app.py | `x`"),
        ("`pytest`\nNote: it takes a while", "pytest | exit 0"),
        ("Tests pass\n- Verify: `npm test`", "npm test | tests pass"),
        ("The CLI works\n- `app a` → `x`\n- `app b` → exit 2", "app a | `x` & app b | exit 2"),
        ("`python3 app.py`\nExpected output:\n```text\na\nb\n```", "python3 app.py | exactly `a\nb`"),
        ("Run:\n```bash\npytest -q\n```\nExpected: 3 passed", "pytest -q | 3 passed"),
        ("```bash\ngrep -c x f  # → 3\ncli bad     # must fail\n```", "grep -c x f | 3 & cli bad | fails"),
        ("```bash\n# Run tests\nnpm test\n```", "npm test | exit 0"),
        ("```bash\ncd web\nnpm ci\nnpm test\n```", "cd web\nnpm ci\nnpm test | exit 0"),
        (
            "```console\n$ app --version\n1.[..]\n$ app bad\n? 2\nerror: bad\n...\n```",
            "app --version | prints 1.[..] & app bad | exit 2, prints error: bad … (2 lines)",
        ),
        ("Verify\n```sh\ngrep -rn TODO src\n```\nExpected: Zero matches", "grep -rn TODO src | empty"),
    ] {
        assert_eq!(lines(text), read, "{text}");
    }
    for text in [
        "`pytest`\n- covers login and logout",
        "`python3 app.py`\n- Pass if: it looks right",
        "`grep x f | wc -l`\nShould be 4+ exports",
        "```bash\npytest  # the important ones\n```",
        "`python3 app.py`\n```json\n{}\n```",
        "`pytest`\nExpected:\n```\n5 passed\n```",
        "```bash\n# the old file is gone\ntest -f old\n```",
        "```bash\npython3 app.py\n# x\n```",
        "```bash\npython3 a.py\npython3 b.py\n```\nExpected: fails",
        "```console\n$ npm test\n```",
        "```bash\nls a | wc -l\nnpm test\n```",
    ] {
        assert!(lines(text).starts_with("UNCLEAR"), "{text}: {}", lines(text));
    }
}

#[test]
fn a_row_has_its_command_title_and_result() {
    assert_eq!(
        row(&["#", "Check", "Command", "Expected"], &["1", "Version", "`app -V`", "`1.0`"]),
        "app -V | `1.0`"
    );
    assert_eq!(row(&["Command", "Exit", "Stdout"], &["`app bad`", "2", "empty"]), "app bad | exit 2, empty");
    assert_eq!(row(&["Command", "Threshold"], &["`./cov`", ">= 80%"]), "./cov | >= 80%");
    assert_eq!(row(&["Command", "Should"], &["`app bad`", "fail"]), "app bad | fails");
    assert_eq!(row(&["Command", "Expected"], &["`a --x \\| b`", "`x`"]), "a --x | b | `x`");
    assert_eq!(row(&["Criterion", "Command"], &["Rejects bad input", "`app bad`"]), "UNCLEAR unclear-title");
    assert_eq!(row(&["Command", "Colour"], &["`app x -v`", "red"]), "UNCLEAR unclear-column");
    assert_eq!(row(&["Item", "Method"], &["Look", "by hand"]), "PROSE");
}

#[test]
fn a_step_states_a_check_or_is_work() {
    let step = |text: &str| shown(&read(&located(text).as_step(), Synonyms::builtin()));
    for (text, read) in [
        (
            "Step 2: Run test to verify it fails\nRun: `pytest a.py`\nExpected: FAIL with \"not defined\"",
            "pytest a.py | skip expected before the change only: FAIL with \"not defined\"",
        ),
        ("Step 4: Run it\nRun: `pytest a.py`\nExpected: PASS", "pytest a.py | tests pass"),
        ("Run `npm install commander`", "PROSE"),
        ("Add the `npm test` script", "PROSE"),
        ("Rename `foo bar` → `baz`", "PROSE"),
        ("run `go test ./...` - must pass before task 2", "go test ./... | tests pass"),
        ("Run: `pytest`\nExpected: it looks nice", "UNCLEAR unclear-clause"),
    ] {
        assert_eq!(step(text), read, "{text}");
    }
}

#[test]
fn fields_of_data_hold_commands() {
    let field = |command: &str, expected: Option<&str>| {
        shown(&read_field(command, expected, Extent::default(), Synonyms::builtin()))
    };
    assert_eq!(field("npm test", None), "npm test | exit 0");
    assert_eq!(field("npm test", Some("12 passed")), "npm test | 12 passed");
    assert_eq!(field("npm test", Some("it is nice")), "UNCLEAR unclear-clause");
    assert_eq!(field("npm install", None), "UNCLEAR says-nothing");
}

#[test]
fn an_unclear_check_offers_a_legal_form() {
    for (text, rewrite) in [
        ("No TODOs remain: `grep -rn TODO src/`", "`grep -rn TODO src/` → empty"),
        ("Rejects invalid input: `./cli bad`", "`./cli bad` → fails"),
        ("`pytest` → 12 passed (all unit tests)", "`pytest` → 12 passed"),
        ("`grep x f | wc -l`", "`grep x f | wc -l` → >= 1"),
        ("`make test` → baseline kept", "`make test` → tests pass"),
        ("Old file is gone: `test -f old`", "`test -f old` → fails"),
    ] {
        let Reading::Unclear(unclear) = read(&Located::text(text, Extent::default()), Synonyms::builtin())
        else {
            panic!("{text}");
        };
        assert_eq!(unclear.rewrite.as_deref(), Some(rewrite), "{text}");
        assert!(!unclear.group.is_empty() && !unclear.equal);
    }
    for (text, rewrite) in [
        ("Verify: Old file is gone: `test -f old`", "Verify: `test -f old` → fails"),
        ("Login: `./cli login` → prints 3 lines", "`./cli login | wc -l` → 3"),
        ("`./cli` → `a` or `b`", "`./cli` → matches /^\\s*(a|b)\\s*$/"),
        ("`./cli` → does not contain `x`", "`! ./cli | grep -qF -- 'x'`"),
        ("`cat VERSION` → not `1.0`", "`! cat VERSION | grep -qxF -- '1.0'`"),
        ("`./cli x && echo YES || echo NO` → exit 0", "`./cli x` → exit 0"),
        ("`./cli x` → 5-10", "`./cli x` → >= 5, <= 10"),
        (
            "It greets politely: `./cli hi`",
            "It greets politely: `./cli hi` → skip a person judges: It greets politely",
        ),
    ] {
        let Reading::Unclear(unclear) = read(&Located::text(text, Extent::default()), Synonyms::builtin())
        else {
            panic!("{text}");
        };
        assert_eq!(unclear.rewrite.as_deref(), Some(rewrite), "{text}");
        assert!(!unclear.equal, "{text}");
    }
    // What only differs in spelling is equal.
    for (text, rewrite) in [
        ("Login: `./cli x` → exit 0 within 2s", "Login: `./cli x` → exit 0, within 2s"),
        ("`./cli x` → matches `^ok`", "`./cli x` → matches /^ok/"),
        ("`$ ./cli x` → exit 3", "`./cli x` → exit 3"),
        ("Run: make test → exit 0", "Run: `make test` → exit 0"),
    ] {
        let Reading::Unclear(unclear) = read(&Located::text(text, Extent::default()), Synonyms::builtin())
        else {
            panic!("{text}");
        };
        assert_eq!(unclear.rewrite.as_deref(), Some(rewrite), "{text}");
        assert!(unclear.equal, "{text}");
    }
    // No offer drops a number, a comparison, a negation or a literal.
    for text in [
        "`pytest` → passes twice",
        "`pytest -q` → test_login passes",
        "`pytest` → 12 passed (once)",
        "`python3 a.py` → contains neither `x` nor `y`",
        "`npm test` → all tests pass except e2e",
        "설정 파일이 사라짐: `test -f c`",
        "`npm test` 👎",
    ] {
        let Reading::Unclear(unclear) = read(&Located::text(text, Extent::default()), Synonyms::builtin())
        else {
            panic!("{text}");
        };
        let rewrite = unclear.rewrite.unwrap_or_default();
        assert!(rewrite.contains(" → skip a person judges"), "{text}: {rewrite}");
    }
}

#[test]
fn a_number_beside_a_failure_may_be_the_exit_status() {
    for text in [
        "`sh x.sh` → fails with 2",
        "`sh x.sh` → fails (2)",
        "`sh x.sh` → => 3",
        "`test -f a && echo found` → empty",
    ] {
        assert!(of(text).starts_with("UNCLEAR"), "{text}");
    }
    assert_eq!(of("`sh x.sh` → exit 0, 3"), "sh x.sh | exit 0, 3");
}

#[test]
fn an_offer_uses_every_word() {
    for text in [
        "`sh x.sh` → exit <> 0",
        "`sh x.sh` → exit > 1",
        "`sh x.sh` → exit code other than 0",
        "`grep -rn x src` → nessun risultato",
        "`grep -rn x src` → 1 match",
        "`grep -rn x src` → not more than one",
        "`ls old 2>/dev/null` → nothing",
    ] {
        let Reading::Unclear(unclear) =
            read(&Located::text(text, Extent { start: 0, end: text.len() }), Synonyms::builtin())
        else {
            panic!("{text}")
        };
        assert!(unclear.rewrite.is_some_and(|rewrite| rewrite.contains("skip a person judges")), "{text}");
    }
}

#[test]
fn a_remark_that_is_a_clause_holds_the_box() {
    assert_eq!(
        shown(&read(&located("`sh x.sh`\nNote: must fail"), Synonyms::builtin())),
        "UNCLEAR unclear-clause"
    );
    for remark in ["Note: must fail on Mondays", "Note: must print ok", "Note: fails unless it prints ok"] {
        let text = format!("`sh x.sh`\n{remark}");
        assert!(shown(&read(&located(&text), Synonyms::builtin())).starts_with("UNCLEAR"), "{remark}");
    }
    for remark in ["Note: it takes a while", "Note: the server must be running", "Why: users asked for it"] {
        let text = format!("`sh x.sh`\n{remark}");
        assert_eq!(shown(&read(&located(&text), Synonyms::builtin())), "sh x.sh | exit 0", "{remark}");
    }
}

#[test]
fn a_script_that_a_label_asks_for_is_a_check() {
    for (text, is) in [
        ("Verify: `./check.sh`", "./check.sh | exit 0"),
        ("**Verify**: `./check.sh`.", "./check.sh | exit 0"),
        ("Verify with `bin/check`", "bin/check | exit 0"),
        ("Run `./check.sh`", "./check.sh | exit 0"),
        ("Test: `./run.sh`", "./run.sh | exit 0"),
        ("Test: `tests/run.sh`", "PROSE"),
        ("검증: `./check.sh`", "./check.sh | exit 0"),
        ("Verify: `frob status`", "UNCLEAR unclear-command"),
        ("Verify: `./check.sh` and look at the page", "UNCLEAR unclear-clause"),
        ("Write `./check.sh`", "PROSE"),
        ("Verify: `src/app.py`", "PROSE"),
        ("File: `./check.sh`", "PROSE"),
    ] {
        assert_eq!(of(text), is, "{text}");
    }
}

#[test]
fn two_commands_that_are_compared_are_no_literal() {
    for text in ["`cat one` equals `cat two`", "`cat one` == `cat two`", "`cat one` matches `cat two`"] {
        assert_eq!(of(text), "UNCLEAR several-commands", "{text}");
    }
    assert_eq!(of("`cat one` equals `two`"), "cat one | exactly `two`");
}

#[test]
fn a_fence_in_the_line_of_a_label_is_unclear() {
    assert_eq!(of("Verify: ```sh sh app.sh # ok"), "UNCLEAR unclear-block");
}

#[test]
fn a_step_with_two_commands_leaves_out_neither() {
    let text = "`sh a.sh` passes, `sh b.sh` fails";
    let located = Located { role: Role::Step, ..Located::text(text, Extent { start: 0, end: text.len() }) };
    let reading = shown(&read(&located, Synonyms::builtin()));
    assert!(!reading.contains("skip"), "{reading}");
}
