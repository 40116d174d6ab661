//! The environment, read in one place.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The run that this process belongs to, when a script set one for the whole pipe.
pub const RUN: &str = "PLANTOOLS_RUN";
/// The time to use instead of the clock's.
pub const NOW: &str = "PLANTOOLS_NOW";
/// Marks every process of one attempt, so that survivors of a crash can be found.
pub const ATTEMPT: &str = "PLANTOOLS_ATTEMPT";

/// A moment by the clock of the plan's file system before which no worker of the run wrote anything. The conductor takes
/// it when it has looked at the whole tree.
pub const SINCE: &str = "PLANTOOLS_SINCE";

/// Git's two files for the whole machine, settings and attributes, joined by a colon. The conductor asks git for them
/// once a run.
pub const GIT_SYSTEM: &str = "PLANTOOLS_GIT_SYSTEM";

/// The text that git writes into the reflog of `HEAD` in place of the command's name.
pub const REFLOG: &str = "GIT_REFLOG_ACTION";

/// A variable that is set, not empty and valid UTF-8.
pub fn get(name: &str) -> Option<String> {
    std::env::var_os(name).and_then(|v| v.into_string().ok()).filter(|v| !v.is_empty())
}

/// The names of all variables that begin with a prefix.
pub fn names(prefix: &str) -> Vec<OsString> {
    let names = std::env::vars_os().map(|(name, _)| name);
    names.filter(|name| name.as_encoded_bytes().starts_with(prefix.as_bytes())).collect()
}

/// Whether a worker, a check or the agent of a session started this process, directly or not, even if the environment
/// was cleared since.
pub fn is_inside_attempt() -> bool {
    is_below_attempt() || is_of_session()
}

/// The same for a worker or a check alone.
pub fn is_below_attempt() -> bool {
    get(ATTEMPT).is_some() || above().any(|pid| is_of_attempt(&format!("/proc/{pid}")))
}

/// Whether a client that has `orchestrate mcp` as its server started this process: its agent did. What the server itself
/// starts is not the agent's.
fn is_of_session() -> bool {
    for pid in above() {
        if serves_plan(pid) {
            return false;
        }
        if children(pid).into_iter().any(serves_plan) {
            return true;
        }
    }
    false
}

/// Whether a process is `orchestrate mcp`, and no relay of one. A client that has these words among its own arguments,
/// to start the server with, does not count.
fn serves_plan(pid: u32) -> bool {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    if !matches!(name.trim_end(), "orchestrate" | "plantools") {
        return false;
    }
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words: Vec<&[u8]> = line.split(|byte| *byte == 0).take(4).collect();
    // `orchestrate mcp`, or `plantools orchestrate mcp`.
    let serves = |two: &[&[u8]]| {
        two.first().is_some_and(|name| name.ends_with(b"orchestrate")) && two.get(1) == Some(&&b"mcp"[..])
    };
    words.windows(2).any(serves) && !words.contains(&&b"--relay"[..])
}

/// The children of a process, whichever of its threads started them.
fn children(pid: u32) -> Vec<u32> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let of = |thread: std::fs::DirEntry| {
        std::fs::read_to_string(thread.path().join("children")).unwrap_or_default()
    };
    threads
        .map(of)
        .flat_map(|text| text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// The ancestors of this process, the nearest first.
fn above() -> impl Iterator<Item = u32> {
    let parent = |pid: &u32| parent_of(*pid).filter(|parent| *parent > 1);
    std::iter::successors(parent(&std::process::id()), parent)
}

/// The parent of a process.
pub fn parent_of(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name may contain any character, and ends at the last parenthesis.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// Whether a process has the mark of an attempt or supervises one: orphans of an attempt become children of its
/// supervisor.
fn is_of_attempt(process: &str) -> bool {
    let mark = format!("{ATTEMPT}=");
    let environment = std::fs::read(format!("{process}/environ")).unwrap_or_default();
    let marked =
        environment.split(|b| *b == 0).any(|v| v.starts_with(mark.as_bytes()) && v.len() > mark.len());
    let name = std::fs::read_to_string(format!("{process}/comm")).unwrap_or_default();
    marked || matches!(name.trim_end(), "worker-run" | "gate-run" | "supervise")
}

/// How a shell would resolve the name of a program typed here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// It can be started.
    There,
    /// The path names a file without the right to run it, or a folder.
    NotExecutable,
    /// The path names no file.
    NoFile,
    /// The name is in no folder of `PATH`.
    NotOnPath,
}

/// Looks for a program.
pub fn program(name: &OsStr) -> Program {
    let runs = |path: &Path| {
        path.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
    };
    if is_path(name) {
        let path = Path::new(name);
        return match path.exists() {
            true if runs(path) => Program::There,
            true => Program::NotExecutable,
            false => Program::NoFile,
        };
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = !name.is_empty() && std::env::split_paths(&folders).any(|folder| runs(&folder.join(name)));
    if found { Program::There } else { Program::NotOnPath }
}

/// The program's name as valid from any folder: a relative path is resolved against the folder we were started in.
pub fn from_here(name: &OsStr) -> OsString {
    if !is_path(name) {
        return name.to_owned();
    }
    std::path::absolute(name).map_or_else(|_| name.to_owned(), PathBuf::into_os_string)
}

fn is_path(name: &OsStr) -> bool {
    name.as_encoded_bytes().contains(&b'/')
}

/// Whether a variable's name ends in a word that means a secret.
pub fn is_secret(name: &str) -> bool {
    const ENDS: [&str; 11] = [
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "PASSPHRASE",
        "CREDENTIAL",
        "APIKEY",
        "_KEY",
        "_PASS",
        "_PWD",
        "_AUTH",
    ];
    let name = name.to_uppercase();
    let one = name.strip_suffix('S').filter(|one| !one.ends_with('S')).unwrap_or(&name);
    ENDS.iter().any(|end| one.ends_with(end) || name.ends_with(end)) || matches!(one, "KEY" | "AUTH")
}

/// The values of variables whose names end in a word that means a secret; for masking.
pub fn secrets() -> Vec<String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, value)| value.len() >= 8 && is_secret(name))
        .map(|(_, value)| value)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::is_secret;

    #[test]
    fn names_that_mean_a_secret() {
        for name in
            ["MY_SECRET", "AWS_SECRET_ACCESS_KEY", "KEY", "API_KEYS", "DB_PASS", "MYSQL_PWD", "CREDENTIALS"]
        {
            assert!(is_secret(name), "{name}");
        }
        for name in ["PWD", "OLDPWD", "HOME", "SSH_AUTH_SOCK", "COMPASS", "KEYBOARD"] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
