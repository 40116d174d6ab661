//! Coordinates of a layered drawing: layers one after the other, and no boxes overlap.
//!
//! Everything is in whole pixels, so that the same plan gives the same bytes on every machine.

use crate::{Graph, Layers};

/// The width of a box.
pub const WIDTH: i64 = 208;
/// The space between two layers, where links bend, if few links run there.
const GAP: i64 = 64;
/// The space between two boxes of a layer.
const BETWEEN: i64 = 16;
/// The space that a passing link takes.
const LANE: i64 = 10;
/// The width of a page that needs no horizontal scrolling.
const PAGE: i64 = 1600;
/// Passes over all layers; each moves boxes closer to their neighbours.
const PASSES: usize = 24;

/// The direction in which the links run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Layers are columns.
    Right,
    /// Layers are rows: better for a plan that is longer than broad.
    Down,
}

/// The coordinates of everything. A position is a point along the flow and one across it.
#[derive(Debug, Clone)]
pub struct Places {
    /// The direction in which the links run.
    pub flow: Flow,
    /// The height of each task's box.
    pub heights: Vec<i64>,
    /// The total width, from 0.
    pub width: i64,
    /// The total height, from 0.
    pub height: i64,
    /// Beginning and end of each layer.
    along: Vec<(i64, i64)>,
    /// The middle of each vertex.
    across: Vec<i64>,
    layer: Vec<u32>,
}

impl Places {
    /// `heights` has one entry for each task.
    pub fn new(graph: &Graph, layers: &Layers, heights: Vec<i64>) -> Places {
        let flow = flow(graph, layers, &heights);
        let size = |v: u32| match (heights.get(v as usize), flow) {
            (None, _) => LANE,
            (Some(height), Flow::Right) => height + BETWEEN,
            (Some(_), Flow::Down) => WIDTH + BETWEEN,
        };
        let (across, breadth) = spread(graph, layers, &size);
        let along = layers.rows.iter().scan(0, |at, row| {
            let thick = row.iter().filter_map(|&v| heights.get(v as usize)).max().copied().unwrap_or(0);
            let begin = *at;
            let end = begin + if flow == Flow::Right { WIDTH } else { thick };
            let links: usize = row.iter().map(|&v| layers.after(v).len()).sum();
            let gap = if flow == Flow::Right { GAP } else { GAP / 2 };
            *at = end + gap + i64::try_from(links.min(60)).unwrap_or(0);
            Some((begin, end))
        });
        let along: Vec<(i64, i64)> = along.collect();
        let length = along.last().map_or(0, |&(_, end)| end);
        let (width, height) = if flow == Flow::Right { (length, breadth) } else { (breadth, length) };
        let layer = (0..layers.vertices()).map(|v| layers.layer(v)).collect();
        Places { flow, heights, width, height, along, across, layer }
    }

    /// The upper left corner of a task's box.
    pub fn corner(&self, i: u32) -> (i64, i64) {
        let (begin, end) = self.along[self.layer[i as usize] as usize];
        let (across, height) = (self.across[i as usize], self.heights[i as usize]);
        match self.flow {
            Flow::Right => (begin, across - height / 2),
            Flow::Down => (across - WIDTH / 2, begin + (end - begin - height) / 2),
        }
    }

    /// The points where links reach and leave a vertex.
    pub fn ports(&self, v: u32) -> [(i64, i64); 2] {
        let (begin, end) = self.along[self.layer[v as usize] as usize];
        let across = self.across[v as usize];
        match (self.flow, self.heights.get(v as usize)) {
            (Flow::Right, _) => [(begin, across), (end, across)],
            (Flow::Down, None) => [(across, begin), (across, end)],
            (Flow::Down, Some(height)) => {
                let (_, top) = self.corner(v);
                [(across, top), (across, top + height)]
            }
        }
    }
}

/// Columns if they fit a page side by side, else the flow that makes the longer side of the drawing shorter.
fn flow(graph: &Graph, layers: &Layers, heights: &[i64]) -> Flow {
    let tasks = |row: &Vec<u32>| row.iter().filter(|&&v| v < graph.len()).count();
    let widest = i64::try_from(layers.rows.iter().map(tasks).max().unwrap_or(0)).unwrap_or(0);
    let columns = i64::try_from(layers.rows.len()).unwrap_or(0);
    let tall = heights.iter().max().copied().unwrap_or(0);
    let right = (columns * (WIDTH + GAP), widest * (tall + BETWEEN));
    let down = (widest * (WIDTH + BETWEEN), columns * (tall + GAP / 2));
    if right.0 <= PAGE || right.0.max(right.1) <= down.0.max(down.1) { Flow::Right } else { Flow::Down }
}

/// The middle of each vertex across the flow, and the total space.
fn spread(graph: &Graph, layers: &Layers, size: &impl Fn(u32) -> i64) -> (Vec<i64>, i64) {
    let mut y = vec![0; layers.vertices() as usize];
    for row in &layers.rows {
        let mut at = 0;
        for &v in row {
            y[v as usize] = at + size(v) / 2;
            at += size(v);
        }
    }
    for pass in 0..PASSES {
        // Forwards, backwards, then both sides at once; the last pass straightens chains.
        let sides = match pass {
            _ if pass + 1 == PASSES => Sides::Straight,
            _ if pass + 5 >= PASSES => Sides::Both,
            _ if pass % 2 == 0 => Sides::Before,
            _ => Sides::After,
        };
        for at in 0..layers.rows.len() {
            let row = if sides == Sides::After { layers.rows.len() - 1 - at } else { at };
            pull(&layers.rows[row], &mut y, size, |v, y| wish(graph, layers, sides, v, y));
        }
    }
    let all = || layers.rows.iter().flatten();
    let top = all().map(|&v| y[v as usize] - size(v) / 2).min().unwrap_or(0);
    for y in &mut y {
        *y -= top;
    }
    let bottom = all().map(|&v| y[v as usize] + size(v) / 2).max().unwrap_or(0);
    (y, bottom)
}

#[derive(Clone, Copy, PartialEq)]
enum Sides {
    Before,
    After,
    Both,
    Straight,
}

/// The preferred position of a vertex and its weight: between its neighbours, with the highest weight for bends.
fn wish(graph: &Graph, layers: &Layers, sides: Sides, v: u32, y: &[i64]) -> (i64, i64) {
    let before = if sides == Sides::After { &[] } else { layers.before(v) };
    let after = if sides == Sides::Before { &[] } else { layers.after(v) };
    let bend = |v: u32| v >= graph.len();
    if sides == Sides::Straight {
        // A task follows the one before it unless another task does too; a link that passes by does not count.
        let alone = |u: u32| layers.after(u).iter().filter(|&&w| bend(v) || !bend(w)).count() == 1;
        return match before {
            &[u] if alone(u) => (y[u as usize], 50),
            _ => (y[v as usize], 1),
        };
    }
    let (mut sum, mut weight) = (0, 0);
    for &near in before.iter().chain(after) {
        let pull = match (bend(v), bend(near)) {
            (true, true) => 8,
            (false, false) => 2,
            _ => 1,
        };
        sum += y[near as usize] * pull;
        weight += pull;
    }
    if weight == 0 { (y[v as usize], 1) } else { (sum / weight, weight) }
}

/// Moves a layer's vertices as close to their preferred positions as their order and sizes allow: where these
/// collide, the vertices form a block at the mean of its members' positions.
fn pull(row: &[u32], y: &mut [i64], size: &impl Fn(u32) -> i64, wish: impl Fn(u32, &[i64]) -> (i64, i64)) {
    struct Block {
        sum: i64,
        weight: i64,
        members: usize,
    }
    let mut offset = 0;
    let mut offsets = Vec::with_capacity(row.len());
    let mut blocks: Vec<Block> = Vec::with_capacity(row.len());
    for &v in row {
        offset += size(v) / 2;
        offsets.push(offset);
        let (want, weight) = wish(v, y);
        let mut last = Block { sum: (want - offset) * weight, weight, members: 1 };
        offset += size(v) - size(v) / 2;
        while let Some(before) = blocks.pop_if(|before| before.sum * last.weight >= last.sum * before.weight)
        {
            last = Block {
                sum: before.sum + last.sum,
                weight: before.weight + last.weight,
                members: before.members + last.members,
            };
        }
        blocks.push(last);
    }
    let mut members = row.iter().zip(offsets);
    for block in blocks {
        for (&v, offset) in members.by_ref().take(block.members) {
            y[v as usize] = block.sum.div_euclid(block.weight) + offset;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BETWEEN, Flow, Places, WIDTH};
    use crate::drawing::samples::{plan, task};

    #[test]
    fn boxes_of_a_layer_never_touch() {
        let roots: Vec<String> = (0..30).map(|i| format!("r{i}")).collect();
        let mut tasks: Vec<_> = roots.iter().map(|id| task(id, "", &[])).collect();
        tasks.extend(
            (0..30).map(|i| {
                task(&format!("t{i}"), "", &[roots[i * 7 % 30].as_str(), roots[i * 11 % 30].as_str()])
            }),
        );
        let (_, graph) = plan(tasks);
        let layers = graph.layers();
        let places = Places::new(&graph, &layers, vec![40; 60]);
        for row in &layers.rows {
            for pair in row.windows(2) {
                let [upper, lower] = [pair[0], pair[1]].map(|v| places.across[v as usize]);
                assert!(lower - upper >= 40 + BETWEEN);
            }
        }
        assert!(places.across.iter().all(|&y| y >= 20 && y <= places.height - 20));
    }

    #[test]
    fn a_chain_is_a_straight_line() {
        let (_, graph) = plan(vec![task("a", "", &[]), task("b", "", &["a"]), task("c", "", &["b"])]);
        let places = Places::new(&graph, &graph.layers(), vec![40, 60, 40]);
        assert!(places.across.iter().all(|&y| y == places.across[0]));
    }

    #[test]
    fn a_hundred_and_fifty_tasks_fit_a_page_that_is_scrolled_one_way() {
        let ids: Vec<String> = (0..150).map(|i| i.to_string()).collect();
        let before = |i: usize| i.checked_sub(5).map(|i| ids[i].as_str());
        let (_, graph) = plan((0..150).map(|i| task(&ids[i], "", before(i).as_slice())).collect());
        let places = Places::new(&graph, &graph.layers(), vec![60; 150]);
        assert!(places.flow == Flow::Down && places.width < 1400 && places.height < 3400);
    }

    #[test]
    fn a_long_chain_runs_down() {
        let ids: Vec<String> = (0..12).map(|i| i.to_string()).collect();
        let before = |i: usize| i.checked_sub(1).map(|i| ids[i].as_str());
        let (_, graph) = plan((0..12).map(|i| task(&ids[i], "", before(i).as_slice())).collect());
        let places = Places::new(&graph, &graph.layers(), vec![40; 12]);
        assert_eq!(places.flow, Flow::Down);
        assert!(places.height > 12 * 40 && places.width < 2 * WIDTH);
        assert!((1..12).all(|i| places.corner(i).1 >= places.ports(i - 1)[1].1));
    }
}
