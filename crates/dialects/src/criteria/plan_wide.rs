//! Checks of the plan as a whole: commands outside of tasks, below `## Verification`, `## Definition of Done` and
//! similar headings. Items with a box are notes; a boxed item with a command there is a goal.

use crate::Plan;
use crate::criteria::locate::{self, Purpose};
use crate::deps::phases;
use crate::lists::described;
use crate::sections::{self, Sections};
use crate::states::boxes;
use checks::Role;
use markdown::{Extent, Heading, Item, Outline};
use std::collections::HashSet;
use wire::plan::Criterion;

/// Adds the commands to the gates of the plan; gates that it already has stay unchanged.
pub(crate) fn read(outline: &Outline, plan: &mut Plan) {
    let tasks = covered(outline, plan);
    let mut known: HashSet<String> = plan.gates.iter().map(asked).collect();
    let found = sections(outline, &tasks);
    let manual = if found.is_empty() { Vec::new() } else { by_a_person(outline) };
    for (_, at) in found {
        goals(outline, at, &manual, plan);
        let new = checks(outline, at, &manual).into_iter().filter(|check| known.insert(asked(check)));
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

/// Whether the commands below a heading apply to the whole plan. A strategy and what a person looks at do not.
fn is_announced_by(title: &str) -> bool {
    let lower = title.trim_start_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    let bare = lower.split('(').next().unwrap_or_default().trim_end_matches([' ', ':']);
    let bare =
        ["final ", "overall ", "plan "].iter().find_map(|word| bare.strip_prefix(word)).unwrap_or(bare);
    // `Validation and Acceptance`: every word of a pair says so.
    let mut parts = [" and ", " & ", " / "].iter().find_map(|joint| bare.split_once(joint)).into_iter();
    let says = |name: &str| checks_plan(name) || ["acceptance", "testing", "tests"].contains(&name);
    checks_plan(bare) || parts.any(|(one, other)| says(one) && says(other))
}

fn checks_plan(name: &str) -> bool {
    let role = sections::of_title(name);
    let other = ["manual", "strategy", "review", "findings"].iter().any(|word| name.contains(word));
    matches!(role, Some(sections::Role::Criteria | sections::Role::Checks)) && !other
}

/// The outermost items below a label that leaves them to a person: `**Manual Verification:**`.
pub(crate) fn by_a_person(outline: &Outline) -> Vec<Extent> {
    let roles = Sections::new(outline).items();
    let manual = |title: &str| title.to_lowercase().contains("manual");
    let items =
        outline.items.iter().zip(&roles).filter(|(item, (_, title))| item.depth == 0 && manual(title));
    items.map(|(item, _)| item.at).collect()
}

/// Makes the notes with a command goals.
fn goals(outline: &Outline, at: Extent, manual: &[Extent], plan: &mut Plan) {
    let left = |item: &Item| {
        let next = manual.partition_point(|out| out.end <= item.at.start);
        manual.get(next).is_some_and(|out| out.start <= item.at.start)
    };
    for item in outline.items_in(at).iter().filter(|item| !item.quoted && !left(item)) {
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
pub(crate) fn checks(outline: &Outline, at: Extent, manual: &[Extent]) -> Vec<Criterion> {
    let mut without = locate::boxes_in(outline, at);
    without.extend(manual.iter().filter(|out| at.start <= out.start && out.start < at.end));
    without.sort_unstable_by_key(|out| (out.start, std::cmp::Reverse(out.end)));
    without.dedup_by(|next, last| next.start < last.end);
    let mut found = locate::find(outline, at, Purpose::Criteria, &without);
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
