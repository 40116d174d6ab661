//! Files, written so that a crash at any instruction leaves the old one or the new one, whole.

use crate::Fail;
use crate::files::oversize;
use crate::files::sha;
use std::collections::BTreeSet;
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use wire::digest::Sealed;

/// Reads a whole file.
pub fn read(path: &Path) -> Result<Vec<u8>, Fail> {
    whole(path).map_err(|e| Fail::io(path, &e))
}

/// Reads a whole file that may be missing.
pub fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, Fail> {
    match whole(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(e) => Err(Fail::io(path, &e)),
    }
}

/// Refuses a named pipe, which would make us wait for a writer, a device, which has no end, and a file too large
/// for memory.
fn whole(path: &Path) -> std::io::Result<Vec<u8>> {
    let at_once = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0);
    let mut file = OpenOptions::new().read(true).custom_flags(at_once).open(path)?;
    let about = file.metadata()?;
    if !about.is_file() && !about.is_dir() && path != Path::new("/dev/null") {
        return Err(std::io::Error::new(ErrorKind::InvalidInput, "is no file"));
    }
    if let Some(error) = oversize::error(about.len()).filter(|_| about.is_file()) {
        return Err(error);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(about.len()).unwrap_or(0));
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// When a file or its metadata last changed: no program can set this time, unlike that of the contents. `None` if
/// the file is missing; for a link, the link's own time.
pub fn changed_at(path: &Path) -> Option<SystemTime> {
    let about = path.symlink_metadata().ok()?;
    let seconds = u64::try_from(about.ctime()).ok()?;
    Some(UNIX_EPOCH + Duration::new(seconds, u32::try_from(about.ctime_nsec()).ok()?))
}

/// The names in a folder, sorted; skips names that are not UTF-8.
pub fn names(path: &Path) -> Result<Vec<String>, Fail> {
    let entries = fs::read_dir(path).map_err(|e| Fail::io(path, &e))?;
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry.map_err(|e| Fail::io(path, &e))?.file_name().into_string());
    }
    names.sort_unstable();
    Ok(names)
}

/// Creates a folder that only its owner may enter, with its parents.
pub fn private_folder(path: &Path) -> Result<(), Fail> {
    if path.is_dir() {
        return Ok(());
    }
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|e| Fail::io(path, &e))
}

/// Creates a folder for the user's own files, with its parents.
pub fn folder(path: &Path) -> Result<(), Fail> {
    fs::create_dir_all(path).map_err(|e| Fail::io(path, &e))
}

/// Makes a link at `place` that leads to `target`; a file that is there already is an error.
pub fn link(target: &Path, place: &Path) -> Result<(), Fail> {
    std::os::unix::fs::symlink(target, place).map_err(|e| Fail::io(place, &e))
}

/// Writes a private file of our own, whole and synced, replacing an older one.
pub fn create(path: &Path, bytes: &[u8]) -> Result<(), Fail> {
    let temporary = sibling(path);
    write_new(&temporary, bytes, 0o600)?;
    rename(&temporary, path)
}

/// Writes a private file of our own that a power cut may lose: nothing on record needs it.
pub fn create_unsynced(path: &Path, bytes: &[u8]) -> Result<(), Fail> {
    let temporary = sibling(path);
    let mut options = OpenOptions::new();
    let written = options.write(true).create_new(true).mode(0o600).open(&temporary);
    let written = written.and_then(|mut file| file.write_all(bytes));
    written.and_then(|()| fs::rename(&temporary, path)).map_err(|e| {
        let _ = fs::remove_file(&temporary);
        Fail::io(path, &e)
    })
}

/// Writes a file for people that was not there, whole and synced; fails if another one has the name by then.
pub fn create_new(path: &Path, bytes: &[u8]) -> Result<(), Fail> {
    let temporary = sibling(path);
    write_like(&temporary, bytes, None)?;
    let linked = fs::hard_link(&temporary, path).map_err(|e| Fail::io(path, &e));
    remove(&temporary)?;
    linked?;
    sync_folder_of(path)
}

/// Writes a private file below the root and returns its path and digest.
pub fn seal(root: &Path, path: &Path, bytes: &[u8]) -> Result<Sealed, Fail> {
    create(path, bytes)?;
    Ok(sealed(root, path, bytes))
}

/// The same for a file that a power cut may lose, see [`create_unsynced`].
pub fn seal_unsynced(root: &Path, path: &Path, bytes: &[u8]) -> Result<Sealed, Fail> {
    create_unsynced(path, bytes)?;
    Ok(sealed(root, path, bytes))
}

fn sealed(root: &Path, path: &Path, bytes: &[u8]) -> Sealed {
    let shown = path.strip_prefix(root).unwrap_or(path);
    Sealed { path: shown.to_string_lossy().into_owned(), sha256: sha::hex(bytes) }
}

/// Replaces or creates a file that no other program is editing. The temporary file is created in `scratch` if that
/// is on the same file system, so that a crash leaves nothing in the user's folders. Mode, owner and link target
/// survive. For a file that a user may be editing, use [`crate::files::locked_file::LockedFile`].
pub fn replace(path: &Path, bytes: &[u8], scratch: &Path) -> Result<(), Fail> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let temporary = beside_or_in(&target, scratch);
    write_like(&temporary, bytes, fs::metadata(&target).ok().as_ref())?;
    rename(&temporary, &target)
}

/// Copies a file with its mode, without copying its blocks where the file system supports that.
pub fn copy(from: &Path, to: &Path) -> Result<(), Fail> {
    fs::copy(from, to).map(drop).map_err(|e| Fail::io(from, &e))
}

/// Appends to a file for people that a power cut may cut short: nothing depends on its last lines.
pub fn append_unsynced(path: &Path, bytes: &[u8]) -> Result<(), Fail> {
    let mut file = open_own(path, OpenOptions::new().append(true).create(true))?;
    file.write_all(bytes).map_err(|e| Fail::io(path, &e))
}

/// Appends to a private file of our own with one write and syncs; the caller holds the lock.
pub fn append(path: &Path, bytes: &[u8]) -> Result<(), Fail> {
    let mut file = open_own(path, OpenOptions::new().append(true).create(true).mode(0o600))?;
    let written = file.write_all(bytes).and_then(|()| file.sync_data());
    written.map_err(|e| Fail::io(path, &e))
}

/// Opens a file of our own. Refuses a link in its place: a repository may contain one, and it may lead anywhere.
pub fn open_own(path: &Path, options: &mut OpenOptions) -> Result<File, Fail> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let opened = options.custom_flags(i32::try_from(flags.bits()).unwrap_or(0)).open(path);
    opened.map_err(|e| link_at(path).unwrap_or_else(|| Fail::io(path, &e)))
}

/// The failure if a link is in the place of a file of our own.
pub fn link_at(path: &Path) -> Option<Fail> {
    let is_link = path.symlink_metadata().is_ok_and(|m| m.is_symlink());
    is_link.then(|| Fail::new(crate::Exit::Io, "bad-home", "is a link, and no file of ours").in_file(path))
}

/// Removes a folder with everything in it, if it exists.
pub fn remove_folder(path: &Path) -> Result<(), Fail> {
    match fs::remove_dir_all(path) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(Fail::io(path, &e)),
        _ => Ok(()),
    }
}

/// Removes a file, if it exists.
pub fn remove(path: &Path) -> Result<(), Fail> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(Fail::io(path, &e)),
        _ => Ok(()),
    }
}

/// Writes a new file, synced, with owner and mode of an older one. Fails if we may not set that owner: a plan with
/// another owner is not the same plan.
pub fn write_like(path: &Path, bytes: &[u8], like: Option<&Metadata>) -> Result<(), Fail> {
    let written = try_write_like(path, bytes, like);
    written.map_err(|e| {
        let _ = fs::remove_file(path);
        Fail::io(path, &e)
    })
}

fn try_write_like(path: &Path, bytes: &[u8], like: Option<&Metadata>) -> std::io::Result<()> {
    let mode = like.map_or(0o644, |old| old.mode() & 0o7777);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    file.write_all(bytes)?;
    if let Some(old) = like {
        let new = file.metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            std::os::unix::fs::fchown(&file, Some(old.uid()), Some(old.gid()))?;
        }
        // The umask cuts the mode given at creation, and a change of owner may clear bits.
        file.set_permissions(Permissions::from_mode(mode))?;
    }
    file.sync_all()
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

/// Renames a file of ours over another and syncs the folder.
pub fn rename(from: &Path, to: &Path) -> Result<(), Fail> {
    fs::rename(from, to).map_err(|e| {
        let _ = fs::remove_file(from);
        Fail::io(to, &e)
    })?;
    sync_folder_of(to)
}

/// Syncs the folder that contains a file, so that its name survives a power cut.
pub fn sync_folder_of(path: &Path) -> Result<(), Fail> {
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(parent).and_then(|dir| dir.sync_all()).map_err(|e| Fail::io(parent, &e))
}

/// From so many files on, one sync of their whole file system is cheaper than one for each.
const MANY: usize = 500;

/// Syncs the file system that holds a folder; false where it cannot be told to.
#[cfg(target_os = "linux")]
fn sync_all_of(root: &Path) -> bool {
    File::open(root).is_ok_and(|folder| rustix::fs::syncfs(&folder).is_ok())
}

#[cfg(not(target_os = "linux"))]
fn sync_all_of(_: &Path) -> bool {
    false
}

/// Syncs files of a tree that another program wrote since a moment of the file system's clock, and the folders that got
/// other names since, so that what is said about them from now on is still so after a power cut. Those that are gone are
/// gone for good.
pub fn sync_files(root: &Path, files: &[String], since: SystemTime) -> Result<(), Fail> {
    if files.len() > MANY && sync_all_of(root) {
        return Ok(());
    }
    let mut folders = BTreeSet::new();
    for name in files {
        let path = root.join(name);
        folders.extend(path.ancestors().skip(1).take_while(|p| p.starts_with(root)).map(Path::to_path_buf));
        if fs::symlink_metadata(&path).is_ok_and(|about| about.is_file()) {
            sync(&path)?;
        }
    }
    // A folder that names another file than before has another time than before, and no program can set it.
    let is_new = |folder: &&PathBuf| changed_at(folder).is_some_and(|at| at >= since) && folder.is_dir();
    folders.iter().filter(is_new).try_for_each(|folder| sync(folder))
}

/// Syncs a file or folder that another program wrote.
pub fn sync(path: &Path) -> Result<(), Fail> {
    match File::open(path).and_then(|file| file.sync_all()) {
        // We need not keep a file that we may not read or that is gone by now.
        Err(e) if matches!(e.kind(), ErrorKind::PermissionDenied | ErrorKind::NotFound) => Ok(()),
        other => other.map_err(|e| Fail::io(path, &e)),
    }
}

/// Moves a user's folder within one file system, atomically.
pub fn move_folder(from: &Path, to: &Path) -> Result<(), Fail> {
    if to.symlink_metadata().is_ok() {
        return Err(Fail::new(crate::Exit::Io, "already-there", "is already there").in_file(to));
    }
    fs::rename(from, to).map_err(|e| Fail::io(from, &e))?;
    sync_folder_of(to)?;
    sync_folder_of(from)
}

/// A name for a temporary file on the file system of `target`: in `scratch` if that is on it, else beside `target`.
pub fn beside_or_in(target: &Path, scratch: &Path) -> PathBuf {
    let device = |p: &Path| fs::metadata(p).ok().map(|m| m.dev());
    let parent = target.parent().unwrap_or(Path::new("."));
    let name = target.file_name().unwrap_or_default();
    let folder =
        if device(scratch).is_some() && device(scratch) == device(parent) { scratch } else { parent };
    sweep(folder, &name.to_string_lossy());
    sibling(&folder.join(name))
}

/// Removes temporary files that killed writers of the same file left behind. They do no harm; they must only not
/// pile up.
fn sweep(folder: &Path, name: &str) {
    let prefix = format!(".{name}.");
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let file = entry.file_name();
        let owner =
            file.to_str().and_then(|f| f.strip_prefix(&prefix)?.strip_suffix(".tmp")?.split_once('-'));
        let Some(owner) = owner.and_then(|(pid, _)| pid.parse::<u32>().ok()) else { continue };
        if owner != std::process::id() && is_gone(owner) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether no process with this id exists, as far as we can tell.
fn is_gone(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| {
        rustix::process::test_kill_process(pid).is_err_and(|e| e == rustix::io::Errno::SRCH)
    })
}

/// A name beside `path` that no other writer uses: process id, a counter of this process, and the clock's
/// nanoseconds.
pub fn sibling(path: &Path) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.subsec_nanos());
    path.with_file_name(format!(".{name}.{}-{count}-{nanos}.tmp", std::process::id()))
}
