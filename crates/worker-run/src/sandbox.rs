//! Walls around a worker: it writes in its own tree, in what its client keeps, and in a private folder for temporary
//! files; everything else can only be read. The ledger, and git's configuration and hooks, cannot be written either.
//!
//! The walls are a mount namespace made by `bwrap` (bubblewrap), since only mounts can take a folder out of one that may
//! be written: rules of landlock cannot. It has a PID namespace too, so that no process outside can be seen, killed or
//! used as a way out. Where it cannot be had there is no worker, never one without walls. Sockets of services and the
//! network are left as they are.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use toolkit::root::{Home, git_dir};
use toolkit::{Exit, Fail};

/// What stands behind the walls.
pub(crate) struct Walls<'a> {
    pub(crate) root: &'a Path,
    /// The worker's own tree: the root, or a worktree.
    pub(crate) place: &'a Path,
    /// What else it may write, where it is there.
    pub(crate) writable: Vec<PathBuf>,
    /// What it must be able to read: its home, its program.
    pub(crate) needed: Vec<PathBuf>,
}

/// Folders for temporary files: a private one stands in the place of each below which nothing of ours lies.
const SHARED: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];
/// Where a user's services listen.
const SERVICES: &str = "/run/user";
/// All is there to be read; the namespaces are new, and nothing is left of root's rights.
const BASE: [&str; 15] = [
    "--die-with-parent",
    "--unshare-pid",
    "--unshare-ipc",
    "--cap-drop",
    "ALL",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--ro-bind-try",
    "/sys",
    "/sys",
];

impl Walls<'_> {
    /// The command with the walls around it, and the folder for its temporary files.
    pub(crate) fn around(&self, argv: Vec<OsString>) -> Result<(Vec<OsString>, PathBuf), Fail> {
        let mut words = Words(vec!["bwrap".into()]);
        words.0.extend(BASE.iter().map(OsString::from));
        let free: Vec<&Path> =
            SHARED.iter().map(Path::new).filter(|shared| !self.lies_below(shared)).collect();
        for shared in SHARED.iter().map(Path::new).filter(|shared| shared.is_dir()) {
            words.add(if free.contains(&shared) { "--tmpfs" } else { "--ro-bind" }, shared);
        }
        if Path::new(SERVICES).is_dir() {
            words.add("--tmpfs", Path::new(SERVICES));
        }
        // Later mounts cover earlier ones: what is ours stands below the tree, and a worktree below what is ours.
        words.add("--bind", self.place);
        self.forbid(&mut words);
        if self.place != self.root {
            words.add("--bind", self.place);
            words.add("--ro-bind-try", &self.place.join(".git"));
        }
        for path in &self.writable {
            words.add("--bind-try", path);
        }
        words.0.push("--chdir".into());
        words.0.push(self.place.into());
        words.0.push("--".into());
        words.0.extend(argv);
        let Some(private) = free.first() else {
            return Err(Fail::new(
                Exit::Unavailable,
                "no-sandbox",
                "no folder for temporary files can be private",
            ));
        };
        Ok((words.0, private.to_path_buf()))
    }

    /// What is in the tree and not the worker's. Each is a mount of its own: nobody can move or replace one.
    fn forbid(&self, words: &mut Words) {
        if let Ok(home) = Home::of(self.root) {
            words.add("--ro-bind-try", &home.path(""));
        }
        let git = git_dir(self.root);
        if git != self.root.join(".git") {
            words.add("--ro-bind-try", &self.root.join(".git"));
        } else if git.is_dir() && self.place == self.root {
            words.add("--bind", &git);
            words.add("--ro-bind-try", &git.join("config"));
            for folder in ["hooks", "info"].map(|name| git.join(name)) {
                if folder.is_dir() {
                    words.add("--ro-bind", &folder);
                } else {
                    words.0.extend([
                        "--tmpfs".into(),
                        folder.clone().into(),
                        "--remount-ro".into(),
                        folder.into(),
                    ]);
                }
            }
        }
    }

    fn lies_below(&self, shared: &Path) -> bool {
        let ours = [self.root, self.place].into_iter().chain(self.needed.iter().map(PathBuf::as_path));
        ours.chain(self.writable.iter().map(PathBuf::as_path)).any(|path| path.starts_with(shared))
    }
}

struct Words(Vec<OsString>);

impl Words {
    /// A mount of a path at its own place; a private folder has no source.
    fn add(&mut self, option: &str, path: &Path) {
        self.0.push(option.into());
        if option != "--tmpfs" {
            self.0.push(path.into());
        }
        self.0.push(path.into());
    }
}

/// Whether walls can be had here, tried with everything that they are made of.
pub(crate) fn available() -> Result<(), Fail> {
    let mut probe = Command::new("bwrap");
    probe.args(BASE).arg("true").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let why = match probe.output() {
        Ok(ended) if ended.status.success() => return Ok(()),
        Ok(ended) => String::from_utf8_lossy(&ended.stderr).trim().to_owned(),
        Err(_) => "'bwrap' (bubblewrap) is not installed".to_owned(),
    };
    Err(Fail::new(Exit::Unavailable, "no-sandbox", format!("a sandbox cannot be had here: {why}")))
}
