//! One check: a command, and what it must give.

use crate::budget::Budget;
use crate::builtin::Builtin;
use crate::script;
use std::ffi::OsString;
use toolkit::config::GateRule;
use wire::plan::{Criterion, Expect};

/// A command and what it must give.
#[derive(Debug, Clone)]
pub(crate) struct Check {
    pub(crate) id: String,
    pub(crate) what: What,
    pub(crate) wanted: Wanted,
    pub(crate) budget: Budget,
    /// Variables for the command alone.
    pub(crate) env: Vec<(String, String)>,
    /// A shell line that is run once when the check failed, before it runs again.
    pub(crate) fix: Option<String>,
    /// Checks with the same word never run at the same time.
    pub(crate) lock: Option<String>,
}

/// What is run.
#[derive(Debug, Clone)]
pub(crate) enum What {
    /// A program with its arguments.
    Program(Vec<OsString>),
    /// A line for a shell of its own.
    Line(String),
    /// A check that we do ourselves.
    Builtin(Builtin),
}

/// What must come of it.
#[derive(Debug, Clone)]
pub(crate) enum Wanted {
    /// What the plan expects; nothing said is exit 0.
    Expect(Option<Expect>),
    /// A test that ran and failed.
    Red,
}

impl Wanted {
    /// The plan's own expectation.
    pub(crate) fn expect(&self) -> Option<&Expect> {
        match self {
            Wanted::Expect(expect) => expect.as_ref(),
            Wanted::Red => None,
        }
    }

    /// As it is shown.
    pub(crate) fn text(&self) -> Option<String> {
        match self {
            Wanted::Expect(expect) => expect.as_ref().map(|e| e.text.clone()),
            Wanted::Red => Some("fail".to_owned()),
        }
    }
}

impl Check {
    /// A command of nobody's plan.
    pub(crate) fn of_command(id: String, argv: Vec<OsString>, wanted: Wanted, budget: Budget) -> Self {
        Self { wanted, ..Self::plain(id, What::Program(argv), budget) }
    }

    /// A shell line that must exit 0.
    pub(crate) fn of_line(id: String, line: &str, budget: Budget) -> Self {
        Self::plain(id, What::Line(line.to_owned()), budget)
    }

    /// A criterion of the plan: its command in a shell of its own.
    pub(crate) fn of_criterion(criterion: &Criterion, budget: Budget) -> Self {
        let line = criterion.command.clone().unwrap_or_default();
        let wanted = Wanted::Expect(criterion.expect.clone());
        Self { wanted, ..Self::plain(criterion.id.clone(), What::Line(line), budget) }
    }

    /// A gate of the configuration, its tokens resolved.
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
            What::Line(line) => script::argv(line),
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
        let wanted = Wanted::Expect(None);
        Self { id, what, wanted, budget, env: Vec::new(), fix: None, lock: None }
    }
}

/// A word as a shell would need it.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
