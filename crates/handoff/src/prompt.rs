//! The prompt: everything the worker needs to know, as text, within the requested length.
//!
//! It quotes the plan's own words unchanged. If they do not fit, the least important blocks shrink first; omissions
//! are reported in place and to the caller, always with the file that has the full text.

pub(crate) mod answer;
pub(crate) mod block;
pub(crate) mod failure;
pub(crate) mod quote;
pub(crate) mod rows;
pub(crate) mod slots;
pub(crate) mod template;
pub(crate) mod templates;
pub(crate) mod todo;

use crate::case::Case;
use crate::prompt::block::Block;
use crate::prompt::template::{Rendered, Slots};
use crate::roles::role::{self, Role};
use crate::roles::{check, fitter, review, runbook, subtask, workflow};
use config::profile::Packet;
use std::collections::BTreeSet;
use toolkit::{Exit, Fail};

/// A composed prompt.
pub(crate) struct Prompt {
    /// The template.
    pub(crate) name: &'static str,
    pub(crate) text: String,
    /// The omissions, with the file that has the full text.
    pub(crate) left_out: Vec<LeftOut>,
}

/// An omitted part.
pub(crate) struct LeftOut {
    pub(crate) part: &'static str,
    pub(crate) bytes: usize,
    pub(crate) path: String,
}

/// Composes the prompt of a case within `most` bytes.
pub(crate) fn compose(role: Role, case: &Case<'_>, most: usize) -> Result<Prompt, Fail> {
    let name = role::template(role, case)?;
    let mut slots = slots::of(case)?;
    match name {
        "fitter" => fitter::add(case, &mut slots)?,
        "checkpoint" => review::checkpoint(case, &mut slots)?,
        "diagnostic" | "refactor" => review::diagnostic(case, &mut slots)?,
        "review" => review::change(case, &mut slots)?,
        "check" => check::add(case, &mut slots)?,
        _ => {}
    }
    match case.profile.packet {
        // The packet of a workflow is for the worker of the task.
        _ if role == Role::Check => {}
        Packet::ContextPackage => workflow::add(case, &mut slots)?,
        Packet::Step => runbook::add(case, &mut slots),
        Packet::Subtask => subtask::add(case, &mut slots)?,
        Packet::General => runbook::described(case, &mut slots),
    }
    todo::set(&mut slots, name, case);
    let Rendered { text, used } = fit(name, &mut slots, case, most)?;
    let left_out = slots.blocks.iter().filter(|block| block.cut > 0 && used.contains(block.name));
    let left_out = left_out.map(|b| LeftOut { part: b.name, bytes: b.cut, path: b.whole.clone() }).collect();
    Ok(Prompt { name, text, left_out })
}

/// Renders, and shrinks blocks until the prompt fits.
fn fit(name: &str, slots: &mut Slots, case: &Case<'_>, most: usize) -> Result<Rendered, Fail> {
    let lookup = |name: &str| templates::find(case.root, name);
    // Shrink a block that is too long by itself first: it would only be quoted over and over.
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

/// Shrinks the least important block by the excess; `false` if nothing is left to shrink. A fence or a note may use
/// up some of the gain, so the caller measures again.
fn give_way(slots: &mut Slots, used: &BTreeSet<&'static str>, over: usize) -> bool {
    let mut order: Vec<&mut Block> = slots.blocks.iter_mut().filter(|b| used.contains(b.name)).collect();
    order.sort_by_key(|block| block.rank);
    order.into_iter().any(|block| block.shrink(over + NOTE) > 0)
}

/// The approximate size of the note that replaces a part.
const NOTE: usize = 160;
