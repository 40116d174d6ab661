//! Rules about the content of thoughts: enough of them, and about this task.

use super::{Against, Found, Subject};
use crate::Thought;
use crate::thought::numbering::Odd;
use crate::thought::stage::Stage;
use std::collections::HashSet;
use wire::chain::Link;

/// The tag of thoughts made from a worker's report, which are not reasoning before the work.
pub const FROM_RESULT: &str = "from-result";

/// A Conclusion was reached and no thought follows it.
pub(super) fn conclusion(subject: &Subject<'_>) -> Found {
    let count = subject.thoughts().iter().filter(|thought| thought.is(Stage::Conclusion)).count();
    let last = subject.thoughts().last();
    match last {
        _ if count == 0 => Found::new(false, "not reached"),
        Some(last) if !last.is(Stage::Conclusion) => {
            Found::new(false, format!("left again: the last thought is of stage '{}'", last.stage.str()))
        }
        _ => Found::new(true, "reached"),
    }
}

/// Enough Problem Definition thoughts.
pub(super) fn problem_definitions(subject: &Subject<'_>) -> Found {
    Found::least(of_stage(subject, Stage::ProblemDefinition), subject.ask.least.problem_definitions)
}

/// Enough Analysis thoughts.
pub(super) fn analyses(subject: &Subject<'_>) -> Found {
    Found::least(of_stage(subject, Stage::Analysis), subject.ask.least.analyses)
}

/// Enough interpretations of the task.
pub(super) fn interpretations(subject: &Subject<'_>) -> Found {
    let count = lines(subject.thoughts(), Stage::ProblemDefinition, "interpretation");
    Found::least(count, subject.ask.least.interpretations)
}

/// Enough approaches.
pub(super) fn approaches(subject: &Subject<'_>) -> Found {
    let count = lines(subject.thoughts(), Stage::Analysis, "approach");
    Found::least(count, subject.ask.least.approaches)
}

fn of_stage(subject: &Subject<'_>, stage: Stage) -> u64 {
    subject.thoughts().iter().filter(|thought| thought.is(stage)).count() as u64
}

/// The number of lines of thinking in a stage: each branch, each tagged thought outside of branches, and the thought
/// that a branch of the stage starts from. A revision is not another line.
fn lines(thoughts: &[Thought<'_>], stage: Stage, tag: &str) -> u64 {
    let of_stage = || thoughts.iter().filter(|thought| thought.is(stage) && !thought.is_revision);
    let branches: HashSet<&str> =
        of_stage().filter_map(|thought| Some(thought.branch_id.as_ref()?.str())).collect();
    let origins: HashSet<u64> = of_stage().filter_map(|thought| thought.branch_from_thought).collect();
    let own = of_stage().filter(|thought| thought.branch_id.is_none()).filter(|thought| {
        thought.is_tagged_like(tag) || thought.is_main() && origins.contains(&thought.thought_number)
    });
    (branches.len() + own.count()) as u64
}

/// No thoughts of another task.
pub(super) fn own_task(subject: &Subject<'_>) -> Found {
    let mut wrong = Vec::new();
    if subject.ask.against == Against::Prep {
        wrong.extend(
            subject
                .odd
                .iter()
                .filter(|(_, odd)| *odd == Odd::Restart)
                .map(|(place, _)| format!("another sequence begins at the thought in place {place}")),
        );
    }
    let Some(task) = subject.ask.task.as_deref() else {
        return Found::none(wrong, "one sequence; the task is not known");
    };
    if let Some(link) =
        subject.file.typed::<Link>("chain").filter(|link| wire::ids::key_of(&link.task) != task)
    {
        wrong.push(format!("it is a link of '{}'", link.task));
    }
    for thought in subject.thoughts() {
        let foreign = thought.tags.iter().find(|tag| is_foreign(tag.str(), task, &subject.ask.others));
        wrong.extend(
            foreign.map(|tag| format!("thought {} is tagged '{}'", thought.thought_number, tag.str())),
        );
    }
    Found::none(wrong, &format!("nothing but '{task}'"))
}

/// Whether a tag is the id of another task: that of another session in the folder, or one of the same family
/// (`core-82w` beside `core-ywk.3`). A part of the task, or a task that it is part of, is not another task.
fn is_foreign(tag: &str, task: &str, others: &[String]) -> bool {
    let part = |whole: &str, part: &str| {
        part.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    if part(task, tag) || part(tag, task) {
        return false;
    }
    if others.iter().any(|other| other == tag) {
        return true;
    }
    let Some((family, _)) = task.rsplit_once('-') else { return false };
    let Some(code) = tag.strip_prefix(family).and_then(|rest| rest.strip_prefix('-')) else { return false };
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'.';
    code.bytes().all(plain) && code.bytes().any(|b| b.is_ascii_digit())
}

/// An Analysis and a Conclusion of this subtask, by any author.
pub(super) fn reasoning(subject: &Subject<'_>) -> Found {
    let number = subject.ask.reasoning.unwrap_or_default();
    let missing = missing_reasoning(subject.thoughts(), number);
    match missing.as_slice() {
        [] => Found::new(true, format!("Analysis and Conclusion tagged 'subtask-{number}'")),
        missing => Found::new(false, format!("no {} tagged 'subtask-{number}'", missing.join(" and no "))),
    }
}

/// The missing stages of a subtask's own reasoning.
pub(crate) fn missing_reasoning(thoughts: &[Thought<'_>], number: u32) -> Vec<&'static str> {
    let tag = format!("subtask-{number}");
    let there = |stage: Stage| {
        thoughts
            .iter()
            .any(|thought| thought.is(stage) && thought.is_tagged(&tag) && !thought.is_tagged(FROM_RESULT))
    };
    let wanted = [Stage::Analysis, Stage::Conclusion];
    wanted.into_iter().filter(|stage| !there(*stage)).map(Stage::name).collect()
}

#[cfg(test)]
mod tests {
    use super::is_foreign;

    #[test]
    fn a_tag_is_foreign_when_it_names_another_task() {
        let others = ["other".to_owned()];
        for tag in ["core-ywk.3", "core-76q", "other"] {
            assert!(is_foreign(tag, "core-82w", &others), "{tag}");
        }
        for tag in ["core-82w", "core-82w.1", "core", "core-design", "approach-3", "prep"] {
            assert!(!is_foreign(tag, "core-82w", &others), "{tag}");
        }
        assert!(!is_foreign("core-82w", "core-82w.1", &others));
        assert!(!is_foreign("core-82w", "x", &[]));
    }
}
