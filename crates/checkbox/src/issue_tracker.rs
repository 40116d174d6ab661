//! Plans that are the export of an issue tracker: its own program changes them, where it is installed.
//!
//! A line of the export that we change would be overwritten by the tracker's next export. Where its program is not there
//! the file is all there is, and it is changed like any other.

use dialects::Field;
use dialects::write::Change;
use toolkit::root::Home;
use toolkit::{Fail, beads};
use wire::State;

/// Whether the plan belongs to a tracker whose program is installed.
pub(crate) fn owns(field: &Field) -> bool {
    let path = field.plan.source.path.as_str();
    field.plan.source.dialect == "beads" && path.contains(".beads/") && beads::is_installed()
}

/// Tells the tracker where a task stands, and lets it write its export again.
pub(crate) fn tell(home: &Home, field: &Field, change: &Change) -> Result<bool, Fail> {
    let status = match change.state {
        State::Completed => beads::Status::Closed,
        State::InProgress => beads::Status::InProgress,
        State::Blocked => beads::Status::Blocked,
        State::Pending | State::Failed | State::Skipped => beads::Status::Open,
    };
    beads::set(home, change.task.id.as_str(), status, change.reason)?;
    beads::export(home, &field.plan.source.path)?;
    Ok(true)
}
