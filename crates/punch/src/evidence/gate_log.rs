//! `gate_runs.jsonl` of the source system: one `gate_run.v1` record per line.
//!
//! Only lines of the bead count, and of those only one batch: the requested one, otherwise the newest. So a pass of
//! an earlier run does not satisfy a card, and a later failure revokes a pass. Lines that are not records are skipped
//! and counted.

use serde::Deserialize;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use toolkit::Fail;
use toolkit::cli::clock::millis;
use wire::punch::Type;

/// The schema of its lines.
const SCHEMA: &str = "gate_run.v1";

/// One result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Logged {
    pub(crate) kind: Type,
    pub(crate) gate: String,
    pub(crate) at: String,
    pub(crate) line: u64,
}

/// The requested lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Batch<'a> {
    pub(crate) bead: &'a str,
    /// The batch; the newest if `None`.
    pub(crate) timestamp: Option<&'a str>,
}

#[derive(Debug, Deserialize)]
struct Line {
    schema_version: String,
    bead_id: String,
    run_timestamp: String,
    gate_id: String,
    status: Option<String>,
    exit_code: Option<i64>,
}

/// Whether a file is such a log.
pub(crate) fn is(path: &Path) -> bool {
    // A named pipe would block.
    if !path.is_file() {
        return false;
    }
    let Ok(file) = File::open(path) else { return false };
    let mut first = String::new();
    let mut reader = BufReader::new(file.take(1 << 16));
    let whole = reader.read_line(&mut first).is_ok();
    whole && serde_json::from_str::<Line>(&first).is_ok_and(|line| line.schema_version == SCHEMA)
}

/// The results of one batch, in order, and the number of lines that were not understood.
pub(crate) fn read(path: &Path, batch: Batch<'_>) -> Result<(Vec<Logged>, u64), Fail> {
    let file = File::open(path).map_err(|e| Fail::io(path, &e))?;
    let mut newest: Option<(i64, String)> = None;
    let mut found: Vec<Logged> = Vec::new();
    let mut unknown = 0;
    for (line, text) in (1..).zip(BufReader::new(file).lines()) {
        let text = text.map_err(|e| Fail::io(path, &e))?;
        let parsed =
            serde_json::from_str::<Line>(&text).ok().filter(|record| record.schema_version == SCHEMA);
        let Some(record) = parsed else {
            unknown += u64::from(!text.trim().is_empty());
            continue;
        };
        if record.bead_id != batch.bead
            || batch.timestamp.is_some_and(|wanted| wanted != record.run_timestamp)
        {
            continue;
        }
        let stamp = (millis(&record.run_timestamp).unwrap_or_default(), record.run_timestamp.clone());
        if newest.as_ref().is_some_and(|newest| stamp < *newest) {
            continue;
        }
        if newest.as_ref() != Some(&stamp) {
            found.clear();
            newest = Some(stamp);
        }
        found.push(Logged { kind: kind(&record), gate: record.gate_id, at: record.run_timestamp, line });
    }
    Ok((found, unknown))
}

/// The status word decides; without one the exit code does, and with neither there is no verdict.
fn kind(record: &Line) -> Type {
    match (record.status.as_deref(), record.exit_code) {
        (Some("pass") | None, Some(0)) => Type::GatePass,
        (Some("fault"), _) | (_, None) => Type::GateFault,
        _ => Type::GateFail,
    }
}

#[cfg(test)]
mod tests {
    use super::{Batch, is, read};
    use wire::punch::Type;

    #[test]
    fn only_the_newest_batch_of_the_bead_counts() {
        let row = |bead: &str, at: &str, gate: &str, status: &str, code: i32| {
            format!(
                "{{\"bead_id\":\"{bead}\",\"exit_code\":{code},\"gate_id\":\"{gate}\",\"run_timestamp\":\"{at}\",\
                 \"schema_version\":\"gate_run.v1\",\"status\":\"{status}\"}}\n"
            )
        };
        let old = "2026-01-01T00:00:00Z";
        let new = "2026-01-02T00:00:00.500+00:00";
        let text = [
            row("b", old, "lint", "pass", 0),
            row("b", new, "test", "pass", 0),
            "cut off\n".to_owned(),
            row("b", new, "test", "fail", 1),
            row("b", new, "types", "pass", 2),
            row("c", new, "lint", "pass", 0),
        ];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gate_runs.jsonl");
        toolkit::files::fs::create(&path, text.concat().as_bytes()).unwrap();
        assert!(is(&path));
        let (found, unknown) = read(&path, Batch { bead: "b", timestamp: None }).unwrap();
        let kinds: Vec<_> = found.iter().map(|gate| (gate.kind, gate.gate.as_str(), gate.line)).collect();
        assert_eq!(
            kinds,
            [(Type::GatePass, "test", 2), (Type::GateFail, "test", 4), (Type::GateFail, "types", 5)]
        );
        assert_eq!(unknown, 1);
        let (found, _) = read(&path, Batch { bead: "b", timestamp: Some(old) }).unwrap();
        assert_eq!(found.len(), 1);
    }
}
