//! Checks of the plan as a whole: commands outside of tasks, below `## Verification`, `## Definition of Done` and
//! similar headings. Items with a box are notes; a boxed item with a command there is a goal.

use crate::Plan;
use crate::criteria::locate::{self, Purpose};
use crate::deps::phases;
use crate::lists::described;
use crate::states::boxes;
use checks::Role;
use markdown::{Extent, Heading, Outline};
use std::collections::HashSet;
use wire::plan::Criterion;

/// Adds the commands to the gates of the plan; gates that it already has stay unchanged.
pub(crate) fn read(outline: &Outline, plan: &mut Plan) {
    let tasks = covered(outline, plan);
    let mut known: HashSet<String> = plan.gates.iter().map(asked).collect();
    for (_, at) in sections(outline, &tasks) {
        goals(outline, at, plan);
        let new = checks(outline, at).into_iter().filter(|check| known.insert(asked(check)));
        locate::number("plan", "validation", new, &mut plan.gates);
    }
}

/// The sections with checks outside of the tasks, each with its title.
pub(crate) fn sections<'o>(outline: &'o Outline, tasks: &[Extent]) -> Vec<(&'o str, Extent)> {
    let heads: Vec<&Heading> = outline.headings.iter().filter(|head| head.atx && !head.inner).collect();
    let (mut done, mut found) = (0, Vec::new());
    for (index, head) in heads.iter().enumerate() {
        let title = phases::text(outline, head);
        if head.at.start < done || head.mark.is_some() || !is_announced_by(title) {
            continue;
        }
        let mut after = heads.get(index + 1..).unwrap_or_default().iter();
        let end =
            after.find(|next| next.level <= head.level).map_or(outline.bytes.len(), |next| next.at.start);
        let next = tasks.partition_point(|task| task.end <= head.at.start);
        let end = tasks.get(next).map_or(end, |task| task.start.min(end));
        if end > head.at.end {
            done = end;
            found.push((title, Extent { start: head.at.end, end }));
        }
    }
    found
}

/// The ranges that the tasks of the file and their descriptions cover; nested tasks share one range.
fn covered(outline: &Outline, plan: &Plan) -> Vec<Extent> {
    let described = plan.tasks.iter().filter_map(described::span);
    let tasks = plan.tasks.iter().map(|task| task.span.clone()).chain(described);
    let tasks = tasks.filter(|span| span.path == outline.path);
    let mut tasks: Vec<Extent> = tasks.map(|span| boxes::extent(&span, outline.bytes.len())).collect();
    tasks.sort_unstable_by_key(|at| at.start);
    tasks.dedup_by(|next, last| {
        let within = next.start < last.end;
        last.end = if within { last.end.max(next.end) } else { last.end };
        within
    });
    tasks
}

/// Whether the commands below a heading apply to the whole plan.
fn is_announced_by(title: &str) -> bool {
    let lower = title.trim_start_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    let bare = lower.split('(').next().unwrap_or_default().trim_end_matches([' ', ':']);
    let bare =
        ["final ", "overall ", "plan "].iter().find_map(|word| bare.strip_prefix(word)).unwrap_or(bare);
    // `Validation and Acceptance`: every word of a pair says so.
    let mut parts = [" and ", " & ", " / "].iter().find_map(|joint| bare.split_once(joint)).into_iter();
    let says = |name: &str| NAMES.contains(&name) || ["acceptance", "testing", "tests"].contains(&name);
    NAMES.contains(&bare) || parts.any(|(one, other)| says(one) && says(other))
}

#[rustfmt::skip]
const NAMES: &[&str] = &[
    "verification", "verification commands", "verification steps", "verification checklist", "verify", "validation",
    "validation commands", "validation steps", "checks", "checklist", "acceptance criteria", "success criteria",
    "completion criteria", "exit criteria", "definition of done", "done when",
];

/// Makes the notes with a command goals.
fn goals(outline: &Outline, at: Extent, plan: &mut Plan) {
    for item in outline.items_in(at).iter().filter(|item| !item.quoted) {
        let Some(mark) = item.mark else { continue };
        let own = outline.span(mark);
        let Some(note) = plan.notes.iter_mut().find(|note| note.span == own) else { continue };
        let checks = locate::boxed(outline, item, at.end, Role::Criterion);
        if checks.iter().any(|check| check.command.is_some() || check.unclear.is_some()) {
            (note.goal, note.checks) = (true, checks);
        }
    }
}

/// The commands of a section that have no box, in order.
pub(crate) fn checks(outline: &Outline, at: Extent) -> Vec<Criterion> {
    let mut found = locate::find(outline, at, Purpose::Criteria, &locate::boxes_in(outline, at));
    let mut seen = HashSet::new();
    // `{{name}}` is a placeholder that is not filled in yet.
    let template = |command: &String| command.contains("{{");
    found.retain(|check| match &check.command {
        Some(command) => !template(command) && seen.insert(asked(check)),
        None => check.unclear.is_some(),
    });
    found
}

/// What a check asks for; two checks that ask for the same are one.
fn asked(check: &Criterion) -> String {
    match (&check.command, &check.unclear) {
        (Some(command), None) => format!("{command}\0{}", check.required()),
        _ => check.text.clone(),
    }
}
