//! The drawing of a graph: every link leads from column to column, and the whole takes bounded time.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use graph::{Graph, Layers, Node};
use proptest::prelude::*;
use wire::State;
use wire::plan::Kind;

fn graph(links: &[Vec<u32>], parents: &[Option<u32>]) -> Graph {
    let ids: Vec<String> = (0..links.len()).map(|i| i.to_string()).collect();
    let names: Vec<Vec<&str>> =
        links.iter().map(|row| row.iter().map(|&d| ids[d as usize].as_str()).collect()).collect();
    let nodes = ids.iter().zip(&names).zip(parents).map(|((id, names), parent)| Node {
        id,
        state: State::Pending,
        depends_on: names.as_slice(),
        parent: parent.map(|p| ids[p as usize].as_str()),
        kind: Kind::Work,
        optional: false,
    });
    Graph::new(nodes).unwrap()
}

/// Each vertex occurs once, in its column; each route takes one step per column.
fn check(graph: &Graph, layers: &Layers) {
    let mut seen = vec![0; layers.vertices() as usize];
    for (row, column) in layers.rows.iter().zip(0..) {
        for &v in row {
            assert_eq!(layers.layer(v), column);
            seen[v as usize] += 1;
        }
    }
    assert!(seen.iter().all(|&times| times == 1));
    for route in layers.routes() {
        assert!(route.from < graph.len() && route.to < graph.len());
        let (first, last) = (layers.layer(route.from), layers.layer(route.to));
        assert!(graph.cycle().is_some() || first < last, "{route:?}");
        for (&bend, column) in route.bends.iter().zip(first + 1..) {
            assert!(bend >= graph.len() && layers.layer(bend) == column);
        }
        assert!(route.bends.is_empty() || first as usize + route.bends.len() + 1 == last as usize);
    }
}

#[test]
fn a_link_past_a_task_has_a_lane_beside_it() {
    let graph = graph(&[vec![], vec![0], vec![0, 1]], &[None; 3]);
    let layers = graph.layers();
    check(&graph, &layers);
    assert_eq!(layers.rows, [vec![0], vec![1, 3], vec![2]]);
    assert_eq!((layers.before(2), layers.after(0)), (&[3, 1][..], &[1, 3][..]));
}

#[test]
fn links_into_one_task_share_their_lane() {
    // Three chains of three; the last task waits for all of their tasks.
    let chain = |i: u32| if i.is_multiple_of(3) { vec![] } else { vec![i - 1] };
    let links: Vec<Vec<u32>> = (0..9).map(chain).chain([(0..9).collect()]).collect();
    let graph = graph(&links, &[None; 10]);
    let layers = graph.layers();
    check(&graph, &layers);
    assert_eq!(layers.vertices(), 12, "one bend in each of the two columns between");
}

#[test]
fn ten_thousand_tangled_tasks_are_drawn_at_once() {
    let mut seed = 1u32;
    let mut random = |below: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) % below
    };
    let links: Vec<Vec<u32>> = (0..10_000).map(|i| (0..3.min(i)).map(|_| random(i)).collect()).collect();
    let graph = graph(&links, &vec![None; links.len()]);
    let begun = std::time::Instant::now();
    let layers = graph.layers();
    assert!(begun.elapsed().as_secs() < 20, "even without optimisation");
    check(&graph, &layers);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_tangle_can_be_drawn(
        links in prop::collection::vec(prop::collection::vec(0u32..10, 0..4), 10),
        parents in prop::collection::vec(prop::option::weighted(0.2, 0u32..10), 10),
    ) {
        let graph = graph(&links, &parents);
        check(&graph, &graph.layers());
    }

    #[test]
    fn without_cycles_every_link_leads_on(raw in prop::collection::vec(prop::collection::vec(any::<u32>(), 0..4), 1..30)) {
        let back = |(i, row): (u32, Vec<u32>)| row.into_iter().filter(|_| i > 0).map(|d| d % i.max(1)).collect();
        let links: Vec<Vec<u32>> = (0..).zip(raw).map(back).collect();
        let graph = graph(&links, &vec![None; links.len()]);
        check(&graph, &graph.layers());
    }
}
