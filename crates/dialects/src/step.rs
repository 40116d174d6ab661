//! A boxed step below a task heading as a criterion: its `Run:` and `Expected:` lines are a command and what it gives.

use crate::command::{self, Shape};
use crate::judge::judge;
use crate::outline::Line;
use crate::{Extent, Item, Outline, block, code, expect, list, mark};
use wire::Task;
use wire::plan::{Criterion, ExpectKind};

/// The criteria of a boxed item, one for each command that it has; `at` reaches to the next item.
pub(crate) fn boxed(outline: &Outline, task: &mut Task, item: &Item, at: Extent) {
    let second = runs(outline, at).get(1).copied().unwrap_or(at.end);
    let first = criterion(outline, task, item, Extent { start: at.start, end: second });
    let called = first.text.clone();
    task.criteria.push(first);
    unboxed(outline, task, &called, Extent { start: second, end: at.end });
}

/// The criterion of the box itself.
fn criterion(outline: &Outline, task: &Task, item: &Item, at: Extent) -> Criterion {
    let line = list::line_of(outline, item);
    let text = outline.shown(line);
    let mark = item.mark.unwrap_or_default();
    let mut criterion = Criterion {
        id: format!("{}:{}", task.id, task.criteria.len() + 1),
        category: "step".to_owned(),
        checked: mark::is_ticked(outline.str(mark)),
        span: outline.span(mark),
        boxed: true,
        ..Criterion::default()
    };
    if let Some(run) = run(outline, at).or_else(|| shell(outline, at)) {
        expect_of(&mut criterion, run, &expected(outline, at));
    } else if let Some(run) = told(&text) {
        criterion.command = Some(run.to_owned());
        criterion.runnable = true;
    } else {
        let (command, expect, runnable, skip) = expect::split(&text);
        (criterion.command, criterion.expect) = (command, expect);
        (criterion.runnable, criterion.skip) = (runnable, skip);
    }
    criterion.text = text;
    criterion
}

/// The checks of a step without a box: each `Run:` line in `at` with what is expected of it, called as the step is.
pub(crate) fn unboxed(outline: &Outline, task: &mut Task, called: &str, at: Extent) {
    let starts = runs(outline, at);
    let ends = starts.iter().skip(1).copied().chain([at.end]);
    for (start, end) in starts.iter().copied().zip(ends) {
        let part = Extent { start, end };
        let Some(run) = run(outline, part) else { continue };
        let mut criterion = Criterion {
            id: format!("{}:{}", task.id, task.criteria.len() + 1),
            category: "step".to_owned(),
            text: called.to_owned(),
            span: outline.span(outline.trimmed(part)),
            ..Criterion::default()
        };
        expect_of(&mut criterion, run, &expected(outline, part));
        task.criteria.push(criterion);
    }
}

/// Where the lines begin that say `Run:`.
fn runs(outline: &Outline, at: Extent) -> Vec<usize> {
    let lines =
        outline.lines_in(at).filter(|line| line.veil.is_none() && after_run(outline.str(line.at)).is_some());
    lines.map(|line| line.at.start).collect()
}

/// What a command that is run must give.
fn expect_of(criterion: &mut Criterion, run: String, expected: &str) {
    let lower = expected.to_lowercase();
    if lower.starts_with("fail") || lower.starts_with("all fail") {
        // What fails before the change passes after it, so that nobody may judge by it later.
        criterion.skip = Some(format!("expected before the change only: {expected}"));
    } else if expected.is_empty() {
        criterion.runnable = true;
    } else {
        let expect = judge(&run, expected);
        criterion.runnable = expect.kind != ExpectKind::Unclear;
        criterion.expect = Some(expect);
    }
    criterion.command = Some(run);
}

/// The command of a `Run:` line, or of the code block behind it.
fn run(outline: &Outline, at: Extent) -> Option<String> {
    let lines = outline.lines_in(at).filter(|line| line.veil.is_none());
    let (line, rest) = lines.into_iter().find_map(|line| Some((line, after_run(outline.str(line.at))?)))?;
    if rest.is_empty() {
        let fences = outline.fences_in(Extent { start: line.at.end, end: at.end });
        let command = block::script(outline, fences.first()?);
        return (!command.is_empty()).then_some(command);
    }
    let first = code::spans(rest).into_iter().next()?;
    let command = rest.get(first.inner.start..first.inner.end)?.trim();
    (!command.is_empty()).then(|| command.to_owned())
}

/// The one block of shell lines before `Expected:`.
fn shell(outline: &Outline, at: Extent) -> Option<String> {
    let says = |line: &Line| line.veil.is_none() && after_expected(outline.str(line.at)).is_some();
    let expected = outline.lines_in(at).find(says)?;
    let [only] = outline.fences_in(Extent { start: at.start, end: expected.at.start }) else { return None };
    block::command(outline, only)
}

/// What stands behind `Run:` in a line.
fn after_run(line: &str) -> Option<&str> {
    let text = line.trim_start().trim_start_matches('*');
    Some(text.strip_prefix("Run:")?.trim_start_matches('*').trim())
}

fn expected(outline: &Outline, at: Extent) -> String {
    let mut lines = outline.lines_in(at).filter(|line| line.veil.is_none());
    let found = lines.find_map(|line| after_expected(outline.str(line.at)).map(str::to_owned));
    found.unwrap_or_default()
}

fn after_expected(line: &str) -> Option<&str> {
    let text = line.trim_start().trim_start_matches('*');
    Some(text.strip_prefix("Expected:")?.trim_start_matches('*').trim())
}

/// The command in code behind the word `run`, where nothing follows but that it must pass.
fn told(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("run ").or_else(|| text.strip_prefix("Run "))?;
    let first = code::spans(rest).into_iter().next().filter(|code| code.at.start == 0)?;
    let command = rest.get(first.inner.start..first.inner.end)?.trim();
    let after = rest.get(first.at.end..)?.to_lowercase();
    let after = after.trim_start_matches([' ', '-', '—', '–', ':', ',']);
    let passes =
        after.is_empty() || after.starts_with("must pass") || after.starts_with("all tests must pass");
    (passes && command::shape(command) == Shape::Command).then_some(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_told_command_must_pass() {
        assert_eq!(told("run `go test ./...` - must pass before task 2"), Some("go test ./..."));
        assert_eq!(told("Run `make test` — must pass"), Some("make test"));
        assert_eq!(told("run `go get x` to see"), None);
        assert_eq!(told("run tests"), None);
    }
}
