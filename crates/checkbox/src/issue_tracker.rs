//! Plans that are the export of an issue tracker: its own program changes them, where it is installed.
//!
//! A line of the export that we change would be overwritten by the tracker's next export. Where its program is not there
//! the file is all there is, and it is changed like any other.

use dialects::Field;
use dialects::write::Change;
use std::path::{Path, PathBuf};
use toolkit::{Fail, beads};
use wire::State;

/// Whether the plan belongs to a tracker whose program is installed.
pub(crate) fn owns(field: &Field) -> bool {
    field.plan.source.dialect == "beads" && folder(field).is_some() && beads::is_installed()
}

/// The folder that holds the tracker's `.beads`.
fn folder(field: &Field) -> Option<PathBuf> {
    let path = export(field);
    let own = path.ancestors().find(|p| p.file_name().is_some_and(|name| name == ".beads"))?;
    own.parent().map(Path::to_path_buf)
}

/// The file that the plan was read from.
fn export(field: &Field) -> PathBuf {
    Path::new(&field.plan.source.root).join(&field.plan.source.path)
}

/// Tells the tracker where a task stands, and lets it write its export again.
pub(crate) fn tell(field: &Field, change: &Change) -> Result<bool, Fail> {
    let Some(folder) = folder(field) else { return Ok(false) };
    let status = match change.state {
        State::Completed => beads::Status::Closed,
        State::InProgress => beads::Status::InProgress,
        State::Blocked => beads::Status::Blocked,
        State::Pending | State::Failed | State::Skipped => beads::Status::Open,
    };
    beads::set(&folder, change.task.id.as_str(), status, change.reason)?;
    let export = export(field);
    beads::export(&folder, export.strip_prefix(&folder).unwrap_or(&export))?;
    Ok(true)
}
