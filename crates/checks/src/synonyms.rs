//! The table of synonyms: whole phrases that mean one clause.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The phrases that are understood beyond the grammar itself.
#[derive(Debug, Clone, Default)]
pub struct Synonyms {
    /// What titles mean.
    pub titles: Titles,
}

/// What a title before a command means where a clause is stated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Titles {
    /// Nothing, unless it has a number, a comparison or a negation: then the criterion is unclear.
    #[default]
    Read,
    /// Nothing at all: `[checks] titles = "ignore"`.
    Ignore,
}

static BUILTIN: LazyLock<Synonyms> = LazyLock::new(Synonyms::default);

impl Synonyms {
    /// The table that every project has.
    pub fn builtin() -> &'static Self {
        &BUILTIN
    }

    /// The table with the rows of a project: `[checks.synonyms]`, phrase to clause.
    pub fn with(_rows: &BTreeMap<String, String>, titles: Titles) -> Result<Self, String> {
        Ok(Self { titles })
    }
}
