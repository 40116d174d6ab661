//! Reports that many runners write.

pub(super) mod junit;
pub(super) mod tap;
