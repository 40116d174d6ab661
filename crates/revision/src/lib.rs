//! The commit that was built, for `--version`.
//!
//! It has a crate of its own below the tools, so that after a commit the libraries need not be built again.

/// The commit, shortened: from git, from the archive that git made, or from `PLANTOOLS_COMMIT`. None where none of
/// them knows, and in builds for development, which would be built anew after each commit.
pub const COMMIT: Option<&str> = option_env!("PLANTOOLS_BUILT_FROM");
