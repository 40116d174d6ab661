//! Cards: required actions row by row, and the sources of cards.

pub(crate) mod card;
pub(crate) mod card_file;
pub(crate) mod pattern;
pub(crate) mod row;
pub(crate) mod seeds;
pub(crate) mod sql;
