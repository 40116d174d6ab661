//! One check: a command, and its expected result.

use crate::builtin::Builtin;
use crate::run::budget::Budget;
use crate::run::script;
use config::GateRule;
use std::ffi::OsString;
use wire::plan::{Clause, Criterion, clause};

/// A command and its expected result.
#[derive(Debug, Clone)]
pub(crate) struct Check {
    pub(crate) id: String,
    pub(crate) what: What,
    pub(crate) wanted: Wanted,
    pub(crate) budget: Budget,
    /// Variables for this command only.
    pub(crate) env: Vec<(String, String)>,
    /// A shell line that runs once after the check failed, before it runs again.
    pub(crate) fix: Option<String>,
    /// Checks with the same lock never run at the same time.
    pub(crate) lock: Option<String>,
}

/// What to run.
#[derive(Debug, Clone)]
pub(crate) enum What {
    /// A program with its arguments.
    Program(Vec<OsString>),
    /// A line for a separate shell.
    Line(String),
    /// A built-in check.
    Builtin(Builtin),
}

/// The required result.
#[derive(Debug, Clone)]
pub(crate) enum Wanted {
    /// Exit 0: a gate of the configuration, or a command by itself.
    Success,
    /// The clauses of a check of the plan.
    Clauses(Vec<Clause>),
    /// A test that runs and fails.
    Red,
}

impl Wanted {
    /// The clauses of the plan.
    pub(crate) fn clauses(&self) -> &[Clause] {
        match self {
            Wanted::Clauses(clauses) => clauses,
            Wanted::Success | Wanted::Red => &[],
        }
    }

    /// The required result as text; `None` means exit 0.
    pub(crate) fn text(&self) -> Option<String> {
        match self {
            Wanted::Clauses(clauses) if !clauses.is_empty() => Some(clause::text(clauses)),
            Wanted::Clauses(_) | Wanted::Success => None,
            Wanted::Red => Some("fail".to_owned()),
        }
    }

    /// Whether the exit status alone decides, and must be 0.
    pub(crate) fn is_success(&self) -> bool {
        let zero = |clause: &Clause| {
            matches!(clause, Clause::Exit { code: 0 } | Clause::TestsPass | Clause::Within { .. })
        };
        !matches!(self, Wanted::Red) && self.clauses().iter().all(zero)
    }

    /// Whether anything but exit 0 is a failure; a search that counts none or finds nothing may fail.
    pub(crate) fn needs_exit_0(&self) -> bool {
        let other = |clause: &Clause| {
            matches!(clause, Clause::Fails | Clause::Empty | Clause::Number { .. })
                || matches!(clause, Clause::Exit { code } if *code != 0)
        };
        !self.clauses().iter().any(other)
    }

    /// Whether the command has to fail.
    pub(crate) fn needs_failure(&self) -> bool {
        let fails = |clause: &Clause| {
            matches!(clause, Clause::Fails) || matches!(clause, Clause::Exit { code } if *code != 0)
        };
        self.clauses().iter().any(fails)
    }

    /// Whether this very exit status is required.
    pub(crate) fn needs_code(&self, code: i32) -> bool {
        self.clauses().iter().any(|clause| matches!(clause, Clause::Exit { code: wanted } if *wanted == code))
    }

    /// Whether the output decides, so that standard output must be kept apart from standard error.
    pub(crate) fn needs_output(&self) -> bool {
        let by_output =
            |clause: &Clause| !matches!(clause, Clause::Exit { .. } | Clause::Fails | Clause::Within { .. });
        self.clauses().iter().any(by_output)
    }

    /// Whether a verdict may be wrong where not all of the output is known: a text that was found stays found.
    pub(crate) fn needs_whole_output(&self, passed: bool) -> bool {
        self.clauses().iter().any(|clause| match clause {
            Clause::Exit { .. } | Clause::Fails | Clause::Within { .. } => false,
            Clause::Line { .. } | Clause::Contains { .. } | Clause::Matches { .. } | Clause::NotEmpty => {
                !passed
            }
            _ => true,
        })
    }
}

impl Check {
    /// A command outside of any plan.
    pub(crate) fn of_command(id: String, argv: Vec<OsString>, wanted: Wanted, budget: Budget) -> Self {
        Self { wanted, ..Self::plain(id, What::Program(argv), budget) }
    }

    /// A shell line that must exit 0.
    pub(crate) fn of_line(id: String, line: &str, budget: Budget) -> Self {
        Self::plain(id, What::Line(line.to_owned()), budget)
    }

    /// A criterion of the plan: its command in a separate shell.
    pub(crate) fn of_criterion(criterion: &Criterion, budget: Budget) -> Self {
        let line = criterion.command.clone().unwrap_or_default();
        let wanted = Wanted::Clauses(criterion.clauses.clone());
        Self { wanted, ..Self::plain(criterion.id.clone(), What::Line(line), budget) }
    }

    /// A gate of the configuration, with its tokens resolved.
    pub(crate) fn of_gate(gate: &GateRule, budget: Budget) -> Self {
        let what = match Builtin::named(&gate.invocation) {
            Some(builtin) => What::Builtin(builtin),
            None => What::Line(gate.invocation.clone()),
        };
        let check = Self::plain(gate.id.clone(), what, budget);
        Self { fix: gate.fix.clone(), lock: gate.lock.clone(), ..check }
    }

    /// The program to start.
    pub(crate) fn argv(&self) -> Vec<OsString> {
        match &self.what {
            What::Program(argv) => argv.clone(),
            What::Line(line) => script::argv(line, self.records_stages()),
            What::Builtin(_) => Vec::new(),
        }
    }

    /// Whether the exit status of each stage of its pipelines is recorded.
    pub(crate) fn records_stages(&self) -> bool {
        matches!((&self.what, &self.wanted), (What::Line(line), Wanted::Clauses(_)) if script::can_record(line))
    }

    /// The command as a person would type it.
    pub(crate) fn invocation(&self) -> String {
        match &self.what {
            What::Program(argv) => {
                argv.iter().map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
            }
            What::Line(line) => line.clone(),
            What::Builtin(builtin) => builtin.name().to_owned(),
        }
    }

    fn plain(id: String, what: What, budget: Budget) -> Self {
        Self { id, what, wanted: Wanted::Success, budget, env: Vec::new(), fix: None, lock: None }
    }
}

/// A word quoted for a shell.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
