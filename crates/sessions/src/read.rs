//! Reading a session file of any version.

use crate::thought::{STAGES, Thought};
use serde::Deserialize;
use std::collections::BTreeMap;
use toolkit::{Fail, sha};
use wire::Session;
use wire::session::SCHEMA;

/// Reads a session from its bytes.
pub fn read(path: &str, bytes: &[u8]) -> Result<Session, Fail> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Fail::data("empty-session", "the session is empty").at(path, 1));
    }
    let mut problems = Vec::new();
    let (format, thoughts) = match serde_json::from_slice::<Export>(bytes) {
        Ok(export) => (version(&export, path)?, export.thoughts),
        Err(error) => ("jsonl", lines(bytes, path, &error, &mut problems)?),
    };
    Ok(summary(path, bytes, format, &thoughts, problems))
}

#[derive(Deserialize)]
struct Export {
    version: Option<u64>,
    thoughts: Vec<Thought>,
}

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
}

fn version(export: &Export, path: &str) -> Result<&'static str, Fail> {
    match export.version {
        None | Some(1) => Ok("v1"),
        Some(2) => Ok("v2"),
        Some(other) => {
            Err(Fail::data("session-version", format!("version {other} of a session is not known"))
                .at(path, 1))
        }
    }
}

/// The live form: a header, then one thought a line. A last line that was cut off is said and left out.
fn lines(
    bytes: &[u8],
    path: &str,
    error: &serde_json::Error,
    problems: &mut Vec<String>,
) -> Result<Vec<Thought>, Fail> {
    let no_session =
        || Fail::data("not-a-session", format!("no thinking session: {error}")).at(path, error.line() as u64);
    let mut thoughts = Vec::new();
    let all: Vec<&[u8]> =
        bytes.split(|b| *b == b'\n').filter(|l| !l.iter().all(u8::is_ascii_whitespace)).collect();
    for (index, line) in all.iter().enumerate() {
        match serde_json::from_slice::<Line>(line) {
            Ok(Line { kind }) if kind == "thought" => {
                let thought = serde_json::from_slice(line)
                    .map_err(|e| Fail::data("bad-thought", e.to_string()).at(path, index as u64 + 1))?;
                thoughts.push(thought);
            }
            Ok(Line { kind }) if kind == "header" => {}
            Ok(_) | Err(_) if index == 0 => return Err(no_session()),
            Err(_) if index + 1 == all.len() => problems.push(format!("line {} is cut off", index + 1)),
            Ok(Line { kind }) => {
                problems.push(format!("line {} is a '{kind}', which is not known", index + 1));
            }
            Err(e) => return Err(Fail::data("bad-thought", e.to_string()).at(path, index as u64 + 1)),
        }
    }
    Ok(thoughts)
}

fn summary(
    path: &str,
    bytes: &[u8],
    format: &str,
    thoughts: &[Thought],
    mut problems: Vec<String>,
) -> Session {
    let mut stage_counts: BTreeMap<String, u64> = BTreeMap::new();
    let mut tags: BTreeMap<String, u64> = BTreeMap::new();
    let mut branches: Vec<String> = Vec::new();
    for thought in thoughts {
        match thought.known_stage() {
            Some(stage) => *stage_counts.entry(stage.to_owned()).or_default() += 1,
            None => problems
                .push(format!("thought {} has no known stage: '{}'", thought.thought_number, thought.stage)),
        }
        for tag in &thought.tags {
            *tags.entry(tag.clone()).or_default() += 1;
        }
        if let Some(branch) = thought.branch_id.as_ref().filter(|b| !branches.contains(b)) {
            branches.push(branch.clone());
        }
    }
    let last = STAGES[STAGES.len() - 1];
    Session {
        schema: SCHEMA.to_owned(),
        path: path.to_owned(),
        format: format.to_owned(),
        sha256: sha::hex(bytes),
        thoughts: thoughts.len() as u64,
        complete: stage_counts.contains_key(last),
        stage_counts,
        current_stage: thoughts.last().and_then(Thought::known_stage).map(str::to_owned),
        branches,
        revisions: thoughts.iter().filter(|t| t.is_revision).count() as u64,
        tags,
        problems,
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn an_export_is_counted_by_stage() {
        let text = br#"{"thoughts":[{"thought":"a","thoughtNumber":1,"totalThoughts":2,"stage":"Problem Definition","tags":["x"]},
            {"thought":"b","thoughtNumber":2,"totalThoughts":2,"stage":"conclusion"}]}"#;
        let session = read("s.json", text).unwrap();
        assert_eq!((session.format.as_str(), session.thoughts, session.complete), ("v1", 2, true));
        assert_eq!(session.stage_counts["Problem Definition"], 1);
    }

    #[test]
    fn a_cut_off_last_line_of_a_live_session_is_said() {
        let text = b"{\"type\":\"header\",\"version\":2}\n{\"type\":\"thought\",\"thought\":\"a\",\"stage\":\"Research\"}\n{\"type\":\"tho";
        let session = read("s.jsonl", text).unwrap();
        assert_eq!((session.thoughts, session.problems.len()), (1, 1));
        assert!(!session.complete);
    }

    #[test]
    fn what_is_no_session_is_refused() {
        for text in [&b""[..], b"{}", b"hello", b"{\"version\":9,\"thoughts\":[]}"] {
            assert_eq!(read("s", text).unwrap_err().exit, toolkit::Exit::Data);
        }
    }
}
