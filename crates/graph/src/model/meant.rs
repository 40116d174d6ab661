//! The graph of a plan with the chains and barriers that it states beyond its declared dependencies.

use crate::model::rules::{self, Placed};
use crate::{Graph, Trouble};
use wire::Plan;
use wire::plan::Model;

/// The graph with all implied links, for a caller that only reads; it has a cycle only if the plan's own
/// dependencies do.
pub fn meant(plan: &Plan) -> Result<Graph, Trouble> {
    let mut graph = Graph::of(plan)?;
    if graph.cycle().is_some() {
        return Ok(graph);
    }
    let placed = || plan.tasks.iter().map(Placed::from);
    if let Some(strategy) = &plan.strategy {
        graph = graph.with_rule(&rules::serial(&strategy.serial, placed().map(|task| task.id)));
    }
    graph = graph.with_rule(&rules::checkpoints(placed()));
    let model = plan.strategy.as_ref().map_or(Model::Parallel, |strategy| strategy.model);
    if model == Model::Tdd {
        graph = graph.with_rule(&rules::test_first(placed()));
    }
    Ok(graph)
}
