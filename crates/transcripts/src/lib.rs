//! Readers of agents' own records, one file a client.
//!
//! In goes the path of a transcript; out come its tool calls in one normal form, in the order of the
//! record, and what else it says. Always true: records are only read, never written; each call stands in the
//! record at the place it names; memory is bounded whatever the size of the file; every line is validated as
//! JSON; what is damaged or unknown is counted and never turned into a call.
//!
//! A new client is one file in `clients/` and one row in [`table`].

mod call;
mod client;
mod clients;
#[cfg(feature = "sqlite")]
mod database;
mod elements;
mod head;
mod input;
mod json;
mod kinds;
mod lenient;
mod lines;
mod marks;
mod mend;
#[cfg(not(feature = "sqlite"))]
mod no_sqlite;
mod pieces;
mod place;
mod record;
mod squeeze;
mod text;
mod verdict;
mod vocabulary;
mod window;

pub use call::{Call, Thinking};
pub use client::{Client, Read, Source, detect, read, read_session, table};
pub use head::Head;
pub use kinds::{Kind, Kinds, TABLE};
pub use mend::mended;
pub use place::{Found, find_session};
pub use record::{Ended, Record};
pub use vocabulary::{Vocabulary, vocabularies};
