//! The clauses of the grammar, each with an example, an output that meets it and one that does not.
//! plantools-checks(7) is made from this table, and the tests run it.

/// One clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// Its form in the grammar.
    pub form: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// A check with it.
    pub check: &'static str,
    /// The exit status and the output of a run that passes.
    pub passes: (i32, &'static str),
    /// The same of a run that fails.
    pub fails: (i32, &'static str),
}

/// Every clause.
pub const CLAUSES: &[Example] = &[
    Example {
        form: "(no clause)",
        meaning: "the exit status is 0, as in every check without `exit N` or `fails`",
        check: "`test -f README.md`",
        passes: (0, ""),
        fails: (1, ""),
    },
    Example {
        form: "exit N",
        meaning: "the exit status is N",
        check: "`app --bad` → exit 2",
        passes: (2, ""),
        fails: (1, ""),
    },
    Example {
        form: "fails",
        meaning: "the command started, looked, and its exit status is 1 to 125",
        check: "`test -f old.txt` → fails",
        passes: (1, ""),
        fails: (0, ""),
    },
    Example {
        form: "empty",
        meaning: "standard output, trimmed, is empty",
        check: "`git status --porcelain` → empty",
        passes: (0, "\n"),
        fails: (0, " M a.txt\n"),
    },
    Example {
        form: "not empty",
        meaning: "standard output, trimmed, is not empty",
        check: "`ls dist` → not empty",
        passes: (0, "app.js\n"),
        fails: (0, ""),
    },
    Example {
        form: "LITERAL",
        meaning: "one whole line of standard output equals it, trimmed; the literal is in backquotes or quotes",
        check: "`app --version` → `app 2.0.0`",
        passes: (0, "app 2.0.0\n"),
        fails: (0, "app 1.9.0\n"),
    },
    Example {
        form: "contains LITERAL",
        meaning: "found in standard output, not inside a longer word or number",
        check: "`app status` → contains \"healthy\"",
        passes: (0, "state: healthy\n"),
        fails: (0, "state: unhealthy\n"),
    },
    Example {
        form: "exactly LITERAL",
        meaning: "the whole standard output equals it, trimmed",
        check: "`cat VERSION` → exactly \"2.0.0\"",
        passes: (0, "2.0.0\n"),
        fails: (0, "2.0.0\n2.0.1\n"),
    },
    Example {
        form: "matches /REGEX/",
        meaning: "one line of standard output matches; a slash within it is `\\/`",
        check: "`app --version` → matches /^app \\d+\\.\\d+/",
        passes: (0, "app 2.10\n"),
        fails: (0, "app next\n"),
    },
    Example {
        form: "[OP] NUMBER",
        meaning: "the whole standard output is one number, and it compares so; OP is >= <= > < == !=",
        check: "`grep -c TODO src/app.py` → <= 3",
        passes: (0, "2\n"),
        fails: (0, "4\n"),
    },
    Example {
        form: "[OP] NUMBER passed | failed | skipped | tests",
        meaning: "as a known test runner reports it",
        check: "`pytest -q` → 12 passed, 0 skipped",
        passes: (0, "12 passed in 0.10s\n"),
        fails: (0, "11 passed, 1 skipped in 0.10s\n"),
    },
    Example {
        form: "tests pass",
        meaning: "the exit status is 0, and no test runner reports a failure or that no test ran",
        check: "`go test ./...` → tests pass",
        passes: (0, "ok  \texample.com/x\t0.1s\n"),
        fails: (0, "ok  \texample.com/x\t0.1s [no tests to run]\n"),
    },
    Example {
        form: "[OP] NUMBER errors | warnings | problems",
        meaning: "as a known tool reports it; a linter that is silent and exits 0 has none",
        check: "`eslint .` → 0 errors",
        passes: (0, ""),
        fails: (0, "1 problem (1 error, 0 warnings)\n"),
    },
    Example {
        form: "json",
        meaning: "standard output is JSON",
        check: "`app list --json` → json",
        passes: (0, "[1, 2]\n"),
        fails: (0, "1 2\n"),
    },
    Example {
        form: "json POINTER [OP VALUE]",
        meaning: "the value at the JSON pointer exists, and compares so",
        check: "`app list --json` → json /0/name == \"a\"",
        passes: (0, "[{\"name\": \"a\"}]\n"),
        fails: (0, "[{\"name\": \"b\"}]\n"),
    },
    Example {
        form: "stderr CLAUSE",
        meaning: "the same about standard error",
        check: "`app list -v` → stderr empty",
        passes: (0, "a\n"),
        fails: (1, ""),
    },
    Example {
        form: "within DURATION",
        meaning: "wall-clock time: `500ms`, `2s`, `3 minutes`",
        check: "`app list -v` → within 2s",
        passes: (0, ""),
        fails: (1, ""),
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Output, Stages, Verdict, judge};
    use crate::{Located, Reading, Synonyms, read};
    use markdown::Extent;
    use std::time::Duration;

    #[test]
    fn every_example_is_read_and_judged_as_the_manual_says() {
        for example in CLAUSES {
            let located = Located::text(example.check, Extent { start: 0, end: example.check.len() });
            let Reading::Check(check) = read(&located, Synonyms::builtin()) else {
                panic!("{}", example.check)
            };
            let verdict = |(exit, stdout): (i32, &str)| {
                let output = Output {
                    stdout,
                    stderr: "",
                    both: stdout,
                    exit,
                    stages: Stages::Single,
                    elapsed: Duration::from_secs(1),
                };
                judge(&check.command, &check.clauses, &output)
            };
            assert!(matches!(verdict(example.passes), Verdict::Pass(_)), "{}", example.check);
            assert!(matches!(verdict(example.fails), Verdict::Fail(_)), "{}", example.check);
        }
    }
}
