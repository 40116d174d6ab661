//! The criteria of a task or a plan: where they stand, and everything that belongs to each of them.

pub(crate) mod acceptance;
pub(crate) mod blocks;
pub(crate) mod categories;
pub(crate) mod commits;
pub(crate) mod goals;
pub(crate) mod locate;
pub(crate) mod notes;
pub(crate) mod plan_wide;
pub(crate) mod project_table;
pub(crate) mod steps;
pub(crate) mod text;
pub(crate) mod unclear;
