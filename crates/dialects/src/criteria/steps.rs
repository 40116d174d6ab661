//! Boxed steps below a task heading as criteria: `Run:` and `Expected:` lines give the command and its result.

use crate::criteria::expected::{self, StatedResult};
use crate::lists::items;
use checks::commands::{self, Shape};
use checks::expectation::judge;
use checks::request_words::{self, Asked};
use checks::{criterion, fenced};
use markdown::{Extent, Fence, Item, Outline, marks};
use wire::Task;
use wire::plan::{Criterion, ExpectKind};

/// The criteria of a boxed item, one for each command; `at` reaches to the next item.
pub(crate) fn boxed(outline: &Outline, task: &mut Task, item: &Item, at: Extent) {
    let text = outline.shown(items::line_of(outline, item));
    let mark = item.mark.unwrap_or_default();
    let mut checks = checks(outline, &text, at).into_iter();
    let first = checks.next().map(|(_, check)| check).or_else(|| request_words::sentence(&text));
    let first = Criterion {
        category: "step".to_owned(),
        checked: marks::is_ticked(outline.str(mark)),
        span: outline.span(mark),
        boxed: true,
        text: text.clone(),
        ..first.unwrap_or_else(|| criterion::told(&text))
    };
    push(task, first);
    for (at, check) in checks {
        unboxed_one(outline, task, &text, at, check);
    }
}

/// The checks of a step without a box: each command in `at` with its expected result, named after the step.
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

/// The commands that a range asks for, each with the range of the command and its stated result.
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

/// Commands requested together.
struct Group {
    start: usize,
    /// Where the label's line or the block ends.
    end: usize,
    checks: Vec<Criterion>,
    /// The result stated on their own line.
    said: Vec<StatedResult>,
}

fn group(start: usize, end: usize, checks: Vec<Criterion>) -> Group {
    Group { start, end, checks, said: Vec::new() }
}

fn of_command(command: String) -> Criterion {
    Criterion { command: Some(command), ..Criterion::default() }
}

/// The groups of a range: after labels, in sentences, and in shell blocks before `Expected:`.
fn groups(outline: &Outline, at: Extent) -> Vec<Group> {
    let lines: Vec<Extent> =
        outline.lines_in(at).filter(|line| line.veil.is_none()).map(|line| line.at).collect();
    let (mut groups, mut end) = (Vec::new(), at.end);
    for line in lines.into_iter().rev() {
        groups.extend(asked_in(outline, line, end));
        if matches!(request_words::label(outline.str(line)), Some((Asked::Run, _))) {
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

/// The commands that a line asks for; a block or list after its label ends before `end`.
fn asked_in(outline: &Outline, line: Extent, end: usize) -> Option<Group> {
    let text = outline.str(line);
    let below = Extent { start: line.end, end };
    let Some((asked, rest)) = request_words::label(text).filter(|(asked, _)| *asked != Asked::Expected)
    else {
        // Within a list or paragraph a sentence describes what happens; alone on its line it is a request.
        let told = request_words::sentence(text.trim())?;
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
        // Skip an item with a label of its own: that label asks for it.
        let told = items
            .iter()
            .filter(|item| request_words::label(item).is_none())
            .map(|item| request_words::sentence(item).unwrap_or_else(|| criterion::told(item)));
        let told: Vec<Criterion> = told.filter(|told| told.command.is_some()).collect();
        return (!told.is_empty()).then(|| group(line.start, line.end, told));
    }
    let fence = match asked {
        Asked::Run => outline.fences_in(below).first()?,
        _ => expected::fence(outline, below)?,
    };
    let run = if asked == Asked::Run {
        Some(fenced::script(outline, fence)).filter(|run| !run.is_empty())
    } else {
        fenced::command(outline, fence)
    };
    Some(group(line.start, fence.at.end, vec![of_command(run?)]))
}

/// The command after a label, and the result stated in the rest of its line.
fn behind(asked: Asked, rest: &str) -> Option<(Criterion, Option<StatedResult>)> {
    let Some((command, after)) = request_words::commands(rest) else {
        let bare = commands::bare(rest).filter(|_| asked == Asked::Run)?;
        return Some((of_command(bare), None));
    };
    if asked == Asked::Run {
        let said = request_words::result_of(after).or_else(|| {
            let after = after.trim_matches([' ', ',', '.', '-', '—', '–']);
            let expect = judge(&command, after);
            // Success is expected anyway.
            let passes = expect.kind == ExpectKind::Exit && expect.number == Some(0);
            let says = expect.kind != ExpectKind::Unclear && !passes && !after.starts_with('(');
            says.then_some(after)
        });
        let said = said.filter(|said| !said.is_empty()).map(|said| StatedResult::Words(said.to_owned()));
        return Some((of_command(command), said));
    }
    let told = criterion::told(&format!("`{command}`{after}"));
    (commands::shape(&command) == Shape::Command && told.command.is_some()).then_some((told, None))
}

/// A shell block before `Expected:`, with no other command between.
fn shell(outline: &Outline, fence: &Fence, at: Extent) -> Option<Group> {
    let above = outline.str(Extent { start: at.start, end: fence.at.start }).trim_end();
    let above = above.rsplit(['\n', '\r']).next().unwrap_or_default();
    if matches!(request_words::label(above), Some((Asked::Expected, ""))) {
        return None;
    }
    let next = outline.fences_in(Extent { start: fence.at.end, end: at.end }).first();
    let below = Extent { start: fence.at.end, end: next.map_or(at.end, |next| next.at.start) };
    let says = outline.lines_in(below).find_map(|line| match request_words::label(outline.str(line.at))? {
        (Asked::Expected, _) => Some(true),
        (Asked::Run, _) => Some(false),
        (Asked::Check, _) => None,
    });
    let command = fenced::command(outline, fence).filter(|_| says == Some(true))?;
    Some(group(fence.at.start, fence.at.end, vec![of_command(command)]))
}
