//! The plan file: boxes set under a lock, nothing else changed.
//!
//! One box of equal length is written in place: a single byte is there or not, whatever happens, and the file
//! keeps its inode. Several boxes, or marks of other lengths, replace the file whole.

use dialects::Field;
use std::path::Path;
use toolkit::lock::{Lock, PATIENCE};
use toolkit::root::Home;
use toolkit::{Fail, fs, sha};
use wire::plan::Span;

/// A plan file that is locked for a change.
pub(crate) struct PlanFile {
    home: Home,
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
        Ok(Self { home: home.clone(), field, _lock: lock })
    }

    /// Sets boxes, in whichever of the plan's files they are; true if one changed.
    pub(crate) fn set(&self, boxes: &[(Span, &str)]) -> Result<bool, Fail> {
        let mut changed = false;
        for (name, bytes) in &self.field.files {
            let mine: Vec<_> = boxes.iter().filter(|(span, _)| span.path == *name).collect();
            changed |= self.set_in(&self.home.root().join(name), bytes, &mine)?;
        }
        Ok(changed)
    }

    fn set_in(&self, path: &Path, old: &[u8], boxes: &[&(Span, &str)]) -> Result<bool, Fail> {
        let mut changes: Vec<_> =
            boxes.iter().filter(|(span, mark)| dialects::body(old, span) != mark.as_bytes()).collect();
        changes.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
        match changes.as_slice() {
            [] => return Ok(false),
            [(span, mark)] if span.end - span.start == mark.len() as u64 => {
                fs::overwrite(path, span.start, mark.as_bytes())?;
            }
            // From the last to the first, so that a change of length moves nothing that is still to come.
            several => {
                let set =
                    |bytes: Vec<u8>, change: &&&(Span, &str)| dialects::set_mark(&bytes, &change.0, change.1);
                fs::replace(path, &several.iter().fold(old.to_vec(), set), &self.home.folder("tmp")?)?;
            }
        }
        Ok(true)
    }
}
