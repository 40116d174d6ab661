//! One check: a command, and its expected result.

use crate::builtin::Builtin;
use crate::run::budget::Budget;
use crate::run::script;
use config::GateRule;
use std::ffi::OsString;
use std::path::Path;
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
    /// The clauses of the check; none means exit 0.
    Clauses(Vec<Clause>),
    /// A test that runs and fails.
    Red,
}

impl Wanted {
    /// The clauses, where the result is stated in them.
    pub(crate) fn clauses(&self) -> Option<&[Clause]> {
        match self {
            Wanted::Clauses(clauses) => Some(clauses),
            Wanted::Red => None,
        }
    }

    /// The expectation as text.
    pub(crate) fn text(&self) -> Option<String> {
        match self {
            Wanted::Clauses(clauses) => (!clauses.is_empty()).then(|| clause::text(clauses)),
            Wanted::Red => Some("fail".to_owned()),
        }
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

    /// The program to start; it writes the exit status of each stage of a pipeline to `stages`.
    pub(crate) fn argv(&self, stages: Option<&Path>) -> Vec<OsString> {
        match &self.what {
            What::Program(argv) => argv.clone(),
            What::Line(line) => script::argv(line, stages),
            What::Builtin(_) => Vec::new(),
        }
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
        let wanted = Wanted::Clauses(Vec::new());
        Self { id, what, wanted, budget, env: Vec::new(), fix: None, lock: None }
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
