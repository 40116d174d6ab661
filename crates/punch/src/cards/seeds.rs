//! The SQL seeds of the source system: `INSERT INTO punch_cards (…) VALUES (…), …;`, read as cards and written as
//! TOML.
//!
//! Of two rows with the same card, type and pattern the later one wins, as with `ON DUPLICATE KEY UPDATE`; after
//! `INSERT IGNORE` the earlier one does. Everything else in the file is ignored.

use crate::cards::card_file::Rules;
use crate::cards::sql::{Token, Tokens};
use config::cards::RowRule;
use std::fmt::Write as _;
use toolkit::Fail;

/// Reads every card of a seed file.
pub(crate) fn read(text: &str) -> Result<Rules, Fail> {
    let mut rules = Rules::new();
    for statement in Tokens::statements(text)? {
        if let Some(insert) = Insert::of(&statement) {
            for values in insert.tuples {
                put(&mut rules, &insert.columns, values, insert.ignore)?;
            }
        }
    }
    if rules.is_empty() {
        return Err(Fail::data("no-cards", "there is no 'insert into punch_cards' in it"));
    }
    Ok(rules)
}

/// One statement that seeds cards.
struct Insert<'s> {
    columns: Vec<String>,
    tuples: Vec<&'s [Token]>,
    ignore: bool,
}

impl<'s> Insert<'s> {
    fn of(statement: &'s [Token]) -> Option<Self> {
        let word = |at: usize, text: &str| statement.get(at).is_some_and(|token| token.is_word(text));
        let replace = word(0, "replace");
        if !word(0, "insert") && !replace {
            return None;
        }
        let into = statement.iter().position(|token| token.is_word("into"))?;
        let ignore = statement[..into].iter().any(|token| token.is_word("ignore"));
        if !word(into + 1, "punch_cards") {
            return None;
        }
        let values = statement.iter().position(|token| token.is_word("values"))?;
        let columns = statement.get(into + 2..values)?.iter().filter_map(Token::name).collect();
        let end = statement.iter().position(|token| token.is_word("duplicate")).unwrap_or(statement.len());
        let tuples = statement.get(values + 1..end)?.split(|token| token.is('(')).skip(1);
        let tuples = tuples.map(|tuple| tuple.split(|token| token.is(')')).next().unwrap_or_default());
        Some(Self { columns, tuples: tuples.collect(), ignore })
    }
}

fn put(rules: &mut Rules, columns: &[String], values: &[Token], ignore: bool) -> Result<(), Fail> {
    let values: Vec<&Token> = values.iter().filter(|token| !token.is(',')).collect();
    let place = values.first().map_or(0, |token| token.line);
    let bad = |message: String| {
        let mut fail = Fail::data("bad-seed", message);
        fail.line = Some(place);
        fail
    };
    if values.len() != columns.len() {
        return Err(bad(format!("{} values for {} columns", values.len(), columns.len())));
    }
    let get = |name: &str| columns.iter().position(|column| column == name).map(|at| values[at]);
    let text = |name: &str| get(name).and_then(|token| token.text().map(str::to_owned));
    let flag = |name: &str| get(name).and_then(Token::truth);
    let (Some(card), Some(kind), Some(like)) =
        (text("card_id"), text("punch_type"), text("punch_key_pattern"))
    else {
        return Err(bad("a row has no card_id, punch_type or punch_key_pattern".to_owned()));
    };
    let row = RowRule {
        kind,
        like: Some(like),
        required: flag("required").unwrap_or(true),
        forbidden: flag("forbidden").unwrap_or(false),
        // The column was added later; before that every row counted.
        enforced: flag("enforced"),
        description: text("description"),
        ..RowRule::default()
    };
    let rows = &mut rules.entry(card).or_default().rows;
    match rows.iter_mut().find(|old| old.kind == row.kind && old.like == row.like) {
        Some(_) if ignore => {}
        Some(old) => *old = row,
        None => rows.push(row),
    }
    Ok(())
}

/// Cards as TOML, ready for `plantools.toml`.
pub(crate) fn write(rules: &Rules) -> String {
    let mut out = String::new();
    for (name, rule) in rules {
        let _ = writeln!(out, "[cards.{}]", quoted(name));
        for row in &rule.rows {
            let _ = write!(out, "\n[[cards.{}.rows]]\ntype = {}\n", quoted(name), quoted(&row.kind));
            if let Some(like) = &row.like {
                let _ = writeln!(out, "like = {}", quoted(like));
            }
            for (word, set) in [("required", row.required && !row.forbidden), ("forbidden", row.forbidden)] {
                if set {
                    let _ = writeln!(out, "{word} = true");
                }
            }
            if row.enforced == Some(false) {
                out.push_str("enforced = false\n");
            }
            if let Some(description) = &row.description {
                let _ = writeln!(out, "description = {}", quoted(description));
            }
        }
        out.push('\n');
    }
    out
}

/// A basic string of TOML; JSON's escapes are all valid there.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::{read, write};
    use crate::cards::card::Card;
    use crate::cards::card_file::of_toml;

    const SEEDS: &str = "-- INSERT INTO punch_cards (card_id) VALUES ('no');\n\
        CREATE TABLE punch_cards (card_id VARCHAR(50));\n\
        INSERT INTO punch_cards (card_id, workflow_name, punch_type, punch_key_pattern, required, forbidden, description) VALUES\n\
            ('a', 'a', 'tool_call', 'edit_file%', TRUE, TRUE, 'it''s (not) \\'allowed\\''),  -- one\n\
            ('a', 'a', 'gate_pass', 'lint', 1, 0, NULL) /* two */\n\
        ON DUPLICATE KEY UPDATE required = VALUES(required);\n\
        INSERT IGNORE INTO `punch_cards` (card_id, punch_type, punch_key_pattern, required) VALUES ('a','gate_pass','lint',FALSE);\n\
        INSERT INTO others (card_id) VALUES ('b');\n";

    #[test]
    fn seeds_become_cards_and_cards_become_toml() {
        let rules = read(SEEDS).unwrap();
        assert_eq!(rules.len(), 1);
        let rows = &rules["a"].rows;
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].description.as_deref(), Some("it's (not) 'allowed'"));
        assert!(rows[0].forbidden && rows[1].required && !rows[1].forbidden);
        let again = of_toml(&write(&rules)).unwrap();
        let digest = |rules: &crate::cards::card_file::Rules| Card::of("a", &rules["a"]).unwrap().digest;
        assert_eq!(digest(&again), digest(&rules));
    }

    #[test]
    fn what_is_no_seed_is_refused() {
        assert_eq!(read("select 1;").unwrap_err().code, "no-cards");
        let short = read("insert into punch_cards (card_id, punch_type) values\n('a');").unwrap_err();
        assert_eq!((short.code, short.line), ("bad-seed", Some(2)));
        assert_eq!(read("insert into punch_cards (card_id) values ('a").unwrap_err().code, "bad-sql");
    }
}
