//! The content of a transcript in one form for every client: calls, their inputs and kinds, and other records.

pub(crate) mod call;
pub(crate) mod exit_in_text;
pub(crate) mod input;
pub(crate) mod kinds;
pub(crate) mod record;
pub(crate) mod vocabulary;
pub(crate) mod window;
