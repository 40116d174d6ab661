//! The front matter of a Markdown file: keys with a value, a list or a list of maps, and where each value stands.
//!
//! Only what task files use of YAML is understood; any other line is passed over.

use crate::Extent;

/// The front matter of a file.
#[derive(Debug, Default)]
pub(crate) struct Matter {
    fields: Vec<Field>,
    /// Where the body of the file begins.
    pub(crate) body: usize,
}

/// One key.
#[derive(Debug, Default)]
pub(crate) struct Field {
    /// The key.
    pub(crate) key: String,
    /// The value on its line, without quotes.
    pub(crate) value: String,
    /// Where that value stands.
    pub(crate) at: Extent,
    /// The entries of its list.
    pub(crate) items: Vec<String>,
    /// The entries that are maps, as pairs.
    pub(crate) maps: Vec<Vec<(String, String)>>,
}

impl Matter {
    /// The field of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// The value of a key; empty where there is none.
    pub(crate) fn text(&self, key: &str) -> &str {
        self.get(key).map(|field| field.value.as_str()).unwrap_or_default()
    }

    /// The list of a key, or its one value.
    pub(crate) fn list(&self, key: &str) -> Vec<&str> {
        let Some(field) = self.get(key) else { return Vec::new() };
        let one = (field.items.is_empty() && !field.value.is_empty()).then_some(&field.value);
        field
            .items
            .iter()
            .chain(one)
            .map(String::as_str)
            .filter(|item| *item != "null" && *item != "~")
            .collect()
    }
}

/// The front matter that `text` begins with.
pub(crate) fn read(text: &str) -> Option<Matter> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next()?;
    if first.trim() != "---" {
        return None;
    }
    let mut matter = Matter::default();
    let mut at = first.len();
    for line in lines {
        let start = at;
        at += line.len();
        let plain = line.trim_end();
        if matches!(plain, "---" | "...") {
            matter.body = at;
            return Some(matter);
        }
        take(&mut matter, plain, start);
    }
    None
}

/// How long the front matter is that `text` begins with, its fences included. What could as well be a list of tasks
/// between two rules is none.
pub(crate) fn length(text: &str) -> usize {
    let Some(matter) = text.starts_with("---").then(|| read(text)).flatten() else { return 0 };
    let inner = text[..matter.body].lines().skip(1).filter(|line| !line.trim().is_empty());
    let mut inner = inner.take_while(|line| !matches!(line.trim_end(), "---" | "...")).peekable();
    let begins = inner.peek().is_some_and(|line| pair(line).is_some() && !line.starts_with([' ', '-', '#']));
    let data =
        |line: &str| pair(line).is_some() || [" ", "\t", "# ", "- "].iter().any(|s| line.starts_with(s));
    if begins && inner.all(|line| data(line) && !line.starts_with("- [")) { matter.body } else { 0 }
}

fn take(matter: &mut Matter, line: &str, start: usize) {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    if text.is_empty() || text.starts_with('#') {
        return;
    }
    if let Some(entry) = text.strip_prefix("- ") {
        let Some(field) = matter.fields.last_mut() else { return };
        match pair(entry) {
            Some((key, value, _)) => field.maps.push(vec![(key, value)]),
            None => field.items.push(bare(entry).0.to_owned()),
        }
    } else if let Some((key, value, offset)) = pair(text) {
        if indent > 0 {
            let map = matter.fields.last_mut().and_then(|field| field.maps.last_mut());
            if let Some(map) = map {
                map.push((key, value));
            }
            return;
        }
        let from = start + offset;
        let at = Extent { start: from, end: from + value.len() };
        let inline = value.strip_prefix('[').and_then(|inner| inner.strip_suffix(']'));
        let items = inline.map(|inner| inner.split(',').map(|item| bare(item).0.to_owned()));
        let items = items.into_iter().flatten().filter(|item| !item.is_empty()).collect();
        let value = if inline.is_some() { String::new() } else { value };
        matter.fields.push(Field { key, value, at, items, maps: Vec::new() });
    }
}

/// `key: value` with the offset of the value in the text.
fn pair(text: &str) -> Option<(String, String, usize)> {
    let (key, rest) = text.split_once(':')?;
    let plain = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
    if !plain || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let (value, offset) = bare(rest);
    Some((key.to_owned(), value.to_owned(), key.len() + 1 + offset))
}

/// A value without blanks, quotes and a comment behind it, and its offset.
fn bare(text: &str) -> (&str, usize) {
    let start = text.len() - text.trim_start().len();
    let value = text.trim();
    for quote in ['"', '\''] {
        if let Some(inner) = value.strip_prefix(quote)
            && let Some(end) = inner.find(quote)
        {
            return (inner.get(..end).unwrap_or_default(), start + 1);
        }
    }
    let end = value.find(" #").unwrap_or(value.len());
    (value.get(..end).unwrap_or_default().trim_end(), start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lists_and_maps_are_read_with_their_place() {
        let text = "---\r\nid: \"109\" # note\r\nstatus: in-progress\r\ndeps: [\"1\", 2]\r\ntouches:\r\n  - cli\r\n\
                    verify:\r\n  - type: bash\r\n    run: \"go test ./...\"\r\n---\r\nbody";
        let matter = read(text).unwrap();
        assert_eq!((matter.text("id"), &text[matter.body..]), ("109", "body"));
        let at = matter.get("status").unwrap().at;
        assert_eq!(&text[at.start..at.end], "in-progress");
        assert_eq!((matter.list("deps"), matter.list("touches")), (vec!["1", "2"], vec!["cli"]));
        let run = &matter.get("verify").unwrap().maps[0];
        assert_eq!(run[1], ("run".to_owned(), "go test ./...".to_owned()));
    }

    #[test]
    fn what_has_no_end_is_no_front_matter() {
        for text in ["", "---\n", "---\nid: 1\n", "# x\n---\nid: 1\n---\n"] {
            assert!(read(text).is_none(), "{text}");
        }
    }
}
