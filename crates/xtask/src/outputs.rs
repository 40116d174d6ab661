//! Everything that is generated, with its place below the root.

use crate::{completions, manual, schemas};
use std::path::{Path, PathBuf};
use toolkit::Fail;

/// Folders that hold nothing else than what is generated.
pub(crate) const FOLDERS: [&str; 3] = ["man", schemas::FOLDER, schemas::CONFIG_FOLDER];

/// Every generated file and what it should hold.
pub(crate) fn all(root: &Path) -> Result<Vec<(PathBuf, String)>, Fail> {
    let mut out = schemas::all()?;
    out.extend(manual::all(root)?);
    out.extend(completions::all());
    Ok(out)
}
