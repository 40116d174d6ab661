//! What [`crate::read`] makes of a criterion.

use crate::located::Part;
use markdown::Extent;
use wire::plan::{self, Clause, Criterion, Span};

/// What a criterion is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// One command and the result that it must have.
    Check(Check),
    /// Several checks, where the text is nothing but commands or a console block has several.
    Checks(Vec<Check>),
    /// There is a command, and something about it is not understood: it holds the box.
    Unclear(Unclear),
    /// The plan says that it is left out, and why; there is no command.
    Skip(String),
    /// Plain prose, for a person to judge.
    Prose,
}

/// One command and the result that it must have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Check {
    /// The command, exactly as the plan has it.
    pub command: String,
    /// What it must give; none means exit 0.
    pub clauses: Vec<Clause>,
    /// Why it is left out, where the plan says so.
    pub skip: Option<String>,
    /// Its bytes: the part that holds the command.
    pub at: Extent,
}

/// Why a criterion cannot be judged as it is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unclear {
    /// The command, where there is just one.
    pub command: Option<String>,
    /// A stable kebab-case word.
    pub code: &'static str,
    /// The fact, and what is not understood.
    pub message: String,
    /// The legal form, in place of the bytes `at`.
    pub rewrite: Option<String>,
    /// Checks of one group need the same answer.
    pub group: String,
    /// Whether the rewrite means the same by the table; otherwise it is a guess.
    pub equal: bool,
    /// The rewrites that are tried, the best first.
    pub offers: Vec<Offer>,
    /// The bytes that are not understood: one part of the criterion.
    pub at: Extent,
}

/// A text in place of the bytes that are not understood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offer {
    /// The text.
    pub text: String,
    /// What it takes the text for, for the name of the group.
    pub meant: String,
    /// Whether it means the same by the table.
    pub equal: bool,
    /// Whether it has the command, so that it can be read by itself.
    pub whole: bool,
}

/// A text that speaks of the checks above it.
pub fn about_others(part: &Part<'_>) -> Unclear {
    Unclear {
        code: "unclear-below",
        message: format!(
            "'{}' speaks of the checks above it: state the result behind each command",
            part.text.trim()
        ),
        group: "a text about the checks above it".to_owned(),
        rewrite: Some(format!("(manual: {})", part.text.trim().trim_matches(['(', ')']))),
        at: part.at,
        ..Unclear::default()
    }
}

impl Reading {
    /// The criteria of this reading. `base` has what the format knows (category, text, box, place); ids are the
    /// caller's. The first of several checks keeps the box of `base`; the others stand at their own bytes.
    pub fn criteria(self, base: &Criterion, span: impl Fn(Extent) -> Span) -> Vec<Criterion> {
        match self {
            Reading::Check(check) => vec![check.criterion(base)],
            Reading::Checks(checks) => {
                let mut all: Vec<Criterion> = Vec::with_capacity(checks.len());
                for check in checks {
                    let at = check.at;
                    let mut criterion = check.criterion(base);
                    if !all.is_empty() {
                        (criterion.span, criterion.boxed, criterion.checked) = (span(at), false, false);
                    }
                    all.push(criterion);
                }
                all
            }
            Reading::Unclear(unclear) => vec![Criterion {
                command: unclear.command,
                unclear: Some(Box::new(plan::Unclear {
                    code: unclear.code.to_owned(),
                    message: unclear.message,
                    rewrite: unclear.rewrite,
                    group: unclear.group,
                    equal: unclear.equal,
                    span: span(unclear.at),
                })),
                runnable: false,
                ..base.clone()
            }],
            Reading::Skip(reason) => vec![Criterion { skip: Some(reason), ..base.clone() }],
            Reading::Prose => vec![base.clone()],
        }
    }
}

impl Check {
    fn criterion(self, base: &Criterion) -> Criterion {
        Criterion {
            runnable: self.skip.is_none(),
            command: Some(self.command),
            clauses: self.clauses,
            skip: self.skip,
            unclear: None,
            ..base.clone()
        }
    }
}
