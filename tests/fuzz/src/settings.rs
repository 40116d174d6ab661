//! Configuration, cards and hooks. Law: no panic.

/// `plantools.toml`.
pub(crate) fn plantools_toml(bytes: &[u8]) {
    let _ = config::parse(bytes);
}

/// `fitter.toml` and `commands.toml` of the source workflow.
pub(crate) fn foreign_toml(bytes: &[u8]) {
    gate_run::outside::foreign(bytes);
}

/// Cards as TOML, JSON and SQL.
pub(crate) fn cards(bytes: &[u8]) {
    punch::outside::cards(&String::from_utf8_lossy(bytes));
}

/// The event that a client's hook hands to `gate-run`.
pub(crate) fn gate_hook(bytes: &[u8]) {
    gate_run::outside::hook(bytes);
}

/// The event that a client's hook hands to `punch`.
pub(crate) fn punch_hook(bytes: &[u8]) {
    punch::outside::hook(bytes);
}

/// What a Fitter says about a fault.
pub(crate) fn restoration(bytes: &[u8]) {
    gate_run::outside::restoration(bytes);
}
