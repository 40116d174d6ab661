//! The table of synonyms of the project at hand, for the whole process.
//!
//! A tool reads its configuration once and then plans of this project only, so the table is set once, before the first
//! plan is read. Without that, the built-in table applies.

use crate::Synonyms;
use std::sync::OnceLock;

static PROJECT: OnceLock<Synonyms> = OnceLock::new();

impl Synonyms {
    /// The table of the project.
    pub fn project() -> &'static Self {
        PROJECT.get().unwrap_or_else(|| Self::builtin())
    }

    /// Makes this the table of the project; a table that is set already stays.
    pub fn set_project(self) {
        let _ = PROJECT.set(self);
    }
}
