//! The fields of a contract, from its JSON Schema: name, type and meaning, one part for each object.

use crate::markdown;
use crate::roff::{Page, Words};
use crate::usage::lower;
use serde_json::Value;

/// Writes every field of a schema. A field of `elsewhere` (its path and the page) is only pointed at.
pub(crate) fn write(page: &mut Page, schema: &Value, elsewhere: &[(&str, &str)]) {
    let mut objects = vec![(String::new(), schema)];
    while let Some((path, object)) = objects.pop() {
        if !path.is_empty() {
            page.subsection(&Words::bold(&path));
        }
        let mut inner = Vec::new();
        for (name, field) in object.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let field_path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let page_of = elsewhere.iter().find(|(p, _)| *p == field_path).map(|(_, page)| *page);
            let kind = Kind::of(field);
            let is_required = object.get("required").and_then(Value::as_array);
            let is_required = is_required.is_some_and(|r| r.iter().any(|v| v == name.as_str()));
            let suffix = if is_required { "" } else { ", may be absent" };
            let term = Words::bold(name).and(" ").and_italic(&kind.word).and(suffix);
            page.tagged(&term, &meaning(field, page_of));
            if let (Some(object), None) = (kind.object, page_of) {
                inner.push((format!("{field_path}{}", kind.brackets), object));
            }
        }
        // The last in is the next out, so that parts come in the order of their fields.
        objects.extend(inner.into_iter().rev());
    }
}

/// What may stand in a field.
struct Kind<'s> {
    word: String,
    /// The object with fields of its own in it.
    object: Option<&'s Value>,
    /// Behind the field's name where there are many of them.
    brackets: String,
}

impl<'s> Kind<'s> {
    fn of(schema: &'s Value) -> Self {
        let plain = |word: &str| Kind { word: word.to_owned(), object: None, brackets: String::new() };
        if let Some(choices) = schema.get("oneOf").or_else(|| schema.get("anyOf")) {
            let tagged = choices.pointer("/0/properties").is_some();
            return plain(if tagged { "object" } else { "word" });
        }
        let kind = schema.get("type");
        let words: Vec<&str> = match kind {
            Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect(),
            Some(Value::String(word)) => vec![word],
            _ => return plain("any value"),
        };
        match words.first().copied().unwrap_or_default() {
            "array" => {
                let inner = schema.get("items").map_or_else(|| plain("any value"), Kind::of);
                let word = format!("list of {}", many(&inner.word));
                Kind { word, brackets: format!("[]{}", inner.brackets), ..inner }
            }
            "object" if schema.get("properties").is_some() => {
                Kind { object: Some(schema), ..plain("object") }
            }
            "object" => {
                let inner = schema.get("additionalProperties").filter(|a| a.get("type").is_some());
                let inner = inner.map_or_else(|| "any values".to_owned(), |a| many(&Kind::of(a).word));
                plain(&format!("map from names to {inner}"))
            }
            word => plain(word),
        }
    }
}

fn many(word: &str) -> String {
    match word {
        "any value" => "any values".to_owned(),
        _ if word.starts_with("list of") => word.replacen("list of", "lists of", 1),
        _ => format!("{word}s"),
    }
}

/// What a field means, and what each word in it does.
fn meaning(field: &Value, page_of: Option<&str>) -> Words {
    let text = |value: &Value| {
        let text = value.get("description").and_then(Value::as_str).unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let mut words = markdown::words(&text(field)).stop();
    if let Some(page) = page_of {
        return words.and("\nSee ").and_bold(page).and("(5).");
    }
    for (index, choice) in choices(field).iter().enumerate() {
        let name = choice.get("const").and_then(Value::as_str).unwrap_or_default();
        words = words.and(if index == 0 { "\nOne of " } else { ",\n" }).and_bold(name);
        let help = text(choice);
        if !help.is_empty() {
            let help = lower(help.trim_end_matches('.'));
            words = words.and(" (").join(&markdown::words(&help)).and(")");
        }
    }
    words.stop()
}

/// The words that may stand in a field, also where it may be absent or is a list.
fn choices(field: &Value) -> Vec<&Value> {
    let list = |name: &str| field.get(name).and_then(Value::as_array).into_iter().flatten();
    if let Some(items) = field.get("items") {
        return choices(items);
    }
    list("anyOf").flat_map(choices).chain(list("oneOf")).filter(|c| c.get("const").is_some()).collect()
}

#[cfg(test)]
mod tests {
    use super::write;
    use crate::roff::Page;
    use serde_json::json;

    #[test]
    fn each_object_has_its_part_and_each_word_its_meaning() {
        let schema = json!({ "type": "object", "required": ["rows"], "properties": {
            "rows": { "description": "The rows.", "type": "array", "items": { "type": "object", "properties": {
                "state": { "description": "Where it\nstands.", "oneOf": [
                    { "const": "open", "description": "Not done." }, { "const": "done" } ] } } } },
            "cost": { "description": "In `EUR`", "type": ["number", "null"] },
        }});
        let mut page = Page::new("x", '5');
        page.section("fields");
        write(&mut page, &schema, &[]);
        let expected = ".SH FIELDS\n.TP\n\\%\\fBrows\\fR \\%\\fIlist of \\%objects\\fR\nThe rows.\n\
                        .TP\n\\%\\fBcost\\fR \\%\\fInumber\\fR, may be absent\nIn \\%\\fBEUR\\fR.\n\
                        .SS \\%\\fBrows[]\\fR\n.TP\n\\%\\fBstate\\fR \\%\\fIword\\fR, may be absent\n\
                        Where it stands.\nOne of \\%\\fBopen\\fR (not done),\n\\%\\fBdone\\fR.\n";
        assert!(page.finish().ends_with(expected));
    }
}
