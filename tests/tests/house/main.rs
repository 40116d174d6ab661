//! The house: source files, manual, README and SECURITY.md say what is so.

mod manual;
mod manual_examples;
mod readme;
mod security;
mod statements;
mod tidy;
