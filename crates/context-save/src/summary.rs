//! `.summaries/ID-summary.md` of a session, from its template.
//!
//! Files are those that changed, not those that the worker names. A summary that the worker or a person wrote is kept. The files of
//! other tasks stay closed: a task that depends on this one gets the summary with its packet.

use serde_json::{Map, Value};
use std::fmt::Write;
use std::path::Path;
use toolkit::Fail;
use toolkit::files::fs;
use toolkit::files::lock::{Lock, PATIENCE};
use toolkit::files::root::{Home, inside};
use wire::Order;
use wire::order::{VerdictStatus, Worker};

/// Writes the summary; its path where there is one.
pub(crate) fn write(
    order: &Order,
    worker: &Worker,
    values: &Map<String, Value>,
) -> Result<Option<String>, Fail> {
    let Some(folder) = dialects::row(&order.plan.dialect).session_folder else { return Ok(None) };
    let root = Path::new(&order.plan.root);
    let home = Home::of(root)?;
    let scratch = home.folder("tmp")?;
    let _lock = Lock::take(&home.folder("locks")?.join("context"), PATIENCE, crate::STAGE)?;
    let seen = format!("{}.summaries/{}-summary.md", folder(&order.plan.path), order.task.key);
    let path = inside(root, &seen)?;
    let old = fs::read_if_there(&path)?;
    if old.as_ref().is_none_or(|old| is_ours(old)) {
        let text = text(order, worker, values);
        if old.as_deref() != Some(text.as_bytes()) {
            fs::folder(path.parent().unwrap_or(root))?;
            fs::replace(&path, text.as_bytes(), &scratch)?;
        }
    }
    Ok(Some(seen))
}

/// The last line of a summary that we wrote.
const OURS: &str = "<!-- written by context-save -->";

fn is_ours(text: &[u8]) -> bool {
    text.trim_ascii_end().ends_with(OURS.as_bytes())
}

fn text(order: &Order, worker: &Worker, values: &Map<String, Value>) -> String {
    let mut text =
        format!("# Task: {} {}\n\n## Implementation Summary\n", order.task.id, one_line(&order.task.title));
    if !worker.summary.trim().is_empty() {
        add(&mut text, &format!("\n{}\n", one_line(&worker.summary)));
    }
    let created = |path: &String| worker.files_created.contains(path);
    list(&mut text, "### Files Modified", worker.changed_files.iter().map(|path| format!("`{path}`")));
    list(
        &mut text,
        "### Content Added",
        worker.changed_files.iter().filter(|p| created(p)).map(|path| format!("`{path}`")),
    );
    add(&mut text, "\n## Outputs for Dependent Tasks\n");
    list(
        &mut text,
        "### Available Components",
        values.iter().map(|(name, value)| format!("`{name}`: `{value}`")),
    );
    list(&mut text, "### Integration Points", worker.decisions.iter().map(|said| one_line(said)));
    let status = match order.verdict.as_ref().map(|verdict| verdict.status) {
        Some(VerdictStatus::Verified) => "✅ Complete",
        _ => "⏳ Not verified",
    };
    add(&mut text, &format!("\n## Status: {status}\n\n{OURS}\n"));
    text
}

fn list(text: &mut String, heading: &str, items: impl Iterator<Item = String>) {
    let items = items.fold(String::new(), |text, item| text + "- " + &item + "\n");
    if !items.is_empty() {
        add(text, &format!("\n{heading}\n\n{items}"));
    }
}

fn add(text: &mut String, more: &str) {
    // Writing to a string cannot fail.
    let _ = text.write_str(more);
}

/// A worker's words must not make headings or items of their own.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
