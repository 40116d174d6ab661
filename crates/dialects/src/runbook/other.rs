//! Documents that have steps and are no runbook: what an agent or a command is told once and for all, and what was
//! reported of steps that are done.

use crate::{Outline, frontmatter, phase};

/// Whether a text is one of these.
pub(crate) fn is_other(outline: &Outline) -> bool {
    is_definition(outline) || is_report(outline)
}

/// The front matter of agents, skills, commands and workflows; a runbook describes no one.
fn is_definition(outline: &Outline) -> bool {
    let text = String::from_utf8_lossy(outline.bytes.get(..HEAD).unwrap_or(outline.bytes));
    let Some(matter) = frontmatter::read(&text) else { return false };
    let own = DEFINES.iter().any(|key| matter.get(key).is_some());
    own && matter.get("description").is_some()
}

/// Front matter that is longer than this is no one's.
const HEAD: usize = 1 << 14;

const DEFINES: &[&str] =
    &["tools", "allowed-tools", "argument-hint", "color", "mode", "auto_execution_mode", "punch_card"];

/// The title says so, or a heading says how it went.
fn is_report(outline: &Outline) -> bool {
    let mut heads = outline.headings.iter().filter(|head| head.atx && !head.inner).peekable();
    let title = heads.peek().map(|head| phase::text(outline, head).to_lowercase()).unwrap_or_default();
    let mut words = title.split(|c: char| !c.is_alphanumeric());
    words.any(|word| word == "report") || heads.any(|head| phase::text(outline, head).starts_with("Status:"))
}
