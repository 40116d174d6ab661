//! The answer of a reviewer: whether another worker agrees that a change does what its task asks for.

use crate::order::checks::Round;
use crate::order::halting;
use ledger::{Entry, changed, level};
use repo::tree::Tree;
use repo::worktree;
use serde_json::{Value, json};
use toolkit::Fail;
use toolkit::files::root::Home;
use wire::order::{Category, Halt, REVIEW_DISAGREES, WorkerStatus};
use wire::punch::{SourceKind, Trust, Type};

/// What a reviewer said.
pub(crate) struct Review {
    agree: bool,
    reasons: Vec<String>,
    places: Vec<String>,
    worker: String,
}

impl Round<'_> {
    /// The reviewer's answer, or the halt for one that cannot be read; `None` without a review.
    pub(crate) fn review(&self) -> Option<Result<Review, Halt>> {
        let worker = self.order.worker.as_ref().filter(|_| self.order.is_review())?;
        let agree = worker.outputs.get("agree").and_then(Value::as_bool);
        let list = |name: &str| match worker.outputs.get(name) {
            Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            Some(Value::String(one)) => vec![one.clone()],
            _ => Vec::new(),
        };
        let reasons: Vec<String> = list("reasons");
        let is_whole = worker.status == WorkerStatus::Success && !reasons.is_empty();
        let (Some(agree), true) = (agree, is_whole) else {
            let message = "the reviewer's answer does not say whether it agrees and why: `outputs` needs `agree`, true or \
                           false, and `reasons`";
            let halt = halting::halt("review-unclear", Category::Unknown, message.to_owned());
            return Some(Err(Halt { retry: false, counts: false, ..halt }));
        };
        Some(Ok(Review { agree, reasons, places: list("places"), worker: worker.name.clone() }))
    }

    /// The record of a review, bound to the files of the change as the reviewer read them.
    pub(crate) fn review_entry(&self, review: &Review, tree: Option<&Tree>) -> Result<Entry, Fail> {
        let plan = &self.order.plan.path;
        let records = self.desk.ledger(self.order)?.read_of(plan)?;
        let files = tree.map(|tree| changed::files(&records, plan, &self.order.task.id, tree.view()));
        let mut entry = self.desk.entry(self.order, Type::Review, level::REVIEW);
        (entry.source, entry.trust) = (SourceKind::Worker, Trust::Typed);
        entry.tree = tree.map(|tree| tree.hash.clone());
        entry.data = json!({
            "agree": review.agree, "reasons": review.reasons, "places": review.places, "worker": review.worker,
            "files": files,
        });
        Ok(entry)
    }

    /// The tree of its own in which the work that was reviewed waits.
    pub(crate) fn reviewed_apart(&self) -> Result<Option<Home>, Fail> {
        if !self.order.is_review() {
            return Ok(None);
        }
        let records = self.desk.ledger(self.order)?.read_of(&self.order.plan.path)?;
        let tree = worktree::of_last_attempt(&records, self.order)?;
        tree.map(|tree| Home::of(&worktree::path_of(self.home.root(), &tree)?)).transpose()
    }
}

impl Review {
    /// The halt of a review that disagrees: a failed attempt, whose reasons the next prompt has.
    pub(crate) fn halt(&self) -> Option<(Halt, Value)> {
        if self.agree {
            return None;
        }
        let why = self.reasons.join("; ");
        let message = format!("the reviewer '{}' does not agree: {why}", self.worker);
        let row = json!({
            "id": "review", "command": format!("review by {}", self.worker), "expect": "agree", "reason": why,
            "tail": self.places,
        });
        Some((halting::halt(REVIEW_DISAGREES, Category::CodeError, message), json!({ "failed": [row] })))
    }
}
