//! The promises of the crate, each tried on commands that break them elsewhere.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

mod harness;
mod lifeline;
mod startup;
mod torture;
