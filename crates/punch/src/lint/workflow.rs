//! Workflows that name a card: the card must exist, the counts in the text must match it, and every command that the
//! text mentions must have a route.

use crate::cards::card::{Card, Cards};
use crate::cards::row::Use;
use crate::lint::rows::LintContext;
use regex::Regex;
use std::path::Path;
use toolkit::Fail;
use toolkit::files::fs;
use wire::lint::{Finding, Severity};

/// A statement about a card.
struct Stated {
    line: u64,
    card: String,
    rows: Option<u64>,
    required: Option<u64>,
    forbidden: Option<u64>,
}

/// All faults of a workflow.
pub(crate) fn look(path: &Path, cards: &Cards, ground: &LintContext) -> Result<Vec<Finding>, Fail> {
    let bytes = fs::read(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let mut findings = Vec::new();
    let mut say = |line: u64, card: Option<&str>, code: &str, message: String| {
        findings.push(Finding {
            severity: Severity::Error,
            code: code.to_owned(),
            card: card.map(str::to_owned),
            row: None,
            path: Some(path.display().to_string()),
            line: Some(line),
            message,
        });
    };
    for stated in stated(&text)? {
        if !cards.has(&stated.card) {
            let message = format!("names card '{}', which is not there", stated.card);
            say(stated.line, Some(&stated.card), "unknown-card", message);
            continue;
        }
        let card = cards.find(&stated.card)?;
        if let Some(message) = stated.differs(&card) {
            say(stated.line, Some(&stated.card), "count-differs", message);
        }
    }
    if !ground.commands.is_empty() {
        for (line, command) in routes(&text)? {
            if !ground.commands.iter().any(|commands| commands.has(&command)) {
                say(
                    line,
                    None,
                    "dangling-route",
                    format!("refers to 'commands.{command}', which is not there"),
                );
            }
        }
    }
    Ok(findings)
}

impl Stated {
    fn differs(&self, card: &Card) -> Option<String> {
        let count = |used: Use| card.rows.iter().filter(|row| row.used() == used).count() as u64;
        let (rows, required, forbidden) =
            (card.rows.len() as u64, count(Use::Required), count(Use::Forbidden));
        let same = |stated: Option<u64>, real: u64| stated.is_none_or(|stated| stated == real);
        if same(self.rows, rows) && same(self.required, required) && same(self.forbidden, forbidden) {
            return None;
        }
        let shown = |count: Option<u64>| count.map_or("-".to_owned(), |count| count.to_string());
        Some(format!(
            "says {} rows, {} required, {} forbidden; the card has {rows}, {required} and {forbidden}",
            shown(self.rows),
            shown(self.required),
            shown(self.forbidden)
        ))
    }
}

/// `punch_card: NAME` in the front matter, and `` **Punch Card:** `NAME` (9 rows, 4 required, 4 forbidden) `` in the
/// text.
fn stated(text: &str) -> Result<Vec<Stated>, Fail> {
    let field = pattern(r"^punch_card:\s*(\S+)\s*$")?;
    let counts = pattern(
        r"(?i)punch card:\**\s*`([^`]+)`\s*\((\d+) rows?(?:, (\d+) required)?(?:, (\d+) forbidden)?\)",
    )?;
    let mut out = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        if let Some(found) = field.captures(text) {
            let card = found[1].trim_matches(['"', '\'']).to_owned();
            out.push(Stated { line, card, rows: None, required: None, forbidden: None });
        }
        if let Some(found) = counts.captures(text) {
            let number = |at: usize| found.get(at).and_then(|text| text.as_str().parse().ok());
            let stated = Stated {
                line,
                card: found[1].to_owned(),
                rows: number(2),
                required: number(3),
                forbidden: number(4),
            };
            out.push(stated);
        }
    }
    Ok(out)
}

/// Every `commands.NAME` of a text with its line; `commands.toml` is the file.
fn routes(text: &str) -> Result<Vec<(u64, String)>, Fail> {
    let route = pattern(r"\bcommands\.([a-z][a-z0-9_]*)\b")?;
    let mut out = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let found = route.captures_iter(text).map(|found| found[1].to_owned());
        out.extend(found.filter(|name| name != "toml").map(|name| (line, name)));
    }
    Ok(out)
}

fn pattern(text: &str) -> Result<Regex, Fail> {
    Regex::new(text).map_err(|e| Fail::data("bad-pattern", e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::{routes, stated};

    #[test]
    fn counts_and_routes_are_found_by_line() {
        let text = "---\npunch_card: a-card\n---\n**Punch Card:** `a-card` (9 rows, 4 required, 4 forbidden)\n\
                    see [`commands.check_lint`](../commands.toml)\n";
        let found = stated(text).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(
            (found[1].line, found[1].rows, found[1].required, found[1].forbidden),
            (4, Some(9), Some(4), Some(4))
        );
        assert_eq!(routes(text).unwrap(), [(5, "check_lint".to_owned())]);
    }
}
