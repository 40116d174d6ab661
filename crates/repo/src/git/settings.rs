//! One digest of everything that controls git in a root: settings of every scope with their included files, the
//! hooks that a commit runs, attributes, ignore rules, replaced objects.
//!
//! One git call lists the settings; the files that they name are read directly. The author and the colours are left
//! out: no check depends on them.

use crate::git::{Call, Git};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use toolkit::Fail;
use toolkit::cli::env;
use toolkit::files::root::{self, Home};
use toolkit::files::{fs, sha};

/// The sections that affect neither a check nor a commit.
const APART: [&str; 4] = ["user.", "color.", "column.", "advice."];

/// The digest; empty without git.
pub fn digest(root: &Path) -> Result<String, Fail> {
    if !root::has_git(root) {
        return Ok(String::new());
    }
    let git = Git::new(Home::of(root)?);
    let answer = git.begin(&Call::of(&["config", "--list", "--show-scope", "-z"]))?;
    let system = system_attributes(&git)?;
    let answer = answer.answer()?;
    let settings = Settings::of(&answer.out);
    let mut hasher = sha::Hasher::new();
    // Settings that git cannot read must give another digest.
    hasher.update(answer.err.as_bytes());
    for (key, value) in &settings.all {
        hasher.update(format!("{key}\n{value}\0").as_bytes());
    }
    let (own, common) = (root::git_dir(root), root::common_git_dir(root));
    for (folder, path) in settings.files(root, &own, &common) {
        add(&mut hasher, &folder, &path);
    }
    add(&mut hasher, &system, &system);
    let packed = fs::read_if_there(&common.join("packed-refs"))?.unwrap_or_default();
    let replaced =
        packed.split(|b| *b == b'\n').filter(|line| line.windows(14).any(|w| w == b" refs/replace/"));
    replaced.for_each(|line| hasher.update(line));
    Ok(hasher.finish())
}

/// The settings of all files; settings from a command line belong to its caller.
struct Settings {
    all: Vec<(String, String)>,
}

impl Settings {
    /// Parses repeated `scope NUL key LF value NUL`.
    fn of(listed: &[u8]) -> Self {
        let text = String::from_utf8_lossy(listed).into_owned();
        let words: Vec<&str> = text.split('\0').collect();
        let settings = words.chunks_exact(2).filter(|pair| pair[0] != "command").map(|pair| {
            let (key, value) = pair[1].split_once('\n').unwrap_or((pair[1], ""));
            (key.to_owned(), value.to_owned())
        });
        let counts = |key: &str| !APART.iter().any(|section| key.starts_with(section));
        let all: Vec<(String, String)> = settings.filter(|(key, _)| counts(key)).collect();
        // `git push -u` notes where a branch goes; that is a change only if it goes to another place than it would anyway.
        let tracks = |key: &str, value: &str| {
            let branch = key.strip_prefix("branch.").and_then(|rest| rest.strip_suffix(".merge"));
            let remote = key.strip_prefix("branch.").is_some_and(|rest| rest.ends_with(".remote"));
            branch.is_some_and(|name| value == format!("refs/heads/{name}")) || remote && value == "origin"
        };
        Self { all: all.into_iter().filter(|(key, value)| !tracks(key, value)).collect() }
    }

    /// Every relevant file, with the folder to which its name is relative.
    fn files(&self, root: &Path, own: &Path, common: &Path) -> Vec<(PathBuf, PathBuf)> {
        let hooks = self.file(root, "core.hookspath").unwrap_or_else(|| common.join("hooks"));
        // If the hooks are at the top of the tree or above it, only their mode distinguishes them from work files.
        let run = if root.starts_with(&hooks) {
            files_at(&hooks).into_iter().filter(|path| is_executable(path)).collect()
        } else {
            files_below(&hooks)
        };
        let mut out: Vec<_> = run.into_iter().map(|path| (hooks.clone(), path)).collect();
        let usual = env::get("XDG_CONFIG_HOME").map(PathBuf::from).or_else(|| home(".config"));
        for (key, name) in [("core.attributesfile", "git/attributes"), ("core.excludesfile", "git/ignore")] {
            let named = self.file(root, key).or_else(|| usual.as_ref().map(|at| at.join(name)));
            out.extend(named.map(|path| (path.clone(), path)));
        }
        out.push((common.to_path_buf(), common.join("objects/info/alternates")));
        let mut folders = vec![common.join("info"), common.join("refs/replace")];
        folders.extend((own != common).then(|| own.join("info")));
        for folder in folders {
            // Git rewrites this list of branches for servers when it runs maintenance.
            let files = files_below(&folder).into_iter().filter(|path| *path != common.join("info/refs"));
            out.extend(files.map(|path| (folder.clone(), path)));
        }
        out
    }

    /// The file that a setting names, as git resolves it from the root.
    fn file(&self, root: &Path, key: &str) -> Option<PathBuf> {
        let value = self.all.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value.as_str());
        let value = value.filter(|value| !value.is_empty())?;
        match value.strip_prefix("~/") {
            Some(rest) => home(rest),
            None => Some(root.join(value)),
        }
    }
}

/// The file where git looks for system-wide attributes; no setting names it. It does not change while we run.
fn system_attributes(git: &Git) -> Result<PathBuf, Fail> {
    static FILE: OnceLock<PathBuf> = OnceLock::new();
    if let Some(file) = FILE.get() {
        return Ok(file.clone());
    }
    let answer = git.ask(&Call::of(&["var", "GIT_ATTR_SYSTEM"]))?;
    let line = answer.line();
    // An older git cannot tell, and uses the default path.
    let file =
        if answer.status.success() && !line.is_empty() { line } else { "/etc/gitattributes".to_owned() };
    Ok(FILE.get_or_init(|| PathBuf::from(file)).clone())
}

/// A path in the user's home folder.
fn home(name: &str) -> Option<PathBuf> {
    env::get("HOME").map(|home| Path::new(&home).join(name))
}

/// Adds a file: its name within a folder, whether it is executable, and its bytes.
fn add(hasher: &mut sha::Hasher, folder: &Path, path: &Path) {
    let Ok(Some(bytes)) = fs::read_if_there(path) else { return };
    let name = path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned();
    hasher.update(format!("{name}\0{}\0{}\0", is_executable(path), sha::hex(&bytes)).as_bytes());
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// The files of a folder and its subfolders, sorted by name, without the samples that git never runs.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (folders, files): (Vec<_>, Vec<_>) =
        files_at(folder).into_iter().partition(|path| path.symlink_metadata().is_ok_and(|m| m.is_dir()));
    let files = files.into_iter().filter(|path| path.extension().is_none_or(|e| e != "sample"));
    files.chain(folders.iter().flat_map(|folder| files_below(folder))).collect()
}

fn files_at(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files
}
