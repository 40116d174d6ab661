//! `Shop`: everything shared by the orders of a plan: configuration, cards, kinds, and the ledger read so far.

use crate::cards::card::Cards;
use crate::evidence::book::Book;
use config::{Config, ConfigArgs};
use std::path::{Path, PathBuf};
use toolkit::Fail;
use toolkit::files::redact::Redact;
use toolkit::files::root::Home;
use transcripts::{Kind, Kinds};

/// Everything that belongs to one root.
pub(crate) struct Shop {
    pub(crate) home: Home,
    pub(crate) config: Config,
    pub(crate) cards: Cards,
    pub(crate) kinds: Kinds,
    pub(crate) redact: Redact,
    pub(crate) book: Book,
}

impl Shop {
    /// Opens the shop of a root; the ledger is read on demand.
    pub(crate) fn open(root: &Path, config: &ConfigArgs, files: &[PathBuf]) -> Result<Self, Fail> {
        let home = Home::of(root)?;
        let config = config.load(root)?;
        let cards = Cards::load(&config, files)?;
        let kinds = kinds(&config)?;
        let redact = Redact::of(&config.redact)?;
        let book = Book::of(&home);
        Ok(Self { home, config, cards, kinds, redact, book })
    }
}

/// The table of names and kinds with the configuration's own rows.
pub(crate) fn kinds(config: &Config) -> Result<Kinds, Fail> {
    let mut kinds = Kinds::default();
    for (name, word) in &config.kinds {
        let kind = Kind::parse(word)
            .ok_or_else(|| Fail::config("bad-kind", format!("'{word}' in [kinds] is no kind of tools")))?;
        kinds.set(name.clone(), kind);
    }
    Ok(kinds)
}
