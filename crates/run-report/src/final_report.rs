//! The final report as text, in the shape that the plan's own workflow prints.

use std::fmt::Write;
use wire::plan::State;
use wire::report::{Line, Proof, Report};

const RULE: &str = "═══════════════════════════════════════════════════════════";

/// The report of a whole plan.
pub(crate) fn text(report: &Report) -> String {
    let count = |keep: &dyn Fn(&Line) -> bool| report.tasks.iter().filter(|t| keep(t)).count();
    let total: u32 = report.tasks.iter().map(|t| t.criteria).sum();
    let passed: u32 = report.tasks.iter().map(|t| t.passed).sum();
    let manual: u32 = report.tasks.iter().map(|t| t.manual).sum();
    let complete = count(&|t| t.state.is_settled()) == report.tasks.len();
    let title = if complete { "ORCHESTRATION COMPLETE" } else { "ORCHESTRATION STOPPED" };
    let mut out = String::new();
    // Writing to a string cannot fail; the same below.
    let _ =
        write!(out, "{RULE}\n                    {title}\n{RULE}\n\nPLAN: {}\nMODE: Local\n\n", report.plan);
    out.push_str("TASK SUMMARY:\n");
    figure(&mut out, "Total TODOs", report.tasks.len());
    figure(&mut out, "Completed", count(&|t| t.state == State::Completed));
    figure(&mut out, "Failed", count(&|t| !t.state.is_settled() && t.halt.is_some()));
    figure(&mut out, "Not verified", count(&|t| t.proof == Proof::Unverified));
    figure(&mut out, "Overridden", count(&|t| t.proof == Proof::Overridden));
    out.push('\n');
    figure(&mut out, "Acceptance Criteria", total as usize);
    figure(&mut out, "Verified & Checked", passed as usize);
    figure(&mut out, "Left to a person", manual as usize);
    out.push('\n');
    out.push_str("TASKS:\n");
    for task in &report.tasks {
        let _ = writeln!(out, "   {}", task_line(task));
    }
    out.push('\n');
    list(&mut out, "FILES MODIFIED", &report.files);
    list(&mut out, "LEARNINGS ACCUMULATED", &report.learnings);
    list(&mut out, "ISSUES DISCOVERED", &report.issues);
    if !report.open.is_empty() {
        list(&mut out, "STILL OPEN", &report.open);
    }
    let _ = writeln!(out, "{RULE}");
    out
}

fn figure(out: &mut String, name: &str, value: usize) {
    let _ = writeln!(out, "   {:<24}{value:>4}", format!("{name}:"));
}

fn task_line(task: &Line) -> String {
    let sign = match (task.state, task.proof) {
        (State::Completed, Proof::Verified) => "✓",
        (State::Completed, _) => "?",
        (State::Skipped, _) => "-",
        _ => "✗",
    };
    let mut words = vec![format!("{}/{} checks", task.passed, task.criteria)];
    if task.attempts > 0 {
        words.push(format!("{} attempt{}", task.attempts, if task.attempts == 1 { "" } else { "s" }));
    }
    if let Some(commit) = &task.commit {
        words.push(commit.get(..8).unwrap_or(commit).to_owned());
    }
    if !task.false_claims.is_empty() {
        words.push(format!("falsely claimed: {}", task.false_claims.join(", ")));
    }
    format!("{sign} {} {} ({})", plain(task.id.as_str()), plain(&task.title), words.join(", "))
}

fn list(out: &mut String, name: &str, items: &[String]) {
    let _ = writeln!(out, "{name}:");
    if items.is_empty() {
        out.push_str("   (none)\n");
    }
    for item in items {
        let _ = writeln!(out, "   - {}", plain(item));
    }
    out.push('\n');
}

fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
