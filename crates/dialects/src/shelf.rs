//! The context files of a plan, changed under a lock and replaced whole.

use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use toolkit::lock::{Lock, PATIENCE};
use toolkit::root::{Home, inside};
use toolkit::{Fail, fs};
use wire::order::PlanRef;

/// Where the context files of a plan are.
pub struct Shelf {
    home: Home,
    folder: PathBuf,
}

/// The text files that every run begins with; `audit.md` comes with the first order that was judged.
const FILES: [&str; 3] = ["learnings.md", "issues.md", "decisions.md"];

impl Shelf {
    /// Finds the folder and makes what is not there yet.
    pub fn of(plan: &PlanRef) -> Result<Self, Fail> {
        let root = Path::new(&plan.root);
        let folder = inside(root, &crate::context::dir(&plan.path, &plan.dialect))?;
        let shelf = Self { home: Home::of(root)?, folder };
        if !shelf.folder.is_dir() {
            fs::folder(&shelf.folder)?;
        }
        let lock = shelf.lock()?;
        for (name, empty) in FILES.map(|name| (name, "")).into_iter().chain([("outputs.json", "{}\n")]) {
            let path = shelf.file(name)?;
            if !path.exists() {
                shelf.write(&path, empty)?;
            }
        }
        drop(lock);
        Ok(shelf)
    }

    /// Changes a text file; nothing is written when nothing changes.
    pub fn edit(&self, name: &str, change: impl FnOnce(&str) -> Option<String>) -> Result<(), Fail> {
        let _lock = self.lock()?;
        let path = self.file(name)?;
        let text = fs::read_if_there(&path)?.unwrap_or_default();
        match change(&String::from_utf8_lossy(&text)) {
            Some(new) => self.write(&path, &new),
            None => Ok(()),
        }
    }

    /// Changes `outputs.json`. One that is not what it should be is left alone and said.
    pub fn edit_outputs(&self, change: impl FnOnce(&mut Map<String, Value>)) -> Result<(), Fail> {
        let _lock = self.lock()?;
        let path = self.file("outputs.json")?;
        let text = fs::read_if_there(&path)?.unwrap_or_default();
        let old: Value = if text.iter().all(u8::is_ascii_whitespace) {
            Value::Object(Map::new())
        } else {
            serde_json::from_slice(&text).map_err(|e| {
                Fail::data("bad-outputs", format!("no valid JSON: {e}"))
                    .at(path.to_string_lossy(), e.line() as u64)
            })?
        };
        let Value::Object(mut all) = old.clone() else {
            return Err(Fail::data("bad-outputs", "holds no JSON object").in_file(&path));
        };
        change(&mut all);
        let new = Value::Object(all);
        if new == old {
            return Ok(());
        }
        let text =
            serde_json::to_string_pretty(&new).map_err(|e| Fail::data("bad-outputs", e.to_string()))?;
        self.write(&path, &(text + "\n"))
    }

    /// A file of the shelf; one that is a link out of the root is refused.
    fn file(&self, name: &str) -> Result<PathBuf, Fail> {
        let path = self.folder.join(name);
        let seen = path.strip_prefix(self.home.root()).unwrap_or(&path).to_string_lossy().into_owned();
        inside(self.home.root(), &seen)
    }

    fn lock(&self) -> Result<Lock, Fail> {
        Lock::take(&self.home.folder("locks")?.join("context"), PATIENCE, "context files")
    }

    fn write(&self, path: &Path, text: &str) -> Result<(), Fail> {
        fs::replace(path, text.as_bytes(), &self.home.folder("tmp")?)
    }
}
