//! Code that differs between systems.

#[cfg(target_os = "linux")]
pub(crate) mod linux;
#[cfg(not(target_os = "linux"))]
pub(crate) mod posix;
