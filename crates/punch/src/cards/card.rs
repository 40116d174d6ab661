//! A parsed card, and the sources of cards.
//!
//! A card of the configuration takes precedence over one of a file, and that over the built-in ones.

use crate::cards::card_file;
use crate::cards::row::{Row, Use, Who, parse_who};
use config::Config;
use config::cards::{CardRule, RowRule};
use std::collections::BTreeMap;
use std::path::PathBuf;
use toolkit::Fail;
use toolkit::files::sha;

pub(crate) use config::cards::BUILT_IN;

/// A card.
#[derive(Debug, Clone)]
pub(crate) struct Card {
    pub(crate) name: String,
    pub(crate) rows: Vec<Row>,
    /// Digest of its rows: a changed card is another card.
    pub(crate) digest: String,
}

impl Card {
    /// Parses a card; a bad row is an error that names the card.
    pub(crate) fn of(name: &str, rule: &CardRule) -> Result<Self, Fail> {
        let named = |mut fail: Fail| {
            fail.message = format!("card '{name}': {}", fail.message);
            fail
        };
        let rows = rows(rule).map_err(named)?;
        let mut hasher = sha::Hasher::new();
        for row in &rows {
            let (who, form) = (row.who, row.pattern.form);
            let text = format!(
                "{}\0{form:?}\0{}\0{:?}\0{}\0{who:?}\0{}\n",
                row.shown(),
                row.min,
                row.max,
                row.after_edit,
                row.enforced
            );
            hasher.update(text.as_bytes());
        }
        Ok(Self { name: name.to_owned(), rows, digest: hasher.finish() })
    }

    /// The rows that affect the verdict.
    pub(crate) fn enforced(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.enforced && row.used() != Use::Optional)
    }

    /// The same card for a worker that has not ended yet: rows about the end are only shown.
    pub(crate) fn before_exit(mut self) -> Self {
        for row in self.rows.iter_mut().filter(|row| row.is_exit()) {
            row.enforced = false;
        }
        self
    }
}

fn rows(rule: &CardRule) -> Result<Vec<Row>, Fail> {
    let who = rule.agent.as_deref().map_or(Ok(Who::Any), parse_who)?;
    let mut rows = Vec::new();
    for (texts, used) in [(&rule.required, Use::Required), (&rule.forbidden, Use::Forbidden)] {
        for text in texts {
            rows.push(Row::short(text, used, who)?);
        }
    }
    for row in &rule.rows {
        rows.push(Row::of(row, who)?);
    }
    if let Some(card) = &rule.children {
        let row = RowRule {
            kind: "child_card".into(),
            pattern: Some(card.clone()),
            required: true,
            ..RowRule::default()
        };
        rows.push(Row::of(&row, who)?);
    }
    Ok(rows)
}

/// Every available card.
#[derive(Debug, Default)]
pub(crate) struct Cards {
    rules: BTreeMap<String, CardRule>,
}

impl Cards {
    /// The cards of the configuration, of files, and the built-in ones.
    pub(crate) fn load(config: &Config, files: &[PathBuf]) -> Result<Self, Fail> {
        let mut rules = built_in()?;
        for path in files {
            rules.extend(card_file::read(path)?);
        }
        rules.extend(config.cards.clone());
        let receipts = &config.receipts;
        if !receipts.rows.is_empty() {
            rules.entry(receipts.card.clone()).or_default().required.extend(receipts.rows.iter().cloned());
        }
        Ok(Self { rules })
    }

    /// The card with this name.
    pub(crate) fn find(&self, name: &str) -> Result<Card, Fail> {
        let rule = self.rules.get(name).ok_or_else(|| {
            let known: Vec<_> = self.rules.keys().map(String::as_str).collect();
            Fail::data("unknown-card", format!("there is no card '{name}'; cards are {}", known.join(", ")))
        })?;
        Card::of(name, rule)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.rules.contains_key(name)
    }
}

/// The built-in cards.
pub(crate) fn built_in() -> Result<BTreeMap<String, CardRule>, Fail> {
    card_file::of_toml(BUILT_IN)
}

#[cfg(test)]
mod tests {
    use super::{Card, Cards, built_in};
    use crate::cards::row::Use;

    #[test]
    fn the_cards_that_come_with_the_tool_can_be_read_and_say_what_was_corrected() {
        let rules = built_in().unwrap();
        assert_eq!(rules.len(), 16);
        for (name, rule) in &rules {
            let card = Card::of(name, rule).unwrap();
            assert!(!rule.note.is_empty() && !rule.description.is_empty(), "{name}");
            assert!(card.enforced().count() > 0, "{name}");
        }
    }

    #[test]
    fn the_configuration_wins_and_a_table_says_more_than_a_line() {
        let text = "[cards.orchestrate]\nagent = 'main'\nforbidden = ['kind:edit']\nrows = [\n\
                    { type = 'gate_pass', pattern = 'lint', min = 2, after = 'last-edit' },\n\
                    { type = 'tool_call', like = 'x%', max = 3, enforced = false } ]\n";
        let config = config::parse(text.as_bytes()).unwrap();
        let card = Cards::load(&config, &[]).unwrap().find("orchestrate").unwrap();
        let uses: Vec<_> =
            card.rows.iter().map(|row| (row.shown(), row.used(), row.min, row.enforced)).collect();
        assert_eq!(
            uses,
            [
                ("kind:edit".to_owned(), Use::Forbidden, 0, true),
                ("gate_pass:lint".to_owned(), Use::Required, 2, true),
                ("tool_call:x%".to_owned(), Use::Limit, 0, false),
            ]
        );
    }

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        for row in [
            "{ type = 'kind', pattern = 'sing' }",
            "{ type = 'tool_call', pattern = 'a', like = 'b' }",
            "{ type = 'tool_call', min = 3, max = 2 }",
            "{ type = 'tool_call', after = 'lunch' }",
            "{ type = 'tool_call', agent = 'boss' }",
            "{ pattern = 'a' }",
        ] {
            let config = config::parse(format!("[cards.c]\nrows = [{row}]\n").as_bytes()).unwrap();
            let fail = Cards::load(&config, &[]).unwrap().find("c").unwrap_err();
            assert!(fail.message.starts_with("card 'c': "), "{row}: {fail}");
        }
    }
}
