//! Cycles in a graph, found without recursion, so chains may have any length.

/// One cycle through each strongly connected component: each node depends on the next, the last on the first.
///
/// `edges[n]` are the nodes that `n` depends on. Edges from a node to itself are ignored.
pub(crate) fn find(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let knots = knots(edges);
    let mut knot_of = vec![usize::MAX; edges.len()];
    for (number, knot) in knots.iter().enumerate() {
        for &node in knot {
            if let Some(slot) = knot_of.get_mut(node) {
                *slot = number;
            }
        }
    }
    knots.iter().filter(|knot| knot.len() > 1).map(|knot| walk(edges, &knot_of, knot)).collect()
}

/// Follows dependencies inside one component until a node repeats.
fn walk(edges: &[Vec<usize>], knot_of: &[usize], knot: &[usize]) -> Vec<usize> {
    let Some(&first) = knot.iter().min() else { return Vec::new() };
    let own = knot_of.get(first);
    let mut path = Vec::new();
    let mut place = std::collections::HashMap::new();
    let mut node = first;
    loop {
        if let Some(&at) = place.get(&node) {
            return path.split_off(at);
        }
        place.insert(node, path.len());
        path.push(node);
        let next = edges.get(node).into_iter().flatten().find(|&&to| to != node && knot_of.get(to) == own);
        match next {
            Some(&to) => node = to,
            None => return path,
        }
    }
}

/// Strongly connected components by Tarjan's algorithm, with the stack on the heap, ordered by their first node.
fn knots(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut search = Search {
        edges,
        index: vec![NEW; edges.len()],
        low: vec![0; edges.len()],
        held: vec![false; edges.len()],
        stack: Vec::new(),
        count: 0,
        found: Vec::new(),
    };
    for node in 0..edges.len() {
        if search.index.get(node) == Some(&NEW) {
            search.from(node);
        }
    }
    search.found.sort_by_key(|knot| knot.iter().min().copied());
    search.found
}

const NEW: usize = usize::MAX;

struct Search<'e> {
    edges: &'e [Vec<usize>],
    index: Vec<usize>,
    low: Vec<usize>,
    held: Vec<bool>,
    stack: Vec<usize>,
    count: usize,
    found: Vec<Vec<usize>>,
}

// Every node is less than the common length of all lists, so the indexing below cannot fail.
impl Search<'_> {
    fn from(&mut self, root: usize) {
        let mut calls = vec![(root, 0)];
        self.enter(root);
        while let Some((node, at)) = calls.pop() {
            let next = self.edges[node].get(at).copied();
            match next {
                Some(to) => {
                    calls.push((node, at + 1));
                    if to >= self.edges.len() || to == node {
                        continue;
                    }
                    if self.index[to] == NEW {
                        self.enter(to);
                        calls.push((to, 0));
                    } else if self.held[to] {
                        self.low[node] = self.low[node].min(self.index[to]);
                    }
                }
                None => self.leave(node, calls.last().map(|(parent, _)| *parent)),
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.index[node] = self.count;
        self.low[node] = self.count;
        self.count += 1;
        self.held[node] = true;
        self.stack.push(node);
    }

    fn leave(&mut self, node: usize, parent: Option<usize>) {
        if let Some(parent) = parent {
            self.low[parent] = self.low[parent].min(self.low[node]);
        }
        if self.low[node] != self.index[node] {
            return;
        }
        let from = self.stack.iter().rposition(|&held| held == node).unwrap_or(0);
        let knot = self.stack.split_off(from);
        for &member in &knot {
            self.held[member] = false;
        }
        if knot.len() > 1 {
            self.found.push(knot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_is_named_in_order() {
        assert_eq!(find(&[vec![1], vec![2], vec![0], vec![0]]), [vec![0, 1, 2]]);
        assert_eq!(find(&[vec![1], vec![0], vec![3], vec![2]]), [vec![0, 1], vec![2, 3]]);
        assert!(find(&[vec![0], vec![0]]).is_empty());
    }

    #[test]
    fn a_long_chain_and_a_long_loop_do_not_overflow() {
        let n = 100_000;
        let mut edges: Vec<Vec<usize>> = (0..n).map(|node| vec![node + 1]).collect();
        edges[n - 1] = vec![];
        assert!(find(&edges).is_empty());
        edges[n - 1] = vec![0];
        assert_eq!(find(&edges)[0].len(), n);
    }
}
