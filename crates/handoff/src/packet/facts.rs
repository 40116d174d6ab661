//! Facts about a task beyond its own fields, for both prompt and packet: conventions of the project, risks.

use crate::case::Case;
use crate::packet::inputs::shown;

/// Files in which projects describe their conventions to agents.
const CONVENTIONS: [&str; 7] = [
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    "CONTRIBUTING.md",
    ".cursorrules",
    ".github/copilot-instructions.md",
    "docs/CONTRIBUTING.md",
];

/// The existing ones.
pub(crate) fn conventions(case: &Case<'_>) -> Vec<&'static str> {
    CONVENTIONS.into_iter().filter(|path| case.is_there(path)).collect()
}

/// Risks that the plan or the packet names, with their mitigations.
pub(crate) fn risks(case: &Case<'_>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let extra = |key: &str| case.sheet.task.extra.get(key).map(shown).unwrap_or_default();
    if !extra("risk").is_empty() || !extra("rollback").is_empty() {
        let rollback =
            Some(extra("rollback")).filter(|text| !text.is_empty()).map(|text| format!("rollback: {text}"));
        found.push((extra("risk"), rollback.unwrap_or_default()));
    }
    let file = case.sheet.task.extra.get("task_file").and_then(|file| file.get("risks")?.as_array());
    let packet = case.preparation.as_ref().map(|preparation| preparation.list("risks"));
    for entry in file.map(Vec::as_slice).into_iter().chain(packet).flatten() {
        let text = |key: &str| entry.get(key).map(shown).unwrap_or_default();
        let risk = Some(text("risk")).filter(|risk| !risk.is_empty());
        found.push((risk.unwrap_or_else(|| text("description")), text("mitigation")));
    }
    found.retain(|(risk, way)| !risk.is_empty() || !way.is_empty());
    found
}
