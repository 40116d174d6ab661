//! The agent's tool calls: gathered from their updates, told when they have ended.

use serde_json::{Value, json};
use std::collections::BTreeMap;

/// How many calls are told at most, and how many may be open.
const MOST: usize = 10_000;
/// How much of a name or a target is kept.
const LONGEST: usize = 4000;

/// The calls of a session.
#[derive(Default)]
pub(super) struct Calls {
    open: BTreeMap<String, Call>,
    told: usize,
}

/// What is known of a call.
#[derive(Default)]
struct Call {
    /// As the agent calls it.
    kind: String,
    title: String,
    target: Option<String>,
    /// Whether it has a command, or changes files, whatever the agent calls it.
    nature: Option<&'static str>,
    exit_code: Option<i64>,
}

impl Calls {
    /// Takes an update; returns the event of a call that has ended.
    pub(super) fn take(&mut self, update: &Value) -> Option<Value> {
        let text = |name: &str| update.get(name).and_then(Value::as_str);
        let id = text("toolCallId")?.chars().take(200).collect::<String>();
        if self.open.len() >= MOST && !self.open.contains_key(&id) {
            return None;
        }
        let call = self.open.entry(id.clone()).or_default();
        if let Some(kind) = text("kind") {
            kind.clone_into(&mut call.kind);
        }
        if let Some(title) = text("title") {
            call.title = title.chars().take(LONGEST).collect();
        }
        call.target = target(update).or(call.target.take());
        call.nature = call.nature.or(nature(update));
        call.exit_code = update.pointer("/rawOutput/exit_code").and_then(Value::as_i64).or(call.exit_code);
        let is_good = match text("status") {
            Some("completed") => true,
            Some("failed") => false,
            _ => return None,
        };
        let call = self.open.remove(&id)?;
        self.event(&id, &call, Some(is_good))
    }

    /// The events of calls that have no end.
    pub(super) fn rest(&mut self) -> Vec<Value> {
        let open = std::mem::take(&mut self.open);
        open.iter().filter_map(|(id, call)| self.event(id, call, None)).collect()
    }

    fn event(&mut self, id: &str, call: &Call, ok: Option<bool>) -> Option<Value> {
        self.told += 1;
        if self.told > MOST {
            return None;
        }
        let kind = call.nature.unwrap_or_else(|| kind_of(&call.kind));
        let name = if call.kind.is_empty() { "tool" } else { &call.kind };
        let target = call.target.as_deref().unwrap_or(&call.title);
        let mut event = json!({"name": name, "id": id, "kind": kind, "target": target});
        if let Some(ok) = ok {
            event["ok"] = (ok && call.exit_code.unwrap_or_default() == 0).into();
        }
        if let Some(code) = call.exit_code {
            event["exit_code"] = code.into();
        }
        Some(event)
    }
}

/// What a call is by its arguments: agents call a command that shows a file a read, and some give no kind at all.
pub(super) fn nature(call: &Value) -> Option<&'static str> {
    let has = |names: &[&str]| {
        let input = call.get("rawInput");
        names.iter().any(|name| input.and_then(|input| input.get(name)).is_some())
    };
    let mut shown = call.get("content").and_then(Value::as_array).into_iter().flatten();
    let is_diff = shown.any(|part| part.get("type").and_then(Value::as_str) == Some("diff"));
    let has_path = has(&["path", "file_path", "filePath", "abs_path"]);
    let has_text = has(&["content", "new_text", "file_text", "newString", "new_string", "new_str", "after"]);
    if has(&["command", "cmd", "commands"]) {
        Some("shell")
    } else if is_diff || has(&["changes", "patch"]) || (has_path && has_text) {
        Some("edit")
    } else {
        None
    }
}

/// Our kind of a call of theirs.
fn kind_of(kind: &str) -> &'static str {
    match kind {
        "edit" | "delete" | "move" => "edit",
        "execute" => "shell",
        "read" | "fetch" => "read",
        "search" => "search",
        _ => "other",
    }
}

/// What a call works on: its command, its file, or its first place.
fn target(update: &Value) -> Option<String> {
    let input = update.get("rawInput");
    let field = |name: &str| input.and_then(|input| input.get(name));
    let word = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                [] => None,
                [_, "-lc" | "-c", command] => Some((*command).to_owned()),
                words => Some(words.join(" ")),
            }
        }
        _ => None,
    };
    let names = ["command", "cmd", "file_path", "filePath", "path", "pattern", "query", "url"];
    let own = names.iter().find_map(|name| word(field(name)?));
    let place = || update.pointer("/locations/0/path").and_then(Value::as_str).map(str::to_owned);
    own.or_else(place).map(|text| text.chars().take(LONGEST).collect())
}

#[cfg(test)]
mod tests {
    use super::Calls;
    use serde_json::json;

    #[test]
    fn a_call_is_told_once_with_what_its_updates_say() {
        let mut calls = Calls::default();
        assert_eq!(calls.take(&json!({"toolCallId": "1", "title": "Run", "kind": "execute"})), None);
        let more = json!({"toolCallId": "1", "rawInput": {"command": ["bash", "-lc", "make"]}});
        assert_eq!(calls.take(&more), None);
        let end = calls.take(&json!({"toolCallId": "1", "status": "failed"})).unwrap();
        assert_eq!(
            end,
            json!({"name": "execute", "id": "1", "kind": "shell", "target": "make", "ok": false})
        );
        calls.take(&json!({"toolCallId": "2", "kind": "edit", "locations": [{"path": "/t/a"}]}));
        assert_eq!(calls.rest(), [json!({"name": "edit", "id": "2", "kind": "edit", "target": "/t/a"})]);
        assert_eq!(calls.take(&json!({"title": "no id"})), None);
        let shown = json!({"toolCallId": "3", "kind": "read", "status": "completed", "rawInput": {"command": "cat a"},
            "rawOutput": {"exit_code": 1}});
        let event = calls.take(&shown).unwrap();
        assert_eq!(
            (&event["kind"], &event["ok"], &event["exit_code"]),
            (&json!("shell"), &json!(false), &json!(1))
        );
        let wrote =
            json!({"toolCallId": "4", "status": "completed", "rawInput": {"path": "a", "content": "x"}});
        assert_eq!(calls.take(&wrote).unwrap()["kind"], "edit");
    }
}
