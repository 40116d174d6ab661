//! The effects of `checkbox` on files that people own.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may end where something is missing")]

mod adopt;
mod by_hand;
mod bytes;
mod crash;
mod dialect_marks;
mod fix;
mod place;
mod proof;
mod series;
mod trouble;
mod writers;
