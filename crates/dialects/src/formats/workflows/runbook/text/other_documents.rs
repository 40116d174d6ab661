//! Documents that have steps but are not runbooks: definitions of agents and commands, and reports about finished
//! steps.

use crate::deps::phases;
use markdown::{Outline, front_matter};

/// Whether a text is one of these.
pub(crate) fn is_other(outline: &Outline) -> bool {
    is_definition(outline) || is_report(outline)
}

/// The front matter of agents, skills, commands and workflows; a runbook has no such keys.
fn is_definition(outline: &Outline) -> bool {
    let text = String::from_utf8_lossy(outline.bytes.get(..HEAD).unwrap_or(outline.bytes));
    let Some(matter) = front_matter::read(&text) else { return false };
    let own = DEFINES.iter().any(|key| matter.get(key).is_some());
    own && matter.get("description").is_some()
}

/// The maximum length of front matter.
const HEAD: usize = 1 << 14;

const DEFINES: &[&str] =
    &["tools", "allowed-tools", "argument-hint", "color", "mode", "auto_execution_mode", "punch_card"];

/// The title says so, or a heading announces results.
fn is_report(outline: &Outline) -> bool {
    let mut heads = outline.headings.iter().filter(|head| head.atx && !head.inner).peekable();
    let title = heads.peek().map(|head| phases::text(outline, head).to_lowercase()).unwrap_or_default();
    let mut words = title.split(|c: char| !c.is_alphanumeric());
    words.any(|word| word == "report") || heads.any(|head| phases::text(outline, head).starts_with("Status:"))
}
