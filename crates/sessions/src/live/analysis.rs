//! The thinking server's answer to a thought: its position among the others.

use crate::live::draft::Draft;
use crate::thought::Thought;
use serde_json::{Value, json};

/// The number of related thoughts to show.
const RELATED: usize = 3;
/// The number of characters to show of each.
const SNIPPET: usize = 100;

/// `{"thoughtAnalysis": …}` for the last thought of `all`.
pub fn analysis(draft: &Draft, all: &[Thought<'_>]) -> Value {
    let before = &all[..all.len().saturating_sub(1)];
    let related = related(draft, before);
    let main = draft.revises.is_none() && draft.branch_id.is_none();
    let reached =
        before.iter().filter(|thought| thought.is_main()).map(|thought| thought.thought_number).max();
    let number = if main { draft.number } else { reached.unwrap_or(0) };
    #[expect(clippy::cast_precision_loss, reason = "no session has 2^53 thoughts")]
    let progress = number as f64 / draft.total.max(1) as f64 * 100.0;
    let first =
        before.iter().filter(|thought| thought.is(draft.stage)).all(|t| t.thought_number >= draft.number);
    let summaries: Vec<Value> = related
        .iter()
        .map(|thought| {
            json!({
                "thoughtNumber": thought.thought_number,
                "stage": thought.stage.str(),
                "snippet": snippet(thought.thought.str()),
            })
        })
        .collect();
    json!({ "thoughtAnalysis": {
        "currentThought": {
            "thoughtNumber": draft.number,
            "totalThoughts": draft.total,
            "nextThoughtNeeded": draft.next,
            "stage": draft.stage.name(),
            "tags": draft.tags,
            "timestamp": draft.timestamp,
        },
        "analysis": {
            "relatedThoughtsCount": related.len(),
            "relatedThoughtSummaries": summaries,
            "progress": progress,
            "isFirstInStage": first,
            "isRevision": draft.revises.is_some(),
            "revisedThought": draft.revises,
            "branchId": draft.branch_id,
        },
        "context": { "thoughtHistoryLength": all.len(), "currentStage": draft.stage.name() },
    }})
}

/// Thoughts of the same stage, then those that share a tag.
fn related<'t>(draft: &Draft, before: &'t [Thought<'t>]) -> Vec<&'t Thought<'t>> {
    let same_stage = before.iter().filter(|thought| thought.is(draft.stage));
    let shares = |thought: &&Thought<'_>| {
        !thought.is(draft.stage) && draft.tags.iter().any(|tag| thought.is_tagged(tag))
    };
    same_stage.chain(before.iter().filter(shares)).take(RELATED).collect()
}

fn snippet(text: &str) -> String {
    let cut = text.char_indices().nth(SNIPPET).map(|(at, _)| &text[..at]);
    cut.map_or_else(|| text.to_owned(), |cut| format!("{cut}..."))
}
