//! Additions for a subtask of `execute-task`: the packet's text, the sessions, the other subtasks.

use crate::case::Case;
use crate::packet::earlier_attempts;
use crate::packet::inputs::shown;
use crate::packet::preparation::Preparation;
use crate::packet::session_chain;
use crate::prompt::block::{Block, Keep};
use crate::prompt::quote::{code, line};
use crate::prompt::rows::item;
use crate::prompt::slots::rank;
use crate::prompt::template::Slots;
use serde_json::Value;
use toolkit::Fail;

/// Adds the content of the preparation.
pub(crate) fn add(case: &Case<'_>, slots: &mut Slots) -> Result<(), Fail> {
    let Some(preparation) = &case.preparation else { return Ok(()) };
    words(case, preparation, slots)?;
    let packet = preparation.path.clone().unwrap_or_else(|| case.packet_path());
    if let Some(subtask) = preparation.subtask() {
        own(case, subtask, slots, &packet);
    }
    let whole = preparation.criteria.iter().map(|text| item(text)).collect();
    slots.block(Block::parts("task_criteria", rank::LISTS, whole).in_file(packet.clone()));
    for (name, key, note) in
        [("evidence", "evidence", "purpose"), ("deliverables", "deliverables", "description")]
    {
        let rows = preparation.list(key).iter().map(|entry| {
            let path = entry.get("path").map_or_else(|| shown(entry), shown);
            let about = entry.get(note).map(|about| format!(": {}", line(&shown(about)))).unwrap_or_default();
            format!("- {}{about}", code(&path))
        });
        slots.block(Block::parts(name, rank::LISTS, rows.collect()).in_file(packet.clone()));
    }
    let earlier = earlier_attempts::of(case)?;
    let done = preparation.subtasks.iter().enumerate().map(|(at, subtask)| {
        let files: Vec<String> = subtask.files.iter().map(|file| code(&file.path)).collect();
        let files = if files.is_empty() { String::new() } else { format!(" ({})", files.join(", ")) };
        let names = [subtask.id.0.clone(), format!("subtask-{}", at + 1)];
        let said = earlier.iter().find(|earlier| names.contains(&earlier.task.0));
        let said =
            said.and_then(|earlier| earlier.text("summary")).map(|text| format!("\n  - {}", line(text)));
        format!(
            "- {}: {}{files}{}",
            code(subtask.id.as_str()),
            line(&subtask.title),
            said.unwrap_or_default()
        )
    });
    slots.block(Block::parts("done_before", rank::LISTS, done.collect()).in_file(packet));
    Ok(())
}

fn words(case: &Case<'_>, preparation: &Preparation, slots: &mut Slots) -> Result<(), Fail> {
    slots.word("task_id", line(&preparation.task_id));
    let bead = preparation.text(&["bead_id"]);
    slots.word("bead", bead.map(|bead| format!(", bead {}", code(bead))).unwrap_or_default());
    slots.word("workflow_instruction", line(&instruction(preparation)));
    let count = preparation.subtasks.len();
    let index = match preparation.index {
        Some(index) => format!("{index} of {count}"),
        None if count == 0 => "1 of 1".to_owned(),
        None => format!("after the {count} subtasks of the packet"),
    };
    slots.word("subtask_index", index);
    let tag = session_chain::position(case, preparation).map(|position| position.to_string());
    slots.word("subtask_tag", line(&tag.unwrap_or_else(|| case.order.task.key.clone())));
    let session = case.session.as_ref().map(|session| session.path.as_str()).or(preparation.session());
    slots.word("session", session.map_or_else(|| "none is named".to_owned(), code));
    let export = session_chain::export_path(case, preparation)?;
    slots.word("session_export", export.map_or_else(|| "none is asked for".to_owned(), |path| code(&path)));
    let decision = preparation.plan.extra.get("decision");
    let text = |key: &str| decision.and_then(|d| d.get(key)).map(shown).unwrap_or_default();
    let plain = decision.and_then(Value::as_str).map_or_else(|| text("approach"), str::to_owned);
    let why = Some(text("rationale")).filter(|why| !why.is_empty()).map(|why| format!("\n\nWhy: {why}"));
    let approach = format!("{plain}{}", why.unwrap_or_default());
    let path = preparation.path.clone().unwrap_or_else(|| case.packet_path());
    slots.block(Block::fence("approach", rank::SHARED, "text", &approach, Keep::Head).in_file(path));
    Ok(())
}

/// The packet's own text for the subtask, if the plan has another one.
fn own(case: &Case<'_>, subtask: &wire::Task, slots: &mut Slots, packet: &str) {
    let task = &case.sheet.task;
    if task.title.trim() != subtask.title.trim() && !case.sheet.section.contains(subtask.title.trim()) {
        slots.block(
            Block::fence("described", rank::SECTION, "text", &subtask.title, Keep::Head).in_file(packet),
        );
    }
}

/// The workflow that the child follows, and the card that judges it.
pub(crate) fn instruction(preparation: &Preparation) -> String {
    let said = preparation.text(&["workflow_instruction"]).map(str::to_owned);
    said.unwrap_or_else(|| {
        "Follow the `/execute-subtask` workflow. Your punch card is `execute-subtask`.".to_owned()
    })
}
