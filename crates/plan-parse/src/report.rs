//! What people see: diagnostics, and the list of dialects.

use std::fmt::Write;
use toolkit::tool::note;
use wire::Plan;
use wire::plan::{Diagnostic, Severity};

/// Prints every diagnostic on stderr; quiet leaves only errors.
pub(crate) fn diagnostics(plan: &Plan, quiet: bool) {
    for diagnostic in plan.diagnostics.iter().filter(|d| !quiet || d.severity == Severity::Error) {
        note(&line(diagnostic));
    }
}

/// The dialects, one a line.
pub(crate) fn dialects() -> String {
    dialects::table().iter().fold(String::new(), |mut text, dialect| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:<12} {}", dialect.name, dialect.about);
        text
    })
}

fn line(d: &Diagnostic) -> String {
    let word = match d.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Hint => "hint",
    };
    format!("plan-parse: {}:{}: {word}: {} [{}]", d.path, d.line, d.message, d.code)
}
