//! Masks a file window by window, in memory that does not grow with the file.

use super::{Redact, masked};
use crate::Fail;
use crate::files::fs;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::ops::Range;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Bytes of a file that are searched together.
const WINDOW: usize = 256 << 10;
/// Bytes held back at the end of a window: a secret that begins there may continue in the next.
const HELD: usize = 8 << 10;

impl Redact {
    /// Masks every secret in a private file of ours. A file without secrets is not rewritten; a missing file is no
    /// error.
    pub fn file(&self, path: &Path) -> Result<(), Fail> {
        // A named pipe in its place would block us, and stores nothing.
        if path.exists() && !path.is_file() {
            return Ok(());
        }
        match File::open(path) {
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
            Err(e) => Err(Fail::io(path, &e)),
            Ok(source) => match self.copied(source, path).map_err(|e| Fail::io(path, &e))? {
                Some(copy) => fs::rename(&copy.path, path),
                None => Ok(()),
            },
        }
    }

    /// A copy with every secret masked, if there is one.
    fn copied(&self, mut source: File, path: &Path) -> io::Result<Option<Copy>> {
        let mut copy: Option<Copy> = None;
        let mut window = Vec::with_capacity(WINDOW);
        let mut passed = 0;
        loop {
            let at_end = fill(&mut source, &mut window)?;
            let secrets = self.secrets(&window);
            let cut = if at_end { window.len() } else { cut(&window, &secrets) };
            let ready: Vec<_> = secrets.into_iter().filter(|secret| secret.end <= cut).collect();
            if copy.is_none() && !ready.is_empty() {
                copy = Some(Copy::of_first(passed, path)?);
            }
            if let Some(copy) = &mut copy {
                let mut out = Vec::with_capacity(cut);
                masked(&window[..cut], &ready, &mut out);
                copy.file.write_all(&out)?;
            }
            passed += cut as u64;
            window.drain(..cut);
            if at_end {
                return Ok(copy);
            }
        }
    }
}

/// The file that will replace the original.
struct Copy {
    path: PathBuf,
    file: File,
}

impl Copy {
    /// A private file beside the original, with its first bytes.
    fn of_first(bytes: u64, of: &Path) -> io::Result<Self> {
        let path = fs::sibling(of);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        io::copy(&mut File::open(of)?.take(bytes), &mut file)?;
        Ok(Self { path, file })
    }
}

/// Reads until the window is full; true at the end of the file.
fn fill(source: &mut File, window: &mut Vec<u8>) -> io::Result<bool> {
    let room = WINDOW.saturating_sub(window.len()) as u64;
    Ok((source.take(room).read_to_end(window)? as u64) < room)
}

/// How many bytes of a window can be written: no secret may cross the cut.
fn cut(window: &[u8], secrets: &[Range<usize>]) -> usize {
    let end = window.len().saturating_sub(HELD);
    match secrets.iter().find(|secret| secret.start < end && secret.end > end) {
        Some(open) if open.start > 0 => open.start,
        // A secret that fills the window is masked in parts.
        Some(open) => open.end,
        None => end,
    }
}

#[cfg(test)]
mod tests {
    use super::{HELD, WINDOW};
    use crate::files::redact::Redact;

    const KEY: &str = "sk-abcdefghijklmnopqrstuvwxyz";

    fn redact(values: &[&str]) -> Redact {
        Redact::new(&[]).unwrap().and(values.iter().map(ToString::to_string))
    }

    #[test]
    fn a_secret_is_found_wherever_the_windows_of_a_file_meet() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("log");
        for before in [0, WINDOW - HELD - 5, WINDOW - HELD, WINDOW - 3, WINDOW, 2 * WINDOW - HELD - 9] {
            let text = [b"\xff".repeat(before).as_slice(), b" hunter2 ", KEY.as_bytes(), b"\n end"].concat();
            crate::files::fs::create(&path, &text).unwrap();
            redact(&["hunter2"]).file(&path).unwrap();
            let wanted = [b"\xff".repeat(before).as_slice(), b" [masked] [masked]\n end"].concat();
            assert!(std::fs::read(&path).unwrap() == wanted, "{before}");
        }
    }

    #[test]
    fn a_file_without_secrets_is_left_alone_and_one_that_is_missing_is_no_error() {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("log");
        crate::files::fs::create(&path, &vec![b'x'; 3 * WINDOW]).unwrap();
        let before = std::fs::metadata(&path).unwrap().ino();
        redact(&["hunter2"]).file(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().ino(), before);
        redact(&[]).file(&folder.path().join("none")).unwrap();
    }

    #[test]
    fn a_secret_without_an_end_is_masked_to_the_end() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("log");
        let body = "A".repeat(WINDOW / 2);
        crate::files::fs::create(&path, format!("x\n-----BEGIN PRIVATE KEY-----\n{body}").as_bytes())
            .unwrap();
        redact(&[]).file(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "x\n[masked]");
    }
}
