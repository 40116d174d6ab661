//! Reading criteria from items, steps, tables, blocks and sections.

pub(crate) mod acceptance;
pub(crate) mod below_items;
pub(crate) mod expected;
pub(crate) mod goals;
pub(crate) mod notes;
pub(crate) mod plan_wide;
pub(crate) mod results;
pub(crate) mod steps;
pub(crate) mod tables;
