//! A runbook: the line of a step in `progress.md`, the counts below it, and `lifecycle.md` where that is kept.
//!
//! Most steps have no box; a step that is a boxed item is ticked there too. `progress.md` is created when the first
//! step ends; after that only the entry of the step and the counts change, so people's own notes in it stay.

use super::{Change, ESCALATED, Edit, bytes_of, in_folder, no_mark};
use crate::PlanSnapshot;
use crate::formats::workflows::runbook::noted;
use ledger::Ledger;
use std::fmt::Write;
use std::path::Path;
use toolkit::Fail;
use toolkit::files::root::{Home, inside};
use wire::plan::Kind;
use wire::punch::Type;
use wire::{State, Task};

/// The edits of both files.
pub(crate) fn edits(field: &PlanSnapshot, change: &Change) -> Result<Vec<Edit>, Fail> {
    let mut edits = super::boxes::ticked(field, change);
    if !matches!(change.state, State::Completed | State::Failed | State::Pending) {
        return Err(no_mark(field, change));
    }
    // No box mark means "failed", so only the step's line records it.
    if let Some(mark) = change.task.mark.as_ref().filter(|_| change.state != State::Failed) {
        edits.extend(super::boxes::mark(field, change, mark)?);
    }
    let path = in_folder(field, "progress.md");
    let old = bytes_of(field, &path)?;
    let text = String::from_utf8_lossy(&old).into_owned();
    if old.is_empty() && change.state == State::Pending {
        return Ok(edits);
    }
    let new = progress(field, change, &text);
    if new != text {
        edits.push(Edit { path, start: 0, end: old.len(), text: new });
    }
    edits.extend(lifecycle(field, change)?);
    Ok(edits)
}

/// The file with the step's entry updated.
fn progress(field: &PlanSnapshot, change: &Change, text: &str) -> String {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let text = if text.is_empty() { fresh(field, change) } else { text.to_owned() };
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let at = without_entry(&mut lines, change.task);
    if change.state != State::Pending {
        let place = at.unwrap_or_else(|| place_of_next(&mut lines, change.task.kind, end));
        let entry = entry(field, change);
        if place > 0 && lines.get(place - 1).is_some_and(|line| !line.ends_with('\n')) {
            lines[place - 1].push_str(end);
        }
        for (number, line) in entry.into_iter().enumerate() {
            lines.insert(place + number, format!("{line}{end}"));
        }
    }
    count(field, change, &mut lines, end);
    lines.concat()
}

/// The file in the layout of the workflow's own text.
fn fresh(field: &PlanSnapshot, change: &Change) -> String {
    let name = crate::formats::workflows::runbook::name_of(&field.plan.source.path);
    let started = started(field).unwrap_or_else(|| change.now.to_owned());
    format!(
        "# Runbook Execution Progress\n\n**Runbook**: {name}\n**Started**: {started}\n**Status**: In Progress\n\n\
         ## Step Execution\n\n\n## Summary\n\nSteps completed: 0/0\nSteps failed: 0\nCurrent status: In Progress\n"
    )
}

/// When the first attempt at a step began, as the ledger has it.
fn started(field: &PlanSnapshot) -> Option<String> {
    let source = &field.plan.source;
    let records = Ledger::new(Home::of(Path::new(&source.root)).ok()?).read_of(&source.path).ok()?;
    records.iter().find(|record| record.kind == Type::AttemptBegin).map(|record| record.observed_at.clone())
}

/// The edits that write `Completed`, once the steps are done.
pub(crate) fn completed(field: &PlanSnapshot) -> Result<Vec<Edit>, Fail> {
    let open = field.plan.tasks.iter().any(|task| task.kind != Kind::Container && !task.state.is_settled());
    let path = in_folder(field, "progress.md");
    let old = bytes_of(field, &path)?;
    if open || old.is_empty() {
        return Ok(Vec::new());
    }
    let text = String::from_utf8_lossy(&old).into_owned();
    let set = |line: &str| {
        let end = &line[line.trim_end_matches(['\r', '\n']).len()..];
        match () {
            () if line.starts_with("**Status**: ") => format!("**Status**: Completed{end}"),
            () if line.starts_with("Current status: ") => format!("Current status: Completed{end}"),
            () => line.to_owned(),
        }
    };
    let new: String = text.split_inclusive('\n').map(set).collect();
    let edit = Edit { path, start: 0, end: old.len(), text: new.clone() };
    Ok(Some(edit).filter(|_| new != text).into_iter().collect())
}

/// Removes the step's entry, with the lines indented below it; returns its position.
fn without_entry(lines: &mut Vec<String>, task: &Task) -> Option<usize> {
    let mut first = None;
    while let Some(at) =
        lines.iter().position(|line| noted(line).is_some_and(|(_, id)| id == task.id.as_str()))
    {
        let below =
            lines.iter().skip(at + 1).take_while(|l| l.starts_with("  ") && !l.trim().is_empty()).count();
        lines.drain(at..=at + below);
        first.get_or_insert(at);
    }
    first
}

/// After the last entry of its kind, else after the heading of the entries, else at the end. A checkpoint is no step and
/// has a section of its own.
fn place_of_next(lines: &mut Vec<String>, kind: Kind, end: &str) -> usize {
    let is_checkpoint = |id: &str| id.starts_with("checkpoint-");
    let is_like =
        |line: &String| noted(line).is_some_and(|(_, id)| is_checkpoint(&id) == (kind == Kind::Checkpoint));
    if let Some(last) = lines.iter().rposition(is_like) {
        let below =
            lines.iter().skip(last + 1).take_while(|l| l.starts_with("  ") && !l.trim().is_empty()).count();
        return last + 1 + below;
    }
    let of = |lines: &[String], text: &str| lines.iter().position(|line| line.trim() == text);
    if kind == Kind::Checkpoint && of(lines, CHECKPOINTS).is_none() {
        let summary = of(lines, "## Summary").unwrap_or(lines.len());
        let section = [CHECKPOINTS, "", ""].map(|line| format!("{line}{end}"));
        lines.splice(summary..summary, section);
    }
    let own = if kind == Kind::Checkpoint { CHECKPOINTS } else { "## Step Execution" };
    let heading = of(lines, own);
    heading.map_or(lines.len(), |at| {
        at + 1 + usize::from(lines.get(at + 1).is_some_and(|l| l.trim().is_empty()))
    })
}

/// The section of the checkpoints.
const CHECKPOINTS: &str = "## Checkpoints";

/// The lines of a step.
fn entry(field: &PlanSnapshot, change: &Change) -> Vec<String> {
    let task = change.task;
    let (label, title) = (label(task), one_line(&task.title));
    // A checkpoint is called by its label and has no other title.
    let name = if title == label { label } else { format!("{label}: {title}") };
    let (sign, said) = if change.state == State::Failed { ('✗', "Failed") } else { ('✓', "Completed") };
    let mut lines = vec![format!("- {sign} {name} - {said} at {}", change.now)];
    let root = Path::new(&field.plan.source.root);
    let is_there = |path: &&String| inside(root, path).is_ok_and(|path| path.is_file());
    lines.extend(task.report_path.iter().filter(is_there).map(|path| format!("  - Report: {path}")));
    if change.state == State::Failed && !change.reason.is_empty() {
        let (error, to) = change.reason.rsplit_once(ESCALATED).unwrap_or((change.reason, ""));
        lines.push(format!("  - Error: {}", one_line(error)));
        if !to.is_empty() {
            lines.push(format!("  - Escalated to: {}", one_line(to)));
        }
    }
    lines
}

/// The name of the step in its line, which reads back as the same id.
fn label(task: &Task) -> String {
    let id = task.id.as_str();
    match (id.strip_prefix("checkpoint-"), id.strip_prefix("phase-")) {
        (Some(phase), _) => format!("Phase {phase} checkpoint"),
        (None, Some(phase)) => format!("Phase {phase}"),
        _ => format!("Step {id}"),
    }
}

/// Updates the counts, if the file has them.
fn count(field: &PlanSnapshot, change: &Change, lines: &mut [String], end: &str) {
    let all: Vec<(Kind, State)> = states(field, change).collect();
    // A checkpoint is no step, and the runbook is not completed without it.
    let steps: Vec<State> =
        all.iter().filter(|(kind, _)| *kind != Kind::Checkpoint).map(|(_, state)| *state).collect();
    let done = steps.iter().filter(|state| state.is_settled()).count();
    let failed = steps.iter().filter(|state| **state == State::Failed).count();
    let is_blocked = all.iter().any(|(_, state)| *state == State::Failed);
    // The reviews of a test-driven runbook follow its steps.
    let is_tdd = field.plan.extra.get("type").is_some_and(|kind| kind == "tdd");
    let status = match (all.iter().all(|(_, state)| state.is_settled()), is_blocked) {
        (true, _) if !is_tdd => "Completed".to_owned(),
        (_, false) => "In Progress".to_owned(),
        _ => "Blocked".to_owned(),
    };
    let current = match change.state {
        State::Failed => format!("Blocked on {}", label(change.task)),
        _ => status.clone(),
    };
    for line in lines {
        let mut set = |name: &str, value: &str| {
            if line.starts_with(name) {
                line.clear();
                // Writing to a string cannot fail.
                let _ = write!(line, "{name}{value}{end}");
            }
        };
        set("**Status**: ", &status);
        set("Steps completed: ", &format!("{done}/{}", steps.len()));
        set("Steps failed: ", &failed.to_string());
        set("Current status: ", &current);
    }
}

/// The state of each step and checkpoint after the change.
fn states<'a>(field: &'a PlanSnapshot, change: &'a Change) -> impl Iterator<Item = (Kind, State)> + 'a {
    let steps = field.plan.tasks.iter().filter(|task| task.kind != Kind::Container);
    steps.map(|task| (task.kind, if task.id == change.task.id { change.state } else { task.state }))
}

/// `DATE review-pending — checkbox` when the last step is done, `rework` when a step is open again, where a person keeps
/// such a file.
fn lifecycle(field: &PlanSnapshot, change: &Change) -> Result<Option<Edit>, Fail> {
    let path = in_folder(field, "lifecycle.md");
    let old = bytes_of(field, &path)?;
    if old.is_empty() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&old);
    let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let last = last.split_whitespace().nth(1).unwrap_or_default();
    let all = states(field, change).all(|(_, state)| state.is_settled());
    let next = match (all, last) {
        (true, "review-pending" | "reviewed" | "delivered") => return Ok(None),
        (true, _) => "review-pending",
        (false, "review-pending") => "rework",
        (false, _) => return Ok(None),
    };
    let date = change.now.get(..10).unwrap_or(change.now);
    let gap = if old.ends_with(b"\n") { "" } else { "\n" };
    let text = format!("{gap}{date} {next} — checkbox\n");
    Ok(Some(Edit { path, start: old.len(), end: old.len(), text }))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
