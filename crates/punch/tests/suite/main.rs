//! The guarantees of `punch`, each tested on the real program.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]
#![expect(clippy::disallowed_methods, reason = "forgers do not write as toolkit does")]

mod bench;
mod cards;
mod corpus;
mod forging;
mod hook;
mod lint;
mod mint;
mod stage;
