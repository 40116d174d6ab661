//! What goes in: FILE or standard input, one document or one line at a time.

use crate::{Exit, Fail};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::{Path, PathBuf};

/// The longest line that a stream may have.
pub const MAX_LINE: u64 = 4 << 20;

/// An opened FILE argument.
pub struct Input {
    reader: Box<dyn BufRead>,
    /// The name to use in messages.
    pub name: PathBuf,
    /// Whether it is a file that was named, rather than a pipe.
    pub is_file: bool,
}

impl Input {
    /// Opens FILE; none or `-` is standard input. A terminal with no FILE is a mistake, not a wait.
    pub fn open(file: Option<&Path>) -> Result<Self, Fail> {
        match file {
            Some(path) if path != Path::new("-") => {
                let file = File::open(path).map_err(|e| Fail::io(path, &e))?;
                if file.metadata().is_ok_and(|m| m.is_dir()) {
                    return Err(Fail::new(Exit::NoInput, "is-a-folder", "is a folder").in_file(path));
                }
                Ok(Self { reader: Box::new(BufReader::new(file)), name: path.into(), is_file: true })
            }
            None if io::stdin().is_terminal() => Err(Fail::usage(
                "no FILE given and standard input is a terminal; name a file, or '-' to type it in",
            )),
            _ => Ok(Self {
                reader: Box::new(BufReader::new(io::stdin())),
                name: PathBuf::from("<stdin>"),
                is_file: false,
            }),
        }
    }

    /// Everything there is.
    pub fn bytes(mut self) -> Result<Vec<u8>, Fail> {
        let mut all = Vec::new();
        self.reader.read_to_end(&mut all).map_err(|e| Fail::io(&self.name, &e))?;
        Ok(all)
    }

    /// Everything there is, as one document of the named schema.
    pub fn document<T: DeserializeOwned>(self, schema: &str) -> Result<T, Fail> {
        let name = self.name.clone();
        let bytes = self.bytes()?;
        document(&bytes, schema).map_err(|fail| if fail.path.is_none() { fail.in_file(&name) } else { fail })
    }

    /// The next line without its newline; `None` at the end. A line over [`MAX_LINE`] is refused.
    pub fn line(&mut self, into: &mut Vec<u8>) -> Result<bool, Fail> {
        into.clear();
        let got = (&mut self.reader)
            .take(MAX_LINE + 1)
            .read_until(b'\n', into)
            .map_err(|e| Fail::io(&self.name, &e))?;
        if got as u64 > MAX_LINE {
            return Err(Fail::data("line-too-long", "line is longer than 4 MiB").in_file(&self.name));
        }
        if into.last() == Some(&b'\n') {
            into.pop();
        }
        Ok(got > 0)
    }
}

/// Reads a document, refusing another schema and an empty input by name.
pub fn document<T: DeserializeOwned>(bytes: &[u8], schema: &str) -> Result<T, Fail> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Fail::data("empty-input", format!("input is empty, expected a '{schema}' document")));
    }
    check_schema(bytes, &[schema])?;
    serde_json::from_slice(bytes)
        .map_err(|e| Fail::data("bad-json", format!("no valid '{schema}' document: {e}")))
}

/// The schema's name, if it is one of those expected.
pub fn check_schema(bytes: &[u8], expected: &[&str]) -> Result<String, Fail> {
    #[derive(Deserialize)]
    struct Head {
        schema: Option<String>,
    }
    let head: Head =
        serde_json::from_slice(bytes).map_err(|e| Fail::data("bad-json", format!("no JSON object: {e}")))?;
    let wanted = expected.join("' or '");
    match head.schema {
        Some(name) if expected.contains(&name.as_str()) => Ok(name),
        Some(name) => Err(Fail::data("wrong-schema", format!("schema is '{name}', expected '{wanted}'"))),
        None => Err(Fail::data("wrong-schema", format!("there is no schema, expected '{wanted}'"))),
    }
}
