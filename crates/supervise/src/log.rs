//! A log file with a limit: raw bytes, as they came.
//!
//! A log that cannot be written never stops the command: the error is kept, and the rest is only counted.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use rustix::fs::OFlags;

/// A log that takes bytes up to a limit.
pub(crate) struct Log {
    file: File,
    room: u64,
    /// Some bytes were not stored.
    pub(crate) truncated: bool,
    /// Why no more bytes are stored, when it was not the limit.
    pub(crate) error: Option<io::Error>,
}

impl Log {
    /// Makes the file anew, for its owner alone. A link in its place would let somebody choose what we overwrite, and
    /// a FIFO without a reader would hold us for ever: both are errors.
    pub(crate) fn create(path: &Path, limit: u64) -> io::Result<Self> {
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::APPEND).bits();
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .custom_flags(flags.cast_signed())
            .open(path)?;
        Ok(Self { file, room: limit, truncated: false, error: None })
    }

    /// Nothing more will be stored.
    pub(crate) fn is_full(&self) -> bool {
        self.room == 0
    }

    pub(crate) fn write(&mut self, block: &[u8]) {
        let room = usize::try_from(self.room).unwrap_or(usize::MAX);
        let stored = &block[..block.len().min(room)];
        self.truncated |= stored.len() < block.len();
        self.room -= stored.len() as u64;
        if let Err(error) = self.file.write_all(stored) {
            self.truncated = true;
            self.room = 0;
            self.error = Some(error);
        }
    }
}
