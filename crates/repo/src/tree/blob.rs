//! Computes git's object name of a file without git.

use super::index::Object;
use sha1::{Digest, Sha1};
use std::fs::{File, Metadata};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The most bytes that are read at once.
const CHUNK: usize = 1 << 16;

/// The object that git would store for a file.
pub(super) enum Blob {
    Is(Object),
    /// It is not there any more.
    Gone,
    /// Only git can tell: it may store another form of the file, or the file cannot be read or changes meanwhile.
    AskGit,
}

/// Hashes a file or a link. With `may_convert` git may store a file with carriage returns in another form.
pub(super) fn of(path: &Path, about: &Metadata, may_convert: bool) -> Blob {
    let hashed = if about.is_symlink() {
        std::fs::read_link(path).map(|target| {
            let bytes = target.as_os_str().as_bytes();
            let head = format!("blob {}\0", bytes.len());
            Some(Sha1::new().chain_update(head).chain_update(bytes).finalize().into())
        })
    } else {
        of_file(path, about.len(), may_convert)
    };
    match hashed {
        Ok(Some(object)) => Blob::Is(object),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Blob::Gone,
        Ok(None) | Err(_) => Blob::AskGit,
    }
}

fn of_file(path: &Path, size: u64, may_convert: bool) -> std::io::Result<Option<Object>> {
    // What took the place of the file since it was looked at must neither block nor lead elsewhere.
    let flags = (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits();
    let mut file = File::options().read(true).custom_flags(flags.cast_signed()).open(path)?;
    let mut hasher = Sha1::new().chain_update(format!("blob {size}\0"));
    let mut buffer = vec![0; CHUNK.min(usize::try_from(size).unwrap_or(CHUNK).saturating_add(1))];
    let (mut total, mut last) = (0, 0);
    loop {
        let length = match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let bytes = &buffer[..length];
        let returns = || last == b'\r' && bytes[0] == b'\n' || bytes.windows(2).any(|pair| pair == b"\r\n");
        if may_convert && returns() {
            return Ok(None);
        }
        hasher.update(bytes);
        last = bytes[length - 1];
        total += length as u64;
    }
    Ok((total == size).then(|| hasher.finalize().into()))
}
