//! Containers and their children, and the order that follows from them.

use crate::model::csr::{Csr, NONE, index};

/// Containers and their children. Tasks whose parents form a loop are in no family tree; the loop shows up as a
/// cycle of the graph.
#[derive(Debug, Clone)]
pub(crate) struct Family {
    parents: Vec<u32>,
    children: Csr,
    /// Parents before children.
    descent: Vec<u32>,
    /// The position of each task in `descent`; its descendants follow it there.
    place: Vec<u32>,
    /// How many tasks each tree has.
    size: Vec<u32>,
}

impl Family {
    /// `parents` has [`NONE`] for a task that has no parent.
    pub(crate) fn new(parents: Vec<u32>) -> Family {
        let len = parents.len();
        let pairs = parents.iter().zip(0..).filter(|&(&parent, _)| parent != NONE);
        let children = Csr::grouped(index(len), pairs.map(|(&parent, child)| (parent, child)));
        let mut family = Family {
            parents,
            children,
            descent: Vec::with_capacity(len),
            place: vec![NONE; len],
            size: vec![1; len],
        };
        let mut stack: Vec<u32> =
            (0..index(len)).rev().filter(|&i| family.parents[i as usize] == NONE).collect();
        while let Some(i) = stack.pop() {
            family.place[i as usize] = index(family.descent.len());
            family.descent.push(i);
            stack.extend(family.children.row(i).iter().rev());
        }
        for &i in family.descent.iter().rev() {
            let parent = family.parents[i as usize];
            if parent != NONE {
                family.size[parent as usize] += family.size[i as usize];
            }
        }
        family
    }

    pub(crate) fn parent(&self, i: u32) -> Option<u32> {
        Some(self.parents[i as usize]).filter(|&parent| parent != NONE)
    }

    pub(crate) fn children(&self, i: u32) -> &[u32] {
        self.children.row(i)
    }

    /// Whether no task has a parent.
    pub(crate) fn is_flat(&self) -> bool {
        self.children.items().is_empty()
    }

    /// The order that follows from the declared links and the family, and the containers that got an entry. The
    /// vertex of a container is its end: it waits for its children. Its dependencies delay its children through one
    /// more vertex after the tasks, its entry, so that many dependencies and many children do not multiply.
    pub(crate) fn order(&self, declared: &Csr, optional: &[bool]) -> (Csr, Vec<u32>) {
        let len = declared.len();
        let outside = |i: u32| {
            declared.row(i).iter().copied().filter(move |&d| !self.is_within(i, d) && !self.is_within(d, i))
        };
        let entered: Vec<u32> =
            (0..len).filter(|&i| !self.children(i).is_empty() && outside(i).next().is_some()).collect();
        let gates = self.gates(&entered);
        let gate = |i: u32| Some(gates[i as usize]).filter(|&gate| gate != NONE);

        let vertices = len as usize + entered.len();
        let mut order = Csr::with_capacity(vertices, declared.items().len() + vertices);
        let mut seen = vec![NONE; vertices];
        for i in 0..len {
            if self.children(i).is_empty() {
                order.push_row(&mut seen, outside(i).chain(gate(i)));
            } else {
                let needed = self.children(i).iter().copied().filter(|&child| !optional[child as usize]);
                let named = declared.row(i).iter().copied().filter(|&d| self.is_within(d, i));
                order.push_row(&mut seen, needed.chain(named));
            }
        }
        for &i in &entered {
            order.push_row(&mut seen, outside(i).chain(gate(i)));
        }
        (order, entered)
    }

    /// For each task, the entry of its nearest container that has one.
    fn gates(&self, entered: &[u32]) -> Vec<u32> {
        let len = self.parents.len();
        let mut entry = vec![NONE; len];
        for (&i, vertex) in entered.iter().zip(index(len)..) {
            entry[i as usize] = vertex;
        }
        let mut gates = vec![NONE; len];
        for &i in &self.descent {
            if let Some(parent) = self.parent(i) {
                let own = entry[parent as usize];
                gates[i as usize] = if own == NONE { gates[parent as usize] } else { own };
            }
        }
        gates
    }

    /// Whether `i` is a child of `container`, or a child's child, and so on.
    pub(crate) fn is_within(&self, i: u32, container: u32) -> bool {
        let (i, container) = (i as usize, container as usize);
        let (inner, outer) = (self.place[i], self.place[container]);
        outer < inner && inner - outer < self.size[container]
    }
}

#[cfg(test)]
mod tests {
    use super::{Family, NONE};

    #[test]
    fn descendants_are_known_at_any_depth_and_loops_of_parents_are_nobodys() {
        // 0 has 1 and 2, 2 has 3; 4 and 5 are each other's parent.
        let family = Family::new(vec![NONE, 0, 0, 2, 5, 4]);
        let within: Vec<(u32, u32)> = (0..6)
            .flat_map(|i| (0..6).map(move |c| (i, c)))
            .filter(|&(i, c)| family.is_within(i, c))
            .collect();
        assert_eq!(within, [(1, 0), (2, 0), (3, 0), (3, 2)]);
        assert!(!family.is_flat() && Family::new(vec![NONE; 3]).is_flat());
    }
}
