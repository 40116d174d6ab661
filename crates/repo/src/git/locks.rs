//! Lock files of git. A git that was killed or lost power leaves them behind, and they would stop every later git.

use std::path::{Path, PathBuf};
use toolkit::files::root;

/// An operation of git that a person has begun and not ended, and the command that ends it.
pub fn under_way(root: &Path) -> Option<(&'static str, &'static str)> {
    const BUSY: [(&str, &str, &str); 6] = [
        ("MERGE_HEAD", "a merge is under way", "git merge --continue"),
        ("rebase-merge", "a rebase is under way", "git rebase --continue"),
        ("rebase-apply", "a rebase is under way", "git rebase --continue"),
        ("CHERRY_PICK_HEAD", "a cherry-pick is under way", "git cherry-pick --continue"),
        ("REVERT_HEAD", "a revert is under way", "git revert --continue"),
        ("sequencer", "a cherry-pick or revert of several commits is under way", "git status"),
    ];
    let git = root::git_dir(root);
    BUSY.iter().find(|(name, ..)| git.join(name).exists()).map(|(_, why, end)| (*why, *end))
}

/// The existing lock files of those that a commit makes.
pub fn there(root: &Path) -> Vec<PathBuf> {
    let git = root::git_dir(root);
    let head = std::fs::read_to_string(git.join("HEAD")).unwrap_or_default();
    let branch = head
        .strip_prefix("ref:")
        .map(|name| root::common_git_dir(root).join(format!("{}.lock", name.trim())));
    let fixed = ["index.lock", "HEAD.lock"].map(|name| git.join(name));
    fixed.into_iter().chain(branch).filter(|path| path.exists()).collect()
}

/// Whether a git process is running in a root, as far as `/proc` shows.
pub fn are_held(root: &Path) -> bool {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten().map(|e| e.path());
    processes.into_iter().any(|process| {
        let is_git = std::fs::read(process.join("comm")).is_ok_and(|name| name.starts_with(b"git"));
        is_git && std::fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(root))
    })
}
