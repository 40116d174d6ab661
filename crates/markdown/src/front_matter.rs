//! The front matter of a Markdown file: keys with a value, a list or a list of maps, and the position of each
//! value.
//!
//! Each entry is parsed as YAML by itself, so that one invalid entry (`title: Fix: the door`) does not affect the
//! others. Such an entry keeps the text of its lines, for titles and the like, and a [`Problem`]; a dialect rejects
//! it if it uses the key.

#[cfg(test)]
pub mod tests;

use crate::Extent;
use crate::yaml::{self, Broken, Node, What};
use toolkit::Fail;

/// The front matter of a file.
#[derive(Debug, Default)]
pub struct Matter {
    fields: Vec<Field>,
    /// The offset at which the body of the file begins.
    pub body: usize,
}

/// One key.
#[derive(Debug, Default)]
pub struct Field {
    /// The key.
    pub key: String,
    /// The value, without quotes.
    pub value: String,
    /// The position of that value on the key's own line.
    pub at: Extent,
    /// The entries of its list.
    pub items: Vec<String>,
    /// The entries that are maps, as pairs.
    pub maps: Vec<Vec<(String, String)>>,
    /// The offset of the key.
    start: usize,
    /// The parts of its value, each with its offset.
    forms: Vec<(Form, usize)>,
    /// Whether the value equals the text at `at`, byte for byte, so that it can be replaced there.
    exact: bool,
    /// Why it could not be parsed.
    problem: Option<Problem>,
}

/// The form of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Value,
    Item,
    Map,
}

/// Why an entry could not be parsed.
#[derive(Debug)]
struct Problem {
    at: usize,
    why: String,
}

/// How a dialect reads a key that it uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// One value.
    Value,
    /// One value that is replaced in place.
    Word,
    /// A list of values, or one.
    List,
    /// A list of checks.
    Checks,
}

impl Reads {
    /// The accepted form, for a message.
    fn form(self, key: &str) -> String {
        match self {
            Self::Value | Self::Word => format!("write '{key}: VALUE' on one line"),
            Self::List => format!("write '{key}: [A, B]', or one '- A' on each line below it"),
            Self::Checks => {
                "write '- type: bash' with 'run: \"COMMAND\"', or '- type: assert' with 'check: \"TEXT\"'"
                    .to_owned()
            }
        }
    }
}

impl Matter {
    /// The field of a key.
    pub fn get(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// The value of a key; empty if there is none.
    pub fn text(&self, key: &str) -> &str {
        self.get(key).map(|field| field.value.as_str()).unwrap_or_default()
    }

    /// The list of a key, or its one value.
    pub fn list(&self, key: &str) -> Vec<&str> {
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

    /// Fails at the first entry of these keys that could not be parsed, with its line and the accepted form.
    pub fn understood(&self, keys: &[(&str, Reads)], path: &str, text: &str) -> Result<(), Fail> {
        let Some((at, message)) = self.refused(keys) else { return Ok(()) };
        let line = text.get(..at).unwrap_or(text).matches('\n').count() + 1;
        Err(Fail::data("bad-front-matter", message).at(path, line as u64))
    }

    /// The first entry among these keys that is not understood: its place, and a message with the form to write.
    pub fn refused(&self, keys: &[(&str, Reads)]) -> Option<(usize, String)> {
        self.fields.iter().enumerate().find_map(|(at, field)| {
            let (key, reads) = keys.iter().find(|(key, _)| *key == field.key)?;
            let twice = self.fields[..at].iter().any(|before| before.key == field.key);
            let twice = twice.then(|| Problem { at: field.start, why: "the key stands twice".to_owned() });
            let Problem { at, why } = twice.or_else(|| field.refused(*reads))?;
            let form = reads.form(key);
            Some((at, format!("'{key}' in the front matter is not understood ({why}): {form}")))
        })
    }
}

/// The keys of a check.
const CHECK_KEYS: [&str; 7] = ["type", "run", "dir", "check", "name", "title", "description"];

impl Field {
    /// Why it cannot be read this way.
    fn refused(&self, reads: Reads) -> Option<Problem> {
        if let Some(Problem { at, why }) = &self.problem {
            return Some(Problem { at: *at, why: why.clone() });
        }
        let wrong = self.forms.iter().find(|(form, _)| match reads {
            Reads::Value | Reads::Word => *form != Form::Value,
            Reads::List => *form == Form::Map,
            Reads::Checks => *form != Form::Map,
        });
        if let Some((form, at)) = wrong {
            let what = match form {
                Form::Value => "it is one value",
                Form::Item => "an entry of its list is a single value",
                Form::Map => "it holds a map",
            };
            return Some(Problem { at: *at, why: what.to_owned() });
        }
        if reads == Reads::Word && !self.exact {
            let why = "the value cannot be replaced in its place".to_owned();
            return Some(Problem { at: self.start, why });
        }
        let mut checks = self.maps.iter().zip(&self.forms).filter(|_| reads == Reads::Checks);
        checks.find_map(|(map, (_, at))| Some(Problem { at: *at, why: wrong_check(map)? }))
    }
}

/// The error in a check.
fn wrong_check(map: &[(String, String)]) -> Option<String> {
    let value = |key: &str| map.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str());
    if let Some((key, _)) = map.iter().find(|(key, _)| !CHECK_KEYS.contains(&key.as_str())) {
        return Some(format!("a check has no '{key}'"));
    }
    let is_again = |at: usize| map[..at].iter().any(|(key, _)| *key == map[at].0);
    if let Some(at) = (0..map.len()).find(|at| is_again(*at)) {
        return Some(format!("the key '{}' of a check stands twice", map[at].0));
    }
    let given = |key: &str| value(key).is_some_and(|value| !value.trim().is_empty());
    match value("type") {
        Some("bash") | None if given("run") && !given("check") => None,
        Some("assert") | None if given("check") && !given("run") => None,
        Some("bash") => Some("a check of type bash has 'run' and no 'check'".to_owned()),
        Some("assert") => Some("a check of type assert has 'check' and no 'run'".to_owned()),
        Some(other) => Some(format!("there is no check of type '{other}'")),
        None => Some("a check has either 'run' or 'check'".to_owned()),
    }
}

/// The front matter at the beginning of `text`.
pub fn read(text: &str) -> Option<Matter> {
    let (entries, body) = split(text)?;
    let field = |entry: &Extent| field(text.get(entry.start..entry.end).unwrap_or_default(), entry.start);
    Some(Matter { fields: entries.iter().filter_map(field).collect(), body })
}

/// The lines of one key in the front matter of `text`, from the key to the next.
pub fn entry(text: &str, key: &str) -> Option<Extent> {
    let (entries, _) = split(text)?;
    entries.into_iter().find(|entry| {
        let line = text.get(entry.start..entry.end).and_then(|entry| entry.lines().next());
        line.and_then(key_of).is_some_and(|(name, _)| name == key)
    })
}

/// The entries of a front matter, each from its key to the next, and the offset of the body.
fn split(text: &str) -> Option<(Vec<Extent>, usize)> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next()?;
    if first.trim() != "---" {
        return None;
    }
    let mut entries: Vec<Extent> = Vec::new();
    let mut at = first.len();
    for line in lines {
        let start = at;
        at += line.len();
        let plain = line.trim_end();
        if matches!(plain, "---" | "...") {
            return Some((entries, at));
        }
        if key_of(plain).is_some() {
            entries.push(Extent { start, end: at });
        } else if let Some(entry) = entries.last_mut() {
            entry.end = at;
        }
    }
    None
}

/// The key at the beginning of a line at the outermost level, and the length of everything before its value.
fn key_of(line: &str) -> Option<(&str, usize)> {
    if line.starts_with([' ', '\t', '#', '-', '[', ']', '{', '}', ',']) {
        return None;
    }
    let ends =
        |at: usize| line.get(at + 1..).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
    let (at, _) = line.match_indices(':').find(|(at, _)| ends(*at))?;
    let key = line.get(..at)?.trim();
    let quoted = |quote: char| key.strip_prefix(quote)?.strip_suffix(quote);
    let key = quoted('"').or_else(|| quoted('\'')).unwrap_or(key);
    (!key.is_empty()).then_some((key, at + 1))
}

/// An entry as a field; `start` is where it begins in the file.
fn field(entry: &str, start: usize) -> Option<Field> {
    let mut field = as_it_looks(entry, start)?;
    let looks = std::mem::take(&mut field.value);
    let broken = |at: usize, why: String| Problem { at: start + at, why };
    let taken = match yaml::value_of(entry) {
        Err(Broken { at, why }) => Err(broken(at, format!("it is not valid YAML: {why}"))),
        Ok(node) => Taken::of(node).map_err(|(at, why)| broken(at, why)),
    };
    match taken {
        Ok(taken) => {
            field.exact = taken.value.as_ref().is_none_or(|value| *value == looks);
            // A null value is kept as it is written.
            field.value = taken.value.unwrap_or(if taken.forms.is_empty() { looks } else { String::new() });
            field.items = taken.items;
            field.maps = taken.maps;
            field.forms = taken.forms.into_iter().map(|(form, at)| (form, start + at)).collect();
        }
        Err(problem) => (field.value, field.problem) = (looks, Some(problem)),
    }
    Some(field)
}

/// The parts of a value.
#[derive(Default)]
struct Taken {
    value: Option<String>,
    items: Vec<String>,
    maps: Vec<Vec<(String, String)>>,
    forms: Vec<(Form, usize)>,
}

impl Taken {
    fn of(node: Node) -> Result<Self, (usize, String)> {
        let mut taken = Self::default();
        match node.what {
            What::Null => {}
            What::Text(text) => {
                taken.forms.push((Form::Value, node.at));
                taken.value = Some(trimmed(text));
            }
            What::List(list) => {
                for entry in list {
                    taken.entry(entry)?;
                }
            }
            What::Map(_) => return Err((node.at, "it holds a map".to_owned())),
            What::Other(what) => return Err((node.at, format!("it holds {what}"))),
        }
        Ok(taken)
    }

    fn entry(&mut self, entry: Node) -> Result<(), (usize, String)> {
        match entry.what {
            What::Text(text) => {
                self.forms.push((Form::Item, entry.at));
                self.items.push(trimmed(text));
            }
            // `Matter::list` skips it.
            What::Null => {
                self.forms.push((Form::Item, entry.at));
                self.items.push("null".to_owned());
            }
            What::Map(pairs) => {
                let pair = |(key, value): (Node, Node)| Ok((single(key)?, single(value)?));
                let map = pairs.into_iter().map(pair).collect::<Result<Vec<_>, (usize, String)>>()?;
                self.forms.push((Form::Map, entry.at));
                self.maps.push(map);
            }
            What::List(_) => return Err((entry.at, "a list stands in a list".to_owned())),
            What::Other(what) => return Err((entry.at, format!("it holds {what}"))),
        }
        Ok(())
    }
}

/// The text of a node that is a single value.
fn single(node: Node) -> Result<String, (usize, String)> {
    let what = match node.what {
        What::Text(text) => return Ok(trimmed(text)),
        What::Null => return Ok(String::new()),
        What::List(_) => "a list",
        What::Map(_) => "a map",
        What::Other(what) => what,
    };
    Err((node.at, format!("YAML reads the value as {what}, put it in quotes")))
}

/// A text without its last line end, which block scalars have.
fn trimmed(text: String) -> String {
    let end = text.trim_end_matches(['\n', '\r']).len();
    if end == text.len() { text } else { text.get(..end).unwrap_or_default().to_owned() }
}

/// The length of the front matter at the beginning of `text`, including its fences. Text that could also be a list
/// of tasks between two rules does not count.
pub fn length(text: &str) -> usize {
    let Some((_, body)) = text.starts_with("---").then(|| split(text)).flatten() else { return 0 };
    let inner = text[..body].lines().skip(1).filter(|line| !line.trim().is_empty());
    let mut inner = inner.take_while(|line| !matches!(line.trim_end(), "---" | "...")).peekable();
    let begins = inner.peek().is_some_and(|line| pair(line).is_some() && !line.starts_with([' ', '-', '#']));
    let data =
        |line: &str| pair(line).is_some() || [" ", "\t", "# ", "- "].iter().any(|s| line.starts_with(s));
    if begins && inner.all(|line| data(line) && !line.starts_with("- [")) { body } else { 0 }
}

/// An entry from the text of its lines, whether or not it is YAML.
fn as_it_looks(entry: &str, start: usize) -> Option<Field> {
    let mut lines = entry.lines();
    let first = lines.next()?.trim_end();
    let (key, before) = key_of(first)?;
    let (value, offset) = bare(first.get(before..).unwrap_or_default());
    let from = start + before + offset;
    let mut field = Field {
        key: key.to_owned(),
        at: Extent { start: from, end: from + value.len() },
        start,
        ..Field::default()
    };
    match value.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
        None => value.clone_into(&mut field.value),
        Some(inner) => {
            let items = inner.split(',').map(|item| bare(item).0.to_owned());
            field.items = items.filter(|item| !item.is_empty()).collect();
        }
    }
    for line in lines.map(str::trim).filter(|line| !line.starts_with('#')) {
        if let Some(item) = line.strip_prefix("- ") {
            match pair(item) {
                Some((key, value, _)) => field.maps.push(vec![(key, value)]),
                None => field.items.push(bare(item).0.to_owned()),
            }
        }
    }
    Some(field)
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

/// A value without blanks, quotes and a trailing comment, and its offset.
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
