//! A folder in memory that one process uses again for every input.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

thread_local! {
    static FOLDER: OnceCell<TempDir> = const { OnceCell::new() };
}

/// Does something with the folder.
pub(crate) fn with<R>(act: impl FnOnce(&Path) -> R) -> R {
    FOLDER.with(|folder| act(folder.get_or_init(made).path()))
}

/// Does something with a file that holds these bytes.
pub(crate) fn with_file<R>(bytes: &[u8], act: impl FnOnce(&Path) -> R) -> R {
    with(|folder| {
        let path = folder.join("file");
        std::fs::write(&path, bytes).expect("a file in memory");
        act(&path)
    })
}

/// Does something with a folder of the files that the bytes describe: each begins with a line `==> NAME`. Names are made
/// harmless.
pub(crate) fn with_files<R>(bytes: &[u8], act: impl FnOnce(&Path) -> R) -> R {
    with(|top| {
        let folder = top.join("tree");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).expect("a folder in memory");
        for (name, content) in files(bytes) {
            let path = folder.join(name);
            let made = path.parent().is_some_and(|parent| std::fs::create_dir_all(parent).is_ok());
            if made && !path.is_dir() {
                let _ = std::fs::write(path, content);
            }
        }
        act(&folder)
    })
}

fn made() -> TempDir {
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
    tempfile::Builder::new().prefix("fuzz-").tempdir_in(place).expect("a folder in memory")
}

const MARK: &[u8] = b"==> ";

fn files(bytes: &[u8]) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if let Some(name) = line.strip_prefix(MARK) {
            found.push((harmless(name), Vec::new()));
        } else if let Some((_, content)) = found.last_mut() {
            content.extend_from_slice(line);
        }
    }
    // More files than that tell nothing new.
    found.truncate(12);
    found
}

/// A path below the folder: no empty parts, none that lead out, none too long.
fn harmless(name: &[u8]) -> PathBuf {
    let name = String::from_utf8_lossy(name).replace(|c: char| c.is_control(), "");
    let parts = name.split('/').filter(|part| !matches!(*part, "" | "." | ".."));
    let path: PathBuf = parts.take(4).map(|part| part.chars().take(40).collect::<String>()).collect();
    if path.as_os_str().is_empty() { PathBuf::from("x") } else { path }
}
