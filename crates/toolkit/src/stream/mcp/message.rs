//! One message of JSON-RPC 2.0.

use serde_json::{Value, json};

/// A request, or without an id a notification.
pub(super) struct Message<'v> {
    /// Its name, to be given back.
    pub(super) id: Option<&'v Value>,
    /// What is asked.
    pub(super) method: &'v str,
    /// With what.
    pub(super) params: &'v Value,
}

impl<'v> Message<'v> {
    /// Reads a message; answers of the client are notifications to us, who ask nothing.
    pub(super) fn of(value: &'v Value) -> Option<Self> {
        const NOTHING: &Value = &Value::Null;
        let map = value.as_object()?;
        if map.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return None;
        }
        let params = map.get("params").unwrap_or(NOTHING);
        if map.contains_key("result") || map.contains_key("error") {
            return Some(Self { id: None, method: "", params });
        }
        let id = map.get("id");
        if id.is_some_and(|id| !(id.is_string() || id.is_number())) {
            return None;
        }
        Some(Self { id, method: map.get("method")?.as_str()?, params })
    }
}

/// An answer.
pub(super) fn success(id: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

/// An error of the protocol.
pub(super) fn failure(id: &Value, code: i64, message: &str, data: Option<Value>) -> Value {
    let mut error = json!({ "code": code, "message": message });
    if let (Some(data), Some(map)) = (data, error.as_object_mut()) {
        map.insert("data".to_owned(), data);
    }
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}
