//! Output: the result on standard output, complete or an error.
//!
//! A closed pipe gives the failure `reader-gone`; [`crate::cli::tool`] alone decides what it means.

use crate::Fail;
use rustix::event::{PollFd, PollFlags, Timespec};
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

/// Standard output, buffered; flushed after each line of a stream.
pub struct Output {
    // The buffer is outermost, so that the many small writes of a document need no call through a pointer.
    writer: io::BufWriter<Box<dyn Write>>,
}

impl Output {
    /// The process's own standard output.
    pub fn stdout() -> Self {
        // A plain descriptor with one buffer of our own: Rust's stdout looks for newlines in every write.
        match io::stdout().lock().by_ref_fd() {
            Some(file) => Self::to(file),
            None => Self::to(io::stdout()),
        }
    }

    /// Writes to something else.
    pub fn to(writer: impl Write + 'static) -> Self {
        Self { writer: io::BufWriter::with_capacity(1 << 16, Box::new(writer)) }
    }

    /// Writes text as it is.
    pub fn text(&mut self, text: &str) -> Result<(), Fail> {
        self.bytes(text.as_bytes())
    }

    /// Writes text for people: replaces control characters, since names and texts come from anywhere.
    pub fn shown(&mut self, text: &str) -> Result<(), Fail> {
        self.text(&plain(text))
    }

    /// Writes bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), Fail> {
        self.writer.write_all(bytes).map_err(|e| failed(&e))
    }

    /// Writes one line and flushes it.
    pub fn line(&mut self, text: &str) -> Result<(), Fail> {
        self.text(text)?;
        self.text("\n")?;
        self.flush()
    }

    /// Writes one line and flushes it, calling `meanwhile` now and then while the reader does not read. A pipe that
    /// accepts any bytes accepts a page.
    pub fn line_meanwhile(&mut self, text: &str, mut meanwhile: impl FnMut()) -> Result<(), Fail> {
        const PAGE: usize = 4096;
        let pause = Timespec { tv_sec: 1, tv_nsec: 0 };
        let line = [text.as_bytes(), b"\n"].concat();
        for page in line.chunks(PAGE) {
            let stdout = io::stdout();
            while rustix::event::poll(&mut [PollFd::new(&stdout, PollFlags::OUT)], Some(&pause)) == Ok(0) {
                meanwhile();
            }
            self.writer.write_all(page).map_err(|e| failed(&e))?;
            self.flush()?;
        }
        Ok(())
    }

    /// Writes one document, compact or for people.
    pub fn document<T: Serialize>(&mut self, value: &T, pretty: bool) -> Result<(), Fail> {
        let done = if pretty {
            serde_json::to_writer_pretty(&mut self.writer, value)
        } else {
            serde_json::to_writer(&mut self.writer, value)
        };
        done.map_err(|e| failed(&io::Error::from(e)))?;
        self.text("\n")?;
        self.flush()
    }

    /// Writes everything that is buffered, or fails.
    pub fn flush(&mut self) -> Result<(), Fail> {
        self.writer.flush().map_err(|e| failed(&e))
    }
}

impl Write for Output {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.writer.write(buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// The text with control characters replaced; newlines and tabs stay.
pub fn plain(text: &str) -> Cow<'_, str> {
    let steers = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if steers(c) { '\u{fffd}' } else { c }).collect())
}

fn failed(error: &io::Error) -> Fail {
    Fail::io(Path::new("<stdout>"), error)
}

/// A file handle on the same descriptor, if the system provides one.
trait ByRefFd {
    fn by_ref_fd(&self) -> Option<std::fs::File>;
}

impl ByRefFd for io::StdoutLock<'_> {
    fn by_ref_fd(&self) -> Option<std::fs::File> {
        use std::os::fd::AsFd;
        self.as_fd().try_clone_to_owned().ok().map(std::fs::File::from)
    }
}
