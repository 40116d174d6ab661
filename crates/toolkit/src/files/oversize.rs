//! Files too large to record: refused by name before anything reads them.
//!
//! The size is the apparent one, so that a sparse file costs no more than a small one. A tracked file without
//! changes is never read, so its size does not matter.

use crate::Fail;
use std::ffi::OsStr;
use std::io::{Error, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The largest file that is read, hashed or given to git, in bytes.
pub const LIMIT: u64 = 1 << 30;

/// The code word of the failure for a larger file.
pub const TOO_LARGE: &str = "file-too-large";

/// The error for a file of this size, if it is above the limit.
pub fn error(size: u64) -> Option<Error> {
    let message = || {
        format!(
            "is {}, and files above {} are not recorded; remove it, or let git ignore it",
            shown(size),
            shown(LIMIT)
        )
    };
    (size > LIMIT).then(|| Error::new(ErrorKind::FileTooLarge, message()))
}

/// Fails if one of the files below `top` is too large.
pub fn refuse<'f>(top: &Path, files: impl IntoIterator<Item = &'f [u8]>) -> Result<(), Fail> {
    for file in files {
        let path = top.join(OsStr::from_bytes(file));
        let size =
            path.symlink_metadata().ok().filter(std::fs::Metadata::is_file).map_or(0, |about| about.len());
        if let Some(error) = error(size) {
            return Err(Fail::io(Path::new(OsStr::from_bytes(file)), &error));
        }
    }
    Ok(())
}

/// A size in its largest unit, with one decimal unless that is zero.
fn shown(size: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let power = (size.max(1).ilog2() / 10) as usize;
    let unit = 1_u64 << (10 * power);
    let tenth = size % unit * 10 / unit;
    let point = if tenth == 0 { String::new() } else { format!(".{tenth}") };
    format!("{}{point} {}", size / unit, units.get(power).copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{LIMIT, error, shown};

    #[test]
    fn a_size_is_shown_in_its_own_unit() {
        assert_eq!(shown(100 << 30), "100 GiB");
        assert_eq!(shown((3 << 30) + (1 << 29)), "3.5 GiB");
        assert_eq!(shown(0), "0 bytes");
        assert_eq!(shown(u64::MAX), "15.9 EiB");
    }

    #[test]
    fn only_what_is_above_the_limit_is_refused() {
        assert!(error(LIMIT).is_none() && error(LIMIT + 1).is_some());
    }
}
