//! Where a plan is, and where our own files are.
//!
//! The root is the top folder of the worktree that contains the plan, or the plan's own folder without git: the
//! work is done on the branch that its author sees. The search does not start git. All our files are below
//! `.plantools/` there, mode 0700, ignored by git.

use crate::files::fs;
use crate::{Exit, Fail};
use std::path::{Component, Path, PathBuf};

/// The root for a plan at `path`. Refuses a path that a link leads out of its repository: nothing is written to a
/// place that only a link in a repository points to.
pub fn find(path: &Path) -> Result<PathBuf, Fail> {
    let real = path.canonicalize().map_err(|e| Fail::io(path, &e))?;
    let named = plain(path)?;
    if let Some(top) = top_of(&named).and_then(|top| top.canonicalize().ok())
        && !real.starts_with(&top)
    {
        let message = format!("a link leads out of '{}'", top.display());
        return Err(Fail::data("path-outside", message).in_file(path));
    }
    let folder =
        if real.is_dir() { real.clone() } else { real.parent().map_or(real.clone(), Path::to_path_buf) };
    Ok(top_of(&folder).map_or_else(|| folder.clone(), Path::to_path_buf))
}

/// The nearest folder with a `.git`, the path itself included.
fn top_of(path: &Path) -> Option<&Path> {
    path.ancestors().find(|dir| dir.join(".git").exists())
}

/// The path made absolute, with `..` removed by name; follows no link.
fn plain(path: &Path) -> Result<PathBuf, Fail> {
    let mut named = PathBuf::new();
    for part in std::path::absolute(path).map_err(|e| Fail::io(path, &e))?.components() {
        if part == Component::ParentDir {
            named.pop();
        } else {
            named.push(part);
        }
    }
    Ok(named)
}

/// Whether this folder is the top of a git worktree.
pub fn has_git(root: &Path) -> bool {
    root.join(".git").exists()
}

/// Git's own folder for a worktree: `.git`, or the folder that the `.git` file of a linked worktree or a submodule
/// names.
pub fn git_dir(root: &Path) -> PathBuf {
    let own = root.join(".git");
    let text = std::fs::read_to_string(&own).unwrap_or_default();
    match text.strip_prefix("gitdir:") {
        Some(path) => root.join(path.trim()),
        None => own,
    }
}

/// Git's folder that all worktrees of a repository share; it contains the branches.
pub fn common_git_dir(root: &Path) -> PathBuf {
    let own = git_dir(root);
    let shared = std::fs::read_to_string(own.join("commondir")).unwrap_or_default();
    if shared.trim().is_empty() { own } else { own.join(shared.trim()) }
}

/// Joins an untrusted name to a folder that it must not leave.
pub fn inside(root: &Path, name: &str) -> Result<PathBuf, Fail> {
    let path = joined(root, Path::new(name))?;
    // A link on the way must not lead out: check the nearest folder that exists.
    stays(root, &path, name)?;
    Ok(path)
}

/// The same, but does not follow the last part of the name.
pub fn inside_as_it_is(root: &Path, name: &Path) -> Result<PathBuf, Fail> {
    let path = joined(root, name)?;
    stays(root, path.parent().unwrap_or(root), &name.to_string_lossy())?;
    Ok(path)
}

fn outside(root: &Path, name: &str) -> Fail {
    Fail::data("path-outside", format!("'{name}' leaves '{}'", root.display()))
}

fn joined(root: &Path, name: &Path) -> Result<PathBuf, Fail> {
    let plain = name.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    let bytes = name.as_os_str().as_encoded_bytes();
    if bytes.is_empty() || bytes.contains(&0) || !plain {
        return Err(outside(root, &name.to_string_lossy()));
    }
    Ok(root.join(name))
}

fn stays(root: &Path, path: &Path, name: &str) -> Result<(), Fail> {
    let real_root = root.canonicalize().map_err(|e| Fail::io(root, &e))?;
    let nearest = path.ancestors().find_map(|p| p.canonicalize().ok());
    if nearest.is_some_and(|p| p.starts_with(&real_root)) { Ok(()) } else { Err(outside(root, name)) }
}

/// Our own folder.
#[derive(Debug, Clone)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    /// The home of a root; creates nothing yet.
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

    /// A folder below `.plantools/`, created if missing. Refuses a link in its place: it may lead anywhere.
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
        let mut folder = home;
        for part in Path::new(name).components() {
            let Component::Normal(part) = part else {
                return Err(Fail::data("path-outside", format!("'{name}' leaves '{}'", folder.display())));
            };
            folder.push(part);
            // Check before creating anything in it.
            if folder.symlink_metadata().is_ok_and(|m| !m.is_dir()) {
                return Err(Fail::new(Exit::Io, "bad-home", "is no folder").in_file(&folder));
            }
            fs::private_folder(&folder)?;
        }
        Ok(folder)
    }

    /// A path relative to the root.
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
