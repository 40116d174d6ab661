//! Plans exported from an issue tracker: its own program changes them, if it is installed.
//!
//! The tracker's next export would overwrite our change to the file. Without its program, the file is changed like
//! any other.

use config::compat::bd;
use dialects::PlanSnapshot;
use dialects::write::Change;
use std::path::{Path, PathBuf};
use toolkit::Fail;
use wire::State;

/// Whether the plan belongs to a tracker whose program is installed.
pub(crate) fn owns(field: &PlanSnapshot) -> bool {
    dialects::row(&field.plan.source.dialect).issue_tracker && folder(field).is_some() && bd::is_installed()
}

/// The folder that contains the tracker's `.beads`.
fn folder(field: &PlanSnapshot) -> Option<PathBuf> {
    let path = export(field);
    let own = path.ancestors().find(|p| p.file_name().is_some_and(|name| name == ".beads"))?;
    own.parent().map(Path::to_path_buf)
}

/// The file from which the plan was read.
fn export(field: &PlanSnapshot) -> PathBuf {
    Path::new(&field.plan.source.root).join(&field.plan.source.path)
}

/// Sets the state of a task in the tracker, and lets it export again.
pub(crate) fn tell(field: &PlanSnapshot, change: &Change) -> Result<bool, Fail> {
    let Some(folder) = folder(field) else { return Ok(false) };
    let status = match change.state {
        State::Completed => bd::Status::Closed,
        State::InProgress => bd::Status::InProgress,
        State::Blocked => bd::Status::Blocked,
        State::Pending | State::Failed | State::Skipped => bd::Status::Open,
    };
    bd::set(&folder, change.task.id.as_str(), status, change.reason)?;
    let export = export(field);
    bd::export(&folder, export.strip_prefix(&folder).unwrap_or(&export))?;
    Ok(true)
}
