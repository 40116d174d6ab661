//! Random graphs with random states: the answers must match the definitions, evaluated by brute force.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use graph::{Graph, Node};
use proptest::prelude::*;
use std::collections::BTreeSet;
use wire::State;
use wire::plan::Kind;

/// A random task; links are indices.
#[derive(Debug, Clone)]
struct Draft {
    state: State,
    depends_on: Vec<u32>,
    parent: Option<u32>,
    container: bool,
    optional: bool,
}

fn state() -> impl Strategy<Value = State> {
    prop_oneof![
        4 => Just(State::Pending), 3 => Just(State::Completed), 1 => Just(State::InProgress),
        1 => Just(State::Blocked), 1 => Just(State::Failed), 1 => Just(State::Skipped),
    ]
}

/// Most links go back, so that most graphs have no cycle.
fn drafts(families: bool) -> impl Strategy<Value = Vec<Draft>> {
    let link = (any::<u32>(), prop::bool::weighted(0.02));
    let draft =
        (state(), prop::collection::vec(link, 0..4), any::<u32>(), any::<bool>(), any::<(bool, bool)>());
    prop::collection::vec(draft, 1..12).prop_map(move |raw| {
        let len = u32::try_from(raw.len()).unwrap();
        let one = |(i, (state, links, parent, part, (container, optional)))| {
            let i: u32 = i;
            let links: Vec<(u32, bool)> = links;
            let depends_on = links.into_iter().filter(|&(_, any)| any || i > 0);
            let depends_on = depends_on.map(|(d, any)| d % if any { len } else { i }).collect();
            let parent: Option<u32> = (families && part && i > 0).then(|| parent % i);
            let (container, optional) = (families && container && i.is_multiple_of(3), families && optional);
            Draft { state, depends_on, parent, container, optional }
        };
        (0..).zip(raw).map(one).collect()
    })
}

fn build(drafts: &[Draft]) -> Graph {
    let ids: Vec<String> = (0..drafts.len()).map(|i| format!("t{i}")).collect();
    let id = |i: u32| ids[i as usize].as_str();
    let names: Vec<Vec<&str>> =
        drafts.iter().map(|d| d.depends_on.iter().map(|&d| id(d)).collect()).collect();
    let nodes = drafts.iter().zip(&ids).zip(&names).map(|((draft, own), names)| Node {
        id: own.as_str(),
        state: draft.state,
        depends_on: names.as_slice(),
        parent: draft.parent.map(id),
        kind: if draft.container { Kind::Container } else { Kind::Work },
        optional: draft.optional,
    });
    Graph::new(nodes).unwrap()
}

/// The definitions, without regard to speed.
struct Oracle<'a>(&'a [Draft]);

impl Oracle<'_> {
    fn all(&self) -> std::ops::Range<u32> {
        0..u32::try_from(self.0.len()).unwrap()
    }

    fn children(&self, i: u32) -> Vec<u32> {
        self.all().filter(|&c| self.0[c as usize].parent == Some(i)).collect()
    }

    fn ancestors(&self, i: u32) -> Vec<u32> {
        std::iter::successors(self.0[i as usize].parent, |&p| self.0[p as usize].parent).collect()
    }

    fn is_leaf(&self, i: u32) -> bool {
        self.children(i).is_empty()
    }

    fn is_work(&self, i: u32) -> bool {
        self.is_leaf(i) && !self.0[i as usize].container
    }

    /// The leaves that represent a task.
    fn leaves(&self, i: u32) -> BTreeSet<u32> {
        if self.is_leaf(i) {
            return BTreeSet::from([i]);
        }
        let needed = self.children(i).into_iter().filter(|&c| !self.0[c as usize].optional);
        let named = self.0[i as usize].depends_on.iter().copied().filter(|&d| self.ancestors(d).contains(&i));
        needed.chain(named).flat_map(|part| self.leaves(part)).collect()
    }

    /// The declared dependencies of a leaf and all its containers, outside themselves.
    fn declared(&self, leaf: u32) -> BTreeSet<u32> {
        let mut declared = BTreeSet::new();
        for who in std::iter::once(leaf).chain(self.ancestors(leaf)) {
            let all = self.0[who as usize].depends_on.iter().copied();
            let apart = |d: &u32| !self.ancestors(who).contains(d) && !self.ancestors(*d).contains(&who);
            declared.extend(all.filter(apart));
        }
        declared
    }

    /// The leaves that a leaf waits for.
    fn waits(&self, leaf: u32) -> BTreeSet<u32> {
        self.declared(leaf).into_iter().flat_map(|d| self.leaves(d)).collect()
    }

    fn is_settled(&self, leaf: u32) -> bool {
        self.0[leaf as usize].state.is_settled()
    }

    fn ready(&self) -> Vec<u32> {
        let pending = |i: &u32| self.is_work(*i) && self.0[*i as usize].state == State::Pending;
        self.all().filter(pending).filter(|&i| self.waits(i).iter().all(|&d| self.is_settled(d))).collect()
    }

    fn reaches(&self, from: u32, to: u32) -> bool {
        let mut met = self.waits(from);
        loop {
            let more: BTreeSet<u32> = met.iter().flat_map(|&d| self.waits(d)).chain(met.clone()).collect();
            if more == met {
                return met.contains(&to);
            }
            met = more;
        }
    }

    fn is_cyclic(&self) -> bool {
        self.all().filter(|&i| self.is_leaf(i)).any(|i| self.reaches(i, i))
    }

    /// How many tasks come before; only for graphs without cycle.
    fn before(&self, leaf: u32, only_open: bool) -> u32 {
        let counted = |d: &u32| !(only_open && self.is_settled(*d));
        let one = |d| self.before(d, only_open) + u32::from(self.is_work(d));
        self.waits(leaf).into_iter().filter(counted).map(one).max().unwrap_or(0)
    }

    fn rounds(&self, only_open: bool) -> Vec<Vec<u32>> {
        let mut rounds: Vec<Vec<u32>> = Vec::new();
        for i in self.all().filter(|&i| self.is_work(i) && !(only_open && self.is_settled(i))) {
            let round = self.before(i, only_open) as usize;
            rounds.resize(rounds.len().max(round + 1), Vec::new());
            rounds[round].push(i);
        }
        rounds
    }
}

fn check(drafts: &[Draft]) -> Result<(), TestCaseError> {
    let (graph, oracle) = (build(drafts), Oracle(drafts));
    prop_assert_eq!(graph.cycle().is_some(), oracle.is_cyclic());
    if let Some(cycle) = graph.cycle() {
        prop_assert_eq!(graph.topological(), Err(cycle.clone()));
        prop_assert_eq!(cycle.iter().collect::<BTreeSet<_>>().len(), cycle.len());
        return Ok(());
    }
    prop_assert_eq!(graph.ready(), oracle.ready());
    for only_open in [false, true] {
        let chains = graph.view().chains(only_open);
        prop_assert_eq!(chains.rounds(), oracle.rounds(only_open));
        check_path(&graph.critical_path(only_open), &oracle, only_open)?;
        for i in oracle.all().filter(|&i| oracle.is_leaf(i)) {
            let measured = oracle.is_work(i) && !(only_open && oracle.is_settled(i));
            prop_assert_eq!(chains.round(i), measured.then(|| oracle.before(i, only_open)));
        }
    }
    check_order(&graph.topological().unwrap(), &oracle)?;
    check_causes(&graph, &oracle)
}

/// The path has as many tasks as there are rounds, is really a chain, and is the first of its kind.
fn check_path(path: &[u32], oracle: &Oracle<'_>, only_open: bool) -> Result<(), TestCaseError> {
    let rounds = oracle.rounds(only_open);
    prop_assert_eq!(path.len(), rounds.len());
    for pair in path.windows(2) {
        prop_assert!(oracle.reaches(pair[1], pair[0]));
    }
    for (round, &i) in rounds.iter().zip(path) {
        prop_assert!(round.contains(&i));
    }
    if let (Some(&first), Some(round)) = (path.first(), rounds.first()) {
        // No task earlier in the document begins a chain of that length.
        let depth = |i: u32| oracle.all().map(|j| steps(oracle, j, i, only_open)).max().unwrap_or(0);
        let best = round.iter().copied().find(|&i| depth(i) as usize == path.len());
        prop_assert_eq!(best, Some(first));
    }
    Ok(())
}

/// How many tasks the longest chain from `start` up to `end` has.
fn steps(oracle: &Oracle<'_>, end: u32, start: u32, only_open: bool) -> u32 {
    if !oracle.is_leaf(end) || only_open && oracle.is_settled(end) {
        return 0;
    }
    if start == end {
        return 1;
    }
    let down = oracle.waits(end).into_iter().map(|d| steps(oracle, d, start, only_open)).max().unwrap_or(0);
    if down == 0 { 0 } else { down + u32::from(oracle.is_work(end)) }
}

/// Every task comes after its dependencies, and no task is where an earlier one of the document could be.
fn check_order(order: &[u32], oracle: &Oracle<'_>) -> Result<(), TestCaseError> {
    let mut done = BTreeSet::new();
    let free = |i: u32, done: &BTreeSet<u32>| {
        if oracle.is_leaf(i) {
            return oracle.declared(i).is_subset(done);
        }
        let needed = oracle.children(i).into_iter().filter(|&c| !oracle.0[c as usize].optional);
        let named = oracle.0[i as usize].depends_on.iter().copied();
        let named = named.filter(|&d| oracle.ancestors(d).contains(&i));
        needed.chain(named).all(|part| done.contains(&part))
    };
    for &i in order {
        prop_assert_eq!(oracle.all().find(|j| !done.contains(j) && free(*j, &done)), Some(i));
        done.insert(i);
    }
    prop_assert_eq!(done.len(), oracle.0.len());
    Ok(())
}

fn check_causes(graph: &Graph, oracle: &Oracle<'_>) -> Result<(), TestCaseError> {
    let view = graph.view();
    let causes = view.causes(|i| view.state(i) != State::Failed);
    for i in oracle.all().filter(|&i| oracle.is_leaf(i)) {
        let open = |d: &u32| !oracle.is_settled(*d);
        let near: Vec<u32> = oracle.waits(i).into_iter().filter(open).collect();
        prop_assert_eq!(view.waits_for(i), near.clone());
        prop_assert_eq!(view.is_free(i), near.is_empty());
        let mut met: BTreeSet<u32> = near.into_iter().collect();
        for _ in oracle.all() {
            met.extend(met.clone().into_iter().flat_map(|d| oracle.waits(d)).filter(open));
        }
        let roots: Vec<u32> = met.into_iter().filter(|&d| oracle.waits(d).iter().all(|d| !open(d))).collect();
        prop_assert_eq!(view.waits_for_roots(i), roots.clone());
        let worst = roots.iter().copied().min_by_key(|&r| (view.state(r) != State::Failed, r));
        prop_assert_eq!(causes.root(i), worst);
        prop_assert_eq!(graph.requires(i), oracle.waits(i).into_iter().collect::<Vec<_>>());
        let unblocks: Vec<u32> =
            oracle.all().filter(|&j| oracle.is_work(j) && oracle.waits(j).contains(&i)).collect();
        prop_assert_eq!(graph.unblocks(i), unblocks);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plain_graphs_are_ordered_as_defined(drafts in drafts(false)) {
        check(&drafts)?;
    }

    #[test]
    fn graphs_with_containers_are_ordered_as_defined(drafts in drafts(true)) {
        check(&drafts)?;
    }

    #[test]
    fn a_cycle_is_a_loop_of_declared_links(drafts in drafts(false), extra in any::<(u32, u32)>()) {
        let mut drafts = drafts;
        let len = u32::try_from(drafts.len()).unwrap();
        drafts[(extra.0 % len) as usize].depends_on.push(extra.1 % len);
        let graph = build(&drafts);
        if let Some(cycle) = graph.cycle() {
            for (&from, &to) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
                prop_assert!(graph.dependencies(from).contains(&to));
            }
            prop_assert_eq!(cycle.iter().min(), cycle.first());
        }
    }

    #[test]
    fn no_tangle_of_parents_and_links_is_too_much(
        raw in prop::collection::vec((state(), prop::collection::vec(0u32..8, 0..4), prop::option::of(0u32..8)), 8)
    ) {
        let one = |(state, depends_on, parent)| Draft { state, depends_on, parent, container: false, optional: false };
        let graph = build(&raw.into_iter().map(one).collect::<Vec<_>>());
        let view = graph.view();
        let _ = (graph.topological(), view.ready(), graph.layers(), view.causes(|i| i));
        for only_open in [false, true] {
            let chains = view.chains(only_open);
            let rounds = chains.rounds();
            prop_assert_eq!(chains.critical_path().len(), rounds.len());
            prop_assert!(rounds.iter().all(|round| !round.is_empty()));
        }
    }
}
