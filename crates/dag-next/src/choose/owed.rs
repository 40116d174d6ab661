//! Tasks that must not start before the commit of a task that they depend on.
//!
//! A commit that could not be made leaves the producer's files uncommitted: a consumer that starts on them mixes its own
//! changes with those of the commit that is owed. Only dependencies that the plan declares count, through any number of
//! tasks, and through containers to what is in them.

use crate::choose::held_back::Held;
use crate::choose::pick::Table;
use crate::plan::item::index;
use std::collections::HashMap;
use wire::status::Code;

/// The tasks that wait for a commit, and why.
pub(crate) fn waiting(table: &Table<'_>) -> HashMap<usize, Held> {
    let owed = table.standings.iter().filter_map(|(id, standing)| Some((id, Some(standing.owed.as_ref()?))));
    let producers: Vec<_> = owed.chain(table.given.landing.iter().map(|id| (id, None))).collect();
    let mut held = HashMap::new();
    if producers.is_empty() {
        return held;
    }
    let tasks = &table.sheet.tasks;
    let names: HashMap<&str, usize> = tasks.iter().enumerate().map(|(i, task)| (&*task.id.0, i)).collect();
    let mut consumers: HashMap<usize, Vec<usize>> = HashMap::new();
    for (i, task) in tasks.iter().enumerate() {
        for producer in table.sheet.depends_on(task).iter().filter_map(|id| names.get(&**id)) {
            consumers.entry(*producer).or_default().push(i);
        }
    }
    let found = producers.into_iter().filter_map(|(id, why)| Some((*names.get(id.as_str())?, why)));
    let mut found: Vec<(usize, Held)> = found
        .filter(|(i, _)| tasks[*i].state.is_settled())
        .map(|(i, why)| (i, reason(&tasks[i].id, why)))
        .collect();
    // Of several reasons the one that no waiting mends is named.
    found.sort_by_key(|(i, reason)| (reason.passes(), *i));
    for (producer, reason) in found {
        spread(table, &consumers, producer, &reason, &mut held);
    }
    held
}

fn reason(id: &str, refused: Option<&String>) -> Held {
    match refused {
        Some(why) => Held::new(
            Code::CommitOwed,
            format!(
                "waits for the commit of task {id}: {}; mend that and run it again, or commit its files by hand",
                why.trim_end_matches('.')
            ),
        ),
        None => Held::new(Code::CommitPending, format!("waits until the commit of task {id} is made")),
    }
}

/// Gives the reason to everything that comes after a task. What depends on a container depends on all that is in it, and
/// what is in a container waits for all that the container waits for.
fn spread(
    table: &Table<'_>,
    consumers: &HashMap<usize, Vec<usize>>,
    producer: usize,
    reason: &Held,
    held: &mut HashMap<usize, Held>,
) {
    let graph = table.view.graph();
    let mut next = vec![producer];
    while let Some(i) = next.pop() {
        let around = std::iter::successors(Some(index(i)), |i| graph.parent(*i));
        let mut after: Vec<usize> =
            around.filter_map(|i| consumers.get(&(i as usize))).flatten().copied().collect();
        while let Some(i) = after.pop() {
            if held.contains_key(&i) {
                continue;
            }
            held.insert(i, reason.clone());
            after.extend(graph.children(index(i)).iter().map(|child| *child as usize));
            next.push(i);
        }
    }
}
