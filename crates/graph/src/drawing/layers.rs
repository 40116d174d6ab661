//! The layout of a drawing: columns by dependency, an order within each, and lanes for the links between.
//!
//! A link that skips columns runs through bends, vertices numbered after the tasks, so that it has its own space
//! beside the tasks that it passes. Links that leave or reach the same task share their bends.

use crate::drawing::sweep;
use crate::model::csr::{Csr, Links, NONE, index};
use crate::model::graph::Graph;
use std::collections::HashMap;

/// The maximum number of bends in a drawing; beyond that, links run straight.
const BENDS: usize = 50_000;

/// A drawing: columns of vertices and the links that run from column to column.
#[derive(Debug, Clone)]
pub struct Layers {
    /// Column by column, top to bottom; a vertex is a task or, from the number of tasks on, a bend.
    pub rows: Vec<Vec<u32>>,
    layer: Vec<u32>,
    ends: Vec<(u32, u32)>,
    bends: Csr,
    near: Links,
}

/// The route of a link from a dependency to the task that waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route<'a> {
    /// The dependency, or the child.
    pub from: u32,
    /// The task that waits, or the container.
    pub to: u32,
    /// The bends between, one for each column that the link passes.
    pub bends: &'a [u32],
}

impl Layers {
    pub(crate) fn new(graph: &Graph) -> Layers {
        let mut layer = depths(graph);
        let ends = graph.links();
        let bends = bend(&mut layer, &ends);
        let near = Links::from(steps(&layer, &ends, &bends));
        let mut rows = vec![Vec::new(); layer.iter().max().map_or(0, |&last| last as usize + 1)];
        for (&layer, v) in layer.iter().zip(0..) {
            rows[layer as usize].push(v);
        }
        sweep::untangle(&mut rows, &near);
        Layers { rows, layer, ends, bends, near }
    }

    /// The column of a vertex, counted from 0.
    pub fn layer(&self, vertex: u32) -> u32 {
        self.layer[vertex as usize]
    }

    /// How many vertices there are, bends included.
    pub fn vertices(&self) -> u32 {
        index(self.layer.len())
    }

    /// The vertices of the previous column that a link connects with this one.
    pub fn before(&self, vertex: u32) -> &[u32] {
        self.near.down.row(vertex)
    }

    /// The vertices of the next column that a link connects with this one.
    pub fn after(&self, vertex: u32) -> &[u32] {
        self.near.up.row(vertex)
    }

    /// Every link, ordered by the task that waits. A link that does not lead to a later column is part of a cycle.
    pub fn routes(&self) -> impl Iterator<Item = Route<'_>> {
        self.ends.iter().zip(0..).map(|(&(from, to), i)| Route { from, to, bends: self.bends.row(i) })
    }
}

/// The column of each task: one after the last of its dependencies. A cycle is opened at its first task.
fn depths(graph: &Graph) -> Vec<u32> {
    let (order, len) = (graph.order(), graph.len());
    let mut waits: Vec<u32> = (0..graph.vertices()).map(|v| index(order.down.row(v).len())).collect();
    let mut depth = vec![0; waits.len()];
    let mut done = vec![false; waits.len()];
    let mut queue: Vec<u32> = Vec::with_capacity(waits.len());
    for first in graph.sorted().iter().copied().chain(0..graph.vertices()) {
        queue.push(first);
        while let Some(v) = queue.pop() {
            if std::mem::replace(&mut done[v as usize], true) {
                continue;
            }
            // A vertex that is done already was placed first to open a cycle.
            let next = depth[v as usize] + u32::from(v < len);
            for &up in order.up.row(v).iter().filter(|&&up| !done[up as usize]) {
                depth[up as usize] = next.max(depth[up as usize]);
                waits[up as usize] -= 1;
                if waits[up as usize] == 0 {
                    queue.push(up);
                }
            }
        }
    }
    depth.truncate(len as usize);
    depth
}

/// Adds bends after the tasks, with their columns, and returns which of them each link uses.
fn bend(layer: &mut Vec<u32>, ends: &[(u32, u32)]) -> Csr {
    let tasks = layer.len();
    let mut long = vec![(0u32, 0u32); tasks];
    for &(from, to) in ends.iter().filter(|&&(from, to)| layer[to as usize] > layer[from as usize] + 1) {
        long[from as usize].0 += 1;
        long[to as usize].1 += 1;
    }
    let most = tasks + BENDS;
    let mut lanes: HashMap<(u32, bool, u32), u32> = HashMap::new();
    let mut bends = Csr::with_capacity(ends.len(), 0);
    for &(from, to) in ends {
        let (first, last) = (layer[from as usize] + 1, layer[to as usize]);
        let fits = first < last && layer.len() + (last - first) as usize <= most;
        let into = long[to as usize].1 >= long[from as usize].0;
        let lane = if into { to } else { from };
        for column in first..if fits { last } else { first } {
            let bend = lanes.entry((lane, into, column)).or_insert_with(|| {
                layer.push(column);
                index(layer.len() - 1)
            });
            bends.push(*bend);
        }
        bends.end_row();
    }
    bends
}

/// For each vertex, the vertices of the previous column that a link connects with it.
fn steps(layer: &[u32], ends: &[(u32, u32)], bends: &Csr) -> Csr {
    let pairs = ends.iter().zip(0..).flat_map(|(&(from, to), i)| {
        let way = bends.row(i);
        let froms = std::iter::once(from).chain(way.iter().copied());
        froms.zip(way.iter().copied().chain([to]))
    });
    let pairs = pairs.filter(|&(from, to)| layer[from as usize] + 1 == layer[to as usize]);
    let raw = Csr::grouped(index(layer.len()), pairs.map(|(from, to)| (to, from)));
    let mut seen = vec![NONE; layer.len()];
    let mut steps = Csr::with_capacity(layer.len(), raw.items().len());
    for v in 0..raw.len() {
        steps.push_row(&mut seen, raw.row(v).iter().copied());
    }
    steps
}
