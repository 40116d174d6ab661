//! Files and folders: atomic writes, locks, the root of a plan, digests, stamps, masked secrets.

pub mod change_notice;
pub mod fs;
pub mod lock;
pub mod locked_file;
pub mod oversize;
pub mod redact;
pub mod root;
pub mod sha;
pub mod stamp;
pub mod unified_diff;
