//! Notices file changes: by inotify where the system has it, else by polling.
//!
//! It watches folders, not files, since a file is replaced by a rename. A notice is only a reason to look: the
//! caller compares for itself.

use std::os::fd::BorrowedFd;
use std::path::Path;
use std::time::Duration;

/// Polling interval without inotify.
const LOOK: Duration = Duration::from_millis(100);
/// Polling interval with inotify: a folder on another machine sends no events.
const DOUBT: Duration = Duration::from_secs(1);

/// A watch on folders.
#[derive(Debug)]
pub struct Notice {
    watch: Option<system::Watch>,
}

impl Notice {
    /// Watches these folders; polls if one of them cannot be watched.
    pub fn of<'p>(folders: impl IntoIterator<Item = &'p Path>) -> Self {
        let mut watch = system::Watch::new();
        for folder in folders {
            watch = watch.filter(|watch| watch.add(folder));
        }
        Self { watch }
    }

    /// Descriptors that become readable on a change; empty if only polling works.
    pub fn fds(&self) -> Vec<BorrowedFd<'_>> {
        self.watch.iter().map(system::Watch::fd).collect()
    }

    /// The longest wait before looking in any case.
    pub fn nap(&self) -> Duration {
        if self.watch.is_some() { DOUBT } else { LOOK }
    }

    /// Drains the pending events, so that only later ones wake us.
    pub fn take_in(&mut self) {
        self.is_being_written(|_| false);
    }

    /// Drains the pending events; true while a writer of a file of this name has not closed it.
    pub fn is_being_written(&mut self, is_ours: impl Fn(&[u8]) -> bool) -> bool {
        self.watch.as_mut().is_some_and(|watch| watch.take_in(is_ours))
    }
}

#[cfg(target_os = "linux")]
mod system {
    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
    use std::collections::HashSet;
    use std::mem::MaybeUninit;
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
    use std::path::Path;

    #[derive(Debug)]
    pub(crate) struct Watch {
        fd: OwnedFd,
        /// Names of files that were changed and not closed since.
        open: HashSet<Vec<u8>>,
    }

    impl Watch {
        pub(crate) fn new() -> Option<Self> {
            let fd = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
            Some(Self { fd, open: HashSet::new() })
        }

        pub(crate) fn add(&self, folder: &Path) -> bool {
            let what = WatchFlags::MODIFY
                | WatchFlags::CLOSE_WRITE
                | WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::MOVE;
            inotify::add_watch(&self.fd, folder, what).is_ok()
        }

        pub(crate) fn fd(&self) -> BorrowedFd<'_> {
            self.fd.as_fd()
        }

        pub(crate) fn take_in(&mut self, is_ours: impl Fn(&[u8]) -> bool) -> bool {
            let mut buffer = [MaybeUninit::uninit(); 8 << 10];
            let mut reader = Reader::new(&self.fd, &mut buffer);
            while let Ok(event) = reader.next() {
                let Some(name) = event.file_name().map(|name| name.to_bytes().to_vec()) else { continue };
                let flags = event.events();
                if flags.intersects(ReadFlags::CLOSE_WRITE | ReadFlags::DELETE | ReadFlags::MOVED_TO) {
                    self.open.remove(&name);
                } else if flags.contains(ReadFlags::MODIFY) && is_ours(&name) {
                    self.open.insert(name);
                }
            }
            !self.open.is_empty()
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::os::fd::BorrowedFd;
    use std::path::Path;

    /// There is no inotify here.
    #[derive(Debug)]
    pub(crate) enum Watch {}

    impl Watch {
        pub(crate) fn new() -> Option<Self> {
            None
        }

        pub(crate) fn add(&self, _: &Path) -> bool {
            match *self {}
        }

        pub(crate) fn fd(&self) -> BorrowedFd<'_> {
            match *self {}
        }

        pub(crate) fn take_in(&mut self, _: impl Fn(&[u8]) -> bool) -> bool {
            match *self {}
        }
    }
}
