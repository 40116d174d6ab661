//! What a card is judged by: the ledger's own records of the attempt, and the client's own transcript.

use std::path::Path;
use toolkit::Fail;
use toolkit::root::inside;
use wire::Order;
use wire::punch::{Punch, Trust};

/// One thing that was done: its type and what it was done with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Deed {
    pub(crate) kind: String,
    pub(crate) key: String,
}

/// Everything that is known of an attempt.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    pub(crate) deeds: Vec<Deed>,
    /// How many come from the ledger.
    pub(crate) recorded: u64,
    /// How many come from a transcript.
    pub(crate) minted: u64,
    pub(crate) transcript: Option<String>,
}

/// Gathers the evidence of an order's attempt; what somebody typed is none.
pub(crate) fn gather(order: &Order, records: &[Punch]) -> Result<Evidence, Fail> {
    let mut evidence = Evidence::default();
    let mine = records.iter().filter(|p| {
        p.plan == order.plan.path
            && p.task.as_ref() == Some(&order.task.id)
            && p.fingerprint.as_ref() == Some(&order.task.fingerprint)
            && p.attempt == Some(order.attempt)
            && p.trust != Trust::Typed
    });
    for punch in mine {
        evidence.deeds.push(Deed { kind: punch.kind.word().to_owned(), key: punch.key.clone() });
        evidence.recorded += 1;
    }
    if let Some(name) = order.worker.as_ref().and_then(|w| w.transcript.clone()) {
        let path = inside(Path::new(&order.plan.root), &name)?;
        let deeds = &mut evidence.deeds;
        let mut minted = 0;
        transcripts::read(&path, None, &mut |call| {
            deeds.push(Deed { kind: "tool_call".to_owned(), key: call.name.clone() });
            minted += 1;
        })?;
        evidence.minted = minted;
        evidence.transcript = Some(name);
    }
    Ok(evidence)
}
