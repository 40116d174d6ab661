//! The clauses of a check: every result that a command can be asked for, in the closed grammar of plantools-checks(7).
//!
//! [`Clause`] prints itself in the grammar, so that any tool can show what is asked without keeping the plan's words.

use serde::{Deserialize, Serialize};
use std::fmt;

/// One result that a command must have. A check holds when all its clauses hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "clause", rename_all = "snake_case")]
pub enum Clause {
    /// `exit 2`: the exit status is this number.
    Exit {
        /// The exit status.
        code: i32,
    },
    /// `fails`: the command started, looked, and its exit status is 1 to 125.
    Fails,
    /// `empty`: the output, trimmed, is empty.
    Empty,
    /// `not empty`: the output, trimmed, is not empty.
    NotEmpty,
    /// A literal: one whole line of the output equals it, trimmed.
    Line {
        /// The line.
        text: String,
    },
    /// `contains "x"`: found in the output, not inside a longer word or number.
    Contains {
        /// The text to find.
        text: String,
    },
    /// `exactly "x"`: the whole output equals it, trimmed.
    Exactly {
        /// The whole output.
        text: String,
    },
    /// `matches /x/`: one line of the output matches.
    Matches {
        /// The regular expression.
        pattern: String,
    },
    /// `>= 3`: the whole output is one number, and it compares so.
    Number {
        /// The comparison.
        op: Op,
        /// The number in decimal digits, with its sign, its fraction and `%` where the plan has them.
        value: String,
    },
    /// `12 passed`, `0 failed`: as a known test runner reports it.
    Tests {
        /// Which of the runner's counts.
        count: Count,
        /// The comparison.
        op: Op,
        /// The number to compare with.
        number: u64,
    },
    /// `tests pass`: a known test runner reports that tests ran and none failed.
    TestsPass,
    /// `0 warnings`, `0 errors`, `0 problems`: as a known tool reports it.
    Findings {
        /// What is counted.
        finding: Finding,
        /// The comparison.
        op: Op,
        /// The number to compare with.
        number: u64,
    },
    /// `json`: the output is JSON, and where a pointer is given, the value there exists and compares so.
    Json {
        /// The JSON pointer; an empty one is the whole output. Absent means that the output need only be JSON.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pointer: Option<String>,
        /// The comparison with `value`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        op: Option<Op>,
        /// The JSON value to compare with.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<JsonValue>,
    },
    /// `stderr CLAUSE`: the same about standard error.
    Stderr {
        /// What standard error must have: a clause like these.
        #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
        of: Box<Clause>,
    },
    /// `within 2s`: wall-clock time.
    Within {
        /// The longest time allowed.
        milliseconds: u64,
    },
    /// The expected output of a `console` block, standard output and standard error together: `[..]` stands for any
    /// characters of a line, a line `...` for any lines.
    Console {
        /// The lines.
        lines: Vec<String>,
    },
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Op {
    /// Equal.
    #[serde(rename = "==")]
    Eq,
    /// Not equal.
    #[serde(rename = "!=")]
    Ne,
    /// At least.
    #[serde(rename = ">=")]
    Ge,
    /// At most.
    #[serde(rename = "<=")]
    Le,
    /// More than.
    #[serde(rename = ">")]
    Gt,
    /// Less than.
    #[serde(rename = "<")]
    Lt,
}

/// A count of a test runner's report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Count {
    /// Tests that passed.
    Passed,
    /// Tests that failed, or that could not be collected.
    Failed,
    /// Tests that were skipped.
    Skipped,
    /// All tests of the run.
    Tests,
}

/// A finding of a compiler, a linter or another tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// Errors.
    Errors,
    /// Warnings.
    Warnings,
    /// Problems, issues, violations, offenses: whatever a linter calls them.
    Problems,
}

/// A JSON value to compare with, as its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct JsonValue(pub serde_json::Value);

impl Op {
    /// The sign.
    pub fn sign(self) -> &'static str {
        match self {
            Op::Eq => "==",
            Op::Ne => "!=",
            Op::Ge => ">=",
            Op::Le => "<=",
            Op::Gt => ">",
            Op::Lt => "<",
        }
    }

    /// Whether two values in this order are in this relation.
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Op::Eq => order.is_eq(),
            Op::Ne => order.is_ne(),
            Op::Ge => order.is_ge(),
            Op::Le => order.is_le(),
            Op::Gt => order.is_gt(),
            Op::Lt => order.is_lt(),
        }
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = |op: &Op| if *op == Op::Eq { String::new() } else { format!("{} ", op.sign()) };
        match self {
            Clause::Exit { code } => write!(f, "exit {code}"),
            Clause::Fails => f.write_str("fails"),
            Clause::Empty => f.write_str("empty"),
            Clause::NotEmpty => f.write_str("not empty"),
            Clause::Line { text } => f.write_str(&literal(text)),
            Clause::Contains { text } => write!(f, "contains {}", literal(text)),
            Clause::Exactly { text } => write!(f, "exactly {}", literal(text)),
            Clause::Matches { pattern } => write!(f, "matches /{}/", pattern.replace('/', "\\/")),
            Clause::Number { op, value } => write!(f, "{}{value}", sign(op)),
            Clause::Tests { count, op, number } => write!(f, "{}{number} {}", sign(op), count.word()),
            Clause::TestsPass => f.write_str("tests pass"),
            Clause::Findings { finding, op, number } => write!(f, "{}{number} {}", sign(op), finding.word()),
            Clause::Json { pointer, op, value } => {
                f.write_str("json")?;
                if let Some(pointer) = pointer.as_ref().filter(|pointer| !pointer.is_empty()) {
                    write!(f, " {pointer}")?;
                }
                match (op, value) {
                    (Some(op), Some(JsonValue(value))) => write!(f, " {} {value}", op.sign()),
                    _ => Ok(()),
                }
            }
            Clause::Stderr { of } => write!(f, "stderr {of}"),
            Clause::Within { milliseconds } if milliseconds % 1000 == 0 => {
                write!(f, "within {}s", milliseconds / 1000)
            }
            Clause::Within { milliseconds } => write!(f, "within {milliseconds}ms"),
            Clause::Console { lines } => match lines.as_slice() {
                [] => f.write_str("prints nothing"),
                [only] => write!(f, "prints {only}"),
                [first, ..] => write!(f, "prints {first} … ({} lines)", lines.len()),
            },
        }
    }
}

impl Count {
    /// The word in the grammar.
    pub fn word(self) -> &'static str {
        match self {
            Count::Passed => "passed",
            Count::Failed => "failed",
            Count::Skipped => "skipped",
            Count::Tests => "tests",
        }
    }
}

impl Finding {
    /// The word in the grammar.
    pub fn word(self) -> &'static str {
        match self {
            Finding::Errors => "errors",
            Finding::Warnings => "warnings",
            Finding::Problems => "problems",
        }
    }
}

/// A text as a literal of the grammar: in backquotes, in more of them where it contains some.
pub fn literal(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// The clauses as one text of the grammar; no clause is `exit 0`.
pub fn text(clauses: &[Clause]) -> String {
    if clauses.is_empty() {
        return "exit 0".to_owned();
    }
    clauses.iter().map(Clause::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_prints_itself_in_the_grammar() {
        let line = |text: &str| Clause::Line { text: text.to_owned() };
        for (clause, text) in [
            (Clause::Exit { code: 2 }, "exit 2"),
            (line("a, b"), "`a, b`"),
            (line("a `b` c"), "``a `b` c``"),
            (line("`b`"), "`` `b` ``"),
            (Clause::Matches { pattern: "a/b".to_owned() }, "matches /a\\/b/"),
            (Clause::Number { op: Op::Ge, value: "80%".to_owned() }, ">= 80%"),
            (Clause::Tests { count: Count::Passed, op: Op::Eq, number: 12 }, "12 passed"),
            (
                Clause::Json {
                    pointer: Some("/a/b".to_owned()),
                    op: Some(Op::Eq),
                    value: Some(JsonValue(serde_json::json!("x"))),
                },
                "json /a/b == \"x\"",
            ),
            (Clause::Stderr { of: Box::new(Clause::Empty) }, "stderr empty"),
            (Clause::Within { milliseconds: 1500 }, "within 1500ms"),
        ] {
            assert_eq!(clause.to_string(), text);
        }
    }

    #[test]
    fn a_clause_is_tagged_in_json() {
        let clause = Clause::Stderr { of: Box::new(Clause::Contains { text: "x".to_owned() }) };
        let json = serde_json::to_string(&clause).unwrap();
        assert_eq!(json, r#"{"clause":"stderr","of":{"clause":"contains","text":"x"}}"#);
        assert_eq!(serde_json::from_str::<Clause>(&json).unwrap(), clause);
    }
}
