//! A user's own program: its output is its answer, its exit code the only report about itself.

use crate::adapters::reading::{ClientOutput, Fault, Reading};
use wire::order::Outcome;

pub(crate) fn read(said: &ClientOutput<'_>) -> Reading {
    // Whatever ended it, all that is known is that it is not done.
    let fault = (said.exit != Some(0)).then(|| Fault { outcome: Outcome::Crashed, ..said.without_end() });
    Reading { text: said.stdout.to_owned(), fault, ..Reading::default() }
}
