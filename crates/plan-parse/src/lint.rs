//! Lint rules for a plan that parses: rules that a program can decide.
//!
//! One row in the table is one rule; a family of rules is one file. A rule reads the plan and its text, and changes
//! neither. The reader's own errors are listed too, so that one table names everything.

pub(crate) mod context;
mod criteria;
mod files;
mod flow;
mod groups;
mod order;
mod references;
mod risk;
mod sections;
mod unclear;

pub(crate) use crate::lint::context::{Finding, LintContext};

use std::fmt::Write;
use wire::plan::{Diagnostic, Severity};

/// One rule.
pub(crate) struct Rule {
    /// The code of its diagnostics.
    pub(crate) code: &'static str,
    /// Its severity.
    pub(crate) severity: Severity,
    /// A short description.
    pub(crate) about: &'static str,
    /// Finds the places where the plan breaks it.
    pub(crate) check: fn(&LintContext) -> Vec<Finding>,
}

/// All rules.
pub(crate) static RULES: &[Rule] = &[
    error("duplicate-id", "two tasks have one id"),
    error("dangling-dependency", "a task depends on a task that does not exist"),
    error("self-dependency", "a task depends on itself"),
    error("cycle", "tasks wait for each other"),
    error("unknown-dependency", "a row of dependencies is not understood"),
    warning("forward-dependency", "a task depends on one further down", order::forward),
    warning("group-dependency", "members of one group wait for each other", groups::dependent),
    warning("strategy-contradiction", "a stated order contradicts the dependencies", order::stated),
    warning("flow-contradiction", "the task flow contradicts the dependencies", flow::arrows),
    warning("prose-contradiction", "a task's text contradicts its dependencies", flow::prose),
    warning("shared-file", "two tasks that may run together write one file", files::shared),
    warning("undeclared-output", "a reference names no declared output", references::undeclared),
    warning("type-mismatch", "an input and its output differ in type", references::mismatched),
    hint("unused-output", "nothing takes a declared output", references::unused),
    warning("no-runnable-criterion", "a work task that no command can check", criteria::none_runnable),
    hint("no-checks", "open tasks have no check, and where to get some", criteria::without_checks),
    warning("unclear-check", "a check is not understood, so that it holds its task's box", unclear::checks),
    warning("missing-category", "functional, static or runtime criteria are missing", criteria::missing),
    hint("static-without-command", "no static criterion has a command", criteria::static_prose),
    warning("high-risk-without-rollback", "a task of high risk says no way back", risk::no_rollback),
    warning("missing-section", "a section that is carried out is missing", sections::missing),
    hint("missing-template-section", "a section of the template is missing", sections::template),
    warning("missing-final", "there is no TODO Final", sections::no_final),
    warning("final-not-verification", "TODO Final is not of type verification", sections::final_kind),
    hint("git-not-forbidden", "a work task does not forbid git commands", sections::git),
];

/// All findings of the rules, in document order.
pub(crate) fn lint(ground: &LintContext) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for rule in RULES {
        found.extend((rule.check)(ground).into_iter().map(|finding| finding.into_diagnostic(rule)));
    }
    found
}

/// The rules, one per line.
pub(crate) fn list() -> String {
    RULES.iter().fold(String::new(), |mut text, rule| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:<28}{:<9}{}", rule.code, word(rule.severity), rule.about);
        text
    })
}

/// The word for a severity.
pub(crate) fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Hint => "hint",
    }
}

/// A rule that the reader itself applies to every plan.
const fn error(code: &'static str, about: &'static str) -> Rule {
    Rule { code, severity: Severity::Error, about, check: |_| Vec::new() }
}

const fn warning(code: &'static str, about: &'static str, check: fn(&LintContext) -> Vec<Finding>) -> Rule {
    Rule { code, severity: Severity::Warning, about, check }
}

const fn hint(code: &'static str, about: &'static str, check: fn(&LintContext) -> Vec<Finding>) -> Rule {
    Rule { code, severity: Severity::Hint, about, check }
}
