//! `graph/1`: the graph as JSON, for programs.

use graph::Graph;
use wire::Plan;
use wire::graph::{EdgeDoc, GraphDoc, NodeDoc, SCHEMA};

/// Writes the graph.
pub(crate) fn write(plan: &Plan, graph: &Graph) -> String {
    let id = |i: u32| plan.tasks[i as usize].id.clone();
    let chains = graph.view().chains(false);
    let critical = chains.on_critical_path();
    let node = |i: u32| NodeDoc {
        id: id(i),
        title: plan.tasks[i as usize].title.clone(),
        state: plan.tasks[i as usize].state,
        critical: critical[i as usize],
    };
    let document = GraphDoc {
        schema: SCHEMA.to_owned(),
        title: plan.title.clone(),
        nodes: (0..graph.len()).map(node).collect(),
        edges: (0..graph.len())
            .flat_map(|to| {
                graph.dependencies(to).iter().map(move |from| EdgeDoc { from: id(*from), to: id(to) })
            })
            .collect(),
        rounds: chains.rounds().into_iter().map(|round| round.into_iter().map(id).collect()).collect(),
        critical_path: chains.critical_path().into_iter().map(id).collect(),
    };
    // Plain data with string keys always has a JSON form.
    serde_json::to_string(&document).unwrap_or_default() + "\n"
}
