//! The graph with the current states: which tasks are settled, which are ready.

use crate::model::graph::Graph;
use crate::order::chains::Chains;
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
    /// `states` has one entry for each task.
    pub(crate) fn new(graph: &'g Graph, states: Vec<State>) -> View<'g> {
        let mut settled: Vec<bool> = states.iter().map(|state| state.is_settled()).collect();
        settled.resize(graph.vertices() as usize, false);
        gather(graph, &mut settled);
        View { graph, states, settled }
    }

    /// The graph of this view.
    pub fn graph(&self) -> &'g Graph {
        self.graph
    }

    /// The task's state.
    pub fn state(&self, i: u32) -> State {
        self.states[i as usize]
    }

    /// Whether the tasks that depend on this one may go on; a container's children decide for it.
    pub fn is_settled(&self, i: u32) -> bool {
        self.settled[i as usize]
    }

    /// Whether all dependencies of the task are settled, whatever its own state.
    pub fn is_free(&self, i: u32) -> bool {
        self.graph.order().down.row(i).iter().all(|&d| self.settled[d as usize])
    }

    /// Pending tasks that wait for nothing, in document order. Includes optional tasks and tasks for a person, but
    /// no containers.
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

/// Settles the containers whose children are settled, and the entries whose dependencies are. A vertex that a cycle
/// blocks stays unsettled.
fn gather(graph: &Graph, settled: &mut [bool]) {
    for v in (0..graph.vertices()).filter(|&v| graph.is_passage(v)) {
        settled[v as usize] = false;
    }
    for &v in graph.sorted().iter().filter(|&&v| graph.is_passage(v)) {
        settled[v as usize] = graph.order().down.row(v).iter().all(|&d| settled[d as usize]);
    }
}
