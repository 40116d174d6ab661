//! The commits that tasks state themselves: a line `Commit: message`, or a step that does nothing but commit.
//!
//! Such a step is ours: its message is used, its box is ticked with the task, and no worker gets to see it. A step that
//! does anything else besides stays a step of the work.

use crate::Plan;
use crate::lists::chapters::step_name;
use crate::states::boxes;
use crate::states::decoration::is_commit;
use checks::commands::commits;
use markdown::outline::Veil;
use markdown::{Extent, Fence, Outline, code_spans, marks};
use memchr::{memchr, memmem, memrchr};
use wire::Task;
use wire::plan::{COMMIT, CommitRule};

/// Sets the commits that the tasks state.
pub(crate) fn read(outline: &Outline, plan: &mut Plan) {
    let mut parts: Option<Vec<(Extent, usize)>> = None;
    for at in memmem::find_iter(outline.bytes, b"ommit") {
        let line = line_at(outline.bytes, at);
        let fence = fence_at(outline, at);
        let text = outline.str(line);
        let stated = if fence.is_some() { None } else { message(text) };
        let is_step = fence.map_or_else(
            || is_named_commit(text),
            |fence| commits::message(outline.str(fence.content)).is_some(),
        );
        let is_hidden =
            || fence.is_none() && outline.veil(line.start).is_some_and(|veil| veil != Veil::Fence);
        if stated.is_none() && !is_step || is_hidden() {
            continue;
        }
        let parts = parts.get_or_insert_with(|| parts_of(outline, plan));
        let Some(task) = innermost(parts, at).and_then(|index| plan.tasks.get_mut(index)) else { continue };
        if let Some(message) = stated {
            state(task, message);
        } else if let Some(step) = Step::around(outline, task, at) {
            step.take(outline, task);
        }
    }
}

fn state(task: &mut Task, message: String) {
    let rule = task.commit.get_or_insert_with(|| Box::new(CommitRule { own: true, ..CommitRule::default() }));
    if rule.message.is_empty() {
        rule.message = message;
    }
}

/// The sections of the tasks in this file, by their beginning.
fn parts_of(outline: &Outline, plan: &Plan) -> Vec<(Extent, usize)> {
    let own = plan.tasks.iter().enumerate().filter(|(_, task)| task.span.path == outline.path);
    let mut parts: Vec<_> =
        own.map(|(index, task)| (boxes::extent(&task.span, outline.bytes.len()), index)).collect();
    parts.sort_unstable_by_key(|(at, _)| at.start);
    parts
}

/// The task whose section is the last to begin before a place and goes on behind it.
fn innermost(parts: &[(Extent, usize)], at: usize) -> Option<usize> {
    let before = parts.partition_point(|(part, _)| part.start <= at);
    let mut before = parts.get(..before)?.iter().rev();
    before.find(|(part, _)| at < part.end).map(|(_, index)| *index)
}

fn line_at(bytes: &[u8], at: usize) -> Extent {
    let start = memrchr(b'\n', bytes.get(..at).unwrap_or_default()).map_or(0, |end| end + 1);
    let rest = bytes.get(at..).unwrap_or_default();
    Extent { start, end: at + memchr(b'\n', rest).unwrap_or(rest.len()) }
}

fn fence_at<'o>(outline: &'o Outline, at: usize) -> Option<&'o Fence> {
    let next = outline.fences.partition_point(|fence| fence.at.start <= at);
    outline.fences.get(next.checked_sub(1)?).filter(|fence| at < fence.at.end)
}

/// The message of a line such as `Commit: feat: a` or ``- **Commit**: `feat: a` ``.
fn message(line: &str) -> Option<String> {
    let text = line.trim();
    let text = marks::after_bullet(text).unwrap_or(text).trim_start_matches(['*', '_', ' ']);
    let (name, value) = text.split_once(':')?;
    let name = name.trim_matches(['*', '_', ' ']).to_ascii_lowercase();
    if !matches!(name.as_str(), "commit" | "commit message") {
        return None;
    }
    let value = value.trim_start_matches(['*', '_', ' ']).trim();
    let code = code_spans::spans(value).into_iter().next().filter(|code| code.at.start == 0);
    let value = code.and_then(|code| value.get(code.inner.start..code.inner.end)).unwrap_or(value).trim();
    let first = value.split([' ', ',', '(']).next().unwrap_or_default().to_ascii_lowercase();
    if matches!(first.as_str(), "" | "yes" | "no") || is_commit(value) {
        return None;
    }
    if value.starts_with("git ") {
        commits::message(value).filter(|message| !message.is_empty())
    } else {
        Some(value.to_owned())
    }
}

/// Whether a step is called `Commit` and nothing else.
fn is_named_commit(line: &str) -> bool {
    let text = marks::after_bullet(line.trim()).unwrap_or(line.trim());
    let text = text.split_once(']').filter(|_| text.starts_with('[')).map_or(text, |(_, rest)| rest).trim();
    let named = step_name(text).unwrap_or(text).trim_matches(['*', '_', '.', ' ']);
    named.eq_ignore_ascii_case("commit")
}

/// A step of a task.
struct Step {
    at: Extent,
    /// Its criteria.
    criteria: Vec<usize>,
}

impl Step {
    /// The step around a place, if it does nothing but commit.
    fn around(outline: &Outline, task: &Task, at: usize) -> Option<Self> {
        let section = boxes::extent(&task.span, outline.bytes.len());
        let begins = begins(outline, task, section);
        let next = begins.partition_point(|start| *start <= at);
        let start = *begins.get(next.checked_sub(1)?)?;
        let head = line_at(outline.bytes, start);
        let rest = Extent { start: head.end, end: begins.get(next).copied().unwrap_or(section.end) };
        let heading = outline.headings_in(rest).iter().find(|heading| heading.atx && !heading.inner);
        let step =
            outline.trimmed(Extent { start, end: heading.map_or(rest.end, |heading| heading.at.start) });
        let fences = outline.fences_in(step);
        let only_commits = fences.iter().all(|fence| commits::message(outline.str(fence.content)).is_some())
            && (!fences.is_empty() || is_named_commit(outline.str(head)));
        let within = |at: u64| usize::try_from(at).is_ok_and(|at| step.start <= at && at < step.end);
        let own = task
            .criteria
            .iter()
            .enumerate()
            .filter(|(_, one)| within(one.span.start) && one.span.path == outline.path);
        let criteria: Vec<usize> = own.map(|(index, _)| index).collect();
        let asks =
            criteria.iter().filter_map(|index| task.criteria.get(*index)).any(|one| one.command.is_some());
        (only_commits && !asks).then_some(Self { at: step, criteria })
    }

    /// Makes the step the task's commit.
    fn take(self, outline: &Outline, task: &mut Task) {
        let said = outline
            .fences_in(self.at)
            .iter()
            .filter_map(|fence| commits::message(outline.str(fence.content)));
        let said = said.filter(|message| !message.is_empty()).collect::<Vec<_>>().join("\n\n");
        state(task, said);
        let span = outline.span(self.at);
        if let Some(rule) = task.commit.as_mut().filter(|rule| !rule.steps.contains(&span)) {
            rule.steps.push(span);
        }
        let head = line_at(outline.bytes, self.at.start);
        let mut names: Vec<String> = step_name(outline.str(head)).map(str::to_owned).into_iter().collect();
        for index in self.criteria {
            let Some(criterion) = task.criteria.get_mut(index) else { continue };
            COMMIT.clone_into(&mut criterion.category);
            criterion.skip = Some("the commit is made after the tick".to_owned());
            names.push(criterion.text.clone());
        }
        task.steps.retain(|step| !names.contains(step));
    }
}

/// Where the steps of a task begin: its boxed steps, or lines such as `**Step 1: Dig**`.
fn begins(outline: &Outline, task: &Task, section: Extent) -> Vec<usize> {
    let boxed =
        task.criteria.iter().filter(|one| one.boxed && matches!(one.category.as_str(), "step" | COMMIT));
    let boxed = boxed.filter(|one| one.span.path == outline.path);
    let mut begins: Vec<usize> = boxed
        .filter_map(|one| usize::try_from(one.span.start).ok())
        .map(|at| line_at(outline.bytes, at).start)
        .collect();
    if begins.is_empty() {
        let lines = outline.lines_in(section).filter(|line| line.veil.is_none());
        begins
            .extend(lines.filter(|line| step_name(outline.str(line.at)).is_some()).map(|line| line.at.start));
    }
    begins.sort_unstable();
    begins.dedup();
    begins
}
