//! The current pins of a repository: digests of everything that decides what a check means.

use crate::git::settings;
use config::compat::fitter_toml;
use ledger::pins::Pins;
use std::path::Path;
use toolkit::Fail;
use toolkit::files::{fs, sha};

/// The pins of the current state.
pub fn now(root: &Path) -> Result<Pins, Fail> {
    let config = fs::read_if_there(&root.join(config::NAME))?;
    let config = match config {
        None => String::new(),
        // Files that the configuration includes matter as much as the configuration itself.
        Some(bytes) => sha::hex(&bytes) + &fitter_toml::digest(root, &bytes)?,
    };
    let git = settings::digest(root)?;
    let prompts = digest_of(&root.join(".plantools/prompts"))?;
    Ok(Pins { config, git, prompts })
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
