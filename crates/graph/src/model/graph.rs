//! The graph itself: tasks by index and the links between them.

use crate::drawing::layers::Layers;
use crate::model::csr::{Csr, Links, NONE, index};
use crate::model::family::Family;
use crate::model::names::Names;
use crate::model::node::{Name, Node};
use crate::model::trouble::{Duplicate, Trouble, Unknown};
use crate::model::view::View;
use crate::order::chains;
use crate::order::sort;
use std::collections::HashMap;
use wire::plan::Kind;
use wire::{Plan, State};

/// Tasks and their links. A graph may have cycles; see [`Graph::cycle`].
#[derive(Debug, Clone)]
pub struct Graph {
    states: Vec<State>,
    containers: Vec<bool>,
    optional: Vec<bool>,
    family: Family,
    declared: Links,
    /// The effective links, if containers make them differ from the declared ones.
    ordered: Option<Links>,
    /// The containers whose entries are the vertices after the tasks.
    entered: Vec<u32>,
    /// All vertices that no cycle blocks, each after its dependencies.
    sorted: Vec<u32>,
}

impl Graph {
    /// The graph of `nodes`, numbered in order; collects every wrong name.
    pub fn new<'a, N: Name + 'a>(nodes: impl IntoIterator<Item = Node<'a, N>>) -> Result<Graph, Trouble> {
        let nodes: Vec<Node<'a, N>> = nodes.into_iter().collect();
        let mut trouble = Trouble::default();
        let names = names(&nodes, &mut trouble);
        let declared = resolve(&nodes, &names, &mut trouble);
        if !trouble.is_empty() {
            return Err(trouble);
        }
        let parent = |node: &Node<'a, N>| node.parent.and_then(|id| names.get(id)).unwrap_or(NONE);
        let family = Family::new(nodes.iter().map(parent).collect());
        let states = nodes.iter().map(|node| node.state).collect();
        let containers = nodes.iter().zip(0..);
        let containers = containers
            .map(|(node, i)| node.kind == Kind::Container || !family.children(i).is_empty())
            .collect();
        let optional = nodes.iter().map(|node| node.optional).collect();
        Ok(Graph::assemble(states, containers, optional, family, declared))
    }

    /// The graph of a plan's tasks.
    pub fn of(plan: &Plan) -> Result<Graph, Trouble> {
        Graph::new(plan.tasks.iter().map(Node::from))
    }

    /// The same tasks with more links: each pair is a task and one that must be settled before it. A strategy uses
    /// this to add to the links that the plan declares.
    #[must_use]
    pub fn with_links(self, links: &[(u32, u32)]) -> Graph {
        let len = self.len();
        let mut seen = vec![NONE; len as usize];
        let more = Csr::grouped(len, links.iter().copied());
        let old = &self.declared.down;
        let mut declared = Csr::with_capacity(len as usize, old.items().len() + links.len());
        for i in 0..len {
            declared.push_row(&mut seen, old.row(i).iter().chain(more.row(i)).copied());
        }
        Graph::assemble(self.states, self.containers, self.optional, self.family, declared)
    }

    fn assemble(
        states: Vec<State>,
        containers: Vec<bool>,
        optional: Vec<bool>,
        family: Family,
        declared: Csr,
    ) -> Graph {
        let (ordered, entered) = if family.is_flat() {
            (None, Vec::new())
        } else {
            let (order, entered) = family.order(&declared, &optional);
            (Some(Links::from(order)), entered)
        };
        let declared = Links::from(declared);
        let sorted = sort::sorted(ordered.as_ref().unwrap_or(&declared));
        Graph { states, containers, optional, family, declared, ordered, entered, sorted }
    }

    /// How many tasks there are.
    #[expect(clippy::len_without_is_empty, reason = "an empty plan is refused long before")]
    pub fn len(&self) -> u32 {
        index(self.states.len())
    }

    /// The task's dependencies as declared; a container is not replaced by its children.
    pub fn dependencies(&self, i: u32) -> &[u32] {
        self.declared.down.row(i)
    }

    /// The tasks that declare this one, in document order.
    pub fn dependants(&self, i: u32) -> &[u32] {
        self.declared.up.row(i)
    }

    /// The container that the task is part of.
    pub fn parent(&self, i: u32) -> Option<u32> {
        self.family.parent(i)
    }

    /// The tasks that are part of this one, in document order.
    pub fn children(&self, i: u32) -> &[u32] {
        self.family.children(i)
    }

    /// Whether the task is part of the container, at any depth.
    pub fn is_part(&self, i: u32, container: u32) -> bool {
        self.family.is_within(i, container)
    }

    /// Whether the task is never work by itself: of kind container, or named as parent.
    pub fn is_container(&self, i: u32) -> bool {
        self.containers[i as usize]
    }

    /// The states that the tasks were created with.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// The graph with these states.
    pub fn view(&self) -> View<'_> {
        View::new(self, self.states.clone())
    }

    /// The graph with states from the caller, one for each task; a task beyond the end of the list keeps its own.
    pub fn view_with(&self, mut states: Vec<State>) -> View<'_> {
        states.truncate(self.states.len());
        states.extend_from_slice(&self.states[states.len()..]);
        View::new(self, states)
    }

    /// A loop of tasks where each waits for the next and the last for the first; it begins with the task that comes
    /// first in the document.
    pub fn cycle(&self) -> Option<Vec<u32>> {
        sort::cycle(self)
    }

    /// Every task after its dependencies, as close to document order as that allows; or a cycle.
    pub fn topological(&self) -> Result<Vec<u32>, Vec<u32>> {
        self.cycle().map_or_else(|| Ok(sort::topological(self)), Err)
    }

    /// [`View::ready`] with the tasks' own states.
    pub fn ready(&self) -> Vec<u32> {
        self.view().ready()
    }

    /// [`Chains::rounds`] with the tasks' own states.
    pub fn rounds(&self, only_open: bool) -> Vec<Vec<u32>> {
        self.view().chains(only_open).rounds()
    }

    /// [`Chains::critical_path`] with the tasks' own states.
    pub fn critical_path(&self, only_open: bool) -> Vec<u32> {
        self.view().chains(only_open).critical_path()
    }

    /// The weight of the heaviest chain of tasks; containers weigh nothing.
    pub fn heaviest(&self, weight: impl Fn(u32) -> u64) -> u64 {
        chains::heaviest(self, weight)
    }

    /// The layout for drawing the tasks.
    pub fn layers(&self) -> Layers {
        Layers::new(self)
    }

    /// The effective links, with those that containers add.
    pub(crate) fn order(&self) -> &Links {
        self.ordered.as_ref().unwrap_or(&self.declared)
    }

    /// All vertices that no cycle blocks, each after its dependencies.
    pub(crate) fn sorted(&self) -> &[u32] {
        &self.sorted
    }

    /// How many vertices the order has: the tasks, then the entries of containers.
    pub(crate) fn vertices(&self) -> u32 {
        self.order().down.len()
    }

    /// The task that a vertex belongs to.
    pub(crate) fn task(&self, vertex: u32) -> u32 {
        vertex.checked_sub(self.len()).map_or(vertex, |entry| self.entered[entry as usize])
    }

    /// Whether the vertex only represents others: the entry of a container, or the end of one with children.
    pub(crate) fn is_passage(&self, vertex: u32) -> bool {
        vertex >= self.len() || !self.children(vertex).is_empty()
    }

    /// Whether the vertex is a task to do, and not just the entry or end of a container.
    pub(crate) fn is_work(&self, vertex: u32) -> bool {
        self.containers.get(vertex as usize) == Some(&false)
    }
}

/// The index of every id.
fn names<N: Name>(nodes: &[Node<'_, N>], trouble: &mut Trouble) -> Names {
    let mut names = Names::with_capacity(nodes.len());
    let mut again: HashMap<u32, usize> = HashMap::new();
    for (node, i) in nodes.iter().zip(0..) {
        if let Some(first) = names.add(node.id) {
            let list = &mut trouble.duplicates;
            let at = *again.entry(first).or_insert(list.len());
            if at == list.len() {
                list.push(Duplicate { id: node.id.to_owned(), nodes: vec![first] });
            }
            list[at].nodes.push(i);
        }
    }
    trouble.duplicates.sort_by_key(|duplicate| duplicate.nodes[0]);
    names
}

/// The declared links; an unknown name is skipped and reported.
fn resolve<N: Name>(nodes: &[Node<'_, N>], names: &Names, trouble: &mut Trouble) -> Csr {
    let links: usize = nodes.iter().map(|node| node.depends_on.len()).sum();
    let mut asked = Vec::with_capacity(links);
    for node in nodes {
        asked.extend(node.depends_on.iter().map(Name::name));
    }
    let mut found = names.get_all(&asked).into_iter();
    let mut declared = Csr::with_capacity(nodes.len(), links);
    let mut seen = vec![NONE; nodes.len()];
    for (node, i) in nodes.iter().zip(0..) {
        let row = node.depends_on.iter().zip(&mut found).filter_map(|(name, found)| {
            if found == NONE {
                let (id, dependency) = (node.id.to_owned(), name.name().to_owned());
                trouble.unknown.push(Unknown { node: i, id, dependency });
            }
            Some(found).filter(|&found| found != NONE)
        });
        declared.push_row(&mut seen, row);
    }
    declared
}
