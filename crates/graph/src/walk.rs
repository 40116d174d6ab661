//! Walks along the links: what waits for what, and what is at the root of it.

use crate::csr::NONE;
use crate::graph::Graph;
use crate::view::View;
use std::collections::HashSet;

impl Graph {
    /// Every task that waits for this one, directly or not, in document order; containers included.
    pub fn reachable_from(&self, i: u32) -> Vec<u32> {
        let found = walk(&[i], |v| Some(self.order().up.row(v)));
        let mut tasks: Vec<u32> = found.into_iter().filter(|&v| v < self.len() && v != i).collect();
        tasks.sort_unstable();
        tasks
    }

    /// What the task must come after with nothing else in between, settled or not, in document order: other work, and
    /// containers without children. This is [`Graph::dependencies`] with what containers mean spelled out.
    pub fn requires(&self, i: u32) -> Vec<u32> {
        let down = |v: u32| self.order().down.row(v);
        let mut found = walk(down(i), |v| self.is_passage(v).then(|| down(v)));
        found.retain(|&v| !self.is_passage(v));
        found.sort_unstable();
        found
    }

    /// The work that waits for this task with nothing else in between, in document order: who depends on it,
    /// and who depends on a container that it is part of.
    pub fn unblocks(&self, i: u32) -> Vec<u32> {
        let up = |v: u32| self.order().up.row(v);
        let mut found = walk(up(i), |v| self.is_passage(v).then(|| up(v)));
        found.retain(|&v| self.is_work(v));
        found.sort_unstable();
        found
    }
}

impl View<'_> {
    /// The unsettled tasks that this one waits for with nothing else in between, in document order. A container
    /// is replaced by its children; one that has none stands for itself.
    pub fn waits_for(&self, i: u32) -> Vec<u32> {
        let graph = self.graph();
        let down = |v: u32| graph.order().down.row(v);
        let through = |v: u32| graph.is_passage(v) && !self.settled()[v as usize];
        let mut found = walk(down(i), |v| through(v).then(|| down(v)));
        found.retain(|&v| v != i && self.holds(v));
        found.sort_unstable();
        found
    }

    /// The root causes why the task waits: unsettled tasks that wait for nothing themselves, in document
    /// order. None for a task that is free; none but what stands beside the loop for one in a cycle.
    pub fn waits_for_roots(&self, i: u32) -> Vec<u32> {
        let graph = self.graph();
        let settled = self.settled();
        let found = walk(&[i], |v| (v == i || !settled[v as usize]).then(|| graph.order().down.row(v)));
        let mut roots: Vec<u32> = found.into_iter().filter(|&v| v != i && self.is_root(v)).collect();
        roots.sort_unstable();
        roots
    }

    /// For all tasks at once, in one pass, the one root cause that matters most: the one with the lowest `rank`,
    /// then the first in the document.
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
    /// The task at the root; none for a task that is free or that a cycle holds back.
    pub fn root(&self, i: u32) -> Option<u32> {
        Some(self.root[i as usize]).filter(|&v| v != NONE)
    }

    /// The next task on the way from this one to its root.
    pub fn via(&self, i: u32) -> Option<u32> {
        Some(self.via[i as usize]).filter(|&v| v != NONE)
    }
}

/// Everything that `next` leads to, beginning with `from`, each once.
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
