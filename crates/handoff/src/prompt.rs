//! The prompt: everything the worker needs to know, as text, and not longer than asked for.
//!
//! The plan's own words stand in it as they are. Where they do not fit, the blocks that matter least give way first; what
//! was left out is said in its place and to the caller, always with the file that has it.

use crate::block::Block;
use crate::case::Case;
use crate::role::{self, Role};
use crate::slots::{self, rank};
use crate::template::{self, Rendered, Slots};
use crate::{fitter, prompts, review, runbook, subtask, todo, workflow};
use std::collections::BTreeSet;
use toolkit::{Exit, Fail};

/// A prompt that was composed.
pub(crate) struct Prompt {
    /// The template.
    pub(crate) name: &'static str,
    pub(crate) text: String,
    /// What was left out, with the file that has it.
    pub(crate) left_out: Vec<LeftOut>,
}

/// A part that was left out.
pub(crate) struct LeftOut {
    pub(crate) part: &'static str,
    pub(crate) bytes: usize,
    pub(crate) path: String,
}

/// Composes the prompt of a case within `most` bytes.
pub(crate) fn compose(role: Role, case: &Case<'_>, most: usize) -> Result<Prompt, Fail> {
    let name = role::template(role, case);
    let mut slots = slots::of(case)?;
    match name {
        "fitter" => fitter::add(case, &mut slots)?,
        "checkpoint" => review::checkpoint(case, &mut slots)?,
        "diagnostic" => review::diagnostic(case, &mut slots),
        _ => {}
    }
    match case.order.plan.dialect.as_str() {
        "workflow" => workflow::add(case, &mut slots)?,
        "runbook" => runbook::add(case, &mut slots),
        "handoff" => subtask::add(case, &mut slots)?,
        _ => {}
    }
    todo::set(&mut slots, name, case);
    if case.is_simplified() {
        simplify(&mut slots);
    }
    let Rendered { text, used } = fit(name, &mut slots, case, most)?;
    let left_out = slots.blocks.iter().filter(|block| block.cut > 0 && used.contains(block.name));
    let left_out = left_out.map(|b| LeftOut { part: b.name, bytes: b.cut, path: b.whole.clone() }).collect();
    Ok(Prompt { name, text, left_out })
}

/// After a failure of the agent itself: required fields and paths only.
fn simplify(slots: &mut Slots) {
    for block in slots.blocks.iter_mut().filter(|block| block.rank < rank::FAILURE && !block.is_empty()) {
        block.shrink(usize::MAX);
    }
}

/// Renders, and makes blocks smaller until it fits.
fn fit(name: &str, slots: &mut Slots, case: &Case<'_>, most: usize) -> Result<Rendered, Fail> {
    let lookup = |name: &str| prompts::find(case.root, name);
    // A block that is too long by itself would only be quoted over and over.
    for block in &mut slots.blocks {
        let over = block.size().saturating_sub(most);
        if over > 0 {
            block.shrink(over);
        }
    }
    loop {
        let Rendered { text, used } = template::render(name, slots, &lookup)?;
        let text = case.redact.text(&text);
        let Some(over) = text.len().checked_sub(most).filter(|over| *over > 0) else {
            return Ok(Rendered { text, used });
        };
        if !give_way(slots, &used, over) {
            let message = format!("the prompt '{name}' alone takes {} bytes, more than {most}", text.len());
            return Err(Fail::new(Exit::Config, "prompt-too-long", message));
        }
    }
}

/// The block that matters least gives what is too much; `false` where nothing is left to give. A fence or a note may make
/// up for some of it, so that the caller measures again.
fn give_way(slots: &mut Slots, used: &BTreeSet<&'static str>, over: usize) -> bool {
    let mut order: Vec<&mut Block> = slots.blocks.iter_mut().filter(|b| used.contains(b.name)).collect();
    order.sort_by_key(|block| block.rank);
    order.into_iter().any(|block| block.shrink(over + NOTE) > 0)
}

/// What the note in place of a part takes, roughly.
const NOTE: usize = 160;
