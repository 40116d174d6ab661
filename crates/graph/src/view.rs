//! The graph with the states as they are now: what is settled, what is ready.

use crate::chains::Chains;
use crate::graph::Graph;
use wire::State;

/// A graph and a state for each task.
#[derive(Debug, Clone)]
pub struct View<'g> {
    graph: &'g Graph,
    states: Vec<State>,
    /// For every vertex; an entry is settled when everything before its container is.
    settled: Vec<bool>,
}

impl<'g> View<'g> {
    /// `states` has one for each task.
    pub(crate) fn new(graph: &'g Graph, states: Vec<State>) -> View<'g> {
        let mut settled: Vec<bool> = states.iter().map(|state| state.is_settled()).collect();
        settled.resize(graph.vertices() as usize, false);
        gather(graph, &mut settled);
        View { graph, states, settled }
    }

    /// The graph that is looked at.
    pub fn graph(&self) -> &'g Graph {
        self.graph
    }

    /// Where the task stands.
    pub fn state(&self, i: u32) -> State {
        self.states[i as usize]
    }

    /// Whether those who depend on the task may go on; a container's children decide for it.
    pub fn is_settled(&self, i: u32) -> bool {
        self.settled[i as usize]
    }

    /// Whether everything that the task waits for is settled, wherever it stands itself.
    pub fn is_free(&self, i: u32) -> bool {
        self.graph.order().down.row(i).iter().all(|&d| self.settled[d as usize])
    }

    /// Tasks that are pending and wait for nothing, in document order. Containers are never among them;
    /// optional tasks and those for a person are.
    pub fn ready(&self) -> Vec<u32> {
        let open = |i: &u32| self.states[*i as usize] == State::Pending && !self.graph.is_container(*i);
        (0..self.graph.len()).filter(open).filter(|&i| self.is_free(i)).collect()
    }

    /// The chains of all tasks, or only of those that are not settled.
    pub fn chains(&self, only_open: bool) -> Chains {
        Chains::new(self, only_open)
    }

    pub(crate) fn settled(&self) -> &[bool] {
        &self.settled
    }
}

/// Settles the containers whose children are, and the entries that nothing holds shut. What a cycle holds
/// back stays unsettled.
fn gather(graph: &Graph, settled: &mut [bool]) {
    for v in (0..graph.vertices()).filter(|&v| graph.is_passage(v)) {
        settled[v as usize] = false;
    }
    for &v in graph.sorted().iter().filter(|&&v| graph.is_passage(v)) {
        settled[v as usize] = graph.order().down.row(v).iter().all(|&d| settled[d as usize]);
    }
}
