//! Where tests put their folders: in memory if programs may run there, since most tests are about what tools do and not
//! about how fast a disk syncs.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use tempfile::TempDir;

/// A new temporary folder whose name begins with `prefix`.
pub fn temporary(prefix: &str) -> TempDir {
    tempfile::Builder::new().prefix(prefix).tempdir_in(scratch()).unwrap()
}

fn scratch() -> &'static Path {
    static SCRATCH: OnceLock<PathBuf> = OnceLock::new();
    SCRATCH.get_or_init(|| {
        let memory = Path::new("/dev/shm");
        if runs_programs(memory) { memory.to_path_buf() } else { std::env::temp_dir() }
    })
}

fn runs_programs(folder: &Path) -> bool {
    let Ok(probe) = tempfile::Builder::new().prefix("bench-probe-").tempdir_in(folder) else { return false };
    let program = probe.path().join("probe");
    write_file(&program, b"#!/bin/sh\n");
    fs::set_permissions(&program, Permissions::from_mode(0o755)).is_ok()
        && Command::new("sh").arg("-c").arg(&program).status().is_ok_and(|s| s.success())
}

/// Writes a file in one go.
#[expect(clippy::disallowed_methods, reason = "the files of a test need no atomic replacement")]
pub fn write_file(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
}
