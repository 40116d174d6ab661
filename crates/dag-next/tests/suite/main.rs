//! `dag-next` on plans and ledgers: what is ready, and what the record says.

mod ask;
mod attempts;
mod ready;
