//! Git, started as a plain helper with a time limit.
//!
//! Nothing here trusts the repository's own configuration more than it must: no fsmonitor, no pager, no prompt, no
//! optional locks. Paths are passed NUL-separated on standard input and taken literally.

pub mod locks;
pub(crate) mod patterns;
pub mod settings;

use crate::products;
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;
use toolkit::cli::env;
use toolkit::files::fs;
use toolkit::files::root::{self, Home};
use toolkit::{Exit, Fail};
use wait_timeout::ChildExt;

/// How long git may run.
const PATIENCE: Duration = Duration::from_secs(300);
/// How long a git that hangs may take to clean up.
const GRACE: Duration = Duration::from_secs(2);

/// Git in one root.
#[derive(Debug, Clone)]
pub struct Git {
    home: Home,
}

/// The result of a git command.
#[derive(Debug)]
pub struct Answer {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub out: Vec<u8>,
    /// Its standard error.
    pub err: String,
}

impl Answer {
    /// The output as one trimmed line.
    pub fn line(&self) -> String {
        String::from_utf8_lossy(&self.out).trim().to_owned()
    }
}

impl Git {
    /// Git in a home's root.
    pub fn new(home: Home) -> Self {
        Self { home }
    }

    /// The home.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// Runs git and returns its answer, whatever its status. Fails if git was killed.
    pub fn ask(&self, call: &Call<'_>) -> Result<Answer, Fail> {
        self.begin(call)?.answer()
    }

    /// Runs git and returns its status even if it was killed: it may have done its work all the same.
    pub fn attempt(&self, call: &Call<'_>) -> Result<Answer, Fail> {
        self.begin(call)?.end()
    }

    /// Starts git; [`Running::end`] waits for its answer.
    pub fn begin(&self, call: &Call<'_>) -> Result<Running, Fail> {
        let scratch = self.home.folder("tmp")?;
        let (out, err) = (anonymous(&scratch)?, anonymous(&scratch)?);
        let stdin = match call.input {
            Some(bytes) => Stdio::from(given(&scratch, bytes)?),
            None => Stdio::null(),
        };
        let mut command = Command::new("git");
        command.args(["-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "--no-pager"]);
        // A commit of ours leaves no process behind that maintains the repository.
        command.args(["-c", "gc.auto=0", "-c", "maintenance.auto=false"]);
        // A commit that a branch names must survive a power cut; by default git syncs neither branches nor most
        // objects. An index of our own is only a cache.
        let synced = if call.index.is_some() { "core.fsync=objects" } else { "core.fsync=all" };
        command.args(["-c", synced]);
        command.args(call.args).current_dir(self.home.root()).stdin(stdin);
        // These are set while a hook runs; our git must look at the tree it is called for.
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY"] {
            command.env_remove(name);
        }
        command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
        // Read the object itself, not a replacement for it.
        command.env("GIT_NO_REPLACE_OBJECTS", "1");
        // Hooks inherit the environment of a commit, and their own git calls may use patterns.
        if !call.hooks {
            command.env("GIT_LITERAL_PATHSPECS", "1");
        }
        if let Some(index) = &call.index {
            command.env("GIT_INDEX_FILE", index);
        }
        for (name, value) in call.variables {
            command.env(name, value);
        }
        command.stdout(duplicate(&out)?).stderr(duplicate(&err)?);
        let child = command.spawn().map_err(|e| no_git(&e))?;
        Ok(Running { child, out, err, shown: call.shown() })
    }

    /// Runs git and returns its output; fails if git fails.
    pub fn run(&self, call: &Call<'_>) -> Result<Answer, Fail> {
        self.begin(call)?.succeed()
    }

    /// The commit that HEAD names; `None` before the first.
    pub fn head(&self) -> Result<Option<String>, Fail> {
        // Every stage asks for it, and a process each time would be most of the cost of a round.
        if let Some(commit) = plain_head(self.home.root()) {
            return Ok(Some(commit));
        }
        let answer = self.ask(&Call::of(&["rev-parse", "--verify", "--quiet", "HEAD"]))?;
        Ok(answer.status.success().then(|| answer.line()))
    }

    /// Every path that differs from HEAD or is new: two status letters and the path.
    pub fn status(&self) -> Result<Vec<(String, String)>, Fail> {
        self.status_of("--ignore-submodules=none")
    }

    /// The paths that a commit can take, without uncommitted changes inside a submodule.
    pub fn changed(&self) -> Result<Vec<String>, Fail> {
        let status = self.status_of("--ignore-submodules=dirty")?;
        let mut paths: Vec<String> = status.into_iter().map(|(_, path)| path).collect();
        // A file that was removed from the index and still exists is listed twice.
        paths.sort();
        paths.dedup();
        Ok(paths)
    }

    fn status_of(&self, submodules: &str) -> Result<Vec<(String, String)>, Fail> {
        let args = ["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", submodules];
        let answer = self.run(&Call::of(&args))?;
        let text = String::from_utf8_lossy(&answer.out).into_owned();
        let entries = text.split('\0').filter(|e| e.len() > 3);
        let mut entries: Vec<_> = entries.map(|e| (e[..2].to_owned(), e[3..].to_owned())).collect();
        if entries.iter().any(|(letters, _)| letters == "??") {
            let products = products::on_record(&self.home)?;
            let is_left_out = |path: &String| products.contains(path) || products::is_of_editor(path);
            entries.retain(|(letters, path)| letters != "??" || !is_left_out(path));
        }
        Ok(entries)
    }
}

/// The content of HEAD: a branch, or a commit.
pub fn checked_out(root: &Path) -> Vec<u8> {
    fs::read_if_there(&root::git_dir(root).join("HEAD")).ok().flatten().unwrap_or_default()
}

/// The commit that HEAD names, if the branch is a plain file; otherwise git has to be asked.
fn plain_head(root: &Path) -> Option<String> {
    let read = |path: PathBuf| String::from_utf8(fs::read_if_there(&path).ok()??).ok();
    let head = read(root::git_dir(root).join("HEAD"))?;
    let commit = match head.strip_prefix("ref:").map(str::trim) {
        // All worktrees share branches; any other reference may belong to one of them.
        Some(name) if name.starts_with("refs/heads/") && !name.contains("..") => {
            let common = root::common_git_dir(root);
            match fs::read_if_there(&common.join(name)).ok()? {
                Some(loose) => String::from_utf8(loose).ok()?,
                None => packed(&read(common.join("packed-refs"))?, name)?,
            }
        }
        Some(_) => return None,
        None => head,
    };
    let commit = commit.trim();
    let whole = matches!(commit.len(), 40 | 64) && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    whole.then(|| commit.to_owned())
}

/// Whether a reference may exist: false only if git has no file for it.
pub(crate) fn may_exist(root: &Path, reference: &str) -> bool {
    let common = root::common_git_dir(root);
    let list = fs::read_if_there(&common.join("packed-refs"));
    let is_packed = list.map(|list| {
        let list = list.unwrap_or_default();
        list.split(|byte| *byte == b'\n').any(|line| line.ends_with(reference.as_bytes()))
    });
    common.join(reference).symlink_metadata().is_ok()
        || common.join("reftable").exists()
        || is_packed.unwrap_or(true)
}

/// The commit of a branch in git's list of packed ones.
fn packed(list: &str, name: &str) -> Option<String> {
    let of_branch = list.lines().find_map(|line| line.strip_suffix(name)?.strip_suffix(' '));
    of_branch.map(str::to_owned)
}

/// One call of git.
pub struct Call<'a> {
    args: &'a [&'a str],
    input: Option<&'a [u8]>,
    index: Option<PathBuf>,
    hooks: bool,
    variables: &'a [(&'a str, String)],
}

impl<'a> Call<'a> {
    /// With arguments only.
    pub fn of(args: &'a [&'a str]) -> Self {
        Self { args, input: None, index: None, hooks: false, variables: &[] }
    }

    /// Adds standard input.
    #[must_use]
    pub fn input(mut self, bytes: &'a [u8]) -> Self {
        self.input = Some(bytes);
        self
    }

    /// Uses an index of its own.
    #[must_use]
    pub fn index(mut self, path: &Path) -> Self {
        self.index = Some(path.to_path_buf());
        self
    }

    /// Adds variables to its environment.
    #[must_use]
    pub fn variables(mut self, variables: &'a [(&'a str, String)]) -> Self {
        self.variables = variables;
        self
    }

    /// Lets it run hooks: paths are then patterns unless they begin with `:(literal)`.
    #[must_use]
    pub fn with_hooks(mut self) -> Self {
        self.hooks = true;
        self
    }

    fn shown(&self) -> String {
        self.args.join(" ")
    }
}

fn no_git(error: &std::io::Error) -> Fail {
    Fail::new(Exit::Unavailable, "no-git", format!("git cannot be started: {error}"))
}

/// Ends a git that hangs with all its descendants, since hooks survive it. Sends a polite signal first, so that git
/// removes its locks.
fn end_all(child: &mut Child) {
    let all = descendants(child.id());
    let tell = |signal| {
        for pid in &all {
            if let Some(pid) = i32::try_from(*pid).ok().and_then(Pid::from_raw) {
                let _ = kill_process(pid, signal);
            }
        }
    };
    tell(Signal::TERM);
    let _ = child.wait_timeout(GRACE);
    tell(Signal::KILL);
    let _ = child.wait();
}

/// A process and its descendants.
fn descendants(pid: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let running = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let known: Vec<(u32, u32)> = running.filter_map(|pid| Some((pid, env::parent_of(pid)?))).collect();
    let mut all = vec![pid];
    let mut at = 0;
    while let Some(parent) = all.get(at).copied() {
        all.extend(known.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid));
        at += 1;
    }
    all
}

/// A running git.
pub struct Running {
    child: Child,
    out: File,
    err: File,
    shown: String,
}

impl Running {
    /// Waits for its answer, whatever its status.
    pub fn end(mut self) -> Result<Answer, Fail> {
        let status = match self.child.wait_timeout(PATIENCE) {
            Ok(Some(status)) => status,
            Ok(None) => {
                end_all(&mut self.child);
                return Err(Fail::new(Exit::Io, "git-timeout", format!("'git {}' hangs", self.shown)));
            }
            Err(e) => return Err(Fail::io(Path::new("git"), &e)),
        };
        let (out, err) = (rest(&mut self.out)?, rest(&mut self.err)?);
        Ok(Answer { status, out, err: String::from_utf8_lossy(&err).into_owned() })
    }

    /// Waits for its answer, whatever its status; fails if it was killed.
    pub fn answer(self) -> Result<Answer, Fail> {
        let shown = self.shown.clone();
        let answer = self.end()?;
        if answer.status.code().is_none() {
            return Err(Fail::new(Exit::Io, "git-failed", format!("'git {shown}' was killed")));
        }
        Ok(answer)
    }

    /// Waits for its answer; fails if git fails.
    pub fn succeed(self) -> Result<Answer, Fail> {
        let shown = self.shown.clone();
        let answer = self.end()?;
        if answer.status.success() {
            return Ok(answer);
        }
        let said = answer.err.lines().next().unwrap_or("no reason given").to_owned();
        Err(Fail::new(Exit::Io, "git-failed", format!("'git {shown}' failed: {said}")))
    }
}

/// A file with no name: a process that a hook leaves running may keep it open as long as it likes.
#[cfg(target_os = "linux")]
fn anonymous(scratch: &Path) -> Result<File, Fail> {
    let file = rustix::fs::memfd_create("git", rustix::fs::MemfdFlags::CLOEXEC);
    file.map(File::from).map_err(|e| Fail::io(scratch, &e.into()))
}

/// The same where there are no memory files.
#[cfg(not(target_os = "linux"))]
fn anonymous(scratch: &Path) -> Result<File, Fail> {
    use std::os::unix::fs::OpenOptionsExt;
    let path = toolkit::files::fs::sibling(&scratch.join("git"));
    let file = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)
        .map_err(|e| Fail::io(&path, &e))?;
    toolkit::files::fs::remove(&path)?;
    Ok(file)
}

fn given(scratch: &Path, bytes: &[u8]) -> Result<File, Fail> {
    let mut file = anonymous(scratch)?;
    let written = file.write_all(bytes).and_then(|()| file.seek(SeekFrom::Start(0)));
    written.map_err(|e| Fail::io(scratch, &e))?;
    Ok(file)
}

fn duplicate(file: &File) -> Result<Stdio, Fail> {
    file.try_clone().map(Stdio::from).map_err(|e| Fail::io(Path::new("git"), &e))
}

fn rest(file: &mut File) -> Result<Vec<u8>, Fail> {
    let mut bytes = Vec::new();
    let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut bytes));
    read.map_err(|e| Fail::io(Path::new("git"), &e))?;
    Ok(bytes)
}

/// Paths in the form that git takes on standard input.
pub fn nul_separated<S: AsRef<OsStr>>(paths: impl IntoIterator<Item = S>) -> Vec<u8> {
    let mut out = Vec::new();
    for path in paths {
        out.extend_from_slice(path.as_ref().as_encoded_bytes());
        out.push(0);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_git_that_hangs_ends_with_all_that_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let script = "trap 'touch asked; exit' TERM; (sleep 60; touch late) & sh -c 'sleep 60' & wait";
        let mut child = Command::new("sh").args(["-c", script]).current_dir(folder.path()).spawn().unwrap();
        let begun = std::time::Instant::now();
        while descendants(child.id()).len() < 4 && begun.elapsed() < GRACE * 5 {
            std::thread::sleep(Duration::from_millis(10));
        }
        let all = descendants(child.id());
        assert!(all.len() >= 4, "{all:?}");
        end_all(&mut child);
        assert!(folder.path().join("asked").exists(), "it was asked first");
        let is_left = |pid: &&u32| Path::new(&format!("/proc/{pid}")).exists();
        while all.iter().any(|pid| is_left(&pid)) && begun.elapsed() < GRACE * 10 {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(all.iter().find(is_left), None);
    }
}
