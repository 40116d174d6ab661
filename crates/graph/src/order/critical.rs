//! The critical path, for drawings.

use crate::Graph;
use std::collections::HashSet;

/// The critical path of all tasks, whatever their states: a drawing shows the whole plan.
#[derive(Debug, Clone)]
pub struct Critical {
    on: Vec<bool>,
    links: HashSet<(u32, u32)>,
}

impl Critical {
    /// The path of a graph.
    pub fn of(graph: &Graph) -> Critical {
        let chains = graph.view().chains(false);
        let mut links = HashSet::new();
        for pair in chains.critical_path().windows(2) {
            links.extend(way(graph, pair[0], pair[1]));
        }
        Critical { on: chains.on_critical_path(), links }
    }

    /// Whether the task is on the path.
    pub fn has(&self, i: u32) -> bool {
        self.on[i as usize]
    }

    /// Whether the link is on the path.
    pub fn links(&self, from: u32, to: u32) -> bool {
        self.links.contains(&(from, to))
    }
}

/// The links from a task to the next on the path: one, or several through the containers of the first.
fn way(graph: &Graph, from: u32, to: u32) -> Vec<(u32, u32)> {
    let declaring = std::iter::successors(Some(to), |&who| graph.parent(who));
    let mut declared = declaring.flat_map(|who| graph.dependencies(who).iter().copied());
    let Some(via) = declared.find(|&d| d == from || graph.is_part(from, d)) else { return Vec::new() };
    let mut links = Vec::new();
    let mut at = from;
    while let Some(parent) = graph.parent(at).filter(|_| at != via) {
        links.push((at, parent));
        at = parent;
    }
    links.push((at, to));
    links
}

#[cfg(test)]
mod tests {
    use super::Critical;
    use crate::drawing::samples::{plan, small, task};

    #[test]
    fn a_link_past_a_task_of_the_path_is_not_on_it() {
        let (_, graph) = plan(vec![task("a", "", &[]), task("b", "", &["a"]), task("c", "", &["a", "b"])]);
        let critical = Critical::of(&graph);
        assert!(critical.links(0, 1) && critical.links(1, 2) && !critical.links(0, 2));
    }

    #[test]
    fn the_path_runs_through_containers() {
        let (_, graph) = small();
        let critical = Critical::of(&graph);
        assert!(critical.links(0, 2) && critical.links(2, 1) && critical.links(1, 3));
        assert!(!critical.has(1));
    }
}
