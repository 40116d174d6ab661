//! Limits a worker's result to what an order can carry: a line of a stream has a maximum size.

use crate::guard::for_a_person;
use serde_json::Value;
use toolkit::Fail;
use toolkit::files::redact::Redact;
use wire::order::{Halt, Worker};

/// The share of an order that a worker's result may take, in bytes.
const CARRIED: usize = 2 << 20;

/// A worker's result, its bytes, and a halt if an order cannot carry all of it. Masks again, since decoding an
/// escaped secret restores it.
pub(crate) fn of(worker: &Worker, redact: &Redact) -> Result<(Worker, Vec<u8>, Option<Halt>), Fail> {
    let worker = masked(worker, redact)?;
    let bytes = bytes_of(&worker)?;
    if bytes.len() <= CARRIED {
        return Ok((worker, bytes, None));
    }
    let (halt, worker) = (too_much(&worker), small(worker));
    let bytes = bytes_of(&worker)?;
    Ok((worker, bytes, Some(halt)))
}

/// The fields with a worker's own words; file names stay unchanged.
const SAID: [&str; 13] = [
    "summary",
    "outputs",
    "claims",
    "learnings",
    "issues",
    "decisions",
    "fixes",
    "tests",
    "error",
    "verdict",
    "validity",
    "adaptation",
    "problems",
];

fn masked(worker: &Worker, redact: &Redact) -> Result<Worker, Fail> {
    let bad = |e: serde_json::Error| Fail::data("bad-result", e.to_string());
    let mut value = serde_json::to_value(worker).map_err(bad)?;
    for name in SAID {
        if let Some(said) = value.get_mut(name) {
            mask(said, redact);
        }
    }
    serde_json::from_value(value).map_err(bad)
}

fn mask(value: &mut Value, redact: &Redact) {
    match value {
        Value::String(text) => *text = redact.text(text),
        Value::Array(values) => values.iter_mut().for_each(|value| mask(value, redact)),
        Value::Object(map) => map.values_mut().for_each(|value| mask(value, redact)),
        _ => {}
    }
}

fn bytes_of(worker: &Worker) -> Result<Vec<u8>, Fail> {
    serde_json::to_vec(worker).map_err(|e| Fail::data("bad-result", e.to_string()))
}

/// Another attempt is allowed: git can be told to ignore the files.
fn too_much(worker: &Worker) -> Halt {
    let files = &worker.changed_files;
    let message = match files.first() {
        Some(first) if files.len() > 1000 => format!(
            "the worker changed {} files, more than an order can carry; the first is '{first}': should git ignore them?",
            files.len()
        ),
        _ => format!("the worker's answer is longer than {} MiB", CARRIED >> 20),
    };
    Halt { retry: true, ..for_a_person("too-much", message) }
}

/// The same result without its unbounded fields.
fn small(worker: Worker) -> Worker {
    let few = |mut files: Vec<String>| {
        files.truncate(100);
        files
    };
    Worker {
        changed_files: few(worker.changed_files),
        undeclared_files: few(worker.undeclared_files),
        unattributed_files: few(worker.unattributed_files),
        summary: worker.summary.chars().take(1000).collect(),
        outputs: wire::Extra::new(),
        claims: Vec::new(),
        learnings: Vec::new(),
        issues: Vec::new(),
        decisions: Vec::new(),
        files_created: Vec::new(),
        files_modified: Vec::new(),
        fixes: Vec::new(),
        tests: Value::Null,
        error: None,
        adaptation: None,
        problems: Vec::new(),
        ..worker
    }
}
