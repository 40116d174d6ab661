//! The files that a plan was read from, read again only if their text is needed.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use wire::Plan;

/// The text behind a plan.
pub(crate) struct Sources {
    files: Vec<Source>,
}

struct Source {
    path: String,
    place: PathBuf,
    bytes: OnceCell<Option<Vec<u8>>>,
}

impl Sources {
    /// The files of a plan that was read from its root.
    pub(crate) fn of(plan: &Plan) -> Self {
        let root = PathBuf::from(&plan.source.root);
        // A diagnostic may name a file that is not part of the plan.
        let mut paths: Vec<&str> = plan.source.files.iter().map(|file| file.path.as_str()).collect();
        paths.extend(plan.diagnostics.iter().map(|found| found.path.as_str()));
        paths.sort_unstable();
        paths.dedup();
        let files = paths.into_iter().map(|path| Source {
            path: path.to_owned(),
            place: root.join(path),
            bytes: OnceCell::new(),
        });
        Self { files: files.collect() }
    }

    /// One file with known bytes.
    pub(crate) fn one(path: &str, bytes: Vec<u8>) -> Self {
        let bytes = OnceCell::from(Some(bytes));
        Self { files: vec![Source { path: path.to_owned(), place: PathBuf::new(), bytes }] }
    }

    /// The bytes of a file, by its path relative to the root; `None` if it can no longer be read.
    pub(crate) fn bytes(&self, path: &str) -> Option<&[u8]> {
        let source = self.files.iter().find(|source| source.path == path)?;
        source.bytes.get_or_init(|| toolkit::files::fs::read(&source.place).ok()).as_deref()
    }
}

/// Whether a file of a plan is text with lines of its own, and not data.
pub(crate) fn is_text(path: &str) -> bool {
    let data = ["json", "jsonl", "ndjson", "toml"];
    let extension = Path::new(path).extension();
    !extension.is_some_and(|own| data.iter().any(|name| own.eq_ignore_ascii_case(name)))
}
