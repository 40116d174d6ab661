//! A log file: the raw bytes, in order of arrival.
//!
//! A log that cannot be written never stops the command: the error is kept, and the rest is not stored.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use rustix::fs::OFlags;

/// An open log.
pub(crate) struct Log {
    file: File,
    /// Why no more bytes are stored.
    pub(crate) error: Option<io::Error>,
}

impl Log {
    /// Creates or truncates the file, readable by its owner only. A link in its place could redirect the overwrite,
    /// and a FIFO without a reader would block us for ever: both are errors.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::APPEND).bits();
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .custom_flags(flags.cast_signed())
            .open(path)?;
        Ok(Self { file, error: None })
    }

    pub(crate) fn write(&mut self, block: &[u8]) {
        if self.error.is_none() {
            self.error = self.file.write_all(block).err();
        }
    }
}
