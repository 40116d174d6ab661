//! Inputs and outputs: name, type, value and description, in the order of the template or of the renderer.

use crate::references;
use markdown::code_spans;
use wire::plan::{FileUse, Input, Output};

/// The inputs in one item.
pub(crate) fn inputs(text: &str) -> Vec<Input> {
    let entry = entry(text);
    let reference = references(text).into_iter().next().map(|reference| reference.whole);
    let value = if reference.is_some() { None } else { entry.value };
    let one = |name: String| Input {
        name,
        kind: entry.kind.clone(),
        reference: reference.clone(),
        value: value.clone(),
    };
    entry.names.into_iter().map(one).collect()
}

/// The task that `todo-ID.NAME` names, as the name or the value of an input.
pub(crate) fn producer(input: &Input) -> Option<&str> {
    let names = [Some(&input.name), input.value.as_ref()];
    names.into_iter().flatten().find_map(|word| {
        let (id, name) = word.strip_prefix("todo-")?.rsplit_once('.')?;
        (!id.is_empty() && !name.is_empty() && !word.contains(char::is_whitespace)).then_some(id)
    })
}

/// The outputs in one item.
pub(crate) fn outputs(text: &str) -> Vec<Output> {
    let entry = entry(text);
    let one = |name: String| {
        // An output named by a path alone is that file.
        let value = entry.value.clone().or_else(|| is_path(&name).then(|| name.clone()));
        Output { name, kind: entry.kind.clone(), value, description: entry.description.clone() }
    };
    entry.names.into_iter().map(one).collect()
}

/// The file that an output declares.
pub(crate) fn file(output: &Output) -> Option<FileUse> {
    let path = output.value.as_ref().filter(|value| is_path(value))?;
    let is_file =
        output.kind.to_lowercase().contains("file") || output.kind.is_empty() && *path == output.name;
    is_file.then(|| FileUse { path: path.clone(), action: "write".to_owned() })
}

/// Whether a value can only be a path.
pub(crate) fn is_path(text: &str) -> bool {
    let strange = text
        .contains(|c: char| c.is_whitespace() || matches!(c, '$' | '<' | '>' | '|' | '"' | '(' | ')' | ','));
    let extension = text.rsplit_once('.').is_some_and(|(name, extension)| {
        !name.is_empty()
            && (1..=10).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    let numeric = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    !text.is_empty() && !strange && !text.contains("://") && !numeric && (text.contains('/') || extension)
}

struct Entry {
    names: Vec<String>,
    kind: String,
    value: Option<String>,
    description: String,
}

fn entry(text: &str) -> Entry {
    let (names, rest) = names(text);
    let (kind, rest) = kind(rest);
    let rest = rest.trim_start().trim_start_matches([':', '：']).trim();
    let (value, description) = value(rest);
    Entry { names, kind, value, description }
}

/// The names at the beginning, and the rest.
fn names(text: &str) -> (Vec<String>, &str) {
    let mut names = Vec::new();
    let mut rest = text.trim();
    loop {
        let Some((name, after)) = name(rest) else { return (names, rest) };
        names.push(name.to_owned());
        rest = after;
        let more = after.trim_start().strip_prefix(',').map(str::trim_start);
        match more.filter(|more| more.starts_with(['`', '*'])) {
            Some(more) => rest = more,
            None => return (names, rest),
        }
    }
}

fn name(text: &str) -> Option<(&str, &str)> {
    for fence in ["`", "**"] {
        if let Some(inner) = text.strip_prefix(fence) {
            return inner.split_once(fence).filter(|(name, _)| !name.is_empty());
        }
    }
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/')))
        .unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end)?;
    let stated = rest.trim_start().starts_with(['(', ':']) || rest.is_empty();
    (stated && !name.is_empty()).then_some((name, rest))
}

fn kind(text: &str) -> (String, &str) {
    let trimmed = text.trim_start();
    let Some(inner) = trimmed.strip_prefix('(') else { return (String::new(), text) };
    let mut depth = 1;
    for (at, c) in inner.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let rest = inner.get(at + 1..).unwrap_or_default();
            return (inner.get(..at).unwrap_or_default().trim().to_owned(), rest);
        }
    }
    (String::new(), text)
}

/// The value and the description.
fn value(rest: &str) -> (Option<String>, String) {
    let spans = code_spans::spans(rest);
    let first = spans.first().filter(|code| code.at.start == 0);
    let last = spans.last().filter(|code| code.at.end == rest.len());
    if let Some(code) = first.or(last) {
        let value = rest.get(code.inner.start..code.inner.end).unwrap_or_default().to_owned();
        let other = if first.is_some() { rest.get(code.at.end..) } else { rest.get(..code.at.start) };
        return (Some(value), dashed(other.unwrap_or_default()));
    }
    let (head, tail) =
        [" — ", " – ", " - "].iter().find_map(|dash| rest.split_once(dash)).unwrap_or((rest, ""));
    if !head.is_empty() && !head.contains(char::is_whitespace) {
        return (Some(head.to_owned()), tail.trim().to_owned());
    }
    (None, rest.to_owned())
}

fn dashed(text: &str) -> String {
    text.trim_matches([' ', '-', '—', '–', ':']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_read_in_all_forms() {
        let one = |text: &str| outputs(text).remove(0);
        let template = one("`config_path` (file): `./config/app.json` - Application configuration");
        assert_eq!((template.name.as_str(), template.kind.as_str()), ("config_path", "file"));
        assert_eq!(template.value.as_deref(), Some("./config/app.json"));
        assert_eq!(template.description, "Application configuration");
        assert_eq!(file(&template).unwrap().path, "./config/app.json");
        let rendered = one("**app_path** (file): Complete app — `out/app.html`");
        assert_eq!(rendered.value.as_deref(), Some("out/app.html"));
        assert_eq!(rendered.description, "Complete app");
        assert_eq!(one("`ok` (bool): true").value.as_deref(), Some("true"));
        assert_eq!(one("`names` (list): the new files").value, None);
        assert_eq!(file(&one("`src/a.rs` — struct with a field")).unwrap().path, "src/a.rs");
        assert_eq!(
            one("`mode` (string: \"valid\"|\"remove\"): chosen way").kind,
            "string: \"valid\"|\"remove\""
        );
    }

    #[test]
    fn inputs_keep_their_reference() {
        let found = inputs("`p` (file): `${todo-1.outputs.p}` - from TODO 1");
        assert_eq!(found[0].reference.as_deref(), Some("${todo-1.outputs.p}"));
        assert_eq!(found[0].value, None);
        assert_eq!(inputs("`a`, `b`, `c`").len(), 3);
    }
}
