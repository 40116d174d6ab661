//! What a plan of one file keeps in other files beside it, see [`Dialect::beside`](crate::Dialect::beside).

use crate::{Ask, Folder, Plan, row};
use std::path::Path;
use toolkit::Fail;

/// Reads the files beside the plan in `file`, or at its position below `root`, into the plan.
pub(crate) fn take(plan: &mut Plan, file: &Path, root: &Path, ask: &Ask) -> Result<(), Fail> {
    let Some(read) = row(&plan.source.dialect).beside else { return Ok(()) };
    let place = file.parent().filter(|place| !place.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let path = plan.source.path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    read(plan, &Folders { beside: Folder::new(place, &path), root: Folder::new(root, "") }, ask)
}

/// Where such files are looked for.
pub struct Folders {
    /// The plan's own folder.
    pub beside: Folder,
    /// The root.
    pub root: Folder,
}

/// Takes what stands in those files into the plan.
pub type ReadBeside = fn(&mut Plan, &Folders, &Ask) -> Result<(), Fail>;
