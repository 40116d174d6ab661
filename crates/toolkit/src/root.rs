//! Where a plan lives, and where our own files live.
//!
//! The root is the main worktree's top folder, or the plan's own folder where there is no git. It is found by
//! looking, without starting git. Everything of ours is below `.plantools/` there, mode 0700, ignored by git.

use crate::{Exit, Fail, fs};
use std::path::{Component, Path, PathBuf};

/// The root for a plan at `path`.
pub fn find(path: &Path) -> Result<PathBuf, Fail> {
    let real = path.canonicalize().map_err(|e| Fail::io(path, &e))?;
    let folder =
        if real.is_dir() { real.clone() } else { real.parent().map_or(real.clone(), Path::to_path_buf) };
    let Some(top) = folder.ancestors().find(|dir| dir.join(".git").exists()) else {
        return Ok(folder);
    };
    Ok(main_worktree(top).filter(|main| real.starts_with(main)).unwrap_or_else(|| top.to_path_buf()))
}

/// Whether git keeps this folder.
pub fn has_git(root: &Path) -> bool {
    root.join(".git").exists()
}

/// In a linked worktree `.git` is a file that leads to the repository that it belongs to.
fn main_worktree(top: &Path) -> Option<PathBuf> {
    let dot_git = top.join(".git");
    if dot_git.is_dir() {
        return Some(top.to_path_buf());
    }
    let text = std::fs::read_to_string(&dot_git).ok()?;
    let git_dir = top.join(text.strip_prefix("gitdir:")?.trim());
    let common = std::fs::read_to_string(git_dir.join("commondir")).ok()?;
    let common = git_dir.join(common.trim()).canonicalize().ok()?;
    Some(common.parent()?.to_path_buf())
}

/// A name from outside joined to a folder that it must not leave.
pub fn inside(root: &Path, name: &str) -> Result<PathBuf, Fail> {
    let outside = || Fail::data("path-outside", format!("'{name}' leaves '{}'", root.display()));
    let relative = Path::new(name);
    let plain = relative.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    if name.is_empty() || name.contains('\0') || !plain {
        return Err(outside());
    }
    let path = root.join(relative);
    let real_root = root.canonicalize().map_err(|e| Fail::io(root, &e))?;
    // A link on the way must not lead out: the nearest folder that exists tells.
    let nearest = path.ancestors().find_map(|p| p.canonicalize().ok());
    if nearest.is_some_and(|p| p.starts_with(&real_root)) { Ok(path) } else { Err(outside()) }
}

/// Our own folder.
#[derive(Debug, Clone)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    /// The home of a root; nothing is made yet.
    pub fn of(root: &Path) -> Result<Self, Fail> {
        if !root.is_dir() {
            return Err(Fail::new(Exit::NoInput, "no-root", "there is no such folder").in_file(root));
        }
        Ok(Self { root: root.to_path_buf() })
    }

    /// The root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A path below `.plantools/`, which may not exist.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(".plantools").join(name)
    }

    /// A folder below `.plantools/`, made if need be. A link in its place is refused: it may lead anywhere.
    pub fn folder(&self, name: &str) -> Result<PathBuf, Fail> {
        let home = self.root.join(".plantools");
        if home.symlink_metadata().is_ok_and(|m| !m.is_dir()) {
            return Err(Fail::new(Exit::Io, "bad-home", "is no folder").in_file(&home));
        }
        fs::private_folder(&home)?;
        let ignore = home.join(".gitignore");
        if !ignore.exists() {
            fs::create(&ignore, b"*\n")?;
        }
        if name.is_empty() {
            return Ok(home);
        }
        let folder = home.join(name);
        fs::private_folder(&folder)?;
        Ok(folder)
    }

    /// A path as seen from the root.
    pub fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::inside;

    #[test]
    fn names_from_outside_stay_inside() {
        let root = std::env::temp_dir();
        assert!(inside(&root, "a/b.txt").is_ok());
        for name in ["../x", "/etc/passwd", "a/../../x", "", "a\0b"] {
            assert_eq!(inside(&root, name).unwrap_err().code, "path-outside", "{name:?}");
        }
    }
}
