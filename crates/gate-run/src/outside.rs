//! The parsers of external input, for tests that feed them anything. None of them may panic.

use crate::gates::catalog::Catalog;
use crate::hook::{claims, envelope};
use crate::restore::contract;
use checks::reports;

/// An event of a client's hook.
pub fn hook(bytes: &[u8]) {
    let _ = envelope::read(bytes, "worker");
}

/// A worker's report.
pub fn claims(text: &str) {
    let _ = claims::read(text);
}

/// The output of a test runner.
pub fn report(output: &str) {
    let _ = reports::find(output);
}

/// A Fitter's contract about a fault.
pub fn restoration(bytes: &[u8]) {
    let _ = contract::read(bytes);
}

/// The gates in a file of the source workflow, with their tokens resolved.
pub fn foreign(bytes: &[u8]) {
    let Ok(Some(catalog)) = Catalog::foreign(bytes) else { return };
    for gate in &catalog.config.gates {
        let _ = catalog.resolved(gate, &[]);
    }
}
