//! The plan's files under one lock: read, changed by edits, written so that each is the old or the new one.
//!
//! The file that decides the state of a task is written last. A crash between two files therefore leaves the task
//! open, and the next round writes both; in the other order the second file would stay outdated for good.

use dialects::PlanSnapshot;
use dialects::write::{self, Edit};
use markdown::Text;
use std::path::Path;
use std::sync::Arc;
use toolkit::files::lock::{self, Lock};
use toolkit::files::locked_file::LockedFile;
use toolkit::files::root::{Home, inside};
use toolkit::files::{fs, unified_diff};
use toolkit::{Exit, Fail};
use wire::Plan;

/// A plan that is locked for a change.
pub(crate) struct PlanFile {
    home: Home,
    /// The plan as it is under the lock.
    pub(crate) field: PlanSnapshot,
    _lock: Lock,
}

impl PlanFile {
    /// Takes the plan's lock and reads the plan.
    pub(crate) fn lock(home: &Home, path: &Path, dialect: Option<&str>) -> Result<Self, Fail> {
        let lock = lock::of_plan(home, path, crate::STAGE)?;
        let field = PlanSnapshot::at(path, home.root(), dialect)?;
        Ok(Self { home: home.clone(), field, _lock: lock })
    }

    /// Applies the edits; true if something changed.
    pub(crate) fn set(&mut self, edits: &[Edit]) -> Result<bool, Fail> {
        let mut changed = false;
        for path in paths(edits).into_iter().rev() {
            let mine: Vec<&Edit> = edits.iter().filter(|edit| edit.path == path).collect();
            changed |= self.set_in(&path, &mine)?;
        }
        Ok(changed)
    }

    fn set_in(&mut self, name: &str, edits: &[&Edit]) -> Result<bool, Fail> {
        let scratch = self.home.folder("tmp")?;
        let path = inside(self.home.root(), name)?;
        if !path.exists() {
            fs::replace(&path, &write::applied(b"", edits), &scratch)?;
            return Ok(true);
        }
        let mut held = LockedFile::open(&path)?;
        let known = self.field.files.iter_mut().find(|(file, _)| file == name);
        if known.as_ref().is_some_and(|(_, bytes)| bytes.as_slice() != held.bytes()) {
            return Err(
                Fail::new(Exit::Busy, "file-changed", "another program changed it; try again").in_file(&path)
            );
        }
        let new = write::applied(held.bytes(), edits);
        let written = held.write(&new, &scratch)?;
        if let Some((_, bytes)) = known {
            *bytes = Arc::new(new);
        }
        Ok(written != toolkit::files::locked_file::Written::Nothing)
    }

    /// The effect of the edits, as a unified diff.
    pub(crate) fn preview(&self, edits: &[Edit]) -> Result<Vec<u8>, Fail> {
        let mut out = Vec::new();
        for path in paths(edits) {
            let mine: Vec<&Edit> = edits.iter().filter(|edit| edit.path == path).collect();
            let old = self.bytes(&path)?;
            out.extend(unified_diff::unified(&path, &old, &write::applied(&old, &mine)));
        }
        Ok(out)
    }

    /// The plan as it would be read after the edits, and its digest with the marks blanked; `None` if it has more
    /// than one file.
    pub(crate) fn after(&self, edits: &[Edit]) -> Result<Option<(Plan, String)>, Fail> {
        let source = &self.field.plan.source;
        if !write::stands_alone(&self.field) || edits.iter().any(|edit| edit.path != source.path) {
            return Ok(None);
        }
        let old = self.bytes(&source.path)?;
        let new = write::applied(&old, &edits.iter().collect::<Vec<_>>());
        let plan = dialects::read(&Text { path: &source.path, bytes: &new }, Some(&source.dialect))?;
        let digest = self.field.blanked_with(&plan, &new);
        Ok(Some((plan, digest)))
    }

    /// Whether the text of the plan is in one file, whatever stands beside it.
    pub(crate) fn is_one_file(&self) -> bool {
        self.field.files.len() == 1
            && self.field.files.iter().all(|(name, _)| *name == self.field.plan.source.path)
    }

    /// The plan of one file as it would be read after the edits, without what stands beside it, and its digest with the
    /// marks blanked; `None` if it would be no plan.
    pub(crate) fn alone_after(&self, edits: &[Edit]) -> Result<Option<(Plan, String)>, Fail> {
        let source = &self.field.plan.source;
        let old = self.bytes(&source.path)?;
        let read = |bytes: &[u8]| dialects::read(&Text { path: &source.path, bytes }, Some(&source.dialect));
        let new = write::applied(&old, &edits.iter().collect::<Vec<_>>());
        let (Ok(before), Ok(mut plan)) = (read(&old), read(&new)) else { return Ok(None) };
        // What stands beside the plan decides about states and dependencies, and has not changed.
        let beside = before.tasks.iter().zip(&self.field.plan.tasks);
        for ((alone, whole), task) in beside.zip(&mut plan.tasks) {
            if alone.id == whole.id && alone.state == task.state && alone.depends_on == task.depends_on {
                (task.state, task.depends_on) = (whole.state, whole.depends_on.clone());
            }
        }
        let digest = self.field.blanked_with(&plan, &new);
        Ok(Some((plan, digest)))
    }

    /// The bytes of the files that edits change and that are no files of the plan.
    pub(crate) fn bytes_beside(&self, edits: &[Edit]) -> Result<Vec<(String, Vec<u8>)>, Fail> {
        let own = |path: &String| self.field.files.iter().any(|(name, _)| name == path);
        paths(edits)
            .into_iter()
            .filter(|path| !own(path))
            .map(|path| Ok((path.clone(), self.bytes(&path)?)))
            .collect()
    }

    /// Gives files their bytes back.
    pub(crate) fn put_back(
        &mut self,
        files: &[(String, Arc<Vec<u8>>)],
        beside: &[(String, Vec<u8>)],
    ) -> Result<(), Fail> {
        let scratch = self.home.folder("tmp")?;
        let files_of_plan = files.iter().map(|(name, bytes)| (name, bytes.as_slice()));
        for (name, bytes) in files_of_plan.chain(beside.iter().map(|(name, bytes)| (name, bytes.as_slice())))
        {
            let path = inside(self.home.root(), name)?;
            let mut held = LockedFile::open(&path)?;
            held.write(bytes, &scratch)?;
        }
        self.field.files = files.to_vec();
        Ok(())
    }

    /// The bytes of a file.
    pub(crate) fn bytes(&self, name: &str) -> Result<Vec<u8>, Fail> {
        let known = self.field.files.iter().find(|(path, _)| path == name);
        match known {
            Some((_, bytes)) => Ok(bytes.to_vec()),
            None => Ok(fs::read_if_there(&inside(self.home.root(), name)?)?.unwrap_or_default()),
        }
    }
}

/// The files of the edits, each once, in the order of the edits.
fn paths(edits: &[Edit]) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for edit in edits {
        if !paths.contains(&edit.path) {
            paths.push(edit.path.clone());
        }
    }
    paths
}
