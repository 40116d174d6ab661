//! The plan put back as it was, through whatever a worker made of the folders above it.

use super::Before;
use dialects::Field;
use std::path::Path;
use toolkit::root::inside;
use toolkit::{Fail, fs};

impl Before {
    /// The name of the kept copy of the first of the plan's files that was changed. The plan comes back first; the
    /// copy of what the worker left is made as far as it can be.
    pub(super) fn put_plan_back(&self, folder: &Path) -> Result<Option<String>, Fail> {
        self.mend_home()?;
        let mut first = None;
        for (name, bytes) in &self.plan {
            let path = self.place.root().join(name);
            self.mend_folders(name)?;
            let link_is_new = is_link(&path) && !self.links.contains(name);
            let now = fs::read_if_there(&path).ok().flatten();
            if now == *bytes && !link_is_new {
                continue;
            }
            if link_is_new {
                fs::remove(&path)?;
            }
            set_aside(&path, Path::is_dir)?;
            match bytes {
                Some(bytes) => {
                    fs::folder(path.parent().unwrap_or(self.place.root()))?;
                    fs::replace(&path, bytes, &self.home.folder("tmp")?)?;
                }
                None => fs::remove(&path)?,
            }
            let kept = folder.join(format!("as-left-by-worker-{}", wire::ids::key_of(name)));
            fs::private_folder(folder)?;
            fs::create(&kept, &now.unwrap_or_default())?;
            first = first.or_else(|| Some(self.home.relative(&kept)));
        }
        Ok(first.or(self.put_aside_new(folder)?))
    }

    /// A folder above a plan's file that became a link leads elsewhere: nothing is written there.
    fn mend_folders(&self, name: &str) -> Result<(), Fail> {
        let above = Path::new(name).ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        let above: Vec<_> = above.map(|folder| self.place.root().join(folder)).collect();
        for folder in above.iter().rev().filter(|folder| is_link(folder)) {
            let seen = folder.strip_prefix(self.place.root()).unwrap_or(folder).to_string_lossy();
            let is_new = self.links.iter().all(|link| *link != seen);
            if is_new && inside(self.place.root(), name).is_err() {
                fs::remove(folder)?;
            }
        }
        Ok(())
    }

    /// A plan that is a folder gets no new tasks from a worker: the name of the kept copy of the first new file.
    fn put_aside_new(&self, folder: &Path) -> Result<Option<String>, Fail> {
        if !self.is_alone() || self.field.plan.source.files.len() < 2 {
            return Ok(None);
        }
        let Ok(now) = Field::of(&self.reference) else { return Ok(None) };
        let is_new = |name: &String| self.plan.iter().all(|(known, _)| known != name);
        let mut first = None;
        for (name, bytes) in now.files.iter().filter(|(name, _)| is_new(name)) {
            let kept = folder.join(format!("as-left-by-worker-{}", wire::ids::key_of(name)));
            fs::private_folder(folder)?;
            fs::create(&kept, bytes)?;
            fs::remove(&self.home.root().join(name))?;
            first = first.or_else(|| Some(self.home.relative(&kept)));
        }
        Ok(first)
    }

    /// Our own folder must be a folder and the ledger a file, whatever the worker made of them.
    fn mend_home(&self) -> Result<(), Fail> {
        let home = self.home.path("");
        let home = home.components().collect::<std::path::PathBuf>();
        if is_link(&home) {
            fs::remove(&home)?;
        }
        set_aside(&home, |p| p.exists() && !p.is_dir())?;
        let ledger = self.home.path("ledger.ndjson");
        if is_link(&ledger) {
            fs::remove(&ledger)?;
        }
        set_aside(&ledger, |p| p.exists() && !p.is_file())?;
        self.home.folder("").map(drop)
    }
}

/// The plan's files, and the folders above them, that are links.
pub(super) fn links(field: &Field, top: &Path) -> Vec<String> {
    let above = |path: &str| -> Vec<String> {
        let parts = Path::new(path).ancestors().filter(|part| !part.as_os_str().is_empty());
        parts.map(|part| part.to_string_lossy().into_owned()).collect()
    };
    let mut all: Vec<String> = field.files.iter().flat_map(|(path, _)| above(path)).collect();
    all.sort();
    all.dedup();
    all.retain(|path| is_link(&top.join(path)));
    all
}

/// Moves out of the way what must not be there; it is kept beside its place.
fn set_aside(path: &Path, wrong: impl Fn(&Path) -> bool) -> Result<(), Fail> {
    if !wrong(path) {
        return Ok(());
    }
    let aside = path.with_extension(format!("left-by-worker-{}", std::process::id()));
    std::fs::rename(path, aside).map_err(|e| Fail::io(path, &e))
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|m| m.file_type().is_symlink())
}
