//! The categories of criteria: `*Functional:*` before a list, `[static]` at the end of an item.

/// Whether a lowercase name is the name of a category.
pub(crate) fn is_category(name: &str) -> bool {
    CATEGORIES.contains(&name.split([' ', '/', '-']).next().unwrap_or(name))
}

/// The category that a line announces, in lowercase, and the text after it.
pub(crate) fn line(line: &str) -> Option<(String, &str)> {
    let text = line.trim();
    if !text.starts_with(['*', '#', '_']) {
        return None;
    }
    let fence = if text.starts_with("**") { "**" } else { "*" };
    if let Some(title) = text.strip_prefix('#') {
        let name = title.trim_matches(['#', ' ', ':', '*']).to_lowercase();
        return is_category(&name).then_some((name, ""));
    }
    let inner = text.strip_prefix(fence).or_else(|| text.strip_prefix('_'))?;
    let (name, rest) = inner.split_once(if text.starts_with('_') { "_" } else { fence })?;
    let colon = name.trim_end().ends_with(':') || rest.trim_start().starts_with(':');
    let name = name.trim().trim_end_matches(':').trim().to_lowercase();
    let name = TRANSLATED.iter().find(|(own, _)| *own == name).map_or(name, |(_, plain)| (*plain).to_owned());
    (colon && is_category(&name) || is_category(&name) && rest.trim().is_empty())
        .then(|| (name, rest.trim_start().trim_start_matches(':').trim()))
}

/// A tag such as `[static]` at the end of a criterion, with or without backticks, and the text before it.
pub(crate) fn tag(text: &str) -> Option<(&str, &str)> {
    let inner = text.trim_end().trim_end_matches('`').strip_suffix(']')?;
    let (rest, tag) = inner.rsplit_once('[')?;
    is_category(tag).then_some((tag, rest.trim_end_matches('`').trim_end()))
}

/// The names of the template in the languages into which it was translated.
const TRANSLATED: &[(&str, &str)] = &[
    ("기능", "functional"),
    ("정적", "static"),
    ("런타임", "runtime"),
    ("정리", "cleanup"),
    ("功能", "functional"),
    ("静态", "static"),
    ("运行时", "runtime"),
];

const CATEGORIES: &[&str] = &[
    "functional",
    "static",
    "runtime",
    "cleanup",
    "scenario",
    "scenarios",
    "check",
    "checks",
    "build",
    "lint",
    "format",
    "test",
    "tests",
    "integration",
    "manual",
    "e2e",
    "performance",
    "security",
];
