//! The answer of a reviewer: whether another worker agrees that a change does what its task asks for.

use crate::order::checks::Round;
use crate::order::halting;
use ledger::{Entry, level};
use serde_json::{Value, json};
use wire::TreeHash;
use wire::order::{Category, Halt, REVIEW, WorkerStatus};
use wire::punch::{SourceKind, Trust, Type};

/// What a reviewer said.
pub(crate) struct Review {
    agree: bool,
    reasons: Vec<String>,
    places: Vec<String>,
    worker: String,
}

impl Round<'_> {
    /// Whether the order comes from a reviewer.
    pub(crate) fn is_review(&self) -> bool {
        self.order.handoff.as_ref().is_some_and(|handoff| handoff.template == REVIEW)
    }

    /// The reviewer's answer, or the halt for one that cannot be read; `None` where nobody was asked.
    pub(crate) fn review(&self) -> Option<Result<Review, Halt>> {
        let worker = self.order.worker.as_ref().filter(|_| self.is_review())?;
        let agree = worker.outputs.get("agree").and_then(Value::as_bool);
        let list = |name: &str| match worker.outputs.get(name) {
            Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            Some(Value::String(one)) => vec![one.clone()],
            _ => Vec::new(),
        };
        let (Some(agree), WorkerStatus::Success) = (agree, worker.status) else {
            let message = "the reviewer's answer says neither that it agrees nor that it does not: `outputs` needs `agree`, \
                           true or false";
            let halt = halting::halt("review-unclear", Category::Unknown, message.to_owned());
            return Some(Err(Halt { retry: false, counts: false, ..halt }));
        };
        Some(Ok(Review {
            agree,
            reasons: list("reasons"),
            places: list("places"),
            worker: worker.name.clone(),
        }))
    }

    /// The record of a review, bound to the tree that was read.
    pub(crate) fn review_entry(&self, review: &Review, tree: Option<&TreeHash>) -> Entry {
        let mut entry = self.desk.entry(self.order, Type::Review, level::REVIEW);
        (entry.source, entry.trust, entry.tree) = (SourceKind::Worker, Trust::Typed, tree.cloned());
        entry.data = json!({
            "agree": review.agree, "reasons": review.reasons, "places": review.places, "worker": review.worker,
        });
        entry
    }
}

impl Review {
    /// The halt of a review that disagrees: a failed attempt, whose reasons the next prompt has.
    pub(crate) fn halt(&self) -> Option<(Halt, Value)> {
        if self.agree {
            return None;
        }
        let why =
            if self.reasons.is_empty() { "no reason given".to_owned() } else { self.reasons.join("; ") };
        let message = format!("the reviewer '{}' does not agree: {why}", self.worker);
        let row = json!({
            "id": "review", "command": format!("review by {}", self.worker), "expect": "agree", "reason": why,
            "tail": self.places,
        });
        Some((halting::halt("review-disagrees", Category::CodeError, message), json!({ "failed": [row] })))
    }
}
