//! The story of one box: what its tick stands on, its checks before and after the work, attempts, trees and commit.

use super::figures::{reviewed, short};
use crate::args::{Args, Format};
use crate::plain_text::{clip, count, plain};
use crate::survey::OpenedPlan;
use std::fmt::Write;
use std::path::Path;
use toolkit::files::fs;
use toolkit::files::root::inside;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::TreeHash;
use wire::history::{Attempt, Before, Check, Ran};
use wire::plan::suggestion::Origin;
use wire::report::{Line, Report};

/// The longest line that is shown.
const WIDE: usize = 160;
/// How many of the last lines of an output are shown.
const LAST: usize = 5;

/// Tells the story of the task with this id.
pub(crate) fn tell(
    args: &Args,
    ground: &OpenedPlan,
    mut report: Report,
    id: &str,
    out: &mut Output,
) -> Result<Exit, Fail> {
    report.tasks.retain(|line| line.id.as_str() == id);
    let Some(line) = report.tasks.first() else {
        return Err(Fail::data("no-such-task", format!("there is no task '{id}'; see checkbox list PLAN")));
    };
    match args.format {
        Format::Json => out.document(&report, false)?,
        _ => out.text(&story(&ground.root, line))?,
    }
    Ok(Exit::Ok)
}

fn story(root: &Path, line: &Line) -> String {
    let mut out = String::new();
    let level = line.level.map_or_else(String::new, |level| format!(", {}", level.shown()));
    // Writing to a string cannot fail; the same below.
    let _ = writeln!(out, "{} {}: {}{level}", plain(line.id.as_str()), plain(&line.title), line.state.word());
    if let Some(reason) = &line.reason {
        let _ = writeln!(out, "  because: {}", plain(reason));
    }
    out.push_str("\nChecks:\n");
    if line.checks.is_empty() {
        out.push_str("  the task has no check of its own\n");
    }
    for check in &line.checks {
        one_check(&mut out, root, line, check);
    }
    let own = |ran: &&Ran| line.checks.iter().any(|check| check.id == ran.id);
    let last = line.history.last();
    for gate in last.iter().flat_map(|attempt| &attempt.gates).filter(|ran| !own(ran)) {
        let _ = writeln!(out, "  {} `{}`", plain(&gate.id), clip(&plain(&gate.command), WIDE));
        if let Some(found) = &gate.before {
            before(&mut out, found);
        }
        after(&mut out, root, gate);
    }
    if !line.reviews.is_empty() {
        out.push_str("\nReviews:\n");
    }
    for review in &line.reviews {
        let _ = writeln!(out, "  {}", reviewed(review));
        lines(&mut out, review.places.iter().map(String::as_str));
    }
    if !line.fixed.is_empty() {
        let fixed: Vec<String> = line.fixed.iter().map(|name| plain(name)).collect();
        let _ = writeln!(out, "\nKnown failures fixed: {}", fixed.join(", "));
    }
    let _ = writeln!(out, "\nAttempts: {}", line.attempts);
    for attempt in &line.history {
        one_attempt(&mut out, attempt);
    }
    if let Some(halt) = &line.halt {
        let _ = writeln!(out, "\nNot done: {}: {}", plain(&halt.stage), plain(&halt.message));
    }
    let commit = line.commit.as_deref().map_or_else(|| "none".to_owned(), short);
    let _ = writeln!(out, "\nCommit: {commit}");
    out
}

/// A check: what it asks, and its results before and after the work with the end of their output.
fn one_check(out: &mut String, root: &Path, line: &Line, check: &Check) {
    let command = check.command.as_deref().map(|text| format!(" `{}`", clip(&plain(text), WIDE)));
    let text = command.unwrap_or_else(|| format!(" {}", clip(&plain(&check.text), WIDE)));
    let from = match check.origin {
        Some(Origin::Suggested) => " (suggested)",
        Some(Origin::Proposed) => " (proposed)",
        None => "",
    };
    let _ = writeln!(out, "  {}{text}{from}", plain(&check.id));
    match &check.before {
        Some(found) => before(out, found),
        None if check.command.is_some() => out.push_str("    before: unknown\n"),
        None => {}
    }
    let ran = line.history.iter().rev().flat_map(|attempt| attempt.gates.iter().rev());
    if let Some(ran) = ran.into_iter().find(|ran| ran.id == check.id) {
        after(out, root, ran);
    } else {
        let measured = check.measured.as_deref().map(|text| format!(", {}", plain(text)));
        let _ = writeln!(out, "    after: {}{}", check.status, measured.unwrap_or_default());
    }
}

fn before(out: &mut String, before: &Before) {
    let measured = before.measured.as_deref().map(plain).unwrap_or_default();
    let on = if before.on == "before" { "" } else { before.on.as_str() };
    let _ = writeln!(
        out,
        "    before: {}, {}{}{}",
        before.status,
        clip(&measured, WIDE),
        if on.is_empty() { String::new() } else { format!(", on {}", plain(on)) },
        tree(before.tree.as_ref())
    );
    lines(out, before.tail.iter().map(String::as_str));
}

fn after(out: &mut String, root: &Path, ran: &Ran) {
    let measured = ran.measured.as_deref().map(plain).unwrap_or_default();
    let _ = writeln!(out, "    after: {}, {}{}", ran.status, clip(&measured, WIDE), tree(ran.tree.as_ref()));
    if !ran.tail.is_empty() {
        return lines(out, ran.tail.iter().map(String::as_str));
    }
    // A pass keeps its output only in its log.
    let log = ran.log.as_deref().and_then(|log| inside(root, log).ok());
    let text = log.and_then(|log| fs::read_if_there(&log).ok().flatten()).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    lines(out, text.lines());
}

/// The last lines of an output.
fn lines<'l>(out: &mut String, all: impl Iterator<Item = &'l str>) {
    let all: Vec<&str> = all.filter(|line| !line.trim().is_empty()).collect();
    for line in &all[all.len().saturating_sub(LAST)..] {
        let _ = writeln!(out, "      | {}", clip(&plain(line), WIDE));
    }
}

fn one_attempt(out: &mut String, attempt: &Attempt) {
    let _ = writeln!(
        out,
        "  {}: worker {}, run {}, {}{}",
        attempt.number,
        plain(&attempt.worker),
        plain(&attempt.run),
        match attempt.result {
            wire::history::Came::Ticked => "ticked",
            wire::history::Came::Halted => "refused",
            wire::history::Came::Ended => "ended, nothing decided",
            wire::history::Came::Open => "not ended",
        },
        attempt.begun_at.as_deref().map_or_else(String::new, |at| format!(", began {}", plain(at)))
    );
    if attempt.tree_before.is_some() || attempt.tree_after.is_some() {
        let shown =
            |tree: Option<&TreeHash>| tree.map_or_else(|| "unknown".to_owned(), |tree| plain(&tree.0));
        let _ = writeln!(
            out,
            "     tree before {}\n     tree after  {}",
            shown(attempt.tree_before.as_ref()),
            shown(attempt.tree_after.as_ref())
        );
    }
    if !attempt.changed_files.is_empty() {
        let files: Vec<String> = attempt.changed_files.iter().take(20).map(|file| plain(file)).collect();
        let more = attempt.changed_files.len().saturating_sub(files.len());
        let more = if more > 0 { format!(" and {}", count(more as u64, "other")) } else { String::new() };
        let _ = writeln!(out, "     changed {}{more}", files.join(", "));
    }
    if let Some(halt) = &attempt.halt {
        let _ = writeln!(out, "     {}: {}", plain(&halt.stage), plain(&halt.message));
    }
}

fn tree(tree: Option<&TreeHash>) -> String {
    tree.map_or_else(String::new, |tree| format!(", tree {}", plain(&tree.0)))
}
