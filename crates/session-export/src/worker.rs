//! What a worker thought: from its own record where it kept one, and from what it reported.
//!
//! What comes from the report is tagged so: it was said after the work and is no reasoning before it.

use crate::recorded;
use sessions::{Draft, FROM_RESULT, Moment, Position, Stage};
use std::path::Path;
use toolkit::cli::tool;
use wire::Order;
use wire::interchange::Entry;
use wire::order::Worker;

/// The worker's thoughts, the recorded ones first.
pub(crate) fn thoughts(order: &Order, worker: &Worker, position: Position, now: &str) -> Vec<Draft> {
    let mut drafts = recorded(order, worker, now);
    for (index, (stage, tag, text)) in reported(worker).into_iter().enumerate() {
        let tags = ["execution", tag, FROM_RESULT].map(str::to_owned).into_iter();
        drafts.push(Draft {
            thought: text,
            tags: tags.chain([position.to_string()]).collect(),
            timestamp: now.to_owned(),
            key: Some(key(order, "result", index)),
            ..Draft::of(stage)
        });
    }
    drafts
}

/// What the worker's own record says. A record that cannot be read is said and costs nothing else.
fn recorded(order: &Order, worker: &Worker, now: &str) -> Vec<Draft> {
    let Some(path) = &worker.transcript else { return Vec::new() };
    let mut entries = Vec::new();
    let path = Path::new(&order.plan.root).join(path);
    if let Err(fail) = transcripts::read(&path, None, &mut |call| entries.extend(recorded::thought(call))) {
        tool::note(&format!("session-export: the worker's record is left out: {fail}"));
    }
    entries.into_iter().enumerate().map(|(index, entry)| draft(order, index, entry, now)).collect()
}

fn draft(order: &Order, index: usize, entry: Entry, now: &str) -> Draft {
    let stage = entry.stage.as_deref().and_then(Stage::of).unwrap_or(Stage::Analysis);
    // Clients write their times in many forms; one that sessions do not know is replaced by ours.
    let at = entry.at.filter(|at| Moment::parse(at).is_some());
    Draft {
        thought: entry.text,
        tags: entry.tags,
        axioms: entry.axioms,
        assumptions: entry.assumptions,
        timestamp: at.unwrap_or_else(|| now.to_owned()),
        key: Some(key(order, "record", index)),
        ..Draft::of(stage)
    }
}

/// What the worker reported, each with its stage and its tag.
fn reported(worker: &Worker) -> Vec<(Stage, &'static str, String)> {
    let lists = [
        (Stage::Research, "learning", &worker.learnings),
        (Stage::Analysis, "issue", &worker.issues),
        (Stage::Synthesis, "decision", &worker.decisions),
    ];
    let mut said: Vec<(Stage, &'static str, String)> = lists
        .into_iter()
        .flat_map(|(stage, tag, texts)| texts.iter().map(move |text| (stage, tag, text.clone())))
        .collect();
    said.push((Stage::Conclusion, "result", worker.summary.clone()));
    said.retain(|(_, _, text)| !text.trim().is_empty());
    said
}

/// The name of a thought, the same whenever the order is carried again.
fn key(order: &Order, from: &str, index: usize) -> String {
    format!("{}\0{}\0{}\0{from}\0{index}", order.run, order.task.id, order.attempt)
}
