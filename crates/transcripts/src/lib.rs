//! Readers of agents' own records, one file per client.
//!
//! The input is the path of a transcript; the output is its tool calls in one normal form, in the order of the
//! record, and its other content. Invariants: records are only read, never written; each call exists in the record at
//! the position it names; memory is bounded whatever the size of the file; every line is validated as JSON; damaged
//! or unknown content is counted and never turned into a call.
//!
//! A new client is one file in `clients/` and one row in [`table`].

mod calls;
mod client;
mod clients;
mod json;

pub use crate::calls::call::{Call, Thinking};
pub use crate::calls::kinds::{Kind, Kinds, TABLE};
pub use crate::calls::record::{Ended, Record};
pub use crate::calls::vocabulary::{Vocabulary, vocabularies};
pub use crate::client::head::Head;
pub use crate::client::session_files::{FoundSession, find_session};
pub use crate::client::{Client, Read, Source, detect, read, read_session, table};
pub use crate::clients::aider::EVENTS as AIDER_EVENTS;
pub use crate::json::mend::mended;
