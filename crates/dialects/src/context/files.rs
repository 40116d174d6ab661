//! The context files of a plan. Every change happens under a lock and replaces the file atomically.

use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use toolkit::Fail;
use toolkit::files::fs;
use toolkit::files::lock::{Lock, PATIENCE};
use toolkit::files::locked_file::LockedFile;
use toolkit::files::root::{Home, inside};
use wire::order::PlanRef;

/// The location of a plan's context files.
pub struct Shelf {
    home: Home,
    folder: PathBuf,
}

/// The text files that every run starts with; the first judged order adds `audit.md`.
const FILES: [&str; 3] = ["learnings.md", "issues.md", "decisions.md"];

/// How often to reread a file that is being saved elsewhere before giving up.
const TRIES: u32 = 5;

impl Shelf {
    /// The shelf of a plan; creates nothing.
    pub fn at(plan: &PlanRef) -> Result<Self, Fail> {
        let root = Path::new(&plan.root);
        let folder = inside(root, &crate::context::dir(&plan.path, &plan.dialect))?;
        Ok(Self { home: Home::of(root)?, folder })
    }

    /// Finds the folder and creates the missing files.
    pub fn of(plan: &PlanRef) -> Result<Self, Fail> {
        let shelf = Self::at(plan)?;
        if !shelf.folder.is_dir() {
            fs::folder(&shelf.folder)?;
        }
        let lock = shelf.lock()?;
        for (name, empty) in FILES.map(|name| (name, "")).into_iter().chain([("outputs.json", "{}\n")]) {
            let path = shelf.file(name)?;
            if !path.exists() {
                fs::replace(&path, empty.as_bytes(), &shelf.home.folder("tmp")?)?;
            }
        }
        drop(lock);
        Ok(shelf)
    }

    /// The text of a file; empty if the file does not exist.
    pub fn text(&self, name: &str) -> Result<String, Fail> {
        let bytes = fs::read_if_there(&self.file(name)?)?.unwrap_or_default();
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The outputs that tasks saved.
    pub fn outputs(&self) -> Result<Map<String, Value>, Fail> {
        let path = self.file("outputs.json")?;
        parsed(&path, &fs::read_if_there(&path)?.unwrap_or_default())
    }

    /// Changes a text file; writes nothing if nothing changes. A file that is not UTF-8 is an error and stays as it
    /// is, since it could not be restored.
    pub fn edit(&self, name: &str, change: impl Fn(&str) -> Option<String>) -> Result<(), Fail> {
        self.change(name, |path, old| {
            let text = std::str::from_utf8(old);
            let text = text.map_err(|_| Fail::data("not-utf8", "is no valid UTF-8").in_file(path))?;
            Ok(change(text).map(String::into_bytes))
        })
    }

    /// Adds to a text file that nothing is decided by: a power cut may take the last lines. Other changes are synced.
    pub fn note(&self, name: &str, change: impl Fn(&str) -> Option<String>) -> Result<(), Fail> {
        let lock = self.lock()?;
        let path = self.file(name)?;
        let old = fs::read_if_there(&path)?.unwrap_or_default();
        let old = std::str::from_utf8(&old)
            .map_err(|_| Fail::data("not-utf8", "is no valid UTF-8").in_file(&path))?;
        let Some(new) = change(old) else { return Ok(()) };
        if let Some(added) = new.strip_prefix(old).filter(|_| !path.is_symlink()) {
            return fs::append_unsynced(&path, added.as_bytes());
        }
        drop(lock);
        self.edit(name, change)
    }

    /// Changes `outputs.json`. A malformed file is an error and stays as it is.
    pub fn edit_outputs(&self, change: impl Fn(&mut Map<String, Value>)) -> Result<(), Fail> {
        self.change("outputs.json", |path, old| {
            let old = parsed(path, old)?;
            let mut new = old.clone();
            change(&mut new);
            if new == old {
                return Ok(None);
            }
            let text = serde_json::to_string_pretty(&Value::Object(new));
            let text = text.map_err(|e| Fail::data("bad-outputs", e.to_string()))?;
            Ok(Some((text + "\n").into_bytes()))
        })
    }

    fn change(
        &self,
        name: &str,
        change: impl Fn(&Path, &[u8]) -> Result<Option<Vec<u8>>, Fail>,
    ) -> Result<(), Fail> {
        let _lock = self.lock()?;
        let path = self.file(name)?;
        let scratch = self.home.folder("tmp")?;
        let mut tries = 0;
        loop {
            tries += 1;
            if !path.exists() {
                let new = change(&path, b"")?;
                return new.map_or(Ok(()), |new| fs::replace(&path, &new, &scratch));
            }
            let mut held = LockedFile::open(&path)?;
            let Some(new) = change(&path, held.bytes())? else { return Ok(()) };
            match held.write(&new, &scratch) {
                // The file was saved in the meantime: read it again and apply the change to the new text.
                Err(fail) if fail.code == "file-changed" && tries < TRIES => {}
                other => return other.map(drop),
            }
        }
    }

    /// A file of the shelf; refuses a link out of the root.
    fn file(&self, name: &str) -> Result<PathBuf, Fail> {
        let path = self.folder.join(name);
        let seen = path.strip_prefix(self.home.root()).unwrap_or(&path).to_string_lossy().into_owned();
        inside(self.home.root(), &seen)
    }

    fn lock(&self) -> Result<Lock, Fail> {
        Lock::take(&self.home.folder("locks")?.join("context"), PATIENCE, "context files")
    }
}

fn parsed(path: &Path, text: &[u8]) -> Result<Map<String, Value>, Fail> {
    if text.iter().all(u8::is_ascii_whitespace) {
        return Ok(Map::new());
    }
    let value: Value = serde_json::from_slice(text).map_err(|e| {
        Fail::data("bad-outputs", format!("no valid JSON: {e}")).at(path.to_string_lossy(), e.line() as u64)
    })?;
    match value {
        Value::Object(all) => Ok(all),
        _ => Err(Fail::data("bad-outputs", "holds no JSON object").in_file(path)),
    }
}
