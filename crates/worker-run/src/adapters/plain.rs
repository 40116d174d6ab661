//! Somebody's own program: what it prints is its answer, its exit code is what it says of itself.

use crate::reading::{Fault, Reading, Said};
use wire::order::Outcome;

pub(crate) fn read(said: &Said<'_>) -> Reading {
    // Whoever ended it, nothing is known of it but that it is not done.
    let fault = (said.exit != Some(0)).then(|| Fault { outcome: Outcome::Crashed, ..said.without_end() });
    Reading { text: said.stdout.to_owned(), fault, ..Reading::default() }
}
