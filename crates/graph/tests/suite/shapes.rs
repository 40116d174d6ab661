//! Large and lopsided graphs: a hundred thousand tasks in a chain, a star, a loop, a family; a million in a chain
//! on a small stack.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use graph::{Graph, Node};
use wire::State;
use wire::plan::Kind;

const MANY: u32 = 100_000;

/// Tasks `0..len` with links and parents given by index.
fn graph(len: u32, links: impl Fn(u32) -> Vec<u32>, parent: impl Fn(u32) -> Option<u32>) -> Graph {
    let ids: Vec<String> = (0..len).map(|i| i.to_string()).collect();
    let names: Vec<Vec<&str>> =
        (0..len).map(|i| links(i).into_iter().map(|d| ids[d as usize].as_str()).collect()).collect();
    let nodes = (0..len).map(|i| Node {
        id: &ids[i as usize],
        state: State::Pending,
        depends_on: names[i as usize].as_slice(),
        parent: parent(i).map(|p| ids[p as usize].as_str()),
        kind: Kind::Work,
        optional: false,
    });
    Graph::new(nodes).unwrap()
}

#[test]
fn a_long_chain_is_as_many_rounds() {
    let chain = graph(MANY, |i| i.checked_sub(1).into_iter().collect(), |_| None);
    assert_eq!(chain.ready(), [0]);
    assert_eq!(chain.rounds(true).len(), MANY as usize);
    assert_eq!(chain.critical_path(false), (0..MANY).collect::<Vec<_>>());
    assert_eq!(chain.view().waits_for_roots(MANY - 1), [0]);
    assert_eq!(chain.view().causes(|_| 0).root(MANY - 1), Some(0));
    assert_eq!(chain.reachable_from(0).len(), MANY as usize - 1);
    assert_eq!(chain.layers().rows.len(), MANY as usize);
}

#[test]
fn a_chain_against_the_order_of_the_document_is_turned_round() {
    let chain = graph(MANY, |i| (i + 1 < MANY).then_some(i + 1).into_iter().collect(), |_| None);
    assert_eq!(chain.topological().unwrap(), (0..MANY).rev().collect::<Vec<_>>());
    assert_eq!(chain.ready(), [MANY - 1]);
}

#[test]
fn a_star_is_two_rounds() {
    let out = graph(MANY, |i| if i == 0 { vec![] } else { vec![0] }, |_| None);
    assert_eq!(out.rounds(true).iter().map(Vec::len).collect::<Vec<_>>(), [1, MANY as usize - 1]);
    assert_eq!(out.critical_path(true), [0, 1]);
    let into = graph(MANY, |i| if i == 0 { (1..MANY).collect() } else { vec![] }, |_| None);
    assert_eq!(into.rounds(true).iter().map(Vec::len).collect::<Vec<_>>(), [MANY as usize - 1, 1]);
    assert_eq!(into.critical_path(true), [1, 0]);
    assert_eq!(into.layers().rows.len(), 2);
}

#[test]
fn a_loop_of_all_is_named_in_full() {
    let ring = graph(MANY, |i| vec![(i + 1) % MANY], |_| None);
    assert_eq!(ring.cycle(), Some((0..MANY).collect()));
    assert_eq!(ring.topological(), Err((0..MANY).collect()));
    assert!(ring.ready().is_empty() && ring.rounds(true).is_empty());
    assert_eq!(ring.layers().rows.iter().map(Vec::len).sum::<usize>(), MANY as usize);
}

#[test]
fn many_dependencies_of_a_container_and_many_children_do_not_multiply() {
    // The first half is children of task 0, which depends on the second half.
    let half = MANY / 2;
    let links = |i| if i == 0 { (half..MANY).collect() } else { vec![] };
    let family = graph(MANY, links, |i| (0 < i && i < half).then_some(0));
    assert_eq!(family.ready().len(), half as usize);
    assert_eq!(
        family.rounds(true).iter().map(Vec::len).collect::<Vec<_>>(),
        [half as usize, half as usize - 1]
    );
}

#[test]
fn a_nest_of_containers_is_walked_without_recursion() {
    let nest = graph(MANY, |_| vec![], |i| i.checked_sub(1));
    assert_eq!(nest.ready(), [MANY - 1]);
    assert_eq!(nest.rounds(true), [[MANY - 1]]);
    assert_eq!(nest.cycle(), None);
}

#[test]
fn a_million_tasks_in_a_chain_need_no_stack() {
    let run = || {
        let chain = graph(1_000_000, |i| i.checked_sub(1).into_iter().collect(), |_| None);
        assert_eq!(chain.view().chains(true).critical_path().len(), 1_000_000);
        assert_eq!(chain.cycle(), None);
    };
    std::thread::Builder::new().stack_size(256 * 1024).spawn(run).unwrap().join().unwrap();
}
