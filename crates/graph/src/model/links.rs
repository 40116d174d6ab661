//! The links of a drawing.

use crate::model::graph::Graph;

/// The maximum number of links into a container that are drawn to its children; more go to the container as
/// declared.
const SPREAD: usize = 1000;

impl Graph {
    /// The links of a drawing, as pairs of a dependency and the task that waits for it, ordered by the latter:
    /// declared links, and one from each child to its container. A container's dependencies are drawn to its first
    /// children, since these are the tasks that wait.
    pub fn links(&self) -> Vec<(u32, u32)> {
        let mut links = Vec::new();
        for to in 0..self.len() {
            let declared = self.dependencies(to).iter().copied().filter(|&d| !self.is_part(to, d));
            if self.children(to).is_empty() {
                links.extend(declared.map(|from| (from, to)));
                if let Some(container) = self.held_by(to) {
                    links.extend(self.outside(container).map(|from| (from, to)));
                }
            } else {
                let whole = !self.spreads(to);
                links.extend(declared.filter(|&d| whole || self.is_part(d, to)).map(|from| (from, to)));
                links.extend(self.children(to).iter().map(|&child| (child, to)));
            }
        }
        // Links from a container to its own children are there already.
        let mut seen = std::collections::HashSet::with_capacity(links.len());
        links.retain(|&link| seen.insert(link));
        links
    }

    /// The container whose dependencies are drawn to this task: the nearest that has any, if the task depends on
    /// nothing else within it.
    fn held_by(&self, i: u32) -> Option<u32> {
        let mut above = std::iter::successors(self.parent(i), |&p| self.parent(p)).take(self.len() as usize);
        let container = above.find(|&p| self.outside(p).next().is_some())?;
        let begins = !self.dependencies(i).iter().any(|&d| self.is_part(d, container));
        (begins && self.spreads(container)).then_some(container)
    }

    fn spreads(&self, container: u32) -> bool {
        self.children(container).len() * self.dependencies(container).len() <= SPREAD
    }

    fn outside(&self, container: u32) -> impl Iterator<Item = u32> {
        let apart = move |d: &u32| !self.is_part(*d, container) && !self.is_part(container, *d);
        self.dependencies(container).iter().copied().filter(apart)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Graph, Node};
    use wire::State;
    use wire::plan::Kind;

    #[test]
    fn what_a_container_declares_is_drawn_to_its_first_children() {
        let task = |id, depends_on, parent| Node::<&str> {
            id,
            state: State::Pending,
            depends_on,
            parent,
            kind: Kind::Work,
            optional: false,
        };
        let nodes = [
            task("a", &[][..], None),
            task("c", &["a", "x"], None),
            task("x", &["c"], Some("c")),
            task("y", &["x"], Some("c")),
            task("z", &["c"], None),
        ];
        let links = Graph::new(nodes).map(|graph| graph.links());
        assert_eq!(links, Ok(vec![(2, 1), (3, 1), (0, 2), (2, 3), (1, 4)]));
    }
}
