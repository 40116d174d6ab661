//! A user's file, open for a change: read once, checked again just before writing, changed as little as possible.
//!
//! There are two ways to write, each safe for its own reason.
//!
//! - **In place**, if exactly one byte differs. No reader and no crash can see half of one byte: a write to the
//!   page cache is there or not, and a disk writes whole sectors. So the file is the old or the new one at every
//!   instant, and it keeps its inode, its hard links and its watchers. Several bytes are never written this way,
//!   not even of equal length: they may lie in two sectors, of which a power cut keeps one.
//! - **Whole**, for everything else: a new file is written, given owner and mode, synced, and renamed over the old
//!   one; then the folder is synced. At every instant the name refers to one whole file. Where the system supports
//!   it, the two files exchange names, so that the displaced one can be checked: if another program saved the file
//!   at the last moment, they are exchanged back and its change is not lost.
//!
//! The caller holds our lock for the file, which keeps our own writers apart. Editors ignore that lock; the checks
//! before and after the write cover them and fail with `file-changed`, 75: read again, decide again.

use crate::files::fs;
use crate::{Exit, Fail};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{Error, ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

/// A file that was read for a change.
#[derive(Debug)]
pub struct LockedFile {
    path: PathBuf,
    /// The path with links resolved.
    target: PathBuf,
    file: File,
    bytes: Vec<u8>,
}

/// How a file was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// The file already had these bytes.
    Nothing,
    /// One byte, in place.
    InPlace,
    /// A new file took its name.
    Whole,
}

impl LockedFile {
    /// Opens a file for a change and reads it. Refuses a file that may not be written, before anything else
    /// happens, although its folder might allow us to replace it.
    pub fn open(path: &Path) -> Result<Self, Fail> {
        let failed = |e: Error| Fail::io(path, &e);
        let target = path.canonicalize().map_err(failed)?;
        if target.is_dir() {
            return Err(Fail::new(Exit::Io, "is-a-folder", "is a folder").in_file(path));
        }
        let mut file = OpenOptions::new().read(true).write(true).open(&target).map_err(failed)?;
        // A named pipe in the file's place may never get a writer.
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(failed(Error::new(ErrorKind::InvalidInput, "is no file")));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        Ok(Self { path: path.to_path_buf(), target, file, bytes })
    }

    /// The bytes as read, or as last written.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Writes these bytes, if the file is still what was read. `scratch` is a folder of ours.
    pub fn write(&mut self, new: &[u8], scratch: &Path) -> Result<Written, Fail> {
        if new == self.bytes {
            return Ok(Written::Nothing);
        }
        self.check()?;
        let written = match only_difference(&self.bytes, new) {
            Some(at) => self.write_byte(at, new)?,
            None => self.write_whole(new, scratch)?,
        };
        new.clone_into(&mut self.bytes);
        Ok(written)
    }

    fn write_byte(&self, at: usize, new: &[u8]) -> Result<Written, Fail> {
        let byte = new.get(at..=at).unwrap_or_default();
        let done = self.file.write_all_at(byte, at as u64).and_then(|()| self.file.sync_data());
        done.map_err(|e| Fail::io(&self.path, &e))?;
        // If another file took the name meanwhile, that version counts, and it lacks our byte.
        if self.is_named()? { Ok(Written::InPlace) } else { Err(self.changed()) }
    }

    fn write_whole(&mut self, new: &[u8], scratch: &Path) -> Result<Written, Fail> {
        let old = self.file.metadata().map_err(|e| Fail::io(&self.path, &e))?;
        let temporary = fs::beside_or_in(&self.target, scratch);
        fs::write_like(&temporary, new, Some(&old))?;
        match trade(&temporary, &self.target) {
            Ok(()) => {
                if !self.is_displaced(&temporary, &old) {
                    trade(&temporary, &self.target).map_err(|e| Fail::io(&self.path, &e))?;
                    fs::remove(&temporary)?;
                    return Err(self.changed());
                }
                fs::sync_folder_of(&self.target)?;
                fs::remove(&temporary)?;
            }
            Err(e) if e.kind() == ErrorKind::NotFound => {
                fs::remove(&temporary)?;
                return Err(self.changed());
            }
            // The file system cannot exchange names: rely on the check just made.
            Err(_) => fs::rename(&temporary, &self.target)?,
        }
        let reopened = OpenOptions::new().read(true).write(true).open(&self.target);
        self.file = reopened.map_err(|e| Fail::io(&self.path, &e))?;
        Ok(Written::Whole)
    }

    /// Whether the displaced file is the one that was read, with the same content.
    fn is_displaced(&self, temporary: &Path, old: &Metadata) -> bool {
        let displaced = std::fs::symlink_metadata(temporary);
        displaced.is_ok_and(|now| same(&now, old)) && std::fs::read(temporary).is_ok_and(|b| b == self.bytes)
    }

    /// Fails unless the name still refers to the open file, and the file still has the content that was read.
    fn check(&mut self) -> Result<(), Fail> {
        let failed = |e: Error| Fail::io(&self.path, &e);
        if !self.is_named()? {
            return Err(self.changed());
        }
        let mut now = Vec::with_capacity(self.bytes.len() + 1);
        self.file.seek(SeekFrom::Start(0)).and_then(|_| self.file.read_to_end(&mut now)).map_err(failed)?;
        if now == self.bytes { Ok(()) } else { Err(self.changed()) }
    }

    fn is_named(&self) -> Result<bool, Fail> {
        let held = self.file.metadata().map_err(|e| Fail::io(&self.path, &e))?;
        let leads_there = self.path.canonicalize().is_ok_and(|now| now == self.target);
        Ok(leads_there && std::fs::metadata(&self.target).is_ok_and(|now| same(&now, &held)))
    }

    fn changed(&self) -> Fail {
        let message = "another program changed it in this moment; nothing of that is lost, try again";
        Fail::new(Exit::Busy, "file-changed", message).in_file(&self.path)
    }
}

fn same(a: &Metadata, b: &Metadata) -> bool {
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// The position of the only byte in which two texts of equal length differ. Compares block by block, since most of
/// a large plan is the same.
fn only_difference(old: &[u8], new: &[u8]) -> Option<usize> {
    const BLOCK: usize = 4096;
    if old.len() != new.len() {
        return None;
    }
    let block = old.chunks(BLOCK).zip(new.chunks(BLOCK)).position(|(a, b)| a != b)? * BLOCK;
    let (a, b) = (old.get(block..)?, new.get(block..)?);
    let at = block + a.iter().zip(b).position(|(a, b)| a != b)?;
    (old.get(at + 1..) == new.get(at + 1..)).then_some(at)
}

/// Exchanges the names of two files atomically.
#[cfg(target_os = "linux")]
fn trade(a: &Path, b: &Path) -> std::io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).map_err(Error::from)
}

#[cfg(not(target_os = "linux"))]
fn trade(_: &Path, _: &Path) -> std::io::Result<()> {
    Err(Error::from(ErrorKind::Unsupported))
}

#[cfg(test)]
mod tests {
    use super::only_difference;

    #[test]
    fn only_a_single_byte_is_written_in_place() {
        assert_eq!(only_difference(b"[ ] a", b"[x] a"), Some(1));
        assert_eq!(only_difference(b"[ ] [ ]", b"[x] [x]"), None);
        assert_eq!(only_difference(b"open", b"done"), None);
        assert_eq!(only_difference(b"[] a", b"[x] a"), None);
        assert_eq!(only_difference(b"same", b"same"), None);
    }
}
