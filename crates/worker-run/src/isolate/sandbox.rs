//! A sandbox around a worker: it can write to its own tree, to its client's state, and to a private folder for
//! temporary files; everything else is read-only. The ledger, and git's configuration and hooks, are read-only too.
//!
//! The sandbox is a mount namespace made by `bwrap` (bubblewrap), since only mounts can exclude a folder from a
//! writable one: landlock rules cannot. It has a PID namespace too, so that no process outside can be seen, killed or
//! used to escape. Without a sandbox no worker starts. A worker without a network has a network namespace with nothing in
//! it. Sockets of services are not restricted.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use toolkit::files::root::{Home, git_dir};
use toolkit::{Exit, Fail};

/// The paths of a sandbox.
pub(crate) struct Walls<'a> {
    pub(crate) root: &'a Path,
    /// The worker's tree: the root, or a worktree.
    pub(crate) place: &'a Path,
    /// Other writable paths, if they exist.
    pub(crate) writable: Vec<PathBuf>,
    /// Paths that it must be able to read: its home, its program.
    pub(crate) needed: Vec<PathBuf>,
    /// Whether it has the network.
    pub(crate) network: bool,
}

/// Folders for temporary files: each is replaced by a private one, unless something of ours lies below it.
const SHARED: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];
/// The folder of a user's service sockets.
const SERVICES: &str = "/run/user";
/// Everything is readable; the namespaces are new, and all capabilities of root are dropped.
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
    /// The wrapped command, and the folder for its temporary files.
    pub(crate) fn around(&self, argv: Vec<OsString>) -> Result<(Vec<OsString>, PathBuf), Fail> {
        let mut words = Words(vec!["bwrap".into()]);
        words.0.extend(BASE.iter().map(OsString::from));
        words.0.extend((!self.network).then(|| "--unshare-net".into()));
        let free: Vec<&Path> =
            SHARED.iter().map(Path::new).filter(|shared| !self.lies_below(shared)).collect();
        for shared in SHARED.iter().map(Path::new).filter(|shared| shared.is_dir()) {
            words.add(if free.contains(&shared) { "--tmpfs" } else { "--ro-bind" }, shared);
        }
        if Path::new(SERVICES).is_dir() {
            words.add("--tmpfs", Path::new(SERVICES));
        }
        // Later mounts cover earlier ones: our files are below the tree, and a worktree is below our files.
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

    /// Protects the files in the tree that are not the worker's. Each is a separate mount, so it cannot be moved or
    /// replaced.
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
    /// Mounts a path at its own location; a private folder has no source.
    fn add(&mut self, option: &str, path: &Path) {
        self.0.push(option.into());
        if option != "--tmpfs" {
            self.0.push(path.into());
        }
        self.0.push(path.into());
    }
}

/// Whether a sandbox is available, tried with all its parts.
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
