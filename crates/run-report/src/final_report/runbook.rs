//! The reports of a runbook: its orchestrator's final message, and its progress file.

use super::figures::{bullets, false_claims, figures, is_complete, place, standing};
use crate::plain_text::{count, plain};
use std::fmt::Write;
use wire::Plan;
use wire::report::{Line, Report, Stand};

/// The orchestrator's final message.
pub(crate) fn completion(plan: &Plan, report: &Report) -> String {
    let mut out = String::new();
    for line in report.tasks.iter().filter(|line| line.stand != Stand::Pending) {
        let place = place(report, line).map_or_else(String::new, |place| format!(" ({place})"));
        let _ = writeln!(out, "{}{place}", step(line));
    }
    let numbers = report.numbers.clone().unwrap_or_default();
    let done = settled(report);
    if is_complete(report) {
        let _ =
            write!(out, "\n**Execution Complete**\n\nAll {} completed successfully.\n", count(done, "step"));
    } else {
        let blocked = report.tasks.iter().find(|line| is_failed(line));
        let at = blocked.map_or_else(String::new, |line| format!(" at Step {}", plain(line.id.as_str())));
        let _ = write!(
            out,
            "\n**Execution Stopped**{at}\n\n{done} of {} completed.\n",
            count(numbers.tasks, "step")
        );
    }
    if let Some(line) = report.tasks.iter().find(|line| is_failed(line)) {
        stopped(&mut out, line, report);
    }
    let unproved = standing(&numbers, Stand::Unverified) + standing(&numbers, Stand::Overridden);
    if unproved > 0 {
        let _ = writeln!(out, "\n{} done without proof.", count(unproved, "step"));
    }
    let reports: Vec<String> = report.tasks.iter().filter_map(|line| line.report.clone()).collect();
    if !reports.is_empty() {
        out.push_str("\nReports:\n");
        bullets(&mut out, &reports);
    }
    out.push_str("\nCreated artifacts:\n");
    bullets(&mut out, &report.files);
    let claims = false_claims(report);
    if !claims.is_empty() {
        out.push_str("\nClaimed and not true:\n");
        bullets(&mut out, &claims);
    }
    out.push_str("\nFigures:\n");
    bullets(&mut out, &figures(report));
    if is_complete(report) {
        let _ = writeln!(out, "\nNext action: {}", next(plan));
    }
    out
}

fn next(plan: &Plan) -> &'static str {
    // Reviews of its own follow the steps of a test-driven runbook.
    if plan.extra.get("type").is_some_and(|kind| kind == "tdd") {
        "commit what the reviews left"
    } else {
        "delegate to vet-fix-agent to review the changes, then commit"
    }
}

/// `✓ Step 1: name - completed`.
fn step(line: &Line) -> String {
    let name = format!("Step {}: {}", plain(line.id.as_str()), plain(&line.title));
    match line.stand {
        Stand::Done => format!("✓ {name} - completed"),
        Stand::Unverified => format!("? {name} - marked completed, no proof on record"),
        Stand::Overridden => {
            format!(
                "? {name} - completed by decision: {}",
                plain(line.reason.as_deref().unwrap_or("no reason"))
            )
        }
        Stand::Skipped => format!("- {name} - skipped"),
        Stand::Running => format!("▶ {name} - running"),
        Stand::Human => format!("✗ {name} - waits for a person{}", why(line)),
        Stand::Blocked => format!("✗ {name} - blocked{}", why(line)),
        Stand::Failed => format!("✗ {name} - failed{}", why(line)),
        Stand::Pending => format!("· {name} - not begun"),
    }
}

fn why(line: &Line) -> String {
    line.halt.as_ref().map_or_else(String::new, |halt| format!(": {}", plain(&halt.message)))
}

fn is_failed(line: &Line) -> bool {
    matches!(line.stand, Stand::Failed | Stand::Human)
}

/// The failure, the attempts, what is needed, and the completed steps.
fn stopped(out: &mut String, line: &Line, report: &Report) {
    let halt = line.halt.as_ref();
    let done: Vec<String> =
        report.tasks.iter().filter(|l| l.stand.is_settled()).map(|l| plain(l.id.as_str())).collect();
    let needed = match halt {
        Some(halt) if halt.retry && line.stand != Stand::Human => "another attempt",
        _ => "a person",
    };
    let _ = write!(
        out,
        "\n- What failed: Step {}{}\n- What was attempted: {}\n- What is needed: {needed}\n- Completed steps: {}\n",
        plain(line.id.as_str()),
        why(line),
        count(line.attempts, "attempt"),
        if done.is_empty() { "none".to_owned() } else { done.join(", ") }
    );
}

/// The progress file in the form of the source.
pub(crate) fn progress(_: &Plan, report: &Report) -> String {
    let title = if report.title.is_empty() { &report.plan } else { &report.title };
    let blocked = report.tasks.iter().find(|line| is_failed(line));
    let status = match blocked {
        Some(_) => "Blocked",
        None if is_complete(report) => "Completed",
        None => "In Progress",
    };
    let started = report.tasks.iter().filter_map(|line| line.begun_at.as_deref()).min().unwrap_or("not yet");
    let mut out = format!(
        "# Runbook Execution Progress\n\n**Runbook**: {}\n**Started**: {started}\n**Status**: {status}\n\n## Step Execution\n\n",
        plain(title)
    );
    for line in report.tasks.iter().filter(|line| line.stand.is_settled() || is_failed(line)) {
        entry(&mut out, line, place(report, line));
    }
    let failed = report.tasks.iter().filter(|line| is_failed(line)).count();
    let current = blocked
        .map_or_else(|| status.to_owned(), |line| format!("Blocked on Step {}", plain(line.id.as_str())));
    let _ = write!(
        out,
        "\n## Summary\n\nSteps completed: {}/{}\nSteps failed: {failed}\nCurrent status: {current}\n",
        settled(report),
        report.numbers.as_ref().map_or(0, |numbers| numbers.tasks)
    );
    out
}

fn entry(out: &mut String, line: &Line, place: Option<String>) {
    let (sign, word) = match line.stand {
        Stand::Done => ("✓", "Completed"),
        Stand::Unverified => ("✓", "Completed (no proof on record)"),
        Stand::Overridden => ("✓", "Completed (by decision)"),
        Stand::Skipped => ("✓", "Skipped"),
        _ => ("✗", "Failed"),
    };
    let at = line.last_at.as_deref().unwrap_or("an unknown time");
    let _ =
        writeln!(out, "- {sign} Step {}: {} - {word} at {at}", plain(line.id.as_str()), plain(&line.title));
    if let Some(report) = &line.report {
        let _ = writeln!(out, "  - Report: {}", plain(report));
    }
    if let Some(place) = place {
        let _ = writeln!(out, "  - Carried out {place}");
    }
    if is_failed(line) {
        if let Some(halt) = &line.halt {
            let _ = writeln!(out, "  - Error: {}", plain(&halt.message));
        }
        if line.stand == Stand::Human {
            out.push_str("  - Escalated to: user\n");
        }
    }
}

fn settled(report: &Report) -> u32 {
    crate::survey::figures::count(
        report.tasks.iter().filter(|l| l.stand.is_settled() && l.kind != wire::plan::Kind::Container).count(),
    )
}
