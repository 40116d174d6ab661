//! Punch cards as they are written down: `[cards.NAME]` of `plantools.toml`, or a file of their own.
//!
//! Short rows are `type:pattern`, `kind:WORD` or `path:PATTERN`; a row that needs more is a table. What a row
//! means is decided where cards are judged; here they are only read, and a misspelt field is refused.

use crate::globs::{Glob, Over};
use serde::Deserialize;
use std::collections::BTreeMap;
use toolkit::Fail;

/// The text of the built-in cards.
pub const BUILT_IN: &str = include_str!("../cards/built-in.toml");

/// A punch card.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CardRule {
    /// What it is for.
    pub description: String,
    /// What its author wants to be known about it.
    pub note: String,
    /// Whose deeds count: `main`, `sub` or `any`; for every row that does not say otherwise.
    pub agent: Option<String>,
    /// What must have been done.
    pub required: Vec<String>,
    /// What must not have been done.
    pub forbidden: Vec<String>,
    /// The card that every child of the task must have passed.
    pub children: Option<String>,
    /// Rows that need more than a pattern.
    pub rows: Vec<RowRule>,
}

/// One row of a card.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RowRule {
    /// The type of punch, `kind`, `path` or `child_card`.
    #[serde(rename = "type", alias = "punch_type")]
    pub kind: String,
    /// A pattern with `*`, `?`, `[…]` and `{a,b}`; for `kind` the word itself.
    #[serde(alias = "glob")]
    pub pattern: Option<String>,
    /// The pattern of SQL's LIKE instead: `%`, `_` and `\` before either.
    #[serde(alias = "punch_key_pattern")]
    pub like: Option<String>,
    /// It must have a hit.
    pub required: bool,
    /// It must not have a hit.
    pub forbidden: bool,
    /// How many hits it must have.
    pub min: Option<u64>,
    /// How many hits it may have.
    pub max: Option<u64>,
    /// `last-edit`: only what came after the last edit counts.
    pub after: Option<String>,
    /// Whether it decides anything; where it is `false` the row is only shown.
    pub enforced: Option<bool>,
    /// Whose deeds count: `main`, `sub` or `any`.
    pub agent: Option<String>,
    /// What it is for.
    pub description: Option<String>,
}

impl CardRule {
    /// The built-in card of a name.
    pub fn built_in(name: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct File {
            cards: BTreeMap<String, CardRule>,
        }
        toml::from_str::<File>(BUILT_IN).ok()?.cards.remove(name)
    }

    /// The gates that must have passed, as patterns.
    pub fn gates(&self) -> Result<Vec<Glob>, Fail> {
        let short = self.required.iter().filter_map(|row| row.strip_prefix("gate_pass:"));
        let long = self.rows.iter().filter(|row| row.required && row.kind == "gate_pass");
        let patterns = short.chain(long.filter_map(|row| row.pattern.as_deref()));
        patterns.map(|pattern| Glob::new(pattern, Over::Key)).collect()
    }
}
