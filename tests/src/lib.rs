//! Tests across tools.
