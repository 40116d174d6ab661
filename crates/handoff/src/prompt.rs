//! The prompt: everything the worker needs to know, as text.
//!
//! The plan's own words stand in it as they are. References are replaced by their values outside of the
//! quoted section only where the plan asks for it: in the list of inputs.

use crate::inputs::{Resolved, shown};
use crate::{Sheet, Wisdom};
use std::fmt::Write;
use wire::Order;
use wire::plan::Kind;

/// Composes the prompt of an order.
pub(crate) fn compose(order: &Order, sheet: &Sheet, resolved: &Resolved) -> String {
    let task = &sheet.task;
    let mut out = String::new();
    section(&mut out, "TASK", &format!("TODO {}: {}", task.id, task.title));
    if let Some(failure) = order.last_failure.as_ref() {
        section(&mut out, "WHAT FAILED BEFORE", &before(failure, order));
    }
    quoted(&mut out, "The plan says", &sheet.body);
    section(&mut out, "EXPECTED OUTCOME", &outcome(task));
    section(&mut out, "REQUIRED TOOLS", &tools(task));
    section(&mut out, "MUST DO", MUST_DO);
    section(&mut out, "MUST NOT DO", &must_not(task));
    section(&mut out, "CONTEXT", "");
    part(&mut out, "References", &list(&substituted(&task.references, resolved)));
    part(&mut out, "Inputs", &inputs(resolved));
    wisdom(&mut out, &sheet.wisdom);
    section(&mut out, "ANSWER", ANSWER);
    out
}

const MUST_DO: &str = "- Do this task, all of it, and no other.\n\
- Follow the patterns that the code already has.\n\
- Use what earlier tasks found out (see CONTEXT).\n\
- Run each acceptance command yourself before you answer. Every one of them is run again after you have ended; what \
you say about them decides nothing.";

const ANSWER: &str = "End with one JSON block and nothing after it:\n\n\
```json\n\
{\n\
  \"status\": \"SUCCESS\",\n\
  \"summary\": \"one sentence\",\n\
  \"outputs\": {\"name\": \"value\"},\n\
  \"acceptance_criteria\": [{\"id\": \"1:1\", \"category\": \"functional\", \"description\": \"…\", \"command\": \"…\", \"status\": \"PASS\"}],\n\
  \"learnings\": [\"found out and applied\"],\n\
  \"issues\": [\"found and not resolved\"],\n\
  \"decisions\": [\"decided, and why\"]\n\
}\n\
```\n\n\
`status` is SUCCESS, PARTIAL or ERROR (then add `\"error\": {\"message\": \"…\"}`). `outputs` has exactly the names listed above.";

fn section(out: &mut String, name: &str, text: &str) {
    // Writing to a string cannot fail; the same below.
    let _ = write!(out, "## {name}\n\n");
    if !text.is_empty() {
        let _ = write!(out, "{}\n\n", text.trim_end());
    }
}

fn part(out: &mut String, name: &str, text: &str) {
    let text = if text.trim().is_empty() { "(none)" } else { text.trim_end() };
    let _ = write!(out, "### {name}\n\n{text}\n\n");
}

/// Somebody else's text in a fence that it cannot close.
fn quoted(out: &mut String, name: &str, text: &str) {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(3) + 1);
    let _ = write!(out, "### {name}\n\n{fence}markdown\n{}\n{fence}\n\n", text.trim_end());
}

fn outcome(task: &wire::Task) -> String {
    let mut text = String::from("When the task is done, all of this is true.\n\n**Outputs**\n");
    if task.outputs.is_empty() {
        text.push_str("- (none)\n");
    }
    for output in &task.outputs {
        let value = output.value.as_deref().map(|v| format!(" = `{v}`")).unwrap_or_default();
        let _ = writeln!(text, "- `{}` ({}){value} {}", output.name, output.kind, output.description);
    }
    text.push_str("\n**Acceptance criteria**\n");
    if task.criteria.is_empty() {
        text.push_str("- (none)\n");
    }
    for criterion in &task.criteria {
        let _ = writeln!(text, "- {} [{}] {}", criterion.id, criterion.category, criterion.text);
    }
    text
}

fn tools(task: &wire::Task) -> String {
    match task.extra.get("required_tools") {
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(serde_json::Value::Array(names)) if !names.is_empty() => {
            names.iter().map(|n| format!("- {}", shown(n))).collect::<Vec<_>>().join("\n")
        }
        _ => "Whatever reads and writes files and runs commands.".to_owned(),
    }
}

fn must_not(task: &wire::Task) -> String {
    let mut rules = task.must_not.clone();
    rules.push("Do not do other tasks".to_owned());
    rules.push("Do not run git commands that write; commits are made for you".to_owned());
    rules.push("Do not edit the plan or anything below .plantools/".to_owned());
    rules.push("Do not add dependencies that the task does not ask for".to_owned());
    if task.kind == Kind::Verification {
        rules.push("Do not change any file: this task only looks".to_owned());
    }
    list(&rules)
}

fn list(items: &[String]) -> String {
    items.iter().map(|i| format!("- {i}")).collect::<Vec<_>>().join("\n")
}

fn substituted(texts: &[String], resolved: &Resolved) -> Vec<String> {
    let fill = |text: &String| {
        resolved
            .references
            .iter()
            .fold(text.clone(), |t, (reference, value)| t.replace(reference, &shown(value)))
    };
    texts.iter().map(fill).collect()
}

fn inputs(resolved: &Resolved) -> String {
    let known = resolved.values.iter().map(|(name, value)| format!("- `{name}` = {}", shown(value)));
    let unknown =
        resolved.unresolved.iter().map(|u| format!("- `{}` is not known: {}", u.reference, u.reason));
    known.chain(unknown).collect::<Vec<_>>().join("\n")
}

fn wisdom(out: &mut String, wisdom: &Wisdom) {
    part(out, "Conventions that earlier tasks found", &wisdom.learnings);
    part(out, "Known issues; do not walk into them again", &wisdom.issues);
    part(out, "Decisions that stand", &wisdom.decisions);
}

/// The measured failure: criterion, command, expectation, tail, what was claimed.
fn before(failure: &serde_json::Value, order: &Order) -> String {
    let text =
        |pointer: &str| failure.pointer(pointer).and_then(|v| v.as_str()).unwrap_or_default().to_owned();
    let mut out = format!("An earlier attempt ended with: {}\n", text("/halt/message"));
    if order.why.fix {
        out.push_str(
            "All ordinary attempts are used up. This is the one fix attempt: mend exactly what is listed.\n",
        );
    }
    let rows = |name: &str| failure.pointer(name).and_then(|v| v.as_array()).cloned().unwrap_or_default();
    for row in rows("/detail/failed") {
        let field = |name: &str| row.get(name).map(shown).unwrap_or_default();
        let _ = write!(
            out,
            "\n- {} `{}`\n  expected: {}\n  measured: {}\n",
            field("id"),
            field("command"),
            field("expect"),
            field("reason")
        );
        let tail = row.get("tail").and_then(|t| t.as_array()).cloned().unwrap_or_default();
        for line in tail {
            let _ = writeln!(out, "      {}", shown(&line));
        }
    }
    for claim in rows("/detail/mismatches") {
        let _ = writeln!(out, "\n- claimed as passed, measured as failed: {}", shown(&claim));
    }
    out
}
