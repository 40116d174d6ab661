//! The readers of what comes from outside, for tests that give them anything. None of them may panic.

use crate::catalog::Catalog;
use crate::{claims, contract, envelope, reports};

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

/// What a Fitter says about a fault.
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
