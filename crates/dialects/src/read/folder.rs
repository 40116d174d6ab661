//! A plan that is a folder: the names in it, and the files opened so far.
//!
//! Files are read only on request, and every read is recorded: a plan lists the files that it was made from.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use toolkit::Fail;
use toolkit::files::{fs, sha};
use wire::plan::SourceFile;

/// A folder below the root.
pub struct Folder {
    place: PathBuf,
    /// The path relative to the root, without a trailing slash.
    pub path: String,
    opened: RefCell<Vec<SourceFile>>,
}

impl Folder {
    /// A folder on disk; `path` is its path relative to the root.
    pub fn new(place: &Path, path: &str) -> Self {
        let path = path.trim_end_matches('/').to_owned();
        Self { place: place.to_path_buf(), path, opened: RefCell::default() }
    }

    /// The names in the folder, or in a subfolder (`""` is the folder itself), sorted. Folders end with a slash; a
    /// missing folder is empty.
    pub fn names(&self, below: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.place.join(below)).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                Some(if entry.path().is_dir() { format!("{name}/") } else { name })
            })
            .collect();
        names.sort();
        names
    }

    /// Whether a file or folder of this name exists.
    pub fn has(&self, name: &str) -> bool {
        self.place.join(name).exists()
    }

    /// The bytes of a file; `None` if it does not exist. Records the file as opened.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, Fail> {
        let Some(bytes) = fs::read_if_there(&self.place.join(name))? else { return Ok(None) };
        let path = self.seen(name);
        let mut opened = self.opened.borrow_mut();
        if !opened.iter().any(|file| file.path == path) {
            opened.push(SourceFile { path, sha256: sha::hex(&bytes) });
        }
        Ok(Some(bytes))
    }

    /// The path of a name in the folder, relative to the root.
    pub fn seen(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}/{name}", self.path) }
    }

    /// The folder's own name.
    pub fn name(&self) -> String {
        let full = self.place.canonicalize().unwrap_or_else(|_| self.place.clone());
        full.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    /// Every opened file, in order.
    pub fn opened(&self) -> Vec<SourceFile> {
        self.opened.borrow().clone()
    }

    /// A subfolder with a separate record of opened files.
    #[must_use]
    pub fn below(&self, name: &str) -> Self {
        Self::new(&self.place.join(name), &self.seen(name))
    }

    /// Adds the opened files of another folder.
    pub fn remember(&self, other: &Folder) {
        self.opened.borrow_mut().extend(other.opened());
    }
}
