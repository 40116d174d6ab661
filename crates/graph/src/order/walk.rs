//! Walks along the links: which tasks wait for which, and the root causes.

use crate::model::csr::NONE;
use crate::model::graph::Graph;
use crate::model::view::View;
use std::collections::HashSet;

impl Graph {
    /// Every task that waits for this one, directly or not, in document order; containers included.
    pub fn reachable_from(&self, i: u32) -> Vec<u32> {
        let found = walk(&[i], |v| Some(self.order().up.row(v)));
        let mut tasks: Vec<u32> = found.into_iter().filter(|&v| v < self.len() && v != i).collect();
        tasks.sort_unstable();
        tasks
    }

    /// The direct dependencies of the task, settled or not, in document order: work, and containers without
    /// children. This is [`Graph::dependencies`] with containers replaced by what they stand for.
    pub fn requires(&self, i: u32) -> Vec<u32> {
        let down = |v: u32| self.order().down.row(v);
        let mut found = walk(down(i), |v| self.is_passage(v).then(|| down(v)));
        found.retain(|&v| !self.is_passage(v));
        found.sort_unstable();
        found
    }

    /// The work that waits directly for this task, in document order: tasks that depend on it, or on a container
    /// that it is part of.
    pub fn unblocks(&self, i: u32) -> Vec<u32> {
        let up = |v: u32| self.order().up.row(v);
        let mut found = walk(up(i), |v| self.is_passage(v).then(|| up(v)));
        found.retain(|&v| self.is_work(v));
        found.sort_unstable();
        found
    }
}

impl View<'_> {
    /// The unsettled tasks that this one waits for directly, in document order. A container is replaced by its
    /// children; a container without children stands for itself.
    pub fn waits_for(&self, i: u32) -> Vec<u32> {
        let graph = self.graph();
        let down = |v: u32| graph.order().down.row(v);
        let through = |v: u32| graph.is_passage(v) && !self.settled()[v as usize];
        let mut found = walk(down(i), |v| through(v).then(|| down(v)));
        found.retain(|&v| v != i && self.holds(v));
        found.sort_unstable();
        found
    }

    /// The root causes why the task waits: unsettled tasks that wait for nothing themselves, in document order.
    /// Empty for a task that is free; for a task in a cycle, only causes outside the loop.
    pub fn waits_for_roots(&self, i: u32) -> Vec<u32> {
        let graph = self.graph();
        let settled = self.settled();
        let found = walk(&[i], |v| (v == i || !settled[v as usize]).then(|| graph.order().down.row(v)));
        let mut roots: Vec<u32> = found.into_iter().filter(|&v| v != i && self.is_root(v)).collect();
        roots.sort_unstable();
        roots
    }

    /// For all tasks at once, in one pass, the most important root cause: the one with the lowest `rank`, then the
    /// first in the document.
    pub fn causes<R: Ord + Copy>(&self, rank: impl Fn(u32) -> R) -> Causes {
        let graph = self.graph();
        let mut root = vec![NONE; graph.vertices() as usize];
        let mut via = root.clone();
        let key = |root: u32| (rank(root), root);
        for &v in graph.sorted() {
            let mut best = NONE;
            for &d in graph.order().down.row(v).iter().filter(|&&d| !self.settled()[d as usize]) {
                let cause = if root[d as usize] == NONE { d } else { root[d as usize] };
                if best == NONE || key(cause) < key(best) {
                    best = cause;
                    via[v as usize] = if graph.is_passage(d) { via[d as usize] } else { d };
                }
            }
            root[v as usize] = best;
        }
        Causes { root, via }
    }

    /// Whether the vertex is an unsettled task that others really wait for.
    fn holds(&self, v: u32) -> bool {
        !self.settled()[v as usize] && !self.graph().is_passage(v)
    }

    fn is_root(&self, v: u32) -> bool {
        self.holds(v) && self.is_free(v)
    }
}

/// One root cause for each task that waits.
#[derive(Debug, Clone)]
pub struct Causes {
    root: Vec<u32>,
    via: Vec<u32>,
}

impl Causes {
    /// The task at the root; `None` for a task that is free or that a cycle blocks.
    pub fn root(&self, i: u32) -> Option<u32> {
        Some(self.root[i as usize]).filter(|&v| v != NONE)
    }

    /// The next task on the path from this one to its root.
    pub fn via(&self, i: u32) -> Option<u32> {
        Some(self.via[i as usize]).filter(|&v| v != NONE)
    }
}

/// Everything that can be reached through `next`, beginning with `from`, each once.
fn walk<'a>(from: &[u32], next: impl Fn(u32) -> Option<&'a [u32]>) -> Vec<u32> {
    if from.iter().all(|&v| next(v).is_none()) {
        return from.to_vec();
    }
    // Most walks are short and must not pay for the whole graph, hence no table of all vertices.
    let mut met = HashSet::new();
    let mut found: Vec<u32> = from.iter().copied().filter(|&v| met.insert(v)).collect();
    let mut at = 0;
    while let Some(&v) = found.get(at) {
        at += 1;
        found.extend(next(v).unwrap_or_default().iter().copied().filter(|&to| met.insert(to)));
    }
    found
}
