//! Generated files on disk: written where they differ, compared where only an answer is wanted.

use crate::outputs::FOLDERS;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use toolkit::Fail;
use toolkit::files::fs;

/// Writes every file that is not already as it should be, so that nothing is rebuilt for nothing.
pub(crate) fn generate(root: &Path, outputs: &[(PathBuf, String)]) -> Result<(), Fail> {
    for (name, text) in outputs {
        let path = root.join(name);
        if fs::read_if_there(&path)?.as_deref() != Some(text.as_bytes()) {
            let folder = path.parent().unwrap_or(root);
            fs::folder(folder)?;
            fs::replace(&path, text.as_bytes(), folder)?;
        }
    }
    Ok(())
}

/// Names every file that is missing, stale or not generated any more.
pub(crate) fn check(root: &Path, outputs: &[(PathBuf, String)]) -> Result<Vec<String>, Fail> {
    let mut complaints = Vec::new();
    let mut strangers = BTreeSet::new();
    for folder in FOLDERS {
        walk(root, Path::new(folder), &mut strangers)?;
    }
    for (name, text) in outputs {
        strangers.remove(name);
        let what = match fs::read_if_there(&root.join(name))? {
            Some(bytes) if bytes == text.as_bytes() => continue,
            Some(_) => "is stale",
            None => "is missing",
        };
        complaints.push(format!("{}: {what}; run 'cargo xtask generate'", name.display()));
    }
    complaints
        .extend(strangers.iter().map(|name| format!("{}: is not generated; remove it", name.display())));
    Ok(complaints)
}

/// Every file below a folder, as seen from the root.
fn walk(root: &Path, folder: &Path, found: &mut BTreeSet<PathBuf>) -> Result<(), Fail> {
    let path = root.join(folder);
    if !path.is_dir() {
        return Ok(());
    }
    let entries = std::fs::read_dir(&path).map_err(|e| Fail::io(&path, &e))?;
    for entry in entries {
        let entry = entry.map_err(|e| Fail::io(&path, &e))?;
        let name = folder.join(entry.file_name());
        if entry.path().is_dir() {
            walk(root, &name, found)?;
        } else {
            found.insert(name);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{check, generate};
    use std::path::PathBuf;

    #[test]
    fn a_missing_a_changed_and_a_left_over_file_are_named() {
        let root = std::env::temp_dir().join(format!("xtask-files-{}", std::process::id()));
        let outputs = |text: &str| vec![(PathBuf::from("man/a.1"), text.to_owned())];
        assert_eq!(check(&root, &outputs("1")).unwrap(), ["man/a.1: is missing; run 'cargo xtask generate'"]);
        generate(&root, &outputs("1")).unwrap();
        assert!(check(&root, &outputs("1")).unwrap().is_empty());
        assert_eq!(check(&root, &outputs("2")).unwrap(), ["man/a.1: is stale; run 'cargo xtask generate'"]);
        assert_eq!(check(&root, &[]).unwrap(), ["man/a.1: is not generated; remove it"]);
        std::fs::remove_dir_all(&root).unwrap();
    }
}
