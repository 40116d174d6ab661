//! What a check must not touch. A check runs code that a worker may have written, so plan and ledger are held while it
//! runs as they are while a worker does.

use crate::halting;
use crate::round::Round;
use dialects::{Field, ticked::Ticked};
use serde_json::{Value, json};
use toolkit::Fail;
use toolkit::ledger::{Extent, Ledger};
use toolkit::pins::PLAN_TOUCHED;
use wire::order::{Category, Halt};

/// Plan and ledger as they were before.
pub(crate) struct Guard {
    ticked: Ticked,
    blanked: String,
    ledger: Extent,
}

impl Guard {
    /// Looks at both.
    pub(crate) fn set(round: &Round<'_>) -> Result<Self, Fail> {
        Ok(Self {
            ticked: Ticked::of(&round.field.plan),
            blanked: round.field.blanked(),
            ledger: Ledger::new(round.home.clone()).extent()?,
        })
    }

    /// What became of them that no stage did, for a person: another attempt would have the same check.
    pub(crate) fn touched(&self, round: &Round<'_>) -> Result<Option<(Halt, Value)>, Fail> {
        let for_a_person =
            |code, message| Halt { retry: false, ..halting::halt(code, Category::CodeError, message) };
        let ledger = Ledger::new(round.home.clone());
        if !ledger.has_grown_from(&self.ledger)? {
            let message = "the ledger was cut or rewritten while a check ran".to_owned();
            return Ok(Some((for_a_person("ledger-touched", message), Value::Null)));
        }
        // A text that changed meanwhile is found by the next stage; a box would not be.
        let Ok(now) = Field::of(&round.order.plan) else { return Ok(None) };
        let boxes = self.ticked.unheard(&now, &ledger.read_of(&round.order.plan.path)?);
        Ok(boxes.first().map(|first| {
            let message = format!("the box of '{first}' was ticked while a check ran, and no stage did it");
            let detail = json!({ "plan_before": self.blanked, "boxes": boxes });
            (for_a_person(PLAN_TOUCHED, message), detail)
        }))
    }
}
