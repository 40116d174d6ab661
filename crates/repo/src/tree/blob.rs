//! Computes git's object name of a file without git.
//!
//! Git relies on the times and the size of a file that an index stores. An index can be forged so that a changed
//! file looks unchanged; the time of a file's last change of state (`ctime`) cannot be set back.

use sha1::Sha1;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::UNIX_EPOCH;
use toolkit::cli::clock;

/// The resolution of the clocks that are compared, in seconds.
const COARSE: i64 = 2;

/// The files that changed since the run began and are not, byte for byte, the objects that the index lists for
/// them. This includes files that git stores in another form.
pub(crate) fn doubted<'f>(top: &Path, files: &[&'f [u8]], objects: &HashMap<&[u8], &[u8]>) -> Vec<&'f [u8]> {
    let began = clock::began().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let since = i64::try_from(began).unwrap_or(i64::MAX) - COARSE;
    let is_doubted = |file: &&&[u8]| {
        let path = top.join(OsStr::from_bytes(file));
        let Some(object) = objects.get(**file) else { return false };
        let Ok(about) = path.symlink_metadata() else { return false };
        about.ctime() >= since
            && !about.is_dir()
            && name_of(&path, &about, object.len()).as_deref() != Some(*object)
    };
    files.iter().filter(is_doubted).copied().collect()
}

/// The object name of a file's bytes, in the length that the repository uses.
fn name_of(path: &Path, about: &std::fs::Metadata, length: usize) -> Option<Vec<u8>> {
    let bytes = if about.is_symlink() {
        std::fs::read_link(path).ok()?.as_os_str().as_bytes().to_vec()
    } else {
        toolkit::files::fs::read(path).ok()?
    };
    let head = format!("blob {}\0", bytes.len());
    let digest = if length == 64 {
        Sha256::new().chain_update(&head).chain_update(&bytes).finalize().to_vec()
    } else {
        Sha1::new().chain_update(&head).chain_update(&bytes).finalize().to_vec()
    };
    Some(digest.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect())
}
