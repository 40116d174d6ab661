//! Headings with the lines below them.

/// A heading with its lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Part {
    /// The level of its heading.
    pub(super) level: usize,
    /// Its heading in lower case.
    pub(super) name: String,
    lines: Vec<String>,
}

/// Every heading with the lines up to the next; fence markers are skipped.
pub(super) fn parts(text: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for line in
        text.lines().map(str::trim).filter(|line| !line.starts_with("```") && !line.starts_with("~~~"))
    {
        let level = line.bytes().take_while(|b| *b == b'#').count();
        let rest = &line[level..];
        if (1..=6).contains(&level) && rest.starts_with(' ') {
            let name = rest.trim().trim_end_matches('#').trim().trim_matches('*').to_lowercase();
            parts.push(Part { level, name, lines: Vec::new() });
        } else if let Some(part) = parts.last_mut().filter(|_| !line.is_empty()) {
            part.lines.push(line.to_owned());
        }
    }
    parts
}

impl Part {
    /// The value of `key: value`, with or without a bullet and stars.
    pub(super) fn value(&self, key: &str) -> Option<String> {
        self.lines
            .iter()
            .find_map(|line| value(line, key))
            .map(str::to_owned)
            .filter(|value| !value.is_empty())
    }

    /// The bullets, without those that mean "nothing".
    pub(super) fn bullets(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter_map(|line| bullet(line)).filter(|line| !is_none(line))
    }

    /// The list after a key: on its line, or as the bullets below it.
    pub(super) fn list(&self, key: &str) -> Option<Vec<String>> {
        let at = self.lines.iter().position(|line| value(line, key).is_some())?;
        let own = value(&self.lines[at], key).unwrap_or_default();
        if !own.is_empty() {
            let inner = own.trim_matches(['[', ']']);
            return Some(
                inner.split(',').map(clean).filter(|file| !file.is_empty() && !is_none(file)).collect(),
            );
        }
        let below =
            self.lines[at + 1..].iter().map_while(|line| bullet(line)).take_while(|line| !is_key(line));
        Some(below.filter(|line| !is_none(line)).map(clean).collect())
    }
}

fn value<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    let line = bullet(line).unwrap_or(line).trim_start_matches(['*', '`']);
    let rest = line.strip_prefix(key)?.trim_start_matches(['*', '`']).strip_prefix(':')?;
    Some(rest.trim_start_matches('*').trim().trim_matches('`'))
}

fn bullet(line: &str) -> Option<&str> {
    line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).map(str::trim)
}

/// Whether a bullet is the next key of the attestation, not an entry of the list before it.
fn is_key(line: &str) -> bool {
    super::is_attested(line) && line.contains(':')
}

fn is_none(line: &str) -> bool {
    matches!(line.trim().to_lowercase().as_str(), "(none)" | "none" | "[]" | "n/a")
}

fn clean(text: &str) -> String {
    text.trim().trim_matches(['`', '"', '\'']).to_owned()
}
