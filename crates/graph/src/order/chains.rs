//! Chains of tasks: how far each is from the start and from the end, rounds, and the critical path.

use crate::model::csr::NONE;
use crate::model::graph::Graph;
use crate::model::view::View;

/// The longest chains through each task. A task that a cycle blocks is on no chain.
#[derive(Debug, Clone)]
pub struct Chains {
    /// How many tasks come before on the longest chain; [`NONE`] for a task that is not measured.
    before: Vec<u32>,
    /// How many tasks the longest chain from here to the end has, this one included.
    after: Vec<u32>,
    /// The next task on that chain.
    next: Vec<u32>,
    work: Vec<bool>,
    length: u32,
}

/// The weight of the heaviest chain of tasks: with durations as weights, the minimum time for any number of
/// workers. A task that a cycle blocks is on no chain.
pub(crate) fn heaviest(graph: &Graph, weight: impl Fn(u32) -> u64) -> u64 {
    let mut upto = vec![0; graph.vertices() as usize];
    for &v in graph.sorted() {
        let before = graph.order().down.row(v).iter().map(|&d| upto[d as usize]).max().unwrap_or(0);
        upto[v as usize] = before + if graph.is_work(v) { weight(v) } else { 0 };
    }
    upto.into_iter().max().unwrap_or(0)
}

impl Chains {
    pub(crate) fn new(view: &View<'_>, only_open: bool) -> Chains {
        let graph = view.graph();
        let vertices = graph.vertices() as usize;
        let mut measured = vec![false; vertices];
        for &v in graph.sorted() {
            measured[v as usize] = !(only_open && view.settled()[v as usize]);
        }
        let work = (0..).zip(&measured).map(|(v, &measured)| measured && graph.is_work(v)).collect();
        let unknown = vec![NONE; vertices];
        let mut chains =
            Chains { before: unknown.clone(), after: vec![0; vertices], next: unknown, work, length: 0 };
        chains.measure_before(view, &measured);
        chains.measure_after(view, &measured);
        chains.before.truncate(graph.len() as usize);
        chains.work.truncate(graph.len() as usize);
        chains.length = chains.after.iter().copied().max().unwrap_or(0);
        chains
    }

    fn measure_before(&mut self, view: &View<'_>, measured: &[bool]) {
        let graph = view.graph();
        for &v in graph.sorted().iter().filter(|&&v| measured[v as usize]) {
            let down = graph.order().down.row(v).iter().filter(|&&d| measured[d as usize]);
            let before = down.map(|&d| self.before[d as usize] + u32::from(self.work[d as usize])).max();
            self.before[v as usize] = before.unwrap_or(0);
        }
    }

    /// For a vertex that is not work, `next` is the first task of its longest chain.
    fn measure_after(&mut self, view: &View<'_>, measured: &[bool]) {
        let graph = view.graph();
        for &v in graph.sorted().iter().rev().filter(|&&v| measured[v as usize]) {
            let (mut best, mut next) = (0, NONE);
            for &up in graph.order().up.row(v).iter().filter(|&&up| measured[up as usize]) {
                let after = self.after[up as usize];
                let first = if self.work[up as usize] { up } else { self.next[up as usize] };
                if after > best || after == best && first < next {
                    (best, next) = (after, first);
                }
            }
            self.after[v as usize] = best + u32::from(self.work[v as usize]);
            self.next[v as usize] = next;
        }
    }

    /// The task's round, counted from 0: how many tasks come before it on the longest chain.
    pub fn round(&self, i: u32) -> Option<u32> {
        Some(self.before[i as usize]).filter(|_| self.work[i as usize])
    }

    /// How many tasks the longest chain from this one to the end has, itself included; 0 for a task that is not
    /// measured. Handing out the largest first keeps the critical path moving.
    pub fn depth_to_end(&self, i: u32) -> u32 {
        if self.work[i as usize] { self.after[i as usize] } else { 0 }
    }

    /// How many rounds there are: the length of the critical path.
    pub fn length(&self) -> u32 {
        self.length
    }

    /// How many rounds later the task could be done without delaying the end.
    pub fn slack(&self, i: u32) -> Option<u32> {
        self.round(i).map(|round| self.length - round - self.depth_to_end(i))
    }

    /// Tasks that can be done together, round by round, each in document order; every task is in the first round
    /// that its dependencies allow.
    pub fn rounds(&self) -> Vec<Vec<u32>> {
        let mut rounds = vec![Vec::new(); self.length as usize];
        for (i, (&work, &round)) in (0..).zip(self.work.iter().zip(&self.before)) {
            if work {
                rounds[round as usize].push(i);
            }
        }
        rounds
    }

    /// The longest chain; among equals, the one whose tasks come first in the document.
    pub fn critical_path(&self) -> Vec<u32> {
        let mut path = Vec::with_capacity(self.length as usize);
        let mut at = (0..)
            .zip(&self.work)
            .find(|&(i, &work)| work && self.after[i as usize] == self.length)
            .map(|(i, _)| i);
        while let Some(i) = at {
            path.push(i);
            at = Some(self.next[i as usize]).filter(|&next| next != NONE);
        }
        path
    }

    /// For each task whether it is on [`Chains::critical_path`].
    pub fn on_critical_path(&self) -> Vec<bool> {
        let mut on = vec![false; self.work.len()];
        for i in self.critical_path() {
            on[i as usize] = true;
        }
        on
    }
}
