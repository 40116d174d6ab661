//! Runners of the JVM and of .NET.

pub(super) mod dotnet;
pub(super) mod gradle;
pub(super) mod maven;
