//! Reads a criterion.

use crate::located::Located;
use crate::reading::{Reading, Unclear};
use crate::synonyms::Synonyms;
use markdown::Extent;

/// What a criterion is: a check, several, unclear, or prose.
pub fn read(located: &Located<'_>, _synonyms: &Synonyms) -> Reading {
    if located.parts.iter().any(|part| part.text.contains('`')) {
        return Reading::Unclear(Unclear::default());
    }
    Reading::Prose
}

/// A field of data that holds a bare command, and the field for its result if there is one.
pub fn read_field(command: &str, expected: Option<&str>, at: Extent, synonyms: &Synonyms) -> Reading {
    let _ = (command, expected, at, synonyms);
    Reading::Prose
}

/// A fenced block of commands on its own: `info` is its info string.
pub fn read_block(info: &str, text: &str, at: Extent, synonyms: &Synonyms) -> Reading {
    let _ = (info, text, at, synonyms);
    Reading::Prose
}
