//! Card files: TOML as in `plantools.toml`, JSON of the same shape or as rows, and the SQL seeds of the source
//! system.

use crate::cards::seeds;
use config::cards::{CardRule, RowRule};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use toolkit::Fail;
use toolkit::files::fs;

/// Cards by name.
pub(crate) type Rules = BTreeMap<String, CardRule>;

/// Reads a card file.
pub(crate) fn read(path: &Path) -> Result<Rules, Fail> {
    let bytes = fs::read(path)?;
    let text =
        String::from_utf8(bytes).map_err(|_| Fail::data("not-utf8", "is no valid UTF-8").in_file(path))?;
    let placed = |fail: Fail| match fail.line {
        Some(line) => fail.at(path.display().to_string(), line),
        None => fail.in_file(path),
    };
    match path.extension().and_then(|end| end.to_str()) {
        Some("sql") => seeds::read(&text).map_err(placed),
        Some("json") => of_json(&text).map_err(placed),
        _ => of_toml(&text).map_err(placed),
    }
}

/// Cards in TOML, below `[cards]`; other tables are ignored.
pub(crate) fn of_toml(text: &str) -> Result<Rules, Fail> {
    #[derive(Deserialize)]
    struct File {
        #[serde(default)]
        cards: Rules,
    }
    let file: File = toml::from_str(text).map_err(|e| {
        Fail::data("bad-cards", e.message().to_owned()).within(text, e.span().map(|span| span.start))
    })?;
    Ok(file.cards)
}

/// Cards in JSON: `{"cards": {…}}` or the inner object alone; a card may be a list of rows.
pub(crate) fn of_json(text: &str) -> Result<Rules, Fail> {
    let bad = |message: String| Fail::data("bad-cards", message);
    let value: Value = serde_json::from_str(text).map_err(|e| bad(format!("no valid JSON: {e}")))?;
    let cards = value.get("cards").unwrap_or(&value);
    let cards = cards.as_object().ok_or_else(|| bad("there is no object of cards".to_owned()))?;
    let mut rules = Rules::new();
    for (name, card) in cards {
        let named = |e: serde_json::Error| bad(format!("card '{name}': {e}"));
        let rule = if card.is_array() {
            let rows: Vec<RowRule> = serde_json::from_value(card.clone()).map_err(named)?;
            CardRule { rows, ..CardRule::default() }
        } else {
            serde_json::from_value(card.clone()).map_err(named)?
        };
        rules.insert(name.clone(), rule);
    }
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::{of_json, of_toml};

    #[test]
    fn a_card_may_be_an_object_or_a_list_of_rows() {
        let rows = r#"{"a":[{"punch_type":"tool_call","punch_key_pattern":"edit%","required":true,"forbidden":true}]}"#;
        let rules = of_json(rows).unwrap();
        assert_eq!(rules["a"].rows[0].like.as_deref(), Some("edit%"));
        let object = of_json(r#"{"cards":{"b":{"required":["gate_pass:lint"]}}}"#).unwrap();
        assert_eq!(object["b"].required, ["gate_pass:lint"]);
        assert_eq!(of_json(r#"{"c":{"requird":[]}}"#).unwrap_err().code, "bad-cards");
        assert_eq!(of_toml("[cards.c]\nrequird = []\n").unwrap_err().line, Some(2));
    }
}
