//! Ticked tasks without a record, in a clone of a plan that was begun elsewhere: if every check of such a task
//! passed on the current tree, that explains the tick.

use crate::survey::OpenedPlan;
use crate::survey::task_story::Story;
use dialects::PlanSnapshot;
use ledger::Ledger;
use ledger::proof;
use ledger::verdict::{self, Scope};
use repo::tree::Tree;
use toolkit::Fail;
use toolkit::files::root;
use wire::plan::Criterion;
use wire::punch::{Punch, Type};
use wire::{State, Task, TreeHash};

/// Notes it in the stories of such tasks.
pub(crate) fn note(ground: &OpenedPlan, stories: &mut [Story]) -> Result<(), Fail> {
    let tasks = &ground.told().tasks;
    let asked = |task: &Task, story: &Story| {
        let unexplained = story.standing.standing_tick().is_none() && story.overridden.is_none();
        task.state == State::Completed && unexplained && checks(task).next().is_some()
    };
    if !root::has_git(&ground.root) || !tasks.iter().zip(&*stories).any(|(task, story)| asked(task, story)) {
        return Ok(());
    }
    let path = root::inside(&ground.root, &ground.plan.source.path)?;
    let field = PlanSnapshot::at(&path, &ground.root, None)?;
    let Some(tree) = Tree::now(&ground.home, &field.ground)?.map(|tree| tree.hash) else { return Ok(()) };
    let records = Ledger::new(ground.home.clone()).read_of(&ground.plan.source.path)?;
    for (task, story) in tasks.iter().zip(stories) {
        story.reproved =
            asked(task, story) && checks(task).all(|criterion| has_passed(&records, criterion, &tree));
    }
    Ok(())
}

/// The checks of a task that can be run.
fn checks(task: &Task) -> impl Iterator<Item = &Criterion> {
    task.criteria.iter().filter(|criterion| criterion.runnable && criterion.skip.is_none())
}

/// Whether the last result of a command that `gate-run` observed on this tree is a pass.
fn has_passed(records: &[Punch], criterion: &Criterion, tree: &TreeHash) -> bool {
    let digest = proof::digest_of(criterion);
    let scope = Scope { digest: Some(&digest), tree: Some(tree), ..Scope::default() };
    verdict::latest_observed(records, &scope).is_some_and(|p| p.kind == Type::GatePass)
}
