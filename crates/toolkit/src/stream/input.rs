//! Input: FILE or standard input, as one document or line by line.

use crate::stream::pipe_ends;
use crate::{Exit, Fail};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

/// The longest line that a stream may have.
pub const MAX_LINE: u64 = 4 << 20;

/// An opened FILE argument.
pub struct Input {
    reader: BufReader<File>,
    /// The name to use in messages.
    pub name: PathBuf,
    /// Whether it is a named file, and not a pipe.
    pub is_file: bool,
}

impl Input {
    /// Opens FILE; `None` or `-` is standard input. A terminal with no FILE is an error: it does not wait.
    pub fn open(file: Option<&Path>) -> Result<Self, Fail> {
        match file {
            Some(path) if path != Path::new("-") => {
                let file = File::open(path).map_err(|e| Fail::io(path, &e))?;
                if file.metadata().is_ok_and(|m| m.is_dir()) {
                    return Err(Fail::new(Exit::NoInput, "is-a-folder", "is a folder").in_file(path));
                }
                Ok(Self { reader: BufReader::new(file), name: path.into(), is_file: true })
            }
            None if io::stdin().is_terminal() => Err(Fail::usage(
                "no FILE given and standard input is a terminal; name a file, or '-' to type it in",
            )),
            _ => {
                let name = PathBuf::from("<stdin>");
                // Use the descriptor with one buffer of our own: a poll would miss bytes in a second one.
                let stdin = io::stdin().as_fd().try_clone_to_owned().map_err(|e| Fail::io(&name, &e))?;
                Ok(Self { reader: BufReader::new(File::from(stdin)), name, is_file: false })
            }
        }
    }

    /// The whole input.
    pub fn bytes(mut self) -> Result<Vec<u8>, Fail> {
        let mut all = Vec::new();
        self.reader.read_to_end(&mut all).map_err(|e| Fail::io(&self.name, &e))?;
        Ok(all)
    }

    /// The whole input, as one document of the named schema.
    pub fn document<T: DeserializeOwned>(self, schema: &str) -> Result<T, Fail> {
        let name = self.name.clone();
        let bytes = self.bytes()?;
        document(&bytes, schema).map_err(|fail| if fail.path.is_none() { fail.in_file(&name) } else { fail })
    }

    /// Whether a whole line is already in the buffer.
    pub fn has_line(&self) -> bool {
        memchr::memchr(b'\n', self.reader.buffer()).is_some()
    }

    /// The next line without its newline; false at the end. Fails if a line is longer than [`MAX_LINE`], or if our
    /// own reader closes its pipe while we wait for input.
    pub fn line(&mut self, into: &mut Vec<u8>) -> Result<bool, Fail> {
        self.line_up_to(MAX_LINE, into)
    }

    /// The same for a line that holds a whole document, however long.
    pub fn document_line(&mut self, into: &mut Vec<u8>) -> Result<bool, Fail> {
        self.line_up_to(u64::MAX, into)
    }

    fn line_up_to(&mut self, longest: u64, into: &mut Vec<u8>) -> Result<bool, Fail> {
        into.clear();
        loop {
            if self.reader.buffer().is_empty() && !self.is_file {
                pipe_ends::wait_for_input()?;
            }
            let came = match self.reader.fill_buf() {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                other => other.map_err(|e| Fail::io(&self.name, &e))?,
            };
            if came.is_empty() {
                return Ok(!into.is_empty());
            }
            let end = memchr::memchr(b'\n', came);
            let taken = end.unwrap_or(came.len());
            into.extend_from_slice(&came[..taken]);
            self.reader.consume(taken + usize::from(end.is_some()));
            if into.len() as u64 > longest {
                return Err(Fail::data("line-too-long", "line is longer than 4 MiB").in_file(&self.name));
            }
            if end.is_some() {
                return Ok(true);
            }
        }
    }
}

/// Parses a document; rejects another schema and an empty input by name.
pub fn document<T: DeserializeOwned>(bytes: &[u8], schema: &str) -> Result<T, Fail> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Fail::data("empty-input", format!("input is empty, expected a '{schema}' document")));
    }
    check_schema(bytes, &[schema])?;
    serde_json::from_slice(bytes)
        .map_err(|e| Fail::data("bad-json", format!("no valid '{schema}' document: {e}")))
}

/// The name of the schema, if it is one of those expected.
pub fn check_schema(bytes: &[u8], expected: &[&str]) -> Result<String, Fail> {
    #[derive(Deserialize)]
    struct Head {
        schema: Option<String>,
    }
    let wanted = expected.join("' or '");
    let head: Head = serde_json::from_slice(bytes).map_err(|e| {
        let is_text = !bytes.trim_ascii_start().starts_with(b"{");
        let words = if is_text {
            format!(
                "this is text, expected JSON with the schema '{wanted}'; a plan is read by plan-parse PLAN"
            )
        } else {
            format!("no JSON object: {e}")
        };
        Fail::data("bad-json", words)
    })?;
    match head.schema {
        Some(name) if expected.contains(&name.as_str()) => Ok(name),
        Some(name) => Err(Fail::data("wrong-schema", format!("schema is '{name}', expected '{wanted}'"))),
        None => Err(Fail::data("wrong-schema", format!("there is no schema, expected '{wanted}'"))),
    }
}
