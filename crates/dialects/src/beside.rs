//! What a plan of one file keeps in other files beside it.
//!
//! A dialect without such files has no row here.

use crate::{Ask, Folder, Plan, handoff, runbook};
use std::path::Path;
use toolkit::Fail;

/// Takes what stands beside the plan in `file`, or at its place below `root`, into it.
pub(crate) fn take(plan: &mut Plan, file: &Path, root: &Path, ask: &Ask) -> Result<(), Fail> {
    let Some((_, read)) = TABLE.iter().find(|(dialect, _)| *dialect == plan.source.dialect) else {
        return Ok(());
    };
    let place = file.parent().filter(|place| !place.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let path = plan.source.path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    read(plan, &Folders { beside: Folder::new(place, &path), root: Folder::new(root, "") }, ask)
}

/// Where such files are looked for.
pub(crate) struct Folders {
    /// The plan's own folder.
    pub(crate) beside: Folder,
    /// The root.
    pub(crate) root: Folder,
}

/// Whether plans of the dialect have such files.
pub(crate) fn has(dialect: &str) -> bool {
    TABLE.iter().any(|(name, _)| *name == dialect)
}

type Read = fn(&mut Plan, &Folders, &Ask) -> Result<(), Fail>;

static TABLE: &[(&str, Read)] = &[
    ("runbook", |plan, folders, ask| runbook::beside(plan, &folders.beside, ask)),
    ("handoff", |plan, folders, _| handoff::beside(plan, &folders.root)),
];
