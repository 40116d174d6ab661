//! Status and rounds for people.

use crate::plan::PlanView;
use std::fmt::Write;
use wire::rounds::RoundsDoc;
use wire::status::{StatusDoc, Waiting};
use wire::{Answer, TaskId};

/// The status as a table.
pub(crate) fn status(doc: &StatusDoc) -> String {
    let mut out = String::new();
    let answer = match doc.answer {
        Answer::More => "ready",
        Answer::Done => "done",
        Answer::Stuck => "stuck",
        Answer::Wait => "wait",
    };
    // Writing to a string cannot fail; the same below.
    let _ = writeln!(out, "{answer}: {} ({})", plain(&doc.plan), doc.strategy);
    let states: Vec<String> = doc.states.iter().map(|(state, n)| format!("{n} {state}")).collect();
    let tasks = if doc.total == 1 { "task" } else { "tasks" };
    let _ = writeln!(out, "{} {tasks}: {}", doc.total, states.join(", "));
    for (name, ids) in [
        ("ready", &doc.ready),
        ("running", &doc.running),
        ("for a person", &doc.human),
        ("no attempts left", &doc.exhausted),
        ("needs you", &doc.needs_you),
        ("reopened", &doc.reopened),
    ] {
        if !ids.is_empty() {
            let _ = writeln!(out, "{name}: {}", names(ids));
        }
    }
    for waiting in &doc.waiting {
        out.push_str(&why(waiting));
    }
    out
}

/// Why one task waits.
pub(crate) fn why(waiting: &Waiting) -> String {
    let chain = if waiting.chain.is_empty() {
        String::new()
    } else {
        format!(" ← {}", waiting.chain.iter().map(|i| plain(i.as_str())).collect::<Vec<_>>().join(" ← "))
    };
    format!("  {}{chain}: {}\n", plain(waiting.id.as_str()), plain(&waiting.cause))
}

/// The rounds as a tree.
pub(crate) fn rounds(doc: &RoundsDoc, sheet: &PlanView<'_>) -> String {
    let titles: std::collections::HashMap<&str, &str> =
        sheet.tasks.iter().map(|t| (&*t.id.0, &*t.title)).collect();
    let critical: std::collections::HashSet<&TaskId> = doc.critical_path.iter().collect();
    let mut out =
        format!("{} tasks, {} rounds, at most {} together\n", doc.tasks, doc.rounds.len(), doc.max_parallel);
    for (number, round) in doc.rounds.iter().enumerate() {
        let _ = writeln!(out, "Round {number}");
        for (n, id) in round.iter().enumerate() {
            let branch = if n + 1 == round.len() { "└─" } else { "├─" };
            let star = if critical.contains(id) { "*" } else { " " };
            let title = titles.get(id.as_str()).copied().unwrap_or_default();
            let _ = writeln!(out, "{branch}{star}{} {}", plain(id.as_str()), plain(title));
        }
    }
    let _ = writeln!(
        out,
        "Critical path: {}",
        doc.critical_path.iter().map(|i| plain(i.as_str())).collect::<Vec<_>>().join(" → ")
    );
    out
}

fn names(ids: &[TaskId]) -> String {
    ids.iter().map(|i| plain(i.as_str())).collect::<Vec<_>>().join(", ")
}

/// What a plan wrote cannot break a line or colour it.
pub(crate) fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
