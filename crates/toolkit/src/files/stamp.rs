//! Whether a file is untouched since a moment, told by what no program can set: device, inode, size, and the time of the
//! last change to its bytes or its metadata.
//!
//! The time comes from a clock that moves in steps, so a stamp is good only from the step after the last change on: an
//! edit within the same step would leave it as it is. On some file systems (`tmpfs`, network file systems) a write through
//! a mapping leaves no time, or the time is another machine's: a file there has no stamp, and its bytes must be read.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

/// A file as it was at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    device: u64,
    inode: u64,
    /// Its size in bytes.
    pub size: u64,
    changed: (i64, i64),
}

/// How often the clock is looked at, a millisecond apart, before a file counts as one without a stamp.
const LOOKS: u32 = 20;

impl Stamp {
    /// The present stamp of a file. If a later look finds the same one, nothing has changed the file meanwhile. `None`
    /// where that cannot be told without reading it.
    pub fn of(path: &Path) -> Option<Self> {
        let stamp = Self::now(path).filter(|_| keeps_times(path))?;
        for _ in 0..LOOKS {
            if stamp.changed < clock() {
                return Some(stamp);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        None
    }

    /// The present stamp of a file whose last change lies in an earlier step of the clock, without waiting for the next.
    pub fn settled(path: &Path) -> Option<Self> {
        Self::now(path).filter(|stamp| stamp.changed < clock() && keeps_times(path))
    }

    /// Whether the file still has this stamp.
    pub fn holds(&self, path: &Path) -> bool {
        Self::now(path).as_ref() == Some(self)
    }

    fn now(path: &Path) -> Option<Self> {
        let about = path.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
        let changed = (about.ctime(), about.ctime_nsec());
        Some(Self { device: about.dev(), inode: about.ino(), size: about.size(), changed })
    }
}

/// The clock that files get their times from.
#[cfg(target_os = "linux")]
fn clock() -> (i64, i64) {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
    (now.tv_sec, now.tv_nsec)
}

#[cfg(not(target_os = "linux"))]
fn clock() -> (i64, i64) {
    (0, 0)
}

/// Whether every write to a file of this file system changes its time, by the clock of this machine.
#[cfg(target_os = "linux")]
fn keeps_times(path: &Path) -> bool {
    /// ext2 to ext4, xfs, btrfs, f2fs, as statfs(2) numbers them.
    const KNOWN: [u64; 4] = [0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010];
    rustix::fs::statfs(path).is_ok_and(|about| {
        u64::try_from(about.f_type).is_ok_and(|kind| KNOWN.contains(&(kind & 0xFFFF_FFFF)))
    })
}

#[cfg(not(target_os = "linux"))]
fn keeps_times(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::Stamp;
    use crate::files::fs;
    use std::io::{Seek, SeekFrom, Write};

    #[test]
    fn every_way_to_change_a_file_changes_its_stamp() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::create(&path, b"one\n").unwrap();
        let Some(before) = Stamp::of(&path) else { return };
        assert!(before.holds(&path));
        let times = path.metadata().unwrap();
        let changes: [&dyn Fn(); 4] = [
            &|| {
                let mut file = std::fs::File::options().write(true).open(&path).unwrap();
                file.seek(SeekFrom::Start(0)).unwrap();
                file.write_all(b"two\n").unwrap();
                file.set_modified(times.modified().unwrap()).unwrap();
            },
            &|| fs::append(&path, b"two\n").unwrap(),
            &|| {
                fs::remove(&path).unwrap();
                fs::create(&path, b"one\n").unwrap();
            },
            &|| {
                fs::rename(&path, &folder.path().join("away")).unwrap();
                fs::copy(&folder.path().join("away"), &path).unwrap();
            },
        ];
        for change in changes {
            fs::create(&path, b"one\n").unwrap();
            let before = Stamp::of(&path).unwrap();
            change();
            assert!(!before.holds(&path));
        }
    }
}
