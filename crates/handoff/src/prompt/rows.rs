//! Formats the rows of a prompt: items, values, criteria, gates, tools.

use crate::packet::inputs::shown;
use crate::prompt::block::Block;
use crate::prompt::quote::{below, clean, code, code_or_fence, line};
use crate::prompt::slots::rank;
use config::GateRule;
use serde_json::Value;
use std::fmt::Write;
use wire::Task;
use wire::plan::Criterion;

/// A list item: its first line unchanged, further lines between fences below it.
pub(crate) fn item(text: &str) -> String {
    let text = clean(text);
    let text = text.trim();
    match text.split_once('\n') {
        None => format!("- {}", line(text)),
        Some((first, rest)) => format!("- {}{}", line(first), below("text", rest)),
    }
}

/// A value: text as code, everything else as JSON.
pub(crate) fn valued(value: &Value) -> String {
    match value {
        Value::Array(_) | Value::Object(_) => {
            below("json", &serde_json::to_string_pretty(value).unwrap_or_default())
        }
        plain => code_or_fence(&shown(plain)),
    }
}

/// Criteria with their ids, and for runnable ones the exact command and expectation.
pub(crate) fn criteria(name: &'static str, criteria: &[&Criterion]) -> Block {
    let rows = criteria.iter().map(|criterion| {
        let category = Some(line(&criterion.category)).filter(|word| !word.is_empty());
        let category = category.map(|word| format!(" [{word}]")).unwrap_or_default();
        let mut row = format!("- {}{category} {}", code(&criterion.id), line(&criterion.text));
        match (&criterion.command, &criterion.skip) {
            (_, Some(reason)) => {
                // Writing to a string cannot fail; the same below.
                let _ = write!(row, "\n  - left out: {}", line(reason));
            }
            (Some(command), None) if criterion.runnable => {
                let run = code_or_fence(command);
                let _ = write!(row, "\n  - run:{run}\n  - expected: {}", line(&criterion.required()));
            }
            _ => row.push_str("\n  - a person looks at this one; say how it is met"),
        }
        row
    });
    Block::parts(name, rank::NEEDED, rows.collect())
}

/// A gate of the configuration.
pub(crate) fn gate(gate: &GateRule) -> String {
    let label = Some(line(&gate.label)).filter(|label| !label.is_empty());
    let fix = gate.fix.as_ref().map(|fix| format!("\n  - if it fails, first run:{}", code_or_fence(fix)));
    let label = label.map(|label| format!(" ({label})")).unwrap_or_default();
    format!("- {}{label}:{}{}", code(&gate.id), code_or_fence(&gate.invocation), fix.unwrap_or_default())
}

/// The tools that the plan names, otherwise those that every worker needs.
pub(crate) fn tools(task: &Task) -> Vec<String> {
    let named = match task.extra.get("required_tools") {
        Some(Value::Array(names)) => names.iter().map(|name| format!("- {}", code(&shown(name)))).collect(),
        Some(Value::String(text)) => vec![item(text)],
        _ => Vec::new(),
    };
    if named.is_empty() {
        return vec![
            "- whatever reads and writes files".to_owned(),
            "- a shell, to run the checks".to_owned(),
        ];
    }
    named
}
