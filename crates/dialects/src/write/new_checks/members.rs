//! Checks in JSON: a member of an object, a string that gets more lines, a list that gets more entries.

use super::{Member, NewCheck, Page};
use crate::data::json::{Json, Node};
use crate::write::Edit;
use crate::write::member::Document;
use serde_json::{Map, Value};

/// The edits for each member, those that make no outer object first.
pub(super) fn add(
    page: &Page<'_>,
    checks: &[NewCheck<'_>],
    members: &[Member],
    start: usize,
) -> Vec<Vec<Edit>> {
    let Some(document) = Document::at(page.path, page.text.as_bytes(), start) else { return Vec::new() };
    let object = document.root();
    if object.members().is_empty() {
        return Vec::new();
    }
    let texts: Vec<&str> = checks.iter().map(|check| check.text).collect();
    let (mut here, mut made) = (Vec::new(), Vec::new());
    for member in members {
        let Some((key, outer)) = member.path.split_last() else { continue };
        let (mut holder, mut missing) = (object, Vec::new());
        for name in outer {
            match holder.get(name).filter(|_| missing.is_empty()) {
                Some(inner) => holder = inner,
                None => missing.push(*name),
            }
        }
        if let Some((first, rest)) = missing.split_first() {
            let mut value = value(&texts, member.is_list);
            for name in std::iter::once(key).chain(rest.iter().rev()) {
                value = Value::Object(Map::from_iter([((*name).to_owned(), value)]));
            }
            if matches!(holder.value, Json::Object(_)) {
                made.push(vec![document.add(holder, first, &value)]);
            }
            continue;
        }
        here.extend(in_place(&document, holder, key, &texts, member.is_list));
    }
    here.extend(made);
    here
}

/// Adds the checks to a member, which may be there.
fn in_place(
    document: &Document,
    holder: &Node,
    key: &str,
    texts: &[&str],
    is_list: bool,
) -> Option<Vec<Edit>> {
    let Some(old) = holder.get(key) else {
        let is_object = matches!(holder.value, Json::Object(_));
        return is_object.then(|| vec![document.add(holder, key, &value(texts, is_list))]);
    };
    match &old.value {
        Json::List(list) if list.iter().all(|entry| entry.str().is_some()) => {
            Some(document.extend(old, texts, holder))
        }
        Json::Text(text) => {
            let gap = if text.trim().is_empty() { "" } else { "\n\n" };
            let more = format!("{gap}{}", joined(texts));
            let quoted = Value::String(more).to_string();
            let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned();
            Some(vec![document.insert(old.at.end.saturating_sub(1), inner)])
        }
        _ => None,
    }
}

fn value(texts: &[&str], is_list: bool) -> Value {
    if is_list {
        return Value::Array(texts.iter().map(|text| Value::String((*text).to_owned())).collect());
    }
    Value::String(joined(texts))
}

/// Several checks in one string are the items of a list.
fn joined(texts: &[&str]) -> String {
    match texts {
        [one] => (*one).to_owned(),
        several => several.iter().map(|text| format!("- {text}")).collect::<Vec<_>>().join("\n"),
    }
}
