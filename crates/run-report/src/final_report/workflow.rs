//! The summary of a workflow session.

use super::figures::{all_settled, bullets, false_claims, figures, words};
use super::overview::code;
use crate::plain_text::plain;
use std::fmt::Write;
use wire::Plan;
use wire::report::{Line, Report, Stand};

/// The report of a whole session.
pub(crate) fn write(plan: &Plan, report: &Report) -> String {
    let session = report.plan.trim_end_matches("TODO_LIST.md").trim_end_matches('/');
    let session = session.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(&report.title);
    let state = if all_settled(report) { "completed" } else { "stopped" };
    let mut out = format!("# Workflow Execution Summary: {}\n\n**Status**: {state}\n", plain(session));
    if let Some(strategy) = &plan.strategy {
        let stated = if strategy.stated { "IMPL_PLAN.md" } else { "fallback" };
        let model = serde_json::to_value(strategy.model).ok().and_then(|v| v.as_str().map(str::to_owned));
        let _ = writeln!(out, "**Execution Model**: {} ({stated})", model.unwrap_or_default());
    }
    out.push_str("\n## Tasks\n\n");
    for line in &report.tasks {
        let _ = writeln!(out, "{}", task(report, line, plan));
    }
    out.push_str("\n## Files Modified\n\n");
    bullets(&mut out, &report.files.iter().map(|file| code(file)).collect::<Vec<_>>());
    let claims = false_claims(report);
    if !claims.is_empty() {
        out.push_str("\n## Claimed and not true\n\n");
        bullets(&mut out, &claims);
    }
    out.push_str("\n## Figures\n\n");
    bullets(&mut out, &figures(report));
    if !report.open.is_empty() {
        out.push_str("\n## Still open\n\n");
        bullets(&mut out, &report.open);
    }
    out
}

/// A task as in the list of the session, with the facts about it.
fn task(report: &Report, line: &Line, plan: &Plan) -> String {
    let mark = match line.stand {
        Stand::Done | Stand::Unverified | Stand::Overridden => 'x',
        Stand::Skipped => '-',
        Stand::Running | Stand::Failed => '~',
        Stand::Blocked | Stand::Human | Stand::Waiting => '!',
        Stand::Pending => ' ',
    };
    let depth = std::iter::successors(line.parent.as_ref(), |id| {
        plan.tasks.iter().find(|task| task.id == **id).and_then(|task| task.parent.as_ref())
    });
    let indent = "  ".repeat(depth.take(10).count());
    let said = words(report, line);
    let said = if said.is_empty() { String::new() } else { format!(" ({said})") };
    let why = match (&line.halt, line.stand) {
        (Some(halt), Stand::Failed | Stand::Human) => {
            format!("\n{indent}  - Error: {}", plain(&halt.message))
        }
        _ => String::new(),
    };
    format!("{indent}- [{mark}] **{}**: {}{said}{why}", plain(line.id.as_str()), plain(&line.title))
}
