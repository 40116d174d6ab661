//! Unclear checks hold their task's box until the plan is rewritten or a person takes them on.
//!
//! A person's decision to judge them is an override with the key [`NOTE`] and a reason. It counts for the task in its
//! present form; an edit of the task asks again.

use wire::Task;
use wire::plan::Criterion;
use wire::punch::{Punch, Type};

/// The key of a person's decision to judge the unclear checks of a task.
pub const NOTE: &str = "unclear-note";

/// The code word of a task that waits for its unclear checks.
pub const CODE: &str = "unclear-check";

/// The unclear checks of a task that no person has taken on.
pub fn open<'t>(records: &[Punch], plan: &str, task: &'t Task) -> Vec<&'t Criterion> {
    let held: Vec<&Criterion> = task.criteria.iter().filter(|check| check.holds().is_some()).collect();
    if held.is_empty() || noted(records, plan, task).is_some() { Vec::new() } else { held }
}

/// The reason of the person who judges the unclear checks of a task.
pub fn noted<'r>(records: &'r [Punch], plan: &str, task: &Task) -> Option<&'r str> {
    let about = |p: &&Punch| {
        p.kind == Type::Override
            && p.key == NOTE
            && p.plan == plan
            && p.task.as_ref() == Some(&task.id)
            && p.fingerprint.as_ref() == Some(&task.fingerprint)
    };
    records.iter().rev().find(about).map(|p| p.data["reason"].as_str().unwrap_or_default())
}

/// Whether a person decided a check of the whole plan, or put it off. Such a check is known by its text: its name is its
/// place, which an edit moves.
pub fn is_settled(records: &[Punch], plan: &str, check: &Criterion) -> bool {
    let about = |p: &Punch| p.plan == plan && p.task.is_none() && p.kind == Type::Override;
    let key = |p: &Punch| matches!(p.key.as_str(), CRITERION | "defer");
    records.iter().any(|p| about(p) && key(p) && p.data["text"] == check.text)
}

/// The key of a person's word that a check holds.
pub const CRITERION: &str = "criterion";

/// An unclear check in words: its line, what is not understood, and the form that would be.
pub fn words(check: &Criterion) -> String {
    let Some(unclear) = check.unclear.as_deref() else { return check.text.clone() };
    let rewrite = unclear.rewrite.as_deref().map(|rewrite| format!("; write: {rewrite}")).unwrap_or_default();
    format!("line {}: {}{rewrite}", unclear.span.line, unclear.message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::plan::Unclear;

    #[test]
    fn a_passing_check_beside_an_unclear_one_ticks_nothing() {
        let passing = Criterion { id: "1:1".to_owned(), runnable: true, ..Criterion::default() };
        let unclear = Some(Box::new(Unclear { message: "not understood".to_owned(), ..Unclear::default() }));
        let held = Criterion { id: "1:2".to_owned(), unclear, ..Criterion::default() };
        let ticked = Criterion { checked: true, ..held.clone() };
        let left_out = Criterion { skip: Some("later".to_owned()), ..held.clone() };
        let of = |criteria: Vec<Criterion>| Task { criteria, ..Task::default() };
        assert_eq!(open(&[], "P.md", &of(vec![passing.clone(), held])).len(), 1);
        assert!(open(&[], "P.md", &of(vec![passing, ticked, left_out])).is_empty());
    }
}
