//! Restores the plan, whatever a worker made of the folders above it.

use super::{Before, Kept, Touched};
use dialects::PlanSnapshot;
use dialects::context::guarded;
use std::path::Path;
use toolkit::Fail;
use toolkit::files::fs;
use toolkit::files::root::inside;
use wire::{Order, TaskId};

impl Before {
    /// The changed files among the plan's files and the guarded ones; `None` if none changed. Restores each file first,
    /// then saves the worker's version as far as it can be read.
    pub(crate) fn put_plan_back(&self, order: &Order, folder: &Path) -> Result<Option<Vec<Touched>>, Fail> {
        self.mend_home()?;
        let mut touched = Vec::new();
        for Kept { path: name, bytes, task } in &self.plan {
            let path = self.place.root().join(name);
            self.mend_folders(name)?;
            let link_is_new = is_link(&path) && !self.links.contains(name);
            // A file that became too large to read counts as changed.
            let now = fs::read_if_there(&path).ok().flatten();
            let is_same = if bytes.is_some() { now == *bytes } else { !path.is_file() };
            if is_same && !link_is_new {
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
            let kept = self.keep_aside(folder, name, &now.unwrap_or_default())?;
            touched.push(Touched { path: name.clone(), kept, task: task.clone(), is_new: bytes.is_none() });
        }
        touched.extend(self.put_aside_new(order, folder)?);
        Ok(Some(touched).filter(|touched| !touched.is_empty()))
    }

    /// What happened to a file that is not the worker's.
    pub(crate) fn told(&self, order: &Order, touched: &Touched) -> String {
        let Touched { path, kept, task, is_new } = touched;
        let is_plan = self.field.files.iter().any(|(file, _)| file == path);
        let what = match task {
            _ if is_plan && self.field.files.len() == 1 => "the plan".to_owned(),
            Some(task) if *task == order.task.id => format!("'{path}', the file of its own task,"),
            Some(task) => format!("'{path}', the file of task '{task}',"),
            None if is_plan => format!("'{path}', a file of the plan,"),
            None => format!("'{path}', which is not the worker's to write,"),
        };
        if *is_new {
            return format!(
                "{what} was made while the worker ran; it was taken away, and is kept as '{kept}'"
            );
        }
        format!(
            "{what} changed while the worker ran; it was put back, and the changed version is in '{kept}'"
        )
    }

    /// Keeps what a worker left beside the attempt, and says where.
    fn keep_aside(&self, folder: &Path, name: &str, bytes: &[u8]) -> Result<String, Fail> {
        let kept = folder.join(format!("as-left-by-worker-{}", wire::ids::key_of(name)));
        fs::private_folder(folder)?;
        fs::create(&kept, bytes)?;
        Ok(self.home.relative(&kept))
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

    /// Moves away new files: a worker must not add tasks to a plan that is a folder, nor to a folder of task files.
    fn put_aside_new(&self, order: &Order, folder: &Path) -> Result<Vec<Touched>, Fail> {
        let top = self.place.root();
        let is_known = |name: &String| self.plan.iter().any(|known| known.path == *name);
        let mut new: Vec<(String, Option<TaskId>)> = guarded::added(&self.field, order, top, &self.guarded)?
            .into_iter()
            .map(|file| (file.path, file.task))
            .collect();
        if self.is_alone()
            && self.field.plan.source.files.len() > 1
            && let Ok(now) = PlanSnapshot::of(&self.reference)
        {
            let named = |name: &String| (name.clone(), guarded::task_of(&now, name));
            new.extend(now.files.iter().map(|(name, _)| named(name)));
        }
        new.retain(|(name, _)| !is_known(name));
        let mut touched = Vec::new();
        for (name, task) in new {
            // A pipe in its place has no bytes to keep, and opening it could block forever.
            let path = Some(top.join(&name)).filter(|path| path.is_file());
            let bytes = path.and_then(|path| fs::read_if_there(&path).ok().flatten()).unwrap_or_default();
            let kept = self.keep_aside(folder, &name, &bytes)?;
            fs::remove(&top.join(&name))?;
            touched.push(Touched { path: name, kept, task, is_new: true });
        }
        Ok(touched)
    }

    /// Ensures that our own folder is a folder and the ledger a file, whatever the worker made of them.
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
pub(crate) fn links(files: &[Kept], top: &Path) -> Vec<String> {
    let above = |path: &str| -> Vec<String> {
        let parts = Path::new(path).ancestors().filter(|part| !part.as_os_str().is_empty());
        parts.map(|part| part.to_string_lossy().into_owned()).collect()
    };
    let mut all: Vec<String> = files.iter().flat_map(|file| above(&file.path)).collect();
    all.sort();
    all.dedup();
    all.retain(|path| is_link(&top.join(path)));
    all
}

/// Moves a wrong file out of the way; it is kept beside its original path.
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
