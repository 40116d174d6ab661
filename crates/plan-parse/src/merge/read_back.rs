//! Reads a merged plan back: it must hold the tasks, states and checks that both sides together mean.

use crate::merge::pairs::once;
use crate::merge::side::Side;
use markdown::Text;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use wire::plan::Severity;
use wire::{Plan, State, Task};

/// How often something is in a plan.
type Counts = BTreeMap<Vec<String>, usize>;

/// Why the merged plan is not what both sides mean; `None` if it is.
pub(crate) fn differs(base: &Side, ours: &Side, theirs: &Side, merged: &[u8]) -> Option<String> {
    let path = ours.plan.source.path.as_str();
    let plan = match dialects::read(&Text { path, bytes: merged }, None) {
        Ok(plan) if plan.source.dialect == ours.plan.source.dialect => plan,
        _ => return Some("both changes together would be no plan".to_owned()),
    };
    let errors = |plan: &Plan| -> BTreeSet<String> {
        let errors = plan.diagnostics.iter().filter(|found| found.severity == Severity::Error);
        errors.map(|found| found.code.clone()).collect()
    };
    let known: BTreeSet<String> = errors(&ours.plan).union(&errors(&theirs.plan)).cloned().collect();
    if let Some(found) = plan
        .diagnostics
        .iter()
        .find(|found| found.severity == Severity::Error && !known.contains(&found.code))
    {
        return Some(format!("both changes together would be an error: {}", found.message));
    }
    for (what, count) in [("tasks", tasks as fn(&Plan) -> Counts), ("checks", checks)] {
        let expected = joined(&count(&base.plan), &count(&ours.plan), &count(&theirs.plan));
        if count(&plan) != expected {
            return Some(format!("both changes together would give other {what} than the two sides have"));
        }
    }
    if let Some(why) = same_id(base, ours, theirs) {
        return Some(why);
    }
    let (was, mine, yours, now) = (once(&base.plan), once(&ours.plan), once(&theirs.plan), once(&plan));
    for (title, at) in now {
        let state =
            |titles: &HashMap<&str, usize>, plan: &Plan| titles.get(title).map(|at| plan.tasks[*at].state);
        let (was, mine, yours) =
            (state(&was, &base.plan), state(&mine, &ours.plan), state(&yours, &theirs.plan));
        let task = &plan.tasks[at];
        // The state of a task without a box of its own follows from other boxes.
        let expected = either(was, mine, yours).filter(|_| task.mark.is_some());
        if expected.is_some_and(|expected| expected != task.state) {
            return Some(format!("task {} '{title}' would have a state that no side gave it", task.id));
        }
    }
    None
}

/// Whether both sides added a task with the same id and another title. An id that only counts the tasks, and is not written in
/// them, moves on by itself.
fn same_id(base: &Side, ours: &Side, theirs: &Side) -> Option<String> {
    let is_new = |task: &&Task| !base.plan.tasks.iter().any(|was| was.id == task.id);
    let of_theirs: HashMap<&str, &Task> =
        theirs.plan.tasks.iter().filter(is_new).map(|task| (task.id.as_str(), task)).collect();
    ours.plan.tasks.iter().filter(is_new).find_map(|mine| {
        let yours = of_theirs.get(mine.id.as_str()).filter(|yours| yours.title != mine.title)?;
        let is_written = ours.names_itself(mine) && theirs.names_itself(yours);
        is_written
            .then(|| format!("both sides added a task {}: '{}' and '{}'", mine.id, mine.title, yours.title))
    })
}

/// The state of a task; `None` if only one side has it, or each has another.
fn either(was: Option<State>, mine: Option<State>, yours: Option<State>) -> Option<State> {
    let (mine, yours) = (mine?, yours?);
    match () {
        () if mine == yours || was == Some(yours) => Some(mine),
        () if was == Some(mine) => Some(yours),
        () => [mine, yours].contains(&State::Completed).then_some(State::Completed),
    }
}

fn tasks(plan: &Plan) -> Counts {
    let mut out = Counts::new();
    plan.tasks.iter().for_each(|task| *out.entry(vec![task.title.clone()]).or_default() += 1);
    out
}

fn checks(plan: &Plan) -> Counts {
    let mut out = Counts::new();
    for task in &plan.tasks {
        for check in task.criteria.iter().filter(|check| check.runnable) {
            let key = [&task.title, check.command.as_deref().unwrap_or_default(), &check.required()]
                .map(str::to_owned);
            *out.entry(key.to_vec()).or_default() += 1;
        }
    }
    out
}

/// What each is counted if both changes are made.
fn joined(was: &Counts, mine: &Counts, yours: &Counts) -> BTreeMap<Vec<String>, usize> {
    let keys: BTreeSet<&Vec<String>> = was.keys().chain(mine.keys()).chain(yours.keys()).collect();
    let of = |counts: &Counts, key: &Vec<String>| counts.get(key).copied().unwrap_or(0);
    let both = keys.into_iter().map(|key| {
        let (was, mine, yours) = (of(was, key), of(mine, key), of(yours, key));
        let count = match () {
            () if mine == yours || was == yours => mine,
            () if was == mine => yours,
            () => (mine + yours).saturating_sub(was),
        };
        (key.clone(), count)
    });
    both.filter(|(_, count)| *count > 0).collect()
}
