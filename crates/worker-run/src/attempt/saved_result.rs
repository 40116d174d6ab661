//! A worker's result, kept for a run that goes on after a crash. The record of the attempt's end names the file and its
//! digest, and carries a result of usual size itself, so that one sync saves both.

use ledger::recorder::Recorder;
use serde_json::Value;
use std::path::Path;
use toolkit::Fail;
use toolkit::files::root::inside;
use toolkit::files::{fs, sha};
use wire::Order;
use wire::digest::Sealed;
use wire::order::Worker;
use wire::punch::Type;

/// The field of the record that carries it.
pub(crate) const CARRIED: &str = "carried";

/// The most bytes that a record carries; a longer result is synced as a file.
const MOST: usize = 16 << 10;

/// A saved result.
pub(crate) struct Saved {
    pub(crate) sealed: Sealed,
    /// The same for the record, if it fits.
    pub(crate) carried: Option<Value>,
}

/// Saves the bytes of a result.
pub(crate) fn save(root: &Path, folder: &Path, bytes: &[u8]) -> Result<Saved, Fail> {
    let path = folder.join("result.json");
    let carried = (bytes.len() <= MOST).then(|| serde_json::from_slice(bytes).ok()).flatten();
    // What the record gives back must be what the digest is of.
    let carried = carried.filter(|value: &Value| is_same(value, bytes));
    let sealed = match carried {
        Some(_) => fs::seal_unsynced(root, &path, bytes)?,
        None => fs::seal(root, &path, bytes)?,
    };
    Ok(Saved { sealed, carried })
}

/// The saved result that an order names, if it is intact: the file, or what the record carries.
pub(crate) fn of(desk: &Recorder, order: &Order) -> Result<Option<Worker>, Fail> {
    let Some(sealed) = order.resume.as_ref().and_then(|resume| resume.result.as_ref()) else {
        return Ok(None);
    };
    let path = inside(Path::new(&order.plan.root), &sealed.path)?;
    let is_it = |bytes: &Vec<u8>| sha::hex(bytes) == sealed.sha256;
    let bytes = match fs::read_if_there(&path)?.filter(is_it) {
        Some(bytes) => Some(bytes),
        None => carried(desk, order, sealed)?.filter(is_it),
    };
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

/// What the record of the attempt's end carries.
fn carried(desk: &Recorder, order: &Order, sealed: &Sealed) -> Result<Option<Vec<u8>>, Fail> {
    let records = desk.ledger(order)?.read_of(&order.plan.path)?;
    let digest = |data: &wire::Data| Some(data.pointer("/result/sha256")?.as_str()? == sealed.sha256);
    let end = records.iter().rev().find(|record| {
        record.kind == Type::AttemptEnd
            && record.task.as_ref() == Some(&order.task.id)
            && digest(&record.data) == Some(true)
    });
    let carried = end.and_then(|end| end.data.get(CARRIED));
    Ok(carried.and_then(|value| serde_json::to_vec(value).ok()))
}

fn is_same(value: &Value, bytes: &[u8]) -> bool {
    serde_json::to_vec(value).is_ok_and(|again| again == bytes)
}
