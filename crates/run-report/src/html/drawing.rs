//! The layout of the page's drawing: the same positions as in `dag-export`, as numbers.

use graph::{Critical, Flow, Graph, Layers, Places, WIDTH};
use serde::Serialize;
use std::collections::HashSet;

/// The margin around the drawing.
const MARGIN: i64 = 24;
/// The height of a box.
const HEIGHT: i64 = 62;
/// Beyond this the page lists the layers and does not draw the tasks.
const MOST: u32 = 600;

/// A drawing in whole pixels.
#[derive(Debug, Serialize)]
pub(crate) struct Drawing {
    width: i64,
    height: i64,
    /// The width of a box.
    #[serde(rename = "box")]
    wide: i64,
    /// Whether layers are rows.
    down: bool,
    /// The corner and the height of each task's box.
    boxes: Vec<(i64, i64, i64)>,
    /// Start and end, whether critical, whether part of a container, whether it ends at a box.
    links: Vec<(i64, i64, i64, i64, u8, u8, u8)>,
}

/// The drawing of a graph, if it is small enough.
pub(crate) fn of(graph: &Graph) -> Option<Drawing> {
    if graph.len() > MOST || graph.cycle().is_some() {
        return None;
    }
    let layers = graph.layers();
    let places = Places::new(graph, &layers, vec![HEIGHT; graph.len() as usize]);
    let boxes = (0..graph.len()).map(|i| places.corner(i)).map(|(x, y)| (MARGIN + x, MARGIN + y, HEIGHT));
    Some(Drawing {
        width: places.width + 2 * MARGIN,
        height: places.height + 2 * MARGIN,
        wide: WIDTH,
        down: places.flow == Flow::Down,
        boxes: boxes.collect(),
        links: links(graph, &layers, &places),
    })
}

/// The layer of each task; `None` for a container or a task that a cycle blocks.
pub(crate) fn layers(graph: &Graph) -> Vec<Option<u32>> {
    let chains = graph.view().chains(false);
    (0..graph.len()).map(|i| chains.round(i)).collect()
}

/// The segments of the links; a shared segment is drawn once.
fn links(graph: &Graph, layers: &Layers, places: &Places) -> Vec<(i64, i64, i64, i64, u8, u8, u8)> {
    let critical = Critical::of(graph);
    let mut drawn = HashSet::new();
    let mut out = Vec::new();
    for route in layers.routes() {
        let strong = u8::from(critical.links(route.from, route.to));
        let part = u8::from(graph.parent(route.from) == Some(route.to));
        let ends = route.bends.iter().copied().chain([route.to]);
        for (from, to) in std::iter::once(route.from).chain(route.bends.iter().copied()).zip(ends) {
            let ([_, start], [end, beyond]) = (places.ports(from), places.ports(to));
            let piece = |a: (i64, i64), b: (i64, i64), tip: u8| {
                (MARGIN + a.0, MARGIN + a.1, MARGIN + b.0, MARGIN + b.1, strong, part, tip)
            };
            let task = to < graph.len();
            if drawn.insert((from, to, strong, part)) {
                out.push(piece(start, end, u8::from(task)));
            }
            if !task && drawn.insert((to, to, strong, part)) {
                out.push(piece(end, beyond, 0));
            }
        }
    }
    out
}
