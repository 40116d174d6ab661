//! Links that a plan implies without declaring them: stated chains, checkpoints, and RED before GREEN before
//! REFACTOR.
//!
//! Each rule returns pairs of a task and one that must be settled before it, for [`Graph::with_rule`].

use crate::model::csr::index;
use crate::model::graph::Graph;
use std::collections::HashMap;
use wire::plan::Kind;
use wire::{Task, TaskId};

/// A task as the rules see it.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its title.
    pub title: &'a str,
    /// The kind of task.
    pub kind: Kind,
    /// The phase it belongs to.
    pub phase: Option<&'a str>,
    /// The group it belongs to.
    pub group: Option<&'a str>,
    /// The container it is part of.
    pub parent: Option<&'a str>,
    /// Whether the plan can be completed without it.
    pub optional: bool,
}

impl<'a> From<&'a Task> for Placed<'a> {
    fn from(task: &'a Task) -> Self {
        Placed {
            id: task.id.as_str(),
            title: &task.title,
            kind: task.kind,
            phase: task.phase.as_deref(),
            group: task.group.as_deref(),
            parent: task.parent.as_ref().map(TaskId::as_str),
            optional: task.optional,
        }
    }
}

impl Graph {
    /// The same tasks with the links of one rule. The plan's own links take precedence: a rule that would make a
    /// loop with them is left out as a whole.
    #[must_use]
    pub fn with_rule(self, links: &[(u32, u32)]) -> Graph {
        if links.is_empty() {
            return self;
        }
        let with = self.clone().with_links(links);
        if with.cycle().is_none() { with } else { self }
    }
}

/// Chains that the plan states, each in its order; an unknown name breaks the chain there.
pub fn serial<'a>(chains: &[Vec<TaskId>], ids: impl Iterator<Item = &'a str>) -> Vec<(u32, u32)> {
    if chains.iter().all(|chain| chain.len() < 2) {
        return Vec::new();
    }
    let known: HashMap<&str, u32> = ids.zip(0..).collect();
    let pair = |pair: &[TaskId]| Some((*known.get(pair[1].as_str())?, *known.get(pair[0].as_str())?));
    chains.iter().flat_map(|chain| chain.windows(2).filter_map(pair)).collect()
}

/// A checkpoint is a barrier: it waits for the tasks before it in its phase, and all tasks after it wait for it.
/// Optional tasks delay no checkpoint.
pub fn checkpoints<'a>(tasks: impl Iterator<Item = Placed<'a>>) -> Vec<(u32, u32)> {
    let mut links = Vec::new();
    // The tasks since the last checkpoint, by phase, and that checkpoint.
    let mut since: HashMap<Option<&str>, Vec<u32>> = HashMap::new();
    let mut last = None;
    for (task, i) in tasks.zip(0..) {
        links.extend(last.map(|last| (i, last)));
        if task.kind == Kind::Checkpoint {
            let before = match task.phase {
                None => std::mem::take(&mut since).into_values().flatten().collect(),
                phase => since.remove(&phase).unwrap_or_default(),
            };
            links.extend(before.into_iter().map(|before| (i, before)));
            last = Some(i);
        } else if !task.optional {
            since.entry(task.phase).or_default().push(i);
        }
    }
    links.sort_unstable();
    links
}

/// RED before GREEN before REFACTOR, within a phase, group and container.
pub fn test_first<'a>(tasks: impl Iterator<Item = Placed<'a>>) -> Vec<(u32, u32)> {
    let mut scopes: HashMap<[Option<&str>; 3], Vec<(usize, u32)>> = HashMap::new();
    for (task, i) in tasks.zip(0..) {
        if let Some(part) = part(task.title) {
            scopes.entry([task.phase, task.group, task.parent]).or_default().push((part, i));
        }
    }
    let mut links: Vec<(u32, u32)> = scopes.into_values().flat_map(cycle_links).collect();
    links.sort_unstable();
    links
}

/// The parts of one scope, in document order. A single cycle is put in order whatever the order of the list; with
/// several, each part follows the nearest earlier part before it.
fn cycle_links(mut parts: Vec<(usize, u32)>) -> Vec<(u32, u32)> {
    let count = |wanted: usize| parts.iter().filter(|(part, _)| *part == wanted).count();
    if (0..PARTS.len()).all(|part| count(part) < 2) {
        parts.sort_unstable();
    }
    let mut seen = [None; PARTS.len()];
    let mut links = Vec::new();
    for (part, i) in parts {
        links.extend(seen[..part].iter().rev().find_map(|seen| *seen).map(|before| (i, before)));
        seen[part] = Some(i);
    }
    links
}

/// The parts of a cycle, in their order.
const PARTS: [&str; 3] = ["RED", "GREEN", "REFACTOR"];

fn part(title: &str) -> Option<usize> {
    let has = |word: &&str| title.split(|c: char| !c.is_ascii_alphabetic()).any(|w| w == *word);
    PARTS.iter().position(has)
}

/// Links every task to the one before it, in document order as far as its dependencies allow. For a graph without
/// cycle.
pub fn in_turn(graph: &Graph) -> Vec<(u32, u32)> {
    let order = graph.topological().unwrap_or_default();
    let work: Vec<u32> = order.into_iter().filter(|&i| !graph.is_container(i)).collect();
    work.windows(2).map(|pair| (pair[1], pair[0])).collect()
}

/// The phases in their order, and for each task the number of its phase. A phase that only tasks name comes after
/// those that the plan states.
pub fn phases<'a>(
    stated: impl Iterator<Item = &'a str>,
    tasks: impl Iterator<Item = Option<&'a str>>,
) -> (Vec<&'a str>, Vec<Option<u32>>) {
    let mut rank: HashMap<&str, u32> = HashMap::new();
    let mut names = Vec::new();
    let mut of = |name: &'a str| {
        *rank.entry(name).or_insert_with(|| {
            names.push(name);
            index(names.len() - 1)
        })
    };
    for name in stated {
        of(name);
    }
    let ranks = tasks.map(|phase| phase.map(&mut of)).collect();
    (names, ranks)
}

#[cfg(test)]
mod tests {
    use super::{Placed, checkpoints, phases, serial, test_first};
    use wire::plan::Kind;

    fn task<'a>(id: &'a str, phase: Option<&'a str>) -> Placed<'a> {
        let kind = if id.starts_with('c') { Kind::Checkpoint } else { Kind::Work };
        Placed { id, title: id, kind, phase, group: None, parent: None, optional: id.ends_with('?') }
    }

    #[test]
    fn a_checkpoint_parts_what_is_before_from_what_is_after() {
        let tasks = ["a", "b?", "c1", "d", "c2", "e"].map(|id| task(id, None));
        assert_eq!(checkpoints(tasks.into_iter()), [(2, 0), (3, 2), (4, 2), (4, 3), (5, 4)]);
        let phased = [("a", "1"), ("b", "2"), ("c1", "1"), ("d", "2")].map(|(id, p)| task(id, Some(p)));
        assert_eq!(checkpoints(phased.into_iter()), [(2, 0), (3, 2)]);
        assert!(checkpoints([task("a", None), task("b", None)].into_iter()).is_empty());
    }

    #[test]
    fn one_cycle_is_put_in_order_and_several_follow_the_list() {
        let links = |titles: &[&'static str]| {
            test_first(titles.iter().map(|title| Placed { title, ..task("x", None) }))
        };
        assert_eq!(links(&["REFACTOR it", "GREEN", "a test: RED"]), [(0, 1), (1, 2)]);
        assert_eq!(links(&["RED 1", "GREEN 1", "RED 2", "GREEN 2", "other"]), [(1, 0), (3, 2)]);
        assert!(links(&["REDO", "green", "Greenhouse"]).is_empty());
    }

    #[test]
    fn a_chain_skips_names_that_nothing_has() {
        let chain = [vec!["a".into(), "x".into(), "b".into(), "c".into()]];
        assert_eq!(serial(&chain, ["a", "b", "c"].into_iter()), [(2, 1)]);
    }

    #[test]
    fn phases_come_as_stated_then_as_named() {
        let (names, ranks) = phases(["p", "q"].into_iter(), [Some("q"), None, Some("z")].into_iter());
        assert_eq!((names, ranks), (vec!["p", "q", "z"], vec![Some(1), None, Some(2)]));
    }
}
