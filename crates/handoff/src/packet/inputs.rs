//! Values that a task takes from elsewhere: `${todo-N.outputs.field}`, `{{TOKEN}}` and `[variable]`.
//!
//! Lists and objects keep their form. A value that cannot be resolved is reported with its producer and the reason.
//! No value ever reaches a shell: values go into files and, by name, into the environment of a worker.

use crate::packet::variables;
use crate::task_text::TaskText;
use config::tokens::Tokens;
use serde_json::Value;
use std::collections::BTreeMap;
use wire::order::Unresolved;
use wire::plan::Input;

/// The resolved and the unresolved values.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    /// The task's inputs by name.
    pub(crate) values: BTreeMap<String, Value>,
    /// Each reference and token as written, with its value.
    pub(crate) written: BTreeMap<String, Value>,
    pub(crate) unresolved: Vec<Unresolved>,
}

/// Resolves everything that the task's own text refers to.
pub(crate) fn resolve(sheet: &TaskText, tokens: &Tokens<'_>) -> Resolved {
    let mut resolved = Resolved::default();
    resolved.references(sheet);
    resolved.tokens(sheet, tokens);
    resolved.unresolved.extend(variables::undeclared(&sheet.task));
    for input in &sheet.task.inputs {
        if let Some(value) = resolved.input(input) {
            resolved.values.insert(input.name.clone(), value);
        }
    }
    resolved
}

impl Resolved {
    fn references(&mut self, sheet: &TaskText) {
        let words = sheet.task.steps.iter().chain(&sheet.task.references).map(String::as_str);
        let own = sheet.task.inputs.iter().filter_map(|i| i.reference.as_deref().or(i.value.as_deref()));
        for text in std::iter::once(sheet.section.as_str()).chain(words).chain(own) {
            for reference in dialects::references(text) {
                if self.written.contains_key(&reference.whole) {
                    continue;
                }
                match dialects::value(&reference, &sheet.outputs, &sheet.plan) {
                    Ok(value) => {
                        self.written.insert(reference.whole, value);
                    }
                    Err(reason) => self.missing(reference.whole, Some(reference.producer.into()), reason),
                }
            }
        }
    }

    /// A token with a value is filled in everywhere. A token without one is an error only where the value is needed:
    /// elsewhere plans use such words for their own templates.
    fn tokens(&mut self, sheet: &TaskText, tokens: &Tokens<'_>) {
        let task = &sheet.task;
        let criteria = task.criteria.iter().map(|criterion| criterion.text.as_str());
        let inputs = task.inputs.iter().filter_map(|input| input.value.as_deref());
        let needed: Vec<&str> =
            criteria.chain(inputs).chain(task.references.iter().map(String::as_str)).collect();
        let steps = task.steps.iter().map(String::as_str);
        let own = variables::steps(task);
        let own = own.iter().flat_map(|step| &step.does).map(String::as_str);
        let said = std::iter::once(sheet.section.as_str()).chain(steps).chain(own).map(|text| (text, false));
        for (text, is_needed) in needed.iter().map(|text| (*text, true)).chain(said) {
            for (whole, name) in find_tokens(text) {
                // Ask the environment only for names that look like settings.
                let value = if is_setting(name) { tokens.value(name) } else { tokens.given(name) };
                match value {
                    _ if self.written.contains_key(whole) => {}
                    Some(value) => {
                        self.written.insert(whole.to_owned(), Value::String(value));
                    }
                    None if is_needed && is_setting(name) => {
                        let reason =
                            "no value by --set, in [tokens] of the configuration or in the environment";
                        self.missing(whole.to_owned(), None, reason.to_owned());
                    }
                    None => {}
                }
            }
        }
    }

    fn missing(&mut self, reference: String, producer: Option<wire::TaskId>, reason: String) {
        if !self.unresolved.iter().any(|known| known.reference == reference) {
            self.unresolved.push(Unresolved { reference, producer, reason });
        }
    }

    /// An input that is a single reference keeps the form of its value; within other text the value becomes text.
    fn input(&self, input: &Input) -> Option<Value> {
        let text = input.reference.as_ref().or(input.value.as_ref())?;
        if let Some(value) = self.written.get(text.trim()) {
            return Some(value.clone());
        }
        if self.unresolved.iter().any(|missing| text.contains(&missing.reference)) {
            return None;
        }
        Some(Value::String(self.filled(text)))
    }

    /// A text with every resolved reference and token replaced by its value. Inserted text is not scanned again, so a
    /// value cannot introduce a reference.
    pub(crate) fn filled(&self, text: &str) -> String {
        let mut out = String::new();
        let mut at = 0;
        for reference in dialects::references(text) {
            out.push_str(&self.with_tokens(text.get(at..reference.range.start).unwrap_or_default()));
            out.push_str(&self.written.get(&reference.whole).map_or(reference.whole.clone(), shown));
            at = reference.range.end;
        }
        out.push_str(&self.with_tokens(text.get(at..).unwrap_or_default()));
        out
    }

    fn with_tokens(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        for (whole, _) in find_tokens(text) {
            let Some(value) = self.written.get(whole) else { continue };
            let Some((before, after)) = rest.split_once(whole) else { continue };
            out.push_str(before);
            out.push_str(&shown(value));
            rest = after;
        }
        out.push_str(rest);
        out
    }
}

/// A value as text: strings unchanged, everything else as JSON.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Every `{{name}}` of a text, whole and by name; `${{ … }}` belongs to another language.
fn find_tokens(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("{{")) {
        let start = from + at;
        from = start + 2;
        let Some(len) = text.get(from..).and_then(|rest| rest.find("}}")).filter(|len| *len <= LONGEST)
        else {
            continue;
        };
        let name = text.get(from..from + len).unwrap_or_default().trim();
        let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if is_name && !text.get(..start).unwrap_or_default().ends_with('$') {
            found.push((text.get(start..from + len + 2).unwrap_or_default(), name));
            from += len + 2;
        }
    }
    found
}

/// The maximum length of a token name.
const LONGEST: usize = 80;

/// A name that only a configuration uses: `KFK_PYTHON_RUNNER`.
fn is_setting(name: &str) -> bool {
    name.contains('_') && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::{Resolved, find_tokens, is_setting};
    use serde_json::json;

    #[test]
    fn tokens_are_told_from_other_languages() {
        let text = "{{A_B}} ${{ secrets.X }} {{ c }} {{ a.b }} ${{SECRET_X}} {{{{D_E}}}} {{open";
        let names: Vec<_> = find_tokens(text).into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["A_B", "c", "D_E"]);
        assert!(is_setting("KFK_PYTHON_RUNNER"));
        assert!(!is_setting("title") && !is_setting("TITLE"));
    }

    #[test]
    fn a_value_is_not_looked_at_again() {
        let mut resolved = Resolved::default();
        resolved.written.insert("${todo-1.outputs.x}".into(), json!("{{A_B}} ${todo-2.outputs.y}"));
        resolved.written.insert("${todo-2.outputs.y}".into(), json!(["l"]));
        resolved.written.insert("{{A_B}}".into(), json!("v"));
        let text = "{{A_B}}: ${todo-1.outputs.x}, ${todo-2.outputs.y} {{A_B}} {{C_D}}";
        assert_eq!(resolved.filled(text), "v: {{A_B}} ${todo-2.outputs.y}, [\"l\"] v {{C_D}}");
    }
}
