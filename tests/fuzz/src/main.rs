//! One fuzz target of [`targets`], chosen by `FUZZ_TARGET`, under libFuzzer. `scripts/fuzz` builds and runs it.

#![no_main]

mod answers;
mod checks_law;
mod contracts;
mod folder;
mod plans;
mod sessions;
mod settings;
mod targets;
mod transcripts;

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    let found = targets::table().into_iter().find(|(own, _)| *own == name);
    found.map(|(_, target)| target).expect("FUZZ_TARGET names a row of the table")
});

fuzz_target!(|bytes: &[u8]| TARGET(bytes));
