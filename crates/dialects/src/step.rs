//! A boxed step below a task heading as a criterion: its `Run:` and `Expected:` lines are a command and what it gives.

use crate::asked::{self, Asked};
use crate::command::{self, Shape};
use crate::expected::{self, Said};
use crate::judge::judge;
use crate::{Extent, Fence, Item, Outline, block, expect, gsd, list, mark};
use wire::Task;
use wire::plan::{Criterion, ExpectKind};

/// The criteria of a boxed item, one for each command that it has; `at` reaches to the next item.
pub(crate) fn boxed(outline: &Outline, task: &mut Task, item: &Item, at: Extent) {
    let text = outline.shown(list::line_of(outline, item));
    let mark = item.mark.unwrap_or_default();
    let mut checks = checks(outline, &text, at).into_iter();
    let first = checks.next().map(|(_, check)| check).or_else(|| asked::sentence(&text));
    let first = Criterion {
        category: "step".to_owned(),
        checked: mark::is_ticked(outline.str(mark)),
        span: outline.span(mark),
        boxed: true,
        text: text.clone(),
        ..first.unwrap_or_else(|| expect::told(&text))
    };
    push(task, first);
    for (at, check) in checks {
        unboxed_one(outline, task, &text, at, check);
    }
}

/// The checks of a step without a box: each command in `at` with what is expected of it, called as the step is.
pub(crate) fn unboxed(outline: &Outline, task: &mut Task, called: &str, at: Extent) {
    for (at, check) in checks(outline, called, at) {
        unboxed_one(outline, task, called, at, check);
    }
}

fn unboxed_one(outline: &Outline, task: &mut Task, called: &str, at: Extent, check: Criterion) {
    let span = outline.span(outline.trimmed(at));
    push(task, Criterion { category: "step".to_owned(), text: called.to_owned(), span, ..check });
}

fn push(task: &mut Task, criterion: Criterion) {
    let id = format!("{}:{}", task.id, task.criteria.len() + 1);
    task.criteria.push(Criterion { id, ..criterion });
}

/// The commands that a range asks for, each with the range that it and what is said of it take up.
pub(crate) fn checks(outline: &Outline, called: &str, at: Extent) -> Vec<(Extent, Criterion)> {
    let groups = groups(outline, at);
    let ends: Vec<usize> = groups.iter().skip(1).map(|group| group.start).chain([at.end]).collect();
    let mut all = Vec::new();
    for (group, end) in groups.into_iter().zip(ends) {
        let mut said = group.said;
        said.extend(expected::read(outline, Extent { start: group.end, end }));
        for check in group.checks {
            let mut check = check;
            if check.expect.is_none() && check.skip.is_none() {
                let run = check.command.take().unwrap_or_default();
                expected::apply(&mut check, run, &said, called);
            }
            all.push((Extent { start: group.start, end }, check));
        }
    }
    all
}

/// Commands that are asked for together.
struct Group {
    start: usize,
    /// Where the label's line or the block ends.
    end: usize,
    checks: Vec<Criterion>,
    /// What their own line says of the result.
    said: Vec<Said>,
}

fn group(start: usize, end: usize, checks: Vec<Criterion>) -> Group {
    Group { start, end, checks, said: Vec::new() }
}

fn of_command(command: String) -> Criterion {
    Criterion { command: Some(command), ..Criterion::default() }
}

/// The groups of a range: behind labels, in sentences, and in blocks of shell before `Expected:`.
fn groups(outline: &Outline, at: Extent) -> Vec<Group> {
    let lines: Vec<Extent> =
        outline.lines_in(at).filter(|line| line.veil.is_none()).map(|line| line.at).collect();
    let (mut groups, mut end) = (Vec::new(), at.end);
    for line in lines.into_iter().rev() {
        groups.extend(asked_in(outline, line, end));
        if matches!(asked::label(outline.str(line)), Some((Asked::Run, _))) {
            end = line.start;
        }
    }
    groups.reverse();
    let taken = |fence: &Fence| {
        let next = groups.partition_point(|group| group.start < fence.at.start);
        groups[..next].last().is_some_and(|group| fence.at.start < group.end)
    };
    let fences = outline.fences_in(at).iter().filter(|fence| !taken(fence));
    let shown: Vec<Group> = fences.filter_map(|fence| shell(outline, fence, at)).collect();
    groups.extend(shown);
    groups.sort_by_key(|group| group.start);
    groups
}

/// What a line asks for; a block or a list behind its label ends before `end`.
fn asked_in(outline: &Outline, line: Extent, end: usize) -> Option<Group> {
    let text = outline.str(line);
    let below = Extent { start: line.end, end };
    let Some((asked, rest)) = asked::label(text).filter(|(asked, _)| *asked != Asked::Expected) else {
        // A sentence in a list or in a paragraph tells what is done; alone on its line it asks.
        let told = asked::sentence(text.trim())?;
        return Some(group(line.start, line.end, vec![told]));
    };
    if !rest.is_empty() {
        return behind(asked, rest).map(|(check, said)| Group {
            said: said.into_iter().collect(),
            ..group(line.start, line.end, vec![check])
        });
    }
    let items = expected::items(outline, below);
    if !items.is_empty() {
        // An item with a label of its own is asked for by that.
        let told = items
            .iter()
            .filter(|item| asked::label(item).is_none())
            .map(|item| asked::sentence(item).unwrap_or_else(|| expect::told(item)));
        let told: Vec<Criterion> = told.filter(|told| told.command.is_some()).collect();
        return (!told.is_empty()).then(|| group(line.start, line.end, told));
    }
    let fence = match asked {
        Asked::Run => outline.fences_in(below).first()?,
        _ => expected::fence(outline, below)?,
    };
    let run = if asked == Asked::Run {
        Some(block::script(outline, fence)).filter(|run| !run.is_empty())
    } else {
        block::command(outline, fence)
    };
    Some(group(line.start, fence.at.end, vec![of_command(run?)]))
}

/// The command behind a label, and what the rest of its line says of the result.
fn behind(asked: Asked, rest: &str) -> Option<(Criterion, Option<Said>)> {
    let Some((command, after)) = asked::commands(rest) else {
        let bare = gsd::bare(rest).filter(|_| asked == Asked::Run)?;
        return Some((of_command(bare), None));
    };
    if asked == Asked::Run {
        let said = asked::result_of(after).or_else(|| {
            let after = after.trim_matches([' ', ',', '.', '-', '—', '–']);
            let expect = judge(&command, after);
            // That it succeeds is asked for anyhow.
            let passes = expect.kind == ExpectKind::Exit && expect.number == Some(0);
            let says = expect.kind != ExpectKind::Unclear && !passes && !after.starts_with('(');
            says.then_some(after)
        });
        let said = said.filter(|said| !said.is_empty()).map(|said| Said::Words(said.to_owned()));
        return Some((of_command(command), said));
    }
    let told = expect::told(&format!("`{command}`{after}"));
    (command::shape(&command) == Shape::Command && told.command.is_some()).then_some((told, None))
}

/// A block of shell lines before `Expected:`, with nothing else to run between.
fn shell(outline: &Outline, fence: &Fence, at: Extent) -> Option<Group> {
    let above = outline.str(Extent { start: at.start, end: fence.at.start }).trim_end();
    let above = above.rsplit(['\n', '\r']).next().unwrap_or_default();
    if matches!(asked::label(above), Some((Asked::Expected, ""))) {
        return None;
    }
    let next = outline.fences_in(Extent { start: fence.at.end, end: at.end }).first();
    let below = Extent { start: fence.at.end, end: next.map_or(at.end, |next| next.at.start) };
    let says = outline.lines_in(below).find_map(|line| match asked::label(outline.str(line.at))? {
        (Asked::Expected, _) => Some(true),
        (Asked::Run, _) => Some(false),
        (Asked::Check, _) => None,
    });
    let command = block::command(outline, fence).filter(|_| says == Some(true))?;
    Some(group(fence.at.start, fence.at.end, vec![of_command(command)]))
}
