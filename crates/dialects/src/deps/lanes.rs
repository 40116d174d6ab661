//! Order for plans where the list is the order and only marked tasks may run together.
//!
//! A run of marked neighbours forms one block: all of it waits for the tasks before it, and the tasks after it wait
//! for all of it. Containers are not part of this order.

use crate::Plan;
use crate::deps::strategy;
use wire::TaskId;
use wire::plan::{Kind, Model, Strategy};

/// The strategy that the list states; `together` tells whether the task at an index is marked.
pub(crate) fn read(plan: &Plan, model: Model, reason: &str, together: impl Fn(usize) -> bool) -> Strategy {
    let mut strategy = strategy::stated(model, reason);
    let mut blocks: Vec<(Option<String>, bool, Vec<TaskId>)> = Vec::new();
    for (index, task) in plan.tasks.iter().enumerate().filter(|(_, task)| task.kind != Kind::Container) {
        let section = task.phase.clone().or_else(|| task.parent.as_ref().map(ToString::to_string));
        let marked = together(index);
        match blocks.last_mut() {
            Some((same, true, block)) if marked && *same == section && block.len() < WIDEST => {
                block.push(task.id.clone());
            }
            _ => blocks.push((section, marked, vec![task.id.clone()])),
        }
    }
    for pair in blocks.windows(2) {
        let [(_, _, before), (_, _, after)] = pair else { continue };
        match strategy.serial.last_mut() {
            // Extend a chain of single tasks.
            Some(chain) if before.len() == 1 && after.len() == 1 && chain.last() == before.first() => {
                chain.extend(after.iter().cloned());
            }
            _ => strategy.serial.extend(
                before.iter().flat_map(|first| after.iter().map(|next| vec![first.clone(), next.clone()])),
            ),
        }
    }
    strategy.parallel =
        blocks.into_iter().map(|(_, _, block)| block).filter(|block| block.len() > 1).collect();
    strategy
}

/// The maximum width of a block. Wider blocks are cut, which bounds the number of pairs for a hostile list.
const WIDEST: usize = 32;
