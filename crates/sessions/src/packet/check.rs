//! Checks field by field whether a packet matches its schema.

use super::Schema;
use markdown::{Outline, Text};
use serde_json::{Map, Value};
use toolkit::Fail;
use toolkit::files::sha;
use wire::verify::{Rule, SCHEMA, VerifyDoc};

/// The required type of a field.
enum Kind {
    Text,
    Number,
    Flag,
    /// A list of texts.
    Texts,
    /// An object with these fields.
    Object(&'static [Field]),
    /// A list of such objects.
    Rows(&'static [Field]),
    /// A list of texts, or of objects with a path.
    Files,
}

struct Field {
    name: &'static str,
    kind: Kind,
    needed: bool,
}

const fn need(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, needed: true }
}

const fn may(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, needed: false }
}

const RISKS: Kind = Kind::Rows(&[need("risk", Kind::Text), need("mitigation", Kind::Text)]);

#[rustfmt::skip]
const KIT: &[Field] = &[
    need("task_id", Kind::Text),
    need("session_export", Kind::Text),
    need("decision", Kind::Object(&[need("approach", Kind::Text), need("rationale", Kind::Text)])),
    need("success_criteria", Kind::Texts),
    need("subtasks", Kind::Rows(&[need("id", Kind::Number), need("description", Kind::Text), need("status", Kind::Text)])),
    need("files_touched", Kind::Rows(&[need("path", Kind::Text), need("purpose", Kind::Text)])),
    need("risks", RISKS),
    may("constraints", Kind::Texts),
    may("tests", Kind::Texts),
    need("runtime_attestations", Kind::Rows(&[
        need("subtask", Kind::Text), need("runtime_model_reported", Kind::Text), need("runtime_mode_reported", Kind::Text),
    ])),
];

#[rustfmt::skip]
const COMPOSABILITY: &[Field] = &[
    may("handoff_schema", Kind::Text),
    need("task_id", Kind::Text),
    need("objective", Kind::Text),
    need("evidence", Kind::Rows(&[need("path", Kind::Text), need("purpose", Kind::Text), need("required", Kind::Flag)])),
    need("success_criteria", Kind::Texts),
    need("risks", RISKS),
    may("constraints", Kind::Texts),
    may("deliverables", Kind::Rows(&[need("path", Kind::Text), need("description", Kind::Text), need("must_create", Kind::Flag)])),
    may("dependencies", Kind::Texts),
    may("interface_appendix", Kind::Rows(&[
        need("identifier", Kind::Text), need("actual_value", Kind::Text), need("source", Kind::Text), need("citation", Kind::Text),
    ])),
    may("notes", Kind::Texts),
];

#[rustfmt::skip]
const SUBTASK: &[Field] = &[
    need("task_id", Kind::Text),
    may("bead_id", Kind::Text),
    need("subtask_index", Kind::Number),
    need("subtask_description", Kind::Text),
    need("files", Kind::Files),
    need("success_criteria", Kind::Texts),
    need("session_export_path", Kind::Text),
    need("constraints", Kind::Texts),
    need("workflow_instruction", Kind::Text),
];

/// Lists that must not be empty.
const NOT_EMPTY: [&str; 3] = ["success_criteria", "subtasks", "evidence"];

/// Checks a packet, alone or in a message, against its schema.
pub fn check(path: &str, bytes: &[u8], schema: Option<Schema>) -> Result<VerifyDoc, Fail> {
    let packet = packet(path, bytes)?;
    let schema = schema.unwrap_or_else(|| schema_of(&packet));
    let fields = match schema {
        Schema::Kit => KIT,
        Schema::Composability => COMPOSABILITY,
        Schema::Subtask => SUBTASK,
    };
    let mut rules: Vec<Rule> = fields.iter().filter_map(|field| rule(field, &packet)).collect();
    let mut open = Vec::new();
    placeholders(&Value::Object(packet), &mut open);
    open.truncate(3);
    rules.push(Rule {
        rule: "filled-in".to_owned(),
        ok: open.is_empty(),
        found: if open.is_empty() {
            "nothing left open".to_owned()
        } else {
            format!("left open: {}", open.join(", "))
        },
    });
    Ok(VerifyDoc {
        schema: SCHEMA.to_owned(),
        what: "packet".to_owned(),
        path: path.to_owned(),
        sha256: sha::hex(bytes),
        format: schema.name().to_owned(),
        stage: schema.name().to_owned(),
        ok: rules.iter().all(|rule| rule.ok),
        rules,
    })
}

/// The packet itself: the file, or the first JSON block of a message.
fn packet(path: &str, bytes: &[u8]) -> Result<Map<String, Value>, Fail> {
    let no_packet = |message: String| Fail::data("not-a-packet", message).at(path, 1);
    let parse = |text: &str| serde_json::from_str::<Map<String, Value>>(text);
    let whole = std::str::from_utf8(bytes).map_err(|e| no_packet(format!("no valid UTF-8: {e}")))?;
    let error = match parse(whole) {
        Ok(packet) => return Ok(packet),
        Err(error) => error,
    };
    let outline = Outline::new(&Text { path, bytes });
    let block = outline
        .fences
        .iter()
        .map(|fence| outline.str(fence.content))
        .find(|text| text.trim_start().starts_with('{'));
    let Some(block) = block else { return Err(no_packet(format!("no packet: {error}"))) };
    parse(block).map_err(|e| no_packet(format!("the first JSON block is no packet: {e}")))
}

fn schema_of(packet: &Map<String, Value>) -> Schema {
    let has = |name: &str| packet.contains_key(name);
    if has("subtask_index") || has("subtask_description") {
        Schema::Subtask
    } else if has("handoff_schema") || has("objective") || has("evidence") {
        Schema::Composability
    } else {
        Schema::Kit
    }
}

fn rule(field: &Field, packet: &Map<String, Value>) -> Option<Rule> {
    let found = match packet.get(field.name) {
        None if field.needed => Err("is missing".to_owned()),
        None => return None,
        Some(value) => fits(&field.kind, value).and_then(|()| {
            let empty = value.as_array().is_some_and(Vec::is_empty) && NOT_EMPTY.contains(&field.name);
            if empty { Err("is empty".to_owned()) } else { Ok(()) }
        }),
    };
    let ok = found.is_ok();
    Some(Rule {
        rule: field.name.to_owned(),
        ok,
        found: found.err().unwrap_or_else(|| "as it must be".to_owned()),
    })
}

fn fits(kind: &Kind, value: &Value) -> Result<(), String> {
    let is = |ok: bool, wanted: &str| if ok { Ok(()) } else { Err(format!("is no {wanted}")) };
    let text = |value: &Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
    match kind {
        Kind::Text => is(text(value), "text, or an empty one"),
        Kind::Number => {
            is(value.is_u64() || value.as_str().is_some_and(|word| word.parse::<u64>().is_ok()), "number")
        }
        Kind::Flag => is(value.is_boolean(), "true or false"),
        Kind::Texts => is(value.as_array().is_some_and(|list| list.iter().all(text)), "list of texts"),
        Kind::Object(fields) => object(fields, value),
        Kind::Rows(fields) => {
            let rows = value.as_array().ok_or("is no list")?;
            rows.iter().enumerate().try_for_each(|(index, row)| {
                object(fields, row).map_err(|wrong| format!("row {}: {wrong}", index + 1))
            })
        }
        Kind::Files => {
            let named = |row: &Value| text(row) || row.get("path").is_some_and(text);
            is(value.as_array().is_some_and(|list| list.iter().all(named)), "list of files")
        }
    }
}

fn object(fields: &[Field], value: &Value) -> Result<(), String> {
    let map = value.as_object().ok_or("is no object")?;
    fields.iter().try_for_each(|field| match map.get(field.name) {
        None if field.needed => Err(format!("'{}' is missing", field.name)),
        None => Ok(()),
        Some(value) => fits(&field.kind, value).map_err(|wrong| format!("'{}' {wrong}", field.name)),
    })
}

/// Placeholders that were not filled in: `<task-id>`, `{{TOKEN}}`.
fn placeholders(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            let inner = |open: &str, close: &str| {
                let (_, rest) = text.split_once(open)?;
                let (name, _) = rest.split_once(close)?;
                let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ' ');
                (!name.trim().is_empty() && name.chars().all(plain)).then(|| format!("{open}{name}{close}"))
            };
            found.extend(inner("<", ">").or_else(|| inner("{{", "}}")));
        }
        Value::Array(list) => list.iter().for_each(|value| placeholders(value, found)),
        Value::Object(map) => map.values().for_each(|value| placeholders(value, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{Schema, check};

    const SUBTASK: &str = r#"{"task_id":"x","subtask_index":1,"subtask_description":"do","files":["a"],
        "success_criteria":["c"],"session_export_path":"p","constraints":[],"workflow_instruction":"w","more":1}"#;

    #[test]
    fn a_packet_is_known_by_its_fields_and_checked_by_them() {
        let verdict = check("p", SUBTASK.as_bytes(), None).unwrap();
        assert!(verdict.ok && verdict.format == "subtask", "{verdict:?}");
        let message = format!("Do this.\n\n```json\n{SUBTASK}\n```\n");
        assert!(check("p", message.as_bytes(), None).unwrap().ok);
    }

    #[test]
    fn what_is_wrong_is_named_by_its_field() {
        let cases = [
            (SUBTASK.replace("\"subtask_index\":1,", ""), "subtask_index"),
            (SUBTASK.replace("[\"c\"]", "[]"), "success_criteria"),
            (SUBTASK.replace("[\"c\"]", "\"c\""), "success_criteria"),
            (SUBTASK.replace("\"do\"", "\" \""), "subtask_description"),
            (SUBTASK.replace("\"x\"", "\"<task-id>\""), "filled-in"),
            (SUBTASK.replace("\"p\"", "\"{{TOKEN}}\""), "filled-in"),
        ];
        for (text, field) in cases {
            let verdict = check("p", text.as_bytes(), Some(Schema::Subtask)).unwrap();
            let wrong: Vec<_> =
                verdict.rules.iter().filter(|rule| !rule.ok).map(|rule| rule.rule.as_str()).collect();
            assert_eq!((verdict.ok, wrong.as_slice()), (false, &[field][..]), "{text}");
        }
    }

    #[test]
    fn what_is_no_packet_is_refused() {
        for text in [&b"hello"[..], b"[1]", b"```json\n{\n```\n", b"\xff"] {
            assert_eq!(check("p", text, None).unwrap_err().code, "not-a-packet");
        }
    }
}
