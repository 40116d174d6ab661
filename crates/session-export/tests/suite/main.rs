//! `session-export` as others use it: several at once, and over the Model Context Protocol.

mod at_once;
mod serve;
