//! Digests of everything that controls git in a root: settings of every scope with their included files, attributes, ignore
//! rules, replaced objects; the hooks that a commit runs; and apart what a person's tools add at any time.
//!
//! The settings are read from their files, or listed by one git call where only git can tell; the files that they name are
//! read directly. The author and the colours are left out: no check depends on them.

pub(crate) mod files;

use crate::git::{Answer, Call, Git};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use toolkit::Fail;
use toolkit::cli::env;
use toolkit::files::root::{self, Home};
use toolkit::files::{fs, sha};

/// The sections that affect neither a check nor a commit.
const APART: [&str; 7] = ["user.", "color.", "column.", "advice.", "gui.", "maintenance.", "fetch."];

/// What the settings come to.
#[derive(Debug, Default)]
pub struct Digest {
    /// Settings, attributes, ignore rules, replaced objects; empty without git.
    pub settings: String,
    /// The hooks, and the setting that says where they are; empty where there is neither.
    pub hooks: String,
    /// What people's tools add at any time: the digest of each remote, branch that follows one, and submodule.
    pub added: BTreeMap<String, String>,
}

/// How a setting counts.
#[derive(Debug, PartialEq, Eq)]
enum Weight {
    /// It affects neither a check nor a commit.
    Nothing,
    /// It is a part of something that may be added: only another value matters.
    Added(String),
    /// It belongs to the hooks.
    Hooks,
    /// It may affect a check or a commit, or run a command.
    Full,
}

/// The digest.
pub fn digest(root: &Path) -> Result<Digest, Fail> {
    if !root::has_git(root) {
        return Ok(Digest::default());
    }
    let git = Git::new(Home::of(root)?);
    let all = Settings::now(&git)?;
    let (mut hasher, mut hooks) = (sha::Hasher::new(), sha::Hasher::new());
    let mut has_hooks = false;
    let mut added: BTreeMap<String, String> = BTreeMap::new();
    // Settings that git cannot read must give another digest.
    hasher.update(all.complaint.as_bytes());
    for (key, value) in &all.all {
        let line = format!("{key}\n{value}\0");
        match weight(key, value) {
            Weight::Nothing => {}
            Weight::Added(name) => added.entry(name).or_default().push_str(&line),
            Weight::Hooks => {
                has_hooks = true;
                hooks.update(line.as_bytes());
            }
            Weight::Full => hasher.update(line.as_bytes()),
        }
    }
    let (own, common) = (root::git_dir(root), root::common_git_dir(root));
    for (folder, path) in all.files(root, &own, &common) {
        add(&mut hasher, &folder, &path);
    }
    let (folder, run) = all.hooks(root, &common);
    has_hooks |= !run.is_empty();
    for path in &run {
        add(&mut hooks, &folder, path);
    }
    let system = &system_files(&git)?.attributes;
    add(&mut hasher, system, system);
    let packed = fs::read_if_there(&common.join("packed-refs"))?.unwrap_or_default();
    let replaced =
        packed.split(|b| *b == b'\n').filter(|line| line.windows(14).any(|w| w == b" refs/replace/"));
    replaced.for_each(|line| hasher.update(line));
    for lines in added.values_mut() {
        *lines = sha::hex(lines.as_bytes());
    }
    let hooks = if has_hooks { hooks.finish() } else { String::new() };
    Ok(Digest { settings: hasher.finish(), hooks, added })
}

/// The folder of the hooks that git runs in a root, and its files.
pub fn hooks(root: &Path) -> Result<(PathBuf, Vec<PathBuf>), Fail> {
    let all = Settings::now(&Git::new(Home::of(root)?))?;
    Ok(all.hooks(root, &root::common_git_dir(root)))
}

/// How a setting counts. Every setting that can run a command counts in full.
fn weight(key: &str, value: &str) -> Weight {
    let named = |section: &str| key.strip_prefix(section)?.rsplit_once('.');
    if key == "core.hookspath" {
        return Weight::Hooks;
    }
    if APART.iter().any(|section| key.starts_with(section)) {
        return Weight::Nothing;
    }
    if let Some((name, part)) = named("branch.") {
        return match part {
            // `git push -u` notes where a branch goes, which is where it would go anyway.
            "merge" if value == format!("refs/heads/{name}") => Weight::Nothing,
            "remote" if value == "origin" => Weight::Nothing,
            "merge" | "remote" | "pushremote" => Weight::Added(format!("branch {name}")),
            "mergeoptions" => Weight::Full,
            // Git reads the others only for a pull; editors note things of their own here.
            _ => Weight::Nothing,
        };
    }
    if let Some((name, part)) = named("remote.") {
        return match part {
            "url" | "pushurl" | "fetch" | "push" | "mirror" => Weight::Added(format!("remote {name}")),
            "tagopt" | "prune" | "prunetags" | "skipfetchall" | "skipdefaultupdate" | "gh-resolved" => {
                Weight::Nothing
            }
            _ => Weight::Full,
        };
    }
    if let Some((name, part)) = named("submodule.") {
        let is_plain = matches!(value, "checkout" | "rebase" | "merge" | "none");
        return match part {
            "url" | "active" | "branch" | "shallow" | "fetchrecursesubmodules" => {
                Weight::Added(format!("submodule {name}"))
            }
            "update" if is_plain => Weight::Added(format!("submodule {name}")),
            _ => Weight::Full,
        };
    }
    Weight::Full
}

/// The settings of all files; settings from a command line belong to its caller.
pub(crate) struct Settings {
    all: files::All,
    /// What git says of settings that it cannot read.
    complaint: String,
}

impl Settings {
    /// The settings in a root. Reads the files itself where it can.
    pub(crate) fn now(git: &Git) -> Result<Self, Fail> {
        let system = system_files(git)?;
        if let Some(all) = files::read(git.home().root(), system.config.as_deref()) {
            return Ok(Self { all, complaint: String::new() });
        }
        let answer = git.ask(&Call::of(&["config", "--list", "--show-scope", "-z"]))?;
        Ok(Self { all: listed(&answer.out), complaint: answer.err })
    }

    /// The value of a setting; the last one counts.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.all.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// The names of all settings.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|(key, _)| key.as_str())
    }

    /// The folder of the hooks, and its files.
    fn hooks(&self, root: &Path, common: &Path) -> (PathBuf, Vec<PathBuf>) {
        let hooks = self.file(root, "core.hookspath").unwrap_or_else(|| common.join("hooks"));
        // If the hooks are at the top of the tree or above it, only their mode distinguishes them from work files.
        let run = if root.starts_with(&hooks) {
            files_at(&hooks).into_iter().filter(|path| is_executable(path)).collect()
        } else {
            files_below(&hooks)
        };
        (hooks, run)
    }

    /// Every other relevant file, with the folder to which its name is relative.
    fn files(&self, root: &Path, own: &Path, common: &Path) -> Vec<(PathBuf, PathBuf)> {
        let mut out = Vec::new();
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
        let value = self.get(key).filter(|value| !value.is_empty())?;
        match value.strip_prefix("~/") {
            Some(rest) => home(rest),
            None => Some(root.join(value)),
        }
    }
}

/// Parses repeated `scope NUL key LF value NUL`.
fn listed(out: &[u8]) -> files::All {
    let text = String::from_utf8_lossy(out).into_owned();
    let words: Vec<&str> = text.split('\0').collect();
    let own = words.chunks_exact(2).filter(|pair| pair[0] != "command");
    own.map(|pair| pair[1].split_once('\n').unwrap_or((pair[1], "")))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

/// Git's files for the whole machine; no setting names them, and git alone knows where it was built to look.
#[derive(Debug, Clone)]
pub(crate) struct SystemFiles {
    /// The settings; `None` if an older git cannot tell.
    config: Option<PathBuf>,
    pub(crate) attributes: PathBuf,
}

/// They do not change while we run.
pub(crate) fn system_files(git: &Git) -> Result<&'static SystemFiles, Fail> {
    static FILES: OnceLock<SystemFiles> = OnceLock::new();
    if let Some(files) = FILES.get() {
        return Ok(files);
    }
    let found = match env::get(env::GIT_SYSTEM).as_deref().and_then(|text| text.split_once(':')) {
        Some((config, attributes)) => {
            SystemFiles { config: Some(config.into()), attributes: attributes.into() }
        }
        None => asked(git)?,
    };
    Ok(FILES.get_or_init(|| found))
}

fn asked(git: &Git) -> Result<SystemFiles, Fail> {
    // Settings of the repository that git cannot read must not keep it from answering.
    let ask = |name| git.begin(&Call::of(&["-C", "/", "var", name]));
    // With this variable git reads no settings there, and does not tell where they are.
    let is_off = env::get("GIT_CONFIG_NOSYSTEM").is_some();
    let config = if is_off { None } else { Some(ask("GIT_CONFIG_SYSTEM")?) };
    let path = |answer: Answer| {
        let line = answer.line();
        (answer.status.success() && !line.is_empty()).then(|| PathBuf::from(line))
    };
    let attributes = path(ask("GIT_ATTR_SYSTEM")?.answer()?);
    let config = match config {
        Some(config) => path(config.answer()?),
        None => Some("/dev/null".into()),
    };
    // An older git cannot tell, and uses the default path.
    Ok(SystemFiles { config, attributes: attributes.unwrap_or_else(|| "/etc/gitattributes".into()) })
}

/// The value of [`env::GIT_SYSTEM`] for the stages of a run; `None` if git cannot tell.
pub fn system_variable(home: &Home) -> Result<Option<String>, Fail> {
    let files = system_files(&Git::new(home.clone()))?;
    let config = files.config.as_deref().and_then(Path::to_str).filter(|config| !config.contains(':'));
    Ok(config.zip(files.attributes.to_str()).map(|(config, attributes)| format!("{config}:{attributes}")))
}

/// A path in the user's home folder.
pub(crate) fn home(name: &str) -> Option<PathBuf> {
    env::get("HOME").map(|home| Path::new(&home).join(name))
}

/// Adds a file: its name within a folder, whether it is executable, and its bytes.
fn add(hasher: &mut sha::Hasher, folder: &Path, path: &Path) {
    let Ok(Some(bytes)) = fs::read_if_there(path) else { return };
    let name = path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned();
    hasher.update(format!("{name}\0{}\0{}\0", is_executable(path), sha::hex(&bytes)).as_bytes());
}

pub(crate) fn is_executable(path: &Path) -> bool {
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
