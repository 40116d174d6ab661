//! On orders.
