//! The text of a plan, as it is on disk.

use std::path::Path;

/// The text of a plan.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    /// The file, relative to the root.
    pub path: &'a str,
    /// Its bytes on disk.
    pub bytes: &'a [u8],
}

impl Text<'_> {
    /// Whether it is TOML by its name; such a file may begin with any word.
    pub fn is_toml(&self) -> bool {
        Path::new(self.path).extension().is_some_and(|own| own.eq_ignore_ascii_case("toml"))
    }
}
