//! The same report in Markdown, for a file or a comment.

use super::figures::{bullets, evidence, false_claims, figures, is_complete, made_true, sign, words};
use crate::plain_text::plain;
use std::fmt::Write;
use wire::Plan;
use wire::report::Report;

/// The report of a whole plan.
pub(crate) fn write(_: &Plan, report: &Report) -> String {
    let state = if is_complete(report) { "Complete" } else { "Stopped" };
    let title = if report.title.is_empty() { &report.plan } else { &report.title };
    let mut out = format!("# Orchestration {state}: {}\n\n**Plan**: {}\n", escape(title), code(&report.plan));
    let found = report.numbers.as_ref().map(evidence).unwrap_or_default();
    if !found.is_empty() {
        let _ = writeln!(out, "\n**Evidence**: {found}");
    }
    section(&mut out, "Figures", &figures(report));
    out.push_str("\n## Tasks\n\n| | Task | Title | State |\n|---|---|---|---|\n");
    for line in &report.tasks {
        let (id, title) = (escape(line.id.as_str()), escape(&line.title));
        let words = match words(report, line) {
            words if words.is_empty() => line.stand.word().to_owned(),
            words => escape(&words),
        };
        let _ = writeln!(out, "| {} | {id} | {title} | {words} |", sign(line.stand));
    }
    let made: Vec<String> = report
        .tasks
        .iter()
        .flat_map(|line| made_true(line).into_iter().map(|made| format!("{}: {made}", line.id)))
        .collect();
    if !made.is_empty() {
        section(&mut out, "Made true", &made);
    }
    let claims = false_claims(report);
    if !claims.is_empty() {
        section(&mut out, "Claimed and not true", &claims);
    }
    let files: Vec<String> = report.files.iter().map(|file| code(file)).collect();
    section(&mut out, "Files modified", &files);
    section(&mut out, "Learnings", &report.learnings);
    section(&mut out, "Issues", &report.issues);
    if !report.open.is_empty() {
        section(&mut out, "Still open", &report.open);
    }
    out
}

fn section(out: &mut String, name: &str, items: &[String]) {
    let _ = write!(out, "\n## {name}\n\n");
    bullets(out, items);
}

/// Text for a cell: nothing in it can end the cell or begin a tag.
fn escape(text: &str) -> String {
    plain(text).replace('|', "\\|").replace('<', "&lt;")
}

/// Text as code that cannot end the code span.
pub(crate) fn code(text: &str) -> String {
    format!("`{}`", plain(text).replace('`', "'"))
}
