//! Runners of Python, Ruby and PHP.

pub(super) mod phpunit;
pub(super) mod pytest;
pub(super) mod rspec;
pub(super) mod unittest;
