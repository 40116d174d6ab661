//! Files, written so that a crash at any instruction leaves the old one or the new one, whole.

use crate::{Fail, sha};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use wire::digest::Sealed;

/// Reads a whole file.
pub fn read(path: &Path) -> Result<Vec<u8>, Fail> {
    fs::read(path).map_err(|e| Fail::io(path, &e))
}

/// Reads a whole file that need not be there.
pub fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, Fail> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(e) => Err(Fail::io(path, &e)),
    }
}

/// The names of what is in a folder, in order; those that are no UTF-8 are left out.
pub fn names(path: &Path) -> Result<Vec<String>, Fail> {
    let entries = fs::read_dir(path).map_err(|e| Fail::io(path, &e))?;
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry.map_err(|e| Fail::io(path, &e))?.file_name().into_string());
    }
    names.sort_unstable();
    Ok(names)
}

/// Makes a folder that only its owner may enter, and those above it.
pub fn private_folder(path: &Path) -> Result<(), Fail> {
    if path.is_dir() {
        return Ok(());
    }
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|e| Fail::io(path, &e))
}

/// Makes a folder for the user's own files, and those above it.
pub fn folder(path: &Path) -> Result<(), Fail> {
    fs::create_dir_all(path).map_err(|e| Fail::io(path, &e))
}

/// Writes a private file of our own, whole and synced, replacing an older one.
pub fn create(path: &Path, bytes: &[u8]) -> Result<(), Fail> {
    let temporary = sibling(path);
    write_new(&temporary, bytes, 0o600)?;
    rename(&temporary, path)
}

/// Writes a private file below the root and says what it holds.
pub fn seal(root: &Path, path: &Path, bytes: &[u8]) -> Result<Sealed, Fail> {
    create(path, bytes)?;
    let shown = path.strip_prefix(root).unwrap_or(path);
    Ok(Sealed { path: shown.to_string_lossy().into_owned(), sha256: sha::hex(bytes) })
}

/// Replaces a user's file: the temporary file is made in `scratch` where that is on the same file system (so
/// that a crash leaves nothing in the user's folders), mode, owner and the target of a link survive. The
/// caller holds the lock and has checked that the file is still what was read.
pub fn replace(path: &Path, bytes: &[u8], scratch: &Path) -> Result<(), Fail> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let old = fs::metadata(&target).ok();
    let mode = old.as_ref().map_or(0o644, |m| m.mode() & 0o7777);
    let temporary = beside_or_in(&target, scratch);
    write_new(&temporary, bytes, mode)?;
    if let Some(old) = old {
        // Only root can give a file away; where it cannot be done the file stays ours, as with any editor.
        let _ = std::os::unix::fs::chown(&temporary, Some(old.uid()), Some(old.gid()));
        // The mode given at creation is cut by the umask, and chown may clear bits.
        fs::set_permissions(&temporary, Permissions::from_mode(mode))
            .map_err(|e| Fail::io(&temporary, &e))?;
    }
    rename(&temporary, &target)
}

/// Writes bytes of equal length over a range and syncs: one block changes, the file keeps its identity. The
/// caller holds the lock and has checked what stands there.
pub fn overwrite(path: &Path, offset: u64, bytes: &[u8]) -> Result<(), Fail> {
    let file = OpenOptions::new().write(true).open(path).map_err(|e| Fail::io(path, &e))?;
    file.write_all_at(bytes, offset).and_then(|()| file.sync_data()).map_err(|e| Fail::io(path, &e))
}

/// Appends to a private file of our own with one write and syncs; the caller holds the lock.
pub fn append(path: &Path, bytes: &[u8]) -> Result<(), Fail> {
    let opened = OpenOptions::new().append(true).create(true).mode(0o600).open(path);
    let written = opened.and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_data()));
    written.map_err(|e| Fail::io(path, &e))
}

/// Removes a file that need not be there.
pub fn remove(path: &Path) -> Result<(), Fail> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(Fail::io(path, &e)),
        _ => Ok(()),
    }
}

fn write_new(path: &Path, bytes: &[u8], mode: u32) -> Result<(), Fail> {
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()));
    written.map_err(|e| {
        let _ = fs::remove_file(path);
        Fail::io(path, &e)
    })
}

fn rename(from: &Path, to: &Path) -> Result<(), Fail> {
    fs::rename(from, to).map_err(|e| {
        let _ = fs::remove_file(from);
        Fail::io(to, &e)
    })?;
    let parent = to.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(parent).and_then(|dir| dir.sync_all()).map_err(|e| Fail::io(parent, &e))
}

fn beside_or_in(target: &Path, scratch: &Path) -> PathBuf {
    let device = |p: &Path| fs::metadata(p).ok().map(|m| m.dev());
    let parent = target.parent().unwrap_or(Path::new("."));
    if device(scratch).is_some() && device(scratch) == device(parent) {
        sibling(&scratch.join(target.file_name().unwrap_or_default()))
    } else {
        sibling(target)
    }
}

/// A name beside `path` that nobody else uses: process id, start of the process's own counter.
pub fn sibling(path: &Path) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let nanos =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.subsec_nanos());
    path.with_file_name(format!(".{name}.{}-{count}-{nanos}.tmp", std::process::id()))
}
