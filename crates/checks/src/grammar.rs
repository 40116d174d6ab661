//! The grammar of clauses: tokens, the clauses themselves, and the table of phrases that mean one of them.

pub(crate) mod clauses;
pub(crate) mod titles;
pub(crate) mod tokens;
