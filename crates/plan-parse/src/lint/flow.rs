//! Rules about the order that the text implies: arrows of the task flow, and phrases in a section.

use super::{Finding, LintContext};
use markdown::{Extent, Outline};

/// Arrows of the task flow that contradict the dependencies.
pub(crate) fn arrows(ground: &LintContext) -> Vec<Finding> {
    let mut found = Vec::new();
    for outline in &ground.outlines {
        let headings: Vec<_> = outline.headings.iter().filter(|heading| !heading.inner).collect();
        for (number, heading) in headings.iter().enumerate() {
            if !outline.str(heading.at).to_lowercase().contains("task flow") {
                continue;
            }
            let next = headings.get(number + 1).map_or(outline.bytes.len(), |next| next.at.start);
            for line in outline.lines_in(Extent { start: heading.at.end, end: next }) {
                found.extend(against(ground, outline, line.at));
            }
        }
    }
    found
}

/// Sections that call a task independent of one that it waits for.
pub(crate) fn prose(ground: &LintContext) -> Vec<Finding> {
    let mut found = Vec::new();
    for (index, task) in ground.plan.tasks.iter().enumerate() {
        let Some(body) = ground.body(task) else { continue };
        for words in ["parallel with", "independent of", "independently of"] {
            for (at, _) in body.text.match_indices(words) {
                let rest = body.text.get(at + words.len()..).unwrap_or_default();
                let line = rest.lines().next().unwrap_or_default();
                let other =
                    named(ground, line).next().filter(|other| ground.waits(index, *other) == Some(true));
                if let Some(other) = other.and_then(|other| ground.plan.tasks.get(other)) {
                    let message =
                        format!("'{words}' task '{}', for which task '{}' waits", other.id, task.id);
                    found.push(body.finding(task, at, message));
                }
            }
        }
    }
    found
}

fn against(ground: &LintContext, outline: &Outline, line: Extent) -> Option<Finding> {
    let text = outline.str(line).replace("──>", "→").replace("-->", "→").replace("->", "→").replace('▶', "→");
    let sides: Vec<Vec<usize>> =
        text.split('→').map(|side| named(ground, side).take(MANY).collect()).collect();
    for pair in sides.windows(2) {
        let [before, after] = pair else { continue };
        for &one in before {
            let wrong = after.iter().find(|other| ground.waits(one, **other) == Some(true));
            let tasks = &ground.plan.tasks;
            if let (Some(task), Some(other)) = (tasks.get(one), wrong.and_then(|other| tasks.get(*other))) {
                let message =
                    format!("the flow has task '{}' before task '{}', for which it waits", task.id, other.id);
                return Some(Finding::within(outline, line.start, message));
            }
        }
    }
    None
}

/// The maximum number of tasks considered on one side.
const MANY: usize = 100;

/// The tasks that a text names with `TODO` or `Task`, in order.
fn named<'g>(ground: &'g LintContext, text: &'g str) -> impl Iterator<Item = usize> + 'g {
    let mut words =
        text.split(|c: char| c.is_whitespace() || matches!(c, '[' | ']' | '(' | ')' | ',' | '`' | ':' | '*'));
    let mut after = false;
    std::iter::from_fn(move || {
        loop {
            let word = words.next()?;
            let tail =
                ["TODO", "todo", "Todo", "Task", "task"].iter().find_map(|name| word.strip_prefix(name));
            let id = match tail {
                Some("") => {
                    after = true;
                    continue;
                }
                Some(tail) => tail.trim_start_matches(['-', '#']),
                None if after => word,
                None => continue,
            };
            if word.is_empty() {
                continue;
            }
            // `TODO 2, 3`: numbers continue until another word comes.
            let known = ground.task(id.trim_end_matches('.'));
            after = known.is_some();
            if known.is_some() {
                return known;
            }
        }
    })
}
