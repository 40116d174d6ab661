//! Whether a side left the checks of the base at least as strong as they were.
//!
//! A check is kept if the side has its command with results that imply the old ones. What cannot be compared is not kept.

use crate::merge::pairs::{Pairs, name};
use crate::merge::side::Side;
use std::ops::Range;
use wire::plan::clause::Op;
use wire::plan::{Clause, Criterion};

/// A check of the base that a side did not keep.
#[derive(Debug, Clone)]
pub(crate) struct Weakened {
    /// The task in the base; `None` for a check of the whole plan.
    task_index: Option<usize>,
    /// The check as it was.
    was: String,
    /// What stands in its place: the same command with other results, if there is one.
    now: Option<String>,
    /// The pieces of the base that it is in.
    pub(crate) criterion: Range<usize>,
    /// The pieces of its task.
    pub(crate) task: Range<usize>,
}

impl Weakened {
    /// What happened, in words.
    pub(crate) fn words(&self, base: &Side) -> String {
        let whose = self.task_index.map_or("the plan".to_owned(), |at| name(&base.plan.tasks[at]));
        match &self.now {
            Some(now) => format!("changes a check of {whose}: {} becomes {now}", self.was),
            None => format!("removes or replaces a check of {whose}: {}", self.was),
        }
    }
}

/// The checks of the base that a side did not keep. A task that the side removed takes its checks with it.
pub(crate) fn weakened(base: &Side, side: &Side) -> Vec<Weakened> {
    let pairs = Pairs::of(&base.plan, &side.plan);
    let tasks = base.plan.tasks.iter().enumerate().filter_map(|(at, task)| {
        let now = &side.plan.tasks[pairs.to(at)?];
        Some((Some(at), &task.criteria, &now.criteria, base.pieces_of(&task.span)))
    });
    let whole = (None, &base.plan.gates, &side.plan.gates, 0..base.pieces.len());
    let mut out = Vec::new();
    for (task_index, before, after, task) in tasks.chain([whole]) {
        for was in before.iter().filter(|check| is_check(check)) {
            let same: Vec<&Criterion> = after.iter().filter(|now| now.command == was.command).collect();
            if same.iter().any(|now| is_check(now) && keeps(&was.clauses, &now.clauses)) {
                continue;
            }
            let shown = |check: &Criterion| {
                format!("`{}` → {}", check.command.as_deref().unwrap_or_default(), check.required())
            };
            out.push(Weakened {
                task_index,
                was: shown(was),
                now: same.first().map(|now| match &now.skip {
                    Some(_) => "one that is left out".to_owned(),
                    None if !now.runnable => "one that no program can judge".to_owned(),
                    None => shown(now),
                }),
                criterion: base.pieces_of(&was.span),
                task: task.clone(),
            });
        }
    }
    out
}

fn is_check(criterion: &Criterion) -> bool {
    criterion.runnable && criterion.skip.is_none()
}

/// Whether every result that was asked for still is.
fn keeps(was: &[Clause], now: &[Clause]) -> bool {
    let fails = |clause: &Clause| {
        matches!(clause, Clause::Fails) || matches!(clause, Clause::Exit { code } if *code != 0)
    };
    // Without a clause the exit status must be 0, and with others as well unless they name another.
    let status = |clauses: &[Clause]| clauses.iter().find(|clause| fails(clause)).cloned();
    status(was) == status(now)
        && was.iter().all(|old| is_success(old) || now.iter().any(|new| implies(new, old)))
}

fn is_success(clause: &Clause) -> bool {
    matches!(clause, Clause::Exit { code: 0 })
}

/// Whether what meets `new` meets `old`.
fn implies(new: &Clause, old: &Clause) -> bool {
    match (new, old) {
        (Clause::Tests { count, op, number }, Clause::Tests { count: of, op: was, number: than }) => {
            count == of && bounds(*op, *number, *was, *than)
        }
        (
            Clause::Findings { finding, op, number },
            Clause::Findings { finding: of, op: was, number: than },
        ) => finding == of && bounds(*op, *number, *was, *than),
        (Clause::Number { op, value }, Clause::Number { op: was, value: than }) => {
            let number = |text: &str| text.parse::<u64>().ok();
            new == old
                || number(value).zip(number(than)).is_some_and(|(now, then)| bounds(*op, now, *was, then))
        }
        (Clause::Within { milliseconds }, Clause::Within { milliseconds: most }) => milliseconds <= most,
        _ => new == old,
    }
}

/// Whether every number in the relation `new` to `now` is in the relation `old` to `then`.
fn bounds(new: Op, now: u64, old: Op, then: u64) -> bool {
    match (new, old) {
        (Op::Eq, _) => old.holds(now.cmp(&then)),
        (Op::Ge, Op::Ge) | (Op::Gt, Op::Gt | Op::Ge) => now >= then,
        (Op::Le, Op::Le) | (Op::Lt, Op::Lt | Op::Le) => now <= then,
        _ => new == old && now == then,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::plan::clause::Count;

    #[test]
    fn a_stricter_result_keeps_a_looser_one_and_not_the_other_way_round() {
        let passed = |op, number| Clause::Tests { count: Count::Passed, op, number };
        let line = |text: &str| Clause::Line { text: text.to_owned() };
        for (was, now, kept) in [
            (vec![], vec![], true),
            (vec![], vec![line("x")], true),
            (vec![], vec![Clause::Fails], false),
            (vec![Clause::Exit { code: 0 }], vec![], true),
            (vec![Clause::Exit { code: 2 }], vec![], false),
            (vec![line("x")], vec![], false),
            (vec![line("x")], vec![line("y")], false),
            (vec![line("x")], vec![line("y"), line("x")], true),
            (vec![passed(Op::Ge, 3)], vec![passed(Op::Ge, 4)], true),
            (vec![passed(Op::Ge, 3)], vec![passed(Op::Eq, 3)], true),
            (vec![passed(Op::Eq, 3)], vec![passed(Op::Ge, 3)], false),
            (vec![passed(Op::Ge, 3)], vec![passed(Op::Ge, 2)], false),
            (vec![Clause::Within { milliseconds: 9 }], vec![Clause::Within { milliseconds: 8 }], true),
        ] {
            assert_eq!(keeps(&was, &now), kept, "{was:?} {now:?}");
        }
    }
}
