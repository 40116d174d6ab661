//! The order of small plans, in full.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use graph::{Graph, Node};
use wire::State::{Blocked, Completed, Failed, InProgress, Pending, Skipped};
use wire::plan::Kind;

fn task<'a>(id: &'a str, depends_on: &'a [&'a str]) -> Node<'a, &'a str> {
    Node { id, state: Pending, depends_on, parent: None, kind: Kind::Work, optional: false }
}

fn part<'a>(id: &'a str, parent: &'a str, depends_on: &'a [&'a str]) -> Node<'a, &'a str> {
    Node { parent: Some(parent), ..task(id, depends_on) }
}

/// A plan of three TODOs split into steps, with a beginning and an end: eighteen tasks.
fn eighteen() -> Graph {
    let tasks = [
        task("1", &[]),
        task("2", &["1"]),
        task("3", &["2"]),
        task("4", &["3"]),
        task("5", &["4"]),
        task("6", &["5"]),
        task("7", &["6"]),
        task("8", &["7"]),
        task("9", &["8"]),
        task("10", &["9"]),
        task("11", &["1"]),
        task("12", &["11"]),
        task("13", &["12"]),
        task("14", &["13"]),
        task("15", &["14"]),
        task("16", &["6", "10", "15"]),
        task("17", &["16"]),
        task("18", &["17"]),
    ];
    Graph::new(tasks).unwrap()
}

/// Indices as the numbers that the plan uses.
fn numbered(rounds: &[Vec<u32>]) -> Vec<Vec<u32>> {
    rounds.iter().map(|round| round.iter().map(|i| i + 1).collect()).collect()
}

fn expected() -> Vec<Vec<u32>> {
    let pairs = [(2, 11), (3, 12), (4, 13), (5, 14), (6, 15)].map(|(a, b)| vec![a, b]);
    let singles = [7, 8, 9, 10, 16, 17, 18].map(|a| vec![a]);
    [vec![1]].into_iter().chain(pairs).chain(singles).collect()
}

#[test]
fn eighteen_tasks_take_rounds_0_to_12() {
    let graph = eighteen();
    assert_eq!(numbered(&graph.rounds(false)), expected());
    let path = numbered(&[graph.critical_path(true)]);
    assert_eq!(path, [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 17, 18]]);
}

#[test]
fn ticking_what_is_ready_gives_the_same_rounds() {
    let graph = eighteen();
    let mut states = graph.states().to_vec();
    let mut rounds = Vec::new();
    loop {
        let ready = graph.view_with(states.clone()).ready();
        if ready.is_empty() {
            break;
        }
        assert_eq!(graph.view_with(states.clone()).chains(true).rounds()[0], ready);
        for &i in &ready {
            states[i as usize] = Completed;
        }
        rounds.push(ready);
    }
    assert_eq!(numbered(&rounds), expected());
}

#[test]
fn only_a_settled_dependency_lets_a_task_go_on() {
    for (state, ready) in [
        (Pending, vec![0]),
        (InProgress, vec![]),
        (Blocked, vec![]),
        (Failed, vec![]),
        (Completed, vec![1]),
        (Skipped, vec![1]),
    ] {
        let graph = Graph::new([Node { state, ..task("a", &[]) }, task("b", &["a"])]).unwrap();
        assert_eq!(graph.ready(), ready, "{state:?}");
    }
}

#[test]
fn a_caller_may_know_the_states_better() {
    let graph = Graph::new([task("a", &[]), task("b", &["a"]), task("c", &[])]).unwrap();
    let view = graph.view_with(vec![Failed]);
    assert_eq!((view.ready(), view.waits_for_roots(1), view.state(1)), (vec![2], vec![0], Pending));
}

#[test]
fn all_wrong_names_are_told_at_once() {
    let nodes =
        [task("a", &["x"]), task("b", &["b2", "a"]), task("a", &[]), task("b", &[]), task("a", &["y"])];
    let trouble = Graph::new(nodes).unwrap_err();
    let duplicates: Vec<_> = trouble.duplicates.iter().map(|d| (d.id.as_str(), d.nodes.as_slice())).collect();
    assert_eq!(duplicates, [("a", &[0, 2, 4][..]), ("b", &[1, 3][..])]);
    let unknown: Vec<_> = trouble.unknown.iter().map(|u| (u.node, u.dependency.as_str())).collect();
    assert_eq!(unknown, [(0, "x"), (1, "b2"), (4, "y")]);
}

#[test]
fn a_task_that_depends_on_itself_is_a_loop_of_one() {
    let graph = Graph::new([task("a", &[]), task("b", &["a", "b"])]).unwrap();
    assert_eq!((graph.cycle(), graph.ready()), (Some(vec![1]), vec![0]));
}

#[test]
fn depending_on_a_container_is_depending_on_its_children() {
    let nodes = [
        task("c", &["a"]),
        part("c1", "c", &[]),
        part("c2", "c", &["c1"]),
        task("z", &["c"]),
        task("a", &[]),
    ];
    let graph = Graph::new(nodes).unwrap();
    assert!(graph.is_container(0) && graph.children(0) == [1, 2] && graph.parent(2) == Some(0));
    assert_eq!(graph.rounds(false), [[4], [1], [2], [3]]);
    assert_eq!(graph.topological().unwrap(), [4, 1, 2, 0, 3]);
    assert_eq!((graph.unblocks(4), graph.unblocks(2), graph.dependants(2)), (vec![1, 2], vec![3], &[][..]));
    let view = graph.view_with(vec![Completed, Completed, Pending, Pending, Completed]);
    assert!(!view.is_settled(0), "its own box does not count");
    assert_eq!((view.ready(), view.waits_for(3)), (vec![2], vec![2]));
}

#[test]
fn optional_children_do_not_hold_their_container_up() {
    let extra = Node { optional: true, ..part("c2", "c", &[]) };
    let done = Node { state: Completed, ..part("c1", "c", &[]) };
    let graph = Graph::new([task("c", &[]), done, extra, task("z", &["c"])]).unwrap();
    assert_eq!(graph.ready(), [2, 3]);
}

#[test]
fn a_container_without_children_goes_by_its_own_box() {
    let empty = Node { kind: Kind::Container, ..task("c", &[]) };
    let graph = Graph::new([empty, task("z", &["c"])]).unwrap();
    assert!(graph.ready().is_empty());
    assert_eq!(graph.view().waits_for_roots(1), [0]);
    assert_eq!(graph.view_with(vec![Completed]).ready(), [1]);
}

#[test]
fn naming_ones_own_container_or_ones_own_children_is_no_loop() {
    let nodes = [task("c", &["c1", "c2"]), part("c1", "c", &["c"]), part("c2", "c", &["c1"])];
    let graph = Graph::new(nodes).unwrap();
    assert_eq!((graph.cycle(), graph.rounds(false)), (None, vec![vec![1], vec![2]]));
}

#[test]
fn a_strategy_adds_links_and_removes_none() {
    let graph = Graph::new([task("a", &[]), task("b", &[]), task("c", &["a"])]).unwrap();
    let graph = graph.with_links(&[(1, 0), (2, 1), (2, 0)]);
    assert_eq!(graph.rounds(false), [[0], [1], [2]]);
    assert_eq!(graph.dependencies(2), [0, 1]);
}
