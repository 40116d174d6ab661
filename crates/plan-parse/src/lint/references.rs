//! Rules about `${todo-N.outputs.name}`: the output must be declared, have the same type, and be needed.

use super::{Finding, LintContext};
use dialects::references;
use std::collections::HashSet;
use wire::Task;
use wire::plan::Output;

/// References that name no declared output.
pub(crate) fn undeclared(ground: &LintContext) -> Vec<Finding> {
    let mut found = Vec::new();
    for task in &ground.plan.tasks {
        let Some(body) = ground.body(task) else { continue };
        for reference in references(body.text) {
            let producer = ground.task(&reference.producer).and_then(|index| ground.plan.tasks.get(index));
            let message = match producer {
                None => {
                    format!("'{}' names task '{}', which does not exist", reference.whole, reference.producer)
                }
                Some(producer) if output(producer, &reference.field).is_none() => {
                    format!("'{}' is no output that task '{}' declares", reference.whole, producer.id)
                }
                Some(_) => continue,
            };
            found.push(body.finding(task, reference.range.start, message));
        }
    }
    found
}

/// Inputs whose type differs from that of their output.
pub(crate) fn mismatched(ground: &LintContext) -> Vec<Finding> {
    let mut found = Vec::new();
    for task in &ground.plan.tasks {
        for input in task.inputs.iter().filter(|input| !input.kind.is_empty()) {
            let Some(reference) =
                input.reference.as_deref().and_then(|text| references(text).into_iter().next())
            else {
                continue;
            };
            let producer = ground.task(&reference.producer).and_then(|index| ground.plan.tasks.get(index));
            let Some(output) = producer.and_then(|producer| output(producer, &reference.field)) else {
                continue;
            };
            if output.kind.is_empty() || same(&input.kind, &output.kind) {
                continue;
            }
            let message = format!(
                "input '{}' of task '{}' is of type '{}', its output '{}' is of type '{}'",
                input.name, task.id, input.kind, reference.field, output.kind
            );
            found.push(match ground.body(task) {
                Some(body) => {
                    let at = body.text.find(reference.whole.as_str()).unwrap_or(0);
                    body.finding(task, at, message)
                }
                None => Finding::of(task, message),
            });
        }
    }
    found
}

/// Outputs that no other task and no table refers to.
pub(crate) fn unused(ground: &LintContext) -> Vec<Finding> {
    let mut used: HashSet<(String, String)> = HashSet::new();
    for outline in &ground.outlines {
        let text = outline.str(markdown::Extent { start: 0, end: outline.bytes.len() });
        for reference in references(text) {
            used.insert((reference.producer.to_lowercase(), reference.field));
        }
        used.extend(short_names(text));
    }
    let mut found = Vec::new();
    for task in &ground.plan.tasks {
        let id = task.id.as_str().to_lowercase();
        for output in &task.outputs {
            if !used.contains(&(id.clone(), output.name.clone())) {
                let message = format!("no task takes output '{}' of task '{}'", output.name, task.id);
                found.push(match ground.body(task) {
                    Some(body) => body.finding(task, body.text.find(&output.name).unwrap_or(0), message),
                    None => Finding::of(task, message),
                });
            }
        }
    }
    found
}

/// `todo-1.name` as in the Dependency Graph.
fn short_names(text: &str) -> impl Iterator<Item = (String, String)> {
    text.match_indices("todo-").filter_map(|(at, word)| {
        let rest = text.get(at + word.len()..)?;
        let end =
            rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-' | '_'))).unwrap_or(rest.len());
        let (producer, field) = rest.get(..end)?.rsplit_once('.')?;
        Some((producer.to_lowercase(), field.to_owned()))
    })
}

fn output<'t>(task: &'t Task, name: &str) -> Option<&'t Output> {
    task.outputs.iter().find(|output| output.name == name)
}

/// Whether the first words of two types are equal: a note after the type does not count.
fn same(one: &str, other: &str) -> bool {
    let word = |kind: &str| kind.split([',', ':', ' ', '/']).next().unwrap_or_default().to_lowercase();
    word(one) == word(other)
}
