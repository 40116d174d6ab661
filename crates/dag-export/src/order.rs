//! The graph of a plan with what the plan means beyond its declared dependencies.
//!
//! A drawing shows the chains and barriers that the plan states. An engine is also told to keep the strategy, because it
//! starts whatever waits for nothing: `dag-next` holds no task back that is asked for by name.

use graph::model::rules;
use graph::{Graph, Trouble};
use wire::Plan;
use wire::plan::Model;

/// Links between phases that an engine is given one by one; beyond that it gets the tasks in turn.
const LINKS: usize = 1_000_000;

/// Who reads the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// A person, or a program that only looks.
    Eye,
    /// A program that starts the tasks.
    Engine,
}

/// The graph for a reader; it may have a cycle only if the plan's own dependencies do.
pub(crate) fn graph(plan: &Plan, reader: Reader) -> Result<Graph, Trouble> {
    let graph = graph::meant(plan)?;
    if graph.cycle().is_some() {
        return Ok(graph);
    }
    let model = plan.strategy.as_ref().map_or(Model::Parallel, |strategy| strategy.model);
    let kept = match (reader, model) {
        (Reader::Eye, _) | (_, Model::Parallel) => Vec::new(),
        (_, Model::Phased) => phased(plan).unwrap_or_else(|| rules::in_turn(&graph)),
        // Where nothing says that tasks may run together, they do not.
        (_, Model::Sequential | Model::Tdd | Model::Auto) => rules::in_turn(&graph),
    };
    Ok(graph.with_rule(&kept))
}

/// All of a phase before all of the next; none where that would be too many links.
fn phased(plan: &Plan) -> Option<Vec<(u32, u32)>> {
    let stated = plan.phases.iter().map(|phase| phase.id.as_str());
    let (names, ranks) = rules::phases(stated, plan.tasks.iter().map(|task| task.phase.as_deref()));
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); names.len()];
    for (rank, i) in ranks.into_iter().zip(0..) {
        if let Some(members) = rank.and_then(|rank| members.get_mut(rank as usize)) {
            members.push(i);
        }
    }
    members.retain(|members| !members.is_empty());
    let links: usize = members.windows(2).map(|pair| pair[0].len() * pair[1].len()).sum();
    (links <= LINKS).then(|| {
        let between = |pair: &[Vec<u32>]| -> Vec<(u32, u32)> {
            let before = pair[0].iter().filter(|&&i| !plan.tasks[i as usize].optional);
            pair[1].iter().flat_map(|&after| before.clone().map(move |&before| (after, before))).collect()
        };
        members.windows(2).flat_map(between).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::{Reader, graph};
    use crate::to::samples::{plan, task};
    use wire::plan::{Kind, Model, Strategy};

    fn rounds(model: Model, reader: Reader) -> Vec<Vec<u32>> {
        let mut tasks = ["a", "b", "c", "d"].map(|id| task(id, "", &[])).to_vec();
        for (task, phase) in tasks.iter_mut().zip(["1", "1", "2", "2"]) {
            task.phase = Some(phase.to_owned());
        }
        let (mut plan, _) = plan(tasks);
        plan.strategy = Some(Strategy {
            model,
            stated: true,
            reason: String::new(),
            parallel: Vec::new(),
            serial: Vec::new(),
            critical_path: Vec::new(),
        });
        graph(&plan, reader).unwrap().rounds(false)
    }

    #[test]
    fn an_engine_keeps_the_strategy_and_a_drawing_shows_what_is_declared() {
        assert_eq!(rounds(Model::Sequential, Reader::Eye), [[0, 1, 2, 3]]);
        assert_eq!(rounds(Model::Parallel, Reader::Engine), [[0, 1, 2, 3]]);
        assert_eq!(rounds(Model::Phased, Reader::Engine), [[0, 1], [2, 3]]);
        assert_eq!(rounds(Model::Sequential, Reader::Engine), [[0], [1], [2], [3]]);
    }

    #[test]
    fn a_checkpoint_is_drawn_as_the_barrier_that_it_is() {
        let mut tasks = ["a", "b", "c"].map(|id| task(id, "", &[])).to_vec();
        tasks[1].kind = Kind::Checkpoint;
        let (plan, _) = plan(tasks);
        assert_eq!(graph(&plan, Reader::Eye).unwrap().rounds(false), [[0], [1], [2]]);
    }
}
