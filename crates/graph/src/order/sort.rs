//! Sorting by dependency, and finding the loop that prevents it.

use crate::model::csr::{Links, NONE, index};
use crate::model::graph::Graph;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// All vertices that no cycle blocks, each after its dependencies.
pub(crate) fn sorted(order: &Links) -> Vec<u32> {
    let mut waits = waiting(order);
    let mut sorted: Vec<u32> = Vec::with_capacity(waits.len());
    sorted.extend((0..order.down.len()).filter(|&v| waits[v as usize] == 0));
    let mut next = 0;
    while let Some(&v) = sorted.get(next) {
        next += 1;
        for &up in order.up.row(v) {
            waits[up as usize] -= 1;
            if waits[up as usize] == 0 {
                sorted.push(up);
            }
        }
    }
    sorted
}

/// All tasks of a graph without cycle, each after its dependencies, otherwise in document order.
pub(crate) fn topological(graph: &Graph) -> Vec<u32> {
    let (order, len) = (graph.order(), graph.len());
    if graph.vertices() == len && (0..len).all(|i| order.down.row(i).iter().all(|&d| d < i)) {
        return (0..len).collect();
    }
    let mut waits = waiting(order);
    let mut sorted = Vec::with_capacity(len as usize);
    let mut free: BinaryHeap<Reverse<u32>> =
        (0..len).filter(|&i| waits[i as usize] == 0).map(Reverse).collect();
    // An entry waits for something, so none is free at the start; when one becomes free, it is passed through at
    // once.
    let mut open = Vec::new();
    while let Some(Reverse(i)) = free.pop() {
        sorted.push(i);
        open.push(i);
        while let Some(v) = open.pop() {
            for &up in order.up.row(v) {
                waits[up as usize] -= 1;
                if waits[up as usize] == 0 && up >= len {
                    open.push(up);
                } else if waits[up as usize] == 0 {
                    free.push(Reverse(up));
                }
            }
        }
    }
    sorted
}

/// A loop, beginning with its first member in the document.
pub(crate) fn cycle(graph: &Graph) -> Option<Vec<u32>> {
    let vertices = graph.vertices() as usize;
    if graph.sorted().len() == vertices {
        return None;
    }
    let mut held = vec![true; vertices];
    for &v in graph.sorted() {
        held[v as usize] = false;
    }
    // A blocked vertex waits for another blocked vertex: following these links must end in a loop.
    let mut at = (0..).zip(&held).find_map(|(v, &held)| held.then_some(v))?;
    let mut step = vec![NONE; vertices];
    let mut path = Vec::new();
    while step[at as usize] == NONE {
        step[at as usize] = index(path.len());
        path.push(at);
        at = graph.order().down.row(at).iter().copied().find(|&d| held[d as usize])?;
    }
    let mut members = tasks(graph, &path[step[at as usize] as usize..]);
    let first = (0..members.len()).min_by_key(|&i| members[i])?;
    members.rotate_left(first);
    Some(members)
}

/// The tasks of a loop, each once. If the loop runs from the end of a container to its entry, the part between is
/// cut out: the container itself declares the link that follows.
fn tasks(graph: &Graph, path: &[u32]) -> Vec<u32> {
    let mut place = vec![NONE; graph.len() as usize];
    let mut tasks: Vec<u32> = Vec::new();
    for &v in path {
        let task = graph.task(v);
        let before = place[task as usize];
        if before == NONE {
            place[task as usize] = index(tasks.len());
            tasks.push(task);
        } else if v == task {
            tasks.drain(..=before as usize);
            tasks.push(task);
            return tasks;
        } else {
            for cut in tasks.drain(before as usize + 1..) {
                place[cut as usize] = NONE;
            }
        }
    }
    tasks
}

/// How many dependencies each vertex has.
fn waiting(order: &Links) -> Vec<u32> {
    (0..order.down.len()).map(|v| index(order.down.row(v).len())).collect()
}
