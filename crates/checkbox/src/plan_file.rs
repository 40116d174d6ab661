//! The plan file: boxes set under a lock, nothing else changed.
//!
//! One box of equal length is written in place: a single byte is there or not, whatever happens, and the file
//! keeps its inode. Several boxes, or marks of other lengths, replace the file whole.

use dialects::Field;
use std::path::{Path, PathBuf};
use toolkit::lock::{Lock, PATIENCE};
use toolkit::root::Home;
use toolkit::{Fail, fs, sha};
use wire::plan::Span;

/// A plan file that is locked for a change.
pub(crate) struct PlanFile {
    home: Home,
    path: PathBuf,
    /// The plan as it is under the lock.
    pub(crate) field: Field,
    _lock: Lock,
}

impl PlanFile {
    /// Takes the plan's lock and reads the plan.
    pub(crate) fn lock(home: &Home, path: &Path, dialect: Option<&str>) -> Result<Self, Fail> {
        let real = path.canonicalize().map_err(|e| Fail::io(path, &e))?;
        let name = format!("edit-{}", &sha::hex(real.as_os_str().as_encoded_bytes())[..16]);
        let lock = Lock::take(&home.folder("locks")?.join(name), PATIENCE, "checkbox")?;
        let field = Field::at(path, home.root(), dialect)?;
        Ok(Self { home: home.clone(), path: path.to_path_buf(), field, _lock: lock })
    }

    /// Sets boxes; true if the file changed.
    pub(crate) fn set(&self, boxes: &[(Span, &str)]) -> Result<bool, Fail> {
        let old = &self.field.bytes;
        let at = |span: &Span| -> Option<&[u8]> {
            old.get(usize::try_from(span.start).ok()?..usize::try_from(span.end).ok()?)
        };
        let mut changes: Vec<&(Span, &str)> =
            boxes.iter().filter(|(span, mark)| at(span) != Some(mark.as_bytes())).collect();
        changes.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
        match changes.as_slice() {
            [] => return Ok(false),
            [(span, mark)] if span.end - span.start == mark.len() as u64 => {
                fs::overwrite(&self.path, span.start, mark.as_bytes())?;
            }
            // From the last to the first, so that a change of length moves nothing that is still to come.
            several => {
                let new = several
                    .iter()
                    .fold(old.clone(), |bytes, (span, mark)| dialects::set_mark(&bytes, span, mark));
                fs::replace(&self.path, &new, &self.home.folder("tmp")?)?;
            }
        }
        Ok(true)
    }
}
