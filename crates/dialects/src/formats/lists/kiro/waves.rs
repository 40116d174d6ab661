//! The waves of a Task Dependency Graph: `{"waves": [["1", "2"], ["3.1"]]}`, or objects with such a list.

use crate::Plan;
use crate::data::json::{self, Json, Node};
use crate::deps::strategy;
use markdown::{Extent, Fence, Outline};
use std::collections::{HashMap, HashSet};
use wire::plan::{Kind, Model, Phase, Severity};

/// The fence that holds the waves.
pub(crate) fn fence<'o>(outline: &'o Outline) -> Option<&'o Fence> {
    outline.fences.iter().find(|fence| {
        let text = outline.str(fence.content);
        text.trim_start().starts_with('{') && text.contains("\"waves\"")
    })
}

/// Reads the waves as phases, if there are any.
pub(crate) fn read(outline: &Outline, plan: &mut Plan) {
    let Some(fence) = fence(outline) else { return };
    let at = Extent { start: 0, end: fence.content.end - fence.content.start };
    let waves = match json::parse(outline.str(fence.content), at) {
        Ok((root, _)) => waves(&root),
        Err(_) => None,
    };
    let Some(waves) = waves else {
        let message = "waves that are no list of lists are left out: the list's own order counts".to_owned();
        let start = fence.at.start;
        plan.diagnostics.push(outline.diagnostic(Severity::Warning, "bad-waves", message, start));
        return;
    };
    let mut wave_of: HashMap<String, usize> = HashMap::new();
    let known: HashSet<&str> = plan.tasks.iter().map(|task| task.id.as_str()).collect();
    let mut found = Vec::new();
    for (wave, ids) in waves.iter().enumerate() {
        for id in ids {
            if !known.contains(id.as_str()) {
                let message = format!("wave {} names '{id}', which is no task", wave + 1);
                let start = fence.at.start;
                found.push(outline.diagnostic(Severity::Warning, "unknown-in-wave", message, start));
            }
            wave_of.entry(id.clone()).or_insert(wave);
        }
    }
    plan.diagnostics.extend(found);
    assign(outline, &wave_of, plan);
    let phase = |number: usize| Phase {
        id: (number + 1).to_string(),
        title: format!("Wave {}", number + 1),
        ..Phase::default()
    };
    plan.phases = (0..waves.len()).map(phase).collect();
    plan.strategy = Some(strategy::stated(Model::Phased, "the waves of the Task Dependency Graph"));
}

fn assign(outline: &Outline, wave_of: &HashMap<String, usize>, plan: &mut Plan) {
    let parents: HashMap<String, String> = plan
        .tasks
        .iter()
        .filter_map(|task| Some((task.id.0.clone(), task.parent.as_ref()?.0.clone())))
        .collect();
    let mut last = 0;
    let mut found = Vec::new();
    for task in plan.tasks.iter_mut().filter(|task| task.kind != Kind::Container) {
        let parent = || parents.get(task.id.as_str()).and_then(|parent| wave_of.get(parent));
        let wave = wave_of.get(task.id.as_str()).or_else(parent).copied();
        if wave.is_none() {
            let message = format!("no wave names task '{}': it goes with the task before it", task.id);
            let start = usize::try_from(task.span.start).unwrap_or(0);
            let mut warning = outline.diagnostic(Severity::Warning, "task-without-wave", message, start);
            warning.task = Some(task.id.clone());
            found.push(warning);
        }
        last = wave.unwrap_or(last);
        task.phase = Some((last + 1).to_string());
    }
    plan.diagnostics.extend(found);
}

fn waves(root: &Node) -> Option<Vec<Vec<String>>> {
    let list = root.get("waves")?;
    let Json::List(waves) = &list.value else { return None };
    waves.iter().map(wave).collect()
}

fn wave(node: &Node) -> Option<Vec<String>> {
    let list = match &node.value {
        Json::List(list) => list.as_slice(),
        Json::Object(members) => {
            members.iter().map(|(_, value)| value.list()).find(|list| !list.is_empty())?
        }
        _ => return None,
    };
    Some(list.iter().filter_map(|id| id.name().or_else(|| id.get("id")?.name())).map(str::to_owned).collect())
}
