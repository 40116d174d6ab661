//! Runners of compiled languages.

pub(super) mod cargo_test;
pub(super) mod ctest;
pub(super) mod go_test;
pub(super) mod nextest;
pub(super) mod xctest;
