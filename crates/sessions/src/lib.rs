//! Thinking sessions and their chains.
