//! What an agent's own record says it thought: its calls of tools to think with, and its last words.

use std::path::Path;
use toolkit::Fail;
use transcripts::{Call, Source};
use wire::interchange::{Entry, Interchange, Origin, SCHEMA};

/// The record as an interchange document.
pub(crate) fn interchange(
    file: &Path,
    client: Option<&str>,
    session: Option<&str>,
) -> Result<Interchange, Fail> {
    let mut entries = Vec::new();
    let source = Source { path: file, session };
    let record = transcripts::read_session(&source, client, &mut |call| entries.extend(thought(call)))?;
    if let Some(text) = record.final_text.filter(|text| !text.trim().is_empty()) {
        entries.push(Entry { text, tags: vec!["last-words".to_owned()], ..Entry::default() });
    }
    Ok(Interchange {
        schema: SCHEMA.to_owned(),
        source: Origin {
            client: record.client.to_owned(),
            session: record.session_id.unwrap_or_default(),
            path: file.display().to_string(),
        },
        entries,
    })
}

/// What a call to think holds; one that the server refused was not thought into the session.
pub(crate) fn thought(call: Call) -> Option<Entry> {
    let thought = call.thought.filter(|_| call.ok != Some(false))?;
    Some(Entry {
        text: thought.text,
        stage: thought.stage,
        at: call.at,
        tags: thought.tags,
        axioms: thought.axioms,
        assumptions: thought.assumptions,
    })
}
