//! The one error type: a stable code word, an exit, a sentence, a place.
//!
//! Messages are lowercase, say the fact first and quote the subject. Programs match on the code word.

use crate::cli::exit::Exit;
use crate::files::oversize;
use std::fmt;
use std::io;
use std::path::Path;

/// Why a tool could not do its job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fail {
    /// A stable kebab-case word.
    pub code: &'static str,
    /// The exit that goes with it.
    pub exit: Exit,
    /// A sentence for people.
    pub message: String,
    /// The file concerned.
    pub path: Option<String>,
    /// The line in that file, counted from 1.
    pub line: Option<u64>,
    /// The byte in that line, counted from 1.
    pub column: Option<u64>,
}

impl Fail {
    /// A failure with no place yet.
    pub fn new(exit: Exit, code: &'static str, message: impl Into<String>) -> Self {
        Self { code, exit, message: message.into(), path: None, line: None, column: None }
    }

    /// Invalid input.
    pub fn data(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Exit::Data, code, message)
    }

    /// A wrong command line.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, "usage", message)
    }

    /// Wrong configuration.
    pub fn config(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Exit::Config, code, message)
    }

    /// A failed read, write or other system call on `path`: 66 if the file does not exist, else 74.
    pub fn io(path: &Path, error: &io::Error) -> Self {
        let (exit, code) = match error.kind() {
            io::ErrorKind::NotFound => (Exit::NoInput, "not-found"),
            io::ErrorKind::BrokenPipe => (Exit::Io, "reader-gone"),
            io::ErrorKind::PermissionDenied => (Exit::Io, "permission-denied"),
            io::ErrorKind::StorageFull => (Exit::Io, "disk-full"),
            io::ErrorKind::FileTooLarge => (Exit::Io, oversize::TOO_LARGE),
            _ => (Exit::Io, "io"),
        };
        Self::new(exit, code, plain(error)).in_file(path)
    }

    /// Names the file.
    #[must_use]
    pub fn in_file(mut self, path: &Path) -> Self {
        self.path = Some(path.display().to_string());
        self
    }

    /// Names the file and the line.
    #[must_use]
    pub fn at(mut self, path: impl Into<String>, line: u64) -> Self {
        self.path = Some(path.into());
        self.line = Some(line);
        self
    }

    /// Names the line and the column of a position in a text, if it is known.
    #[must_use]
    pub fn within(mut self, text: &str, start: Option<usize>) -> Self {
        let before = start.and_then(|start| text.get(..start.min(text.len())));
        self.line = before.map(|before| 1 + before.matches('\n').count() as u64);
        self.column =
            before.map(|before| (before.len() - before.rfind('\n').map_or(0, |at| at + 1)) as u64 + 1);
        self
    }

    /// Whether the reader of our output has closed the pipe.
    pub fn is_reader_gone(&self) -> bool {
        self.code == "reader-gone"
    }
}

impl fmt::Display for Fail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{path}:")?;
            if let Some(line) = self.line {
                write!(f, "{line}:")?;
            }
            f.write_str(" ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fail {}

/// The system's error text without Rust's `(os error N)`.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text).to_owned();
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => text,
    }
}
