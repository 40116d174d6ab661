//! `interchange/1`, a session of another tool, read as an export of version 2.

use crate::file::Format;
use crate::live::draft::Draft;
use crate::thought::stage::Stage;
use toolkit::Fail;
use wire::interchange::{Interchange, SCHEMA};

/// How much of a file to search for the name of the contract, which comes first.
const HEAD: usize = 200;

/// The export for an interchange document; `None` if the text is not one.
pub(crate) fn as_export(path: &str, text: &str) -> Result<Option<String>, Fail> {
    let head: String = text.chars().take(HEAD).filter(|c| !c.is_whitespace()).collect();
    if !head.starts_with(&format!("{{\"schema\":\"{SCHEMA}\"")) {
        return Ok(None);
    }
    let bad = |message: String| Fail::data("bad-interchange", message).at(path, 1);
    let document: Interchange =
        serde_json::from_str(text).map_err(|e| bad(format!("no valid '{SCHEMA}' document: {e}")))?;
    let total = document.entries.len() as u64;
    let mut thoughts = Vec::new();
    for (index, entry) in document.entries.into_iter().enumerate() {
        let number = index as u64 + 1;
        let name = entry.stage.as_deref().unwrap_or(Stage::Analysis.name());
        let stage = Stage::of(name).ok_or_else(|| {
            bad(format!("entry {number}: '{name}' is not one of the stages {}", Stage::names()))
        })?;
        let draft = Draft {
            thought: entry.text,
            number,
            total,
            next: number < total,
            tags: entry.tags,
            axioms: entry.axioms,
            assumptions: entry.assumptions,
            timestamp: entry.at.unwrap_or_default(),
            ..Draft::of(stage)
        };
        thoughts.push(draft.json(Format::V2));
    }
    let source = serde_json::to_string(&document.source).unwrap_or_else(|_| "{}".to_owned());
    Ok(Some(format!("{{\"version\":2,\"thoughts\":[{}],\"source\":{source}}}", thoughts.join(","))))
}
