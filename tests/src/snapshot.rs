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
    for entry in fs::read_dir(folder).expect("list a folder").flatten() {
        let path = entry.path();
        let name = path.strip_prefix(top).expect("below the top").to_path_buf();
        let kind = entry.file_type().expect("kind of a file");
        if kind.is_symlink() {
            let target = fs::read_link(&path).expect("read a link");
            found.insert(name, target.into_os_string().into_encoded_bytes());
        } else if kind.is_dir() {
            found.insert(name, Vec::new());
            walk(top, &path, found);
        } else {
            found.insert(name, fs::read(&path).expect("read a file"));
        }
    }
}
