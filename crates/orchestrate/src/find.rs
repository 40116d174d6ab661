//! Which plan is meant, and the profile that carries it out.

pub(crate) mod locate;
pub(crate) mod plans;
pub(crate) mod profile;
