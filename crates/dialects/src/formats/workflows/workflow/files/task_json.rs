//! A task's own file, `.task/IMPL-1.json`, in all three generations, or without one.
//!
//! Dependencies may stand in six places; all of them count.

use super::json::{self, Broken};
use crate::Folder;
use crate::formats::workflows::workflow::list::id::{self, Ids};
use serde_json::Value;
use toolkit::Fail;

/// An opened task file.
pub(crate) struct Detail {
    pub(crate) bytes: Vec<u8>,
    /// The object in it.
    pub(crate) value: Result<Value, Broken>,
    pub(crate) trailing: bool,
}

/// Opens a task file; `None` if it does not exist.
pub(crate) fn open(folder: &Folder, name: &str) -> Result<Option<Detail>, Fail> {
    let Some(bytes) = folder.read(name)? else { return Ok(None) };
    let (value, trailing) = match json::read(&bytes) {
        Ok(json) if json.value.is_object() => (Ok(json.value), json.trailing),
        Ok(_) => (Err(Broken { message: "is no object".to_owned(), line: 1, column: 1 }), false),
        Err(broken) => (Err(broken), false),
    };
    Ok(Some(Detail { bytes, value, trailing }))
}

/// The generation of a task file.
pub(crate) fn generation(value: &Value) -> &'static str {
    let has = |key: &str| value.get(key).is_some();
    if has("relations") || has("execution") && has("context") {
        "v1"
    } else if has("flow_control") || has("context") {
        "nested"
    } else if has("convergence") || has("depends_on") {
        "flat"
    } else {
        "other"
    }
}

/// The status that the file states.
pub(crate) fn status(value: &Value) -> Option<&str> {
    value.get("status").and_then(Value::as_str)
}

/// Whether a status means that the task is done.
pub(crate) fn is_done(status: &str) -> bool {
    matches!(status, "completed" | "complete" | "done" | "skipped")
}

/// All dependencies, with the ids of the list; a placeholder for another module's task stays unchanged.
pub(crate) fn depends_on(value: &Value, ids: &Ids) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (outer, inner) in PLACES {
        let place = if outer.is_empty() { Some(value) } else { value.get(outer) };
        let Some(list) = place.and_then(|place| place.get(inner)) else { continue };
        for id in entries(list) {
            let name = id::leading(id).unwrap_or(id);
            let name = ids.known(id).or_else(|| ids.known(name)).unwrap_or(name);
            if !name.is_empty() && !found.iter().any(|known| known == name) {
                found.push(name.to_owned());
            }
        }
    }
    found
}

/// The places of dependencies: at the top level, in one of three parts, or under a separate key.
const PLACES: &[(&str, &str)] = &[
    ("", "depends_on"),
    ("context", "depends_on"),
    ("meta", "depends_on"),
    ("", "dependencies"),
    ("flow_control", "requires"),
    ("relations", "dependencies"),
];

fn entries(list: &Value) -> Vec<&str> {
    match list {
        Value::Array(list) => list.iter().filter_map(entry).collect(),
        // Ignore what a task blocks: the blocked tasks state it.
        Value::Object(map) => map.get("depends_on").map(entries).unwrap_or_default(),
        Value::String(text) => text.split(',').map(str::trim).filter(|text| !is_none(text)).collect(),
        _ => Vec::new(),
    }
}

fn entry(value: &Value) -> Option<&str> {
    let text = match value {
        Value::String(text) => Some(text.as_str()),
        Value::Object(map) => ["id", "task_id", "task"].iter().find_map(|key| map.get(*key)?.as_str()),
        _ => None,
    };
    text.map(str::trim).filter(|text| !is_none(text))
}

fn is_none(text: &str) -> bool {
    text.is_empty() || text.eq_ignore_ascii_case("none") || text == "无"
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn all_six_places_count() {
        let ids = Ids::new((1..=9).map(|number| format!("IMPL-{number}")));
        for value in [
            json!({"depends_on": ["IMPL-1"]}),
            json!({"context": {"depends_on": ["IMPL-1"]}}),
            json!({"meta": {"depends_on": ["IMPL-1"]}}),
            json!({"dependencies": ["IMPL-1"]}),
            json!({"dependencies": {"depends_on": ["IMPL-1"], "blocks": ["IMPL-7"]}}),
            json!({"flow_control": {"requires": ["IMPL-1"]}}),
            json!({"relations": {"dependencies": ["impl-1"]}}),
            json!({"depends_on": [{"id": "IMPL-1"}], "meta": {"depends_on": ["IMPL-1"]}}),
            json!({"depends_on": ["IMPL-1 (the base)", "None"]}),
        ] {
            assert_eq!(depends_on(&value, &ids), ["IMPL-1"], "{value}");
        }
        assert_eq!(depends_on(&json!({"depends_on": ["CROSS::B::api"]}), &ids), ["CROSS::B::api"]);
    }
}
