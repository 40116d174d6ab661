//! `checkbox progress`: the status of a runbook whose steps are done, in its progress file.

use crate::plan_file::PlanFile;
use dialects::write;
use std::path::Path;
use toolkit::files::root::{self, Home};
use toolkit::{Exit, Fail};

/// Writes `Completed`, or what the runbook is blocked on. While a step is open, its own line says where it stands.
pub(crate) fn write(path: &Path, blocked: Option<&str>) -> Result<Exit, Fail> {
    let home = Home::of(&root::find(path)?)?;
    let mut file = PlanFile::lock(&home, path, None, None)?;
    let edits = write::runbook_status(&file.field, blocked)?;
    if !edits.is_empty() {
        file.set(&edits)?;
    }
    Ok(Exit::Ok)
}
