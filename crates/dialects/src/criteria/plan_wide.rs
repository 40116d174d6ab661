//! Checks of the plan as a whole: commands outside of tasks, below `## Verification`, `## Definition of Done` and
//! similar headings. Items with a box are notes; a boxed item with a command there is a goal.

use crate::Plan;
use crate::criteria::results;
use crate::criteria::{expected, steps, tables};
use crate::deps::phases;
use crate::fields::item_text;
use crate::states::boxes;
use checks::{criterion, fenced, request_words};
use markdown::{Extent, Fence, Heading, Item, Outline};
use std::collections::HashSet;
use wire::plan::Criterion;

/// Adds the commands to the gates of the plan; gates that it already has stay unchanged.
pub(crate) fn read(outline: &Outline, plan: &mut Plan) {
    let tasks = covered(outline, plan);
    let mut known: HashSet<Option<String>> = plan.gates.iter().map(|gate| gate.command.clone()).collect();
    for (title, at) in sections(outline, &tasks) {
        goals(outline, at, plan);
        for check in checks(outline, title, at) {
            if known.insert(check.command.clone()) {
                let id = format!("plan:{}", plan.gates.len() + 1);
                plan.gates.push(Criterion { id, category: "validation".to_owned(), ..check });
            }
        }
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

/// The ranges that the tasks of the file cover; nested tasks share one range.
fn covered(outline: &Outline, plan: &Plan) -> Vec<Extent> {
    let tasks = plan.tasks.iter().filter(|task| task.span.path == outline.path);
    let mut tasks: Vec<Extent> = tasks.map(|task| boxes::extent(&task.span, outline.bytes.len())).collect();
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
    NAMES.contains(&bare)
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
        let Some(mark) = item.mark.filter(|_| check_of(outline, item, at.end).is_some()) else { continue };
        let own = outline.span(mark);
        plan.notes.iter_mut().filter(|note| note.span == own).for_each(|note| note.goal = true);
    }
}

/// The command of an item.
fn check_of(outline: &Outline, item: &Item, end: usize) -> Option<Criterion> {
    let first = item_text::first(outline, item, end);
    let text = item_text::joined(outline, first);
    let check = request_words::sentence(&text).unwrap_or_else(|| criterion::told(&text));
    let span = outline.span(first);
    check.command.is_some().then_some(Criterion { text, span, ..check })
}

/// The commands of a section that have no box, in order.
pub(crate) fn checks(outline: &Outline, title: &str, at: Extent) -> Vec<Criterion> {
    let mut found: Vec<Criterion> = Vec::new();
    for (at, mut check) in steps::checks(outline, title, at) {
        // A check of the whole plan runs after the last change, so "before the change only" does not apply.
        if check.skip.take().is_some() {
            check.runnable = true;
            results::settle(&mut check, &expected::read(outline, at), "");
        }
        let line = outline.lines_in(outline.trimmed(at)).next().map_or(at, |line| line.at);
        let text = outline.str(line).trim();
        let named = text.starts_with('#').then(|| check.command.clone()).flatten();
        let text = named.unwrap_or_else(|| text.to_owned());
        found.push(Criterion { text, span: outline.span(line), ..check });
    }
    let items = outline.items_in(at).iter().filter(|item| !item.quoted && item.mark.is_none());
    found.extend(items.filter_map(|item| check_of(outline, item, at.end)));
    found.extend(outline.tables_in(at).iter().flat_map(|table| tables::checks(outline, table)));
    found.extend(blocks(outline, at));
    found.sort_by_key(|check| check.span.start);
    let mut seen = HashSet::new();
    // `{{name}}` is a placeholder that is not filled in yet.
    let template = |command: &str| command.contains("{{");
    found.retain(|check| {
        check.command.as_ref().is_some_and(|command| !template(command) && seen.insert(command.clone()))
    });
    found
}

/// The shell blocks of a section, each with its stated result.
fn blocks(outline: &Outline, at: Extent) -> Vec<Criterion> {
    let fences = outline.fences_in(at).iter();
    let shell: Vec<_> = fences.filter_map(|fence| Some((fence, fenced::command(outline, fence)?))).collect();
    let ends: Vec<usize> = shell.iter().skip(1).map(|(next, _)| next.at.start).chain([at.end]).collect();
    let check = |((fence, script), end): (&(&Fence, String), usize)| {
        let (text, command) = (script.clone(), Some(script.clone()));
        let mut check = Criterion { text, command, runnable: true, ..Criterion::default() };
        results::settle(&mut check, &results::below(outline, Extent { start: fence.at.end, end }), "");
        Criterion { span: outline.span(fence.at), ..check }
    };
    shell.iter().zip(ends).map(check).collect()
}
