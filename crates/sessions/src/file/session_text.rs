//! A session file as read: its text, its digest, and its thoughts in either form.

use crate::file::{File, Format};
use crate::file::{interchange, layout};
use crate::{Thought, live};
use serde_json::value::RawValue;
use std::path::Path;
use toolkit::Fail;
use toolkit::files::{fs, sha};
use wire::chain::{Link, Seal};

/// From this size on, the digest is computed in parallel with parsing.
const LARGE: usize = 1 << 20;

/// A session file as read.
#[derive(Debug)]
pub struct SessionText {
    /// The name for messages.
    pub path: String,
    /// The file's content.
    text: String,
    /// The export for an interchange document.
    export: Option<String>,
}

impl SessionText {
    /// Reads a file; a missing file is exit code 66.
    pub fn open(path: &Path) -> Result<Self, Fail> {
        Self::of(&path.display().to_string(), fs::read(path)?)
    }

    /// Creates a session from the bytes of a file; refuses empty input and input that is not UTF-8.
    pub fn of(path: &str, bytes: Vec<u8>) -> Result<Self, Fail> {
        let text = String::from_utf8(bytes)
            .map_err(|e| Fail::data("not-utf8", format!("no valid UTF-8: {e}")).at(path, 1))?;
        if bare(&text).trim().is_empty() {
            return Err(Fail::data("empty-session", "the session is empty").at(path, 1));
        }
        let export = interchange::as_export(path, bare(&text))?;
        Ok(Self { path: path.to_owned(), text, export })
    }

    /// The text as a session.
    pub fn text(&self) -> &str {
        self.export.as_deref().unwrap_or_else(|| bare(&self.text))
    }

    /// SHA-256 of the file's content.
    pub fn sha256(&self) -> String {
        sha::hex(self.text.as_bytes())
    }

    /// Its thoughts, for judging.
    pub fn thoughts(&self) -> Result<File<'_, Thought<'_>>, Fail> {
        self.read()
    }

    /// Its raw thoughts, for writing back.
    pub fn raw(&self) -> Result<File<'_, &RawValue>, Fail> {
        self.read()
    }

    /// Its raw thoughts, without white space between their parts.
    pub(crate) fn compact(&self) -> Result<Vec<String>, Fail> {
        let file = self.raw()?;
        if file.format == Format::Jsonl {
            return file.thoughts.iter().map(|raw| live::untyped(raw.get())).collect();
        }
        Ok(file.thoughts.iter().map(|raw| layout::small(raw.get())).collect())
    }

    fn read<'a, T: serde::Deserialize<'a>>(&'a self) -> Result<File<'a, T>, Fail> {
        let mut file = File::read(&self.path, self.text())?;
        if self.export.is_some() {
            file.format = Format::Interchange;
        }
        Ok(file)
    }

    /// The result of `judge` on its thoughts, and its digest; computed in parallel if the file is large.
    pub fn judged<R>(&self, judge: impl FnOnce(&File<'_, Thought<'_>>) -> R) -> Result<(R, String), Fail> {
        if self.text.len() < LARGE {
            return Ok((judge(&self.thoughts()?), self.sha256()));
        }
        std::thread::scope(|scope| {
            let digest = scope.spawn(|| self.sha256());
            let judged = self.thoughts().map(|file| judge(&file));
            // The hasher cannot panic; if it did, compute the digest here.
            let digest = digest.join().unwrap_or_else(|_| self.sha256());
            Ok((judged?, digest))
        })
    }

    /// The chain entry of the session.
    pub fn link(&self) -> Result<Option<Link>, Fail> {
        let file = self.raw()?;
        let Some(raw) = file.member("chain") else { return Ok(None) };
        let bad =
            |e| Fail::data("bad-link", format!("'chain' cannot be read: {e}")).at(self.path.as_str(), 1);
        serde_json::from_str(raw.get()).map(Some).map_err(bad)
    }
}

/// The text without a byte order mark.
fn bare(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// One digest of thoughts, independent of white space between their parts.
pub(crate) fn seal<'a>(thoughts: impl IntoIterator<Item = &'a str>) -> Seal {
    let mut hasher = sha::Hasher::new();
    let mut line = String::new();
    let mut count = 0;
    for thought in thoughts {
        line.clear();
        layout::compact(thought, &mut line);
        line.push('\n');
        hasher.update(line.as_bytes());
        count += 1;
    }
    Seal { thoughts: count, sha256: hasher.finish() }
}

#[cfg(test)]
mod tests {
    use super::{SessionText, seal};
    use crate::file::Format;

    #[test]
    fn another_tools_session_is_read_as_one() {
        let text = r#"{"schema":"interchange/1","source":{"client":"x"},"entries":[{"text":"a","stage":"research"},{"text":"b"}]}"#;
        let sheet = SessionText::of("s.json", text.into()).unwrap();
        let file = sheet.thoughts().unwrap();
        assert_eq!(file.format, Format::Interchange);
        let stages: Vec<_> = file.thoughts.iter().map(|thought| thought.stage.str()).collect();
        assert_eq!(stages, ["Research", "Analysis"]);
        assert_eq!((file.thoughts[1].thought_number, file.thoughts[1].total_thoughts), (2, 2));
        let bad = text.replace("research", "resting");
        assert_eq!(SessionText::of("s.json", bad.into()).unwrap_err().code, "bad-interchange");
    }

    #[test]
    fn what_is_empty_or_no_text_is_refused() {
        assert_eq!(SessionText::of("s", b" \n".to_vec()).unwrap_err().code, "empty-session");
        assert_eq!(SessionText::of("s", b"\xff".to_vec()).unwrap_err().code, "not-utf8");
        assert!(SessionText::of("s", "\u{feff}{\"thoughts\":[]}".into()).unwrap().thoughts().is_ok());
    }

    #[test]
    fn the_layout_does_not_change_the_seal_but_a_letter_does() {
        assert_eq!(seal(["{ \"a\" : 1 }"]), seal(["{\"a\":1}"]));
        assert_ne!(seal(["{\"a\":1}"]), seal(["{\"a\":2}"]));
        assert_ne!(seal(["1", "2"]).sha256, seal(["12"]).sha256);
    }
}
