//! The current pins of a repository: digests of everything that decides what a check means.

use crate::git::settings::{self, Digest};
use crate::git::{Call, Git};
use config::compat::fitter_toml;
use ledger::pins::Pins;
use std::path::Path;
use toolkit::Fail;
use toolkit::files::root::Home;
use toolkit::files::{fs, sha};

/// The pins of the current state.
pub fn now(root: &Path) -> Result<Pins, Fail> {
    let config = fs::read_if_there(&root.join(config::NAME))?;
    let config = match config {
        None => String::new(),
        // Files that the configuration includes matter as much as the configuration itself.
        Some(bytes) => sha::hex(&bytes) + &fitter_toml::digest(root, &bytes)?,
    };
    let Digest { settings: git, hooks, added } = settings::digest(root)?;
    let prompts = digest_of(&root.join(".plantools/prompts"))?;
    Ok(Pins { config, git, hooks, added, prompts, commit: None })
}

/// The parts that changed since these pins, in words. Hooks that the commit of the pins has may be switched on: a person's
/// `npm install` or `git config core.hooksPath .githooks` makes no work bad.
pub fn changed_since(root: &Path, before: &Pins) -> Result<Vec<&'static str>, Fail> {
    let mut now = now(root)?;
    let changed = now.changed_since(before);
    // Other hooks in the place of those that were there switch them off.
    if changed.is_empty() || now.hooks == before.hooks || !before.hooks.is_empty() {
        return Ok(changed);
    }
    now.hooks.clone_from(&before.hooks);
    let left = now.changed_since(before);
    // With other settings that changed, git is not asked.
    let is_known =
        left.is_empty() && before.commit.as_deref().is_some_and(|commit| are_committed(root, commit));
    Ok(if is_known { left } else { changed })
}

/// Whether the hooks that git runs now are files of the tree, as a commit has them.
fn are_committed(root: &Path, commit: &str) -> bool {
    let committed = || -> Result<bool, Fail> {
        let git = Git::new(Home::of(root)?);
        let (folder, files) = settings::hooks(root)?;
        // A folder without a file switches the hooks off, and a file may come into it later.
        if files.is_empty() {
            return Ok(false);
        }
        let Ok(folder) = folder.strip_prefix(root) else { return Ok(false) };
        let Some(folder) = folder.to_str().filter(|name| !name.is_empty()) else { return Ok(false) };
        let listed = git.run(&Call::of(&["ls-tree", "-r", "-z", commit, "--", folder]))?.out;
        let listed = String::from_utf8_lossy(&listed).into_owned();
        for file in files {
            let name = file.strip_prefix(root).ok().and_then(Path::to_str).unwrap_or_default();
            // `100755 blob HASH<TAB>NAME`
            let entry =
                listed.split('\0').find(|entry| entry.split_once('\t').is_some_and(|(_, at)| at == name));
            let Some((about, _)) = entry.and_then(|entry| entry.split_once('\t')) else { return Ok(false) };
            let blob = about.rsplit(' ').next().unwrap_or_default();
            let same_mode = about.starts_with("100755") == settings::is_executable(&file);
            if !same_mode
                || git.run(&Call::of(&["cat-file", "blob", blob]))?.out
                    != fs::read_if_there(&file)?.unwrap_or_default()
            {
                return Ok(false);
            }
        }
        Ok(true)
    };
    committed().unwrap_or(false)
}

/// The digest of each file of a folder, in the order of their names.
fn digest_of(folder: &Path) -> Result<String, Fail> {
    let mut hasher = sha::Hasher::new();
    let files = files_of(folder);
    for file in &files {
        hasher.update(file.to_string_lossy().as_bytes());
        hasher.update(b"\0");
        let bytes = if file.is_file() { fs::read_if_there(file)?.unwrap_or_default() } else { Vec::new() };
        hasher.update(sha::hex(&bytes).as_bytes());
    }
    Ok(if files.is_empty() { String::new() } else { hasher.finish() })
}

fn files_of(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files
}
