//! Thinking sessions: what is read is written back, and a chain is whole or refused.

mod chain;
mod round_trip;
