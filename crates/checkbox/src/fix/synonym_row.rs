//! A row of `[checks.synonyms]` for the answer to a group of unclear checks.

use config::NAME;
use config::checks::ChecksRule;
use std::collections::BTreeMap;
use toolkit::Fail;
use toolkit::files::fs;
use toolkit::files::root::Home;

/// A phrase and the clauses that it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    phrase: String,
    clauses: String,
}

/// The row of a group that is called `'PHRASE': take as: CLAUSES`; a shortened phrase has no row.
pub(crate) fn of(group: &str) -> Option<Row> {
    let (phrase, clauses) = group.strip_prefix('\'')?.split_once("': take as: ")?;
    let whole = !phrase.ends_with('…') && !phrase.contains(['[', '|', '_']);
    whole.then(|| Row { phrase: phrase.to_owned(), clauses: clauses.to_owned() })
}

/// Writes the row to the project's configuration, if the table takes it.
pub(crate) fn add(home: &Home, row: &Row) -> Result<(), Fail> {
    let path = home.root().join(NAME);
    let old = fs::read_if_there(&path)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&old).into_owned();
    let rows = BTreeMap::from([(row.phrase.clone(), row.clauses.clone())]);
    dialects::set_checks(&ChecksRule { synonyms: rows, ..ChecksRule::default() })?;
    let new = with_row(&text, row);
    config::parse(new.as_bytes()).map_err(|fail| fail.in_file(&path))?;
    fs::replace(&path, new.as_bytes(), &home.folder("tmp")?)
}

/// The text with the row in its table, which is added where there is none.
fn with_row(text: &str, row: &Row) -> String {
    let quoted = |text: &str| toml_string(text);
    let line = format!("{} = {}\n", quoted(&row.phrase), quoted(&row.clauses));
    let header = "[checks.synonyms]";
    let mut at = 0;
    for own in text.split_inclusive('\n') {
        at += own.len();
        if own.trim() == header {
            let (before, after) = text.split_at(at);
            let end = if before.ends_with('\n') { "" } else { "\n" };
            return format!("{before}{end}{line}{after}");
        }
    }
    let gap = match text {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    format!("{text}{gap}{header}\n{line}")
}

/// A basic string of TOML.
fn toml_string(text: &str) -> String {
    // JSON escapes what TOML must, in the same way.
    serde_json::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_added_to_its_table() {
        let row = of("'looks fine': take as: exit 0").unwrap();
        let line = "\"looks fine\" = \"exit 0\"\n";
        assert_eq!(with_row("", &row), format!("[checks.synonyms]\n{line}"));
        assert_eq!(with_row("a = 1\n", &row), format!("a = 1\n\n[checks.synonyms]\n{line}"));
        assert_eq!(
            with_row("[checks.synonyms]\n\"x\" = \"empty\"\n", &row),
            format!("[checks.synonyms]\n{line}\"x\" = \"empty\"\n")
        );
        assert_eq!(of("several commands in one check"), None);
        assert_eq!(of("'a very long …': take as: exit 0"), None);
    }
}
