//! `checkbox progress`: a runbook whose steps and reviews are done is completed, and its progress file says so.

use crate::plan_file::PlanFile;
use dialects::write;
use std::path::Path;
use toolkit::files::root::{self, Home};
use toolkit::{Exit, Fail};

/// Writes `Completed`. While a step is open, its own line says where it stands.
pub(crate) fn write(path: &Path) -> Result<Exit, Fail> {
    let home = Home::of(&root::find(path)?)?;
    let mut file = PlanFile::lock(&home, path, None)?;
    let edits = write::runbook_completed(&file.field)?;
    if !edits.is_empty() {
        file.set(&edits)?;
    }
    Ok(Exit::Ok)
}
