//! Additions for a step of a runbook: the context that all steps share, and the runbook's own text about it.

use crate::case::Case;
use crate::prompt::block::{Block, Keep};
use crate::prompt::slots::rank;
use crate::prompt::template::Slots;
use wire::plan::Span;

/// Adds the shared context and the runbook's own description of a prepared step.
pub(crate) fn add(case: &Case<'_>, slots: &mut Slots) {
    let sheet = &case.sheet;
    if let Some((path, text)) = sheet.chapter("Common Context")
        && !sheet.section.contains(text.trim())
    {
        slots.block(Block::fence("common", rank::SHARED, "markdown", &text, Keep::Head).in_file(path));
    }
    described(case, slots);
}

/// Adds the section of the plan that describes the task, where its box stands elsewhere.
pub(crate) fn described(case: &Case<'_>, slots: &mut Slots) {
    let sheet = &case.sheet;
    let span =
        sheet.task.extra.get("described").and_then(|span| serde_json::from_value::<Span>(span.clone()).ok());
    let Some(span) = span.filter(|span| *span != sheet.task.span) else { return };
    let text = sheet.text_at(&span);
    // A prepared step file usually contains the runbook's text already.
    if !sheet.section.contains(text.trim()) {
        let place = format!("{}:{}", span.path, span.line);
        slots.block(Block::fence("described", rank::SHARED, "markdown", &text, Keep::Head).in_file(place));
    }
}
