//! A whole folder as one value, to see that nothing changed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Every file below a folder with its bytes, links with where they lead; git's own scratch files apart.
pub fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    walk(folder, folder, &mut found);
    found
}

fn walk(top: &Path, folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let name = path.strip_prefix(top).unwrap().to_path_buf();
        let kind = entry.file_type().unwrap();
        if kind.is_symlink() {
            let target = fs::read_link(&path).unwrap();
            found.insert(name, target.into_os_string().into_encoded_bytes());
        } else if kind.is_dir() {
            found.insert(name, Vec::new());
            walk(top, &path, found);
        } else {
            found.insert(name, fs::read(&path).unwrap());
        }
    }
}
