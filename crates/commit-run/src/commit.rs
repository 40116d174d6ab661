//! Makes one commit of named files, changing nothing else and so that a crash can be detected.

pub(crate) mod hook_guard;

use crate::commit::hook_guard::Guard;
use dialects::context::NOTES;
use repo::git::locks;
use repo::git::{Call, Git, nul_separated};
use repo::tree::Tree;
use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::time::{Duration, Instant};
use toolkit::cli::tool;
use toolkit::files::fs;
use toolkit::files::root::{self, Home};
use toolkit::{Exit, Fail};

/// The commit to make.
pub(crate) struct Request<'a> {
    pub(crate) message: &'a str,
    /// `Name: value` lines after the message.
    pub(crate) trailers: &'a [(&'static str, String)],
    pub(crate) files: &'a [String],
    /// The tree that contains each file as it is to be committed.
    pub(crate) tree: &'a Tree,
    /// Whether our stages may have changed a file from these bytes to those meanwhile: the tick of another task is no
    /// work of a hook.
    pub(crate) by_stages: &'a ByStages<'a>,
}

/// Whether our stages may have changed the file at a path from the first bytes to the second.
pub(crate) type ByStages<'a> = dyn Fn(&str, &[u8], &[u8]) -> bool + 'a;

/// The result.
pub(crate) enum Made {
    /// The commit's hash.
    Commit(String),
    /// A hook or git itself refused, in its own words.
    Refused(String),
    /// A hook turned it into another commit, which was undone.
    Rewritten(String),
    /// A hook has changed only files of the commit, which was undone: they are as the hook left them, and unchecked.
    Formatted(Vec<String>),
}

/// Why no commit can be made now: another git operation is in progress.
pub(crate) fn obstacle(home: &Home) -> Option<&'static str> {
    locks::under_way(home.root()).map(|(why, _)| why)
}

const FROM_STDIN: [&str; 2] = ["--pathspec-from-file=-", "--pathspec-file-nul"];

/// Makes the commit. Untracked files are added by name only, and removed from the index if the commit is refused;
/// everything else in the user's index stays as it is. A commit that a hook turned into another one is undone.
pub(crate) fn make(git: &Git, request: &Request<'_>) -> Result<Made, Fail> {
    let home = git.home();
    recover(home)?;
    identity(git)?;
    let before = git.head()?;
    set_marker(home, before.as_deref())?;
    let guard = Guard::new(git, request)?;
    // After a power cut the file must not have less than the commit.
    let is_note = |file: &&String| Path::new(file).file_name().is_some_and(|name| name == NOTES);
    request.files.iter().filter(is_note).try_for_each(|file| fs::sync(&home.root().join(file)))?;
    let files = bytes_of(git, request.files)?;
    let new = unknown(git, &files)?;
    if !new.is_empty() {
        let add = [&["add", "--intent-to-add", "--force", "--sparse"][..], &FROM_STDIN].concat();
        if let Err(fail) = git.run(&Call::of(&add).input(&nul_separated(&new))) {
            // It may have been killed, and left its lock.
            recover(home)?;
            forget(git, &new)?;
            guard.close()?;
            return Err(fail);
        }
    }
    let message = home.folder("tmp")?.join(format!("message-{}", std::process::id()));
    fs::create(&message, text(request).as_bytes())?;
    let name = message.to_string_lossy().into_owned();
    let commit =
        [&["commit", "--quiet", "--only", "--cleanup=whitespace", "-F", &name][..], &FROM_STDIN].concat();
    // Skip a path that has become a folder: the folder replaces the old file by itself.
    let is_folder = |path: &[u8]| {
        let path = home.root().join(OsStr::from_bytes(path));
        path.symlink_metadata().is_ok_and(|about| about.is_dir()) && !path.join(".git").exists()
    };
    let literal = files.iter().filter(|path| !is_folder(path));
    let literal = literal.map(|path| [b":(literal)", path.as_slice()].concat()).map(OsString::from_vec);
    let literal = nul_separated(literal);
    let answer = git.attempt(&Call::of(&commit).input(&literal).with_hooks());
    fs::remove(&message)?;
    let answer = answer?;
    // A git that was killed may have made the commit all the same.
    let was_killed = answer.status.code().is_none();
    if answer.status.success() || was_killed && git.head()? != before {
        if was_killed {
            recover(home)?;
        }
        let head = git.head()?.unwrap_or_default();
        let made = match guard.check(&head)? {
            Ok(()) => Made::Commit(head),
            Err(message) => match guard.formatted()? {
                files if files.is_empty() => {
                    guard.undo(&head)?;
                    Made::Rewritten(message)
                }
                files => {
                    guard.undo_keeping_files(&head)?;
                    Made::Formatted(files)
                }
            },
        };
        // A commit of some files leaves the index unsynced, whatever the settings.
        fs::sync(&root::git_dir(home.root()).join("index"))?;
        fs::remove(&home.path(MARKER))?;
        guard.close()?;
        return Ok(made);
    }
    recover(home)?;
    forget(git, &new)?;
    let formatted = guard.formatted()?;
    if !formatted.is_empty() {
        guard.close()?;
        return Ok(Made::Formatted(formatted));
    }
    guard.put_back_files()?;
    guard.close()?;
    let said = answer.err.lines().chain(std::str::from_utf8(&answer.out).unwrap_or_default().lines());
    let said = said.filter(|l| !l.trim().is_empty()).take(5).collect::<Vec<_>>().join("; ");
    Ok(Made::Refused(if said.is_empty() { format!("no reason given, {}", answer.status) } else { said }))
}

/// Files that differ from the last commit although git does not list them: its index is set to ignore them.
pub(crate) fn hidden(git: &Git, tree: &Tree, changed: &[String]) -> Result<Vec<String>, Fail> {
    if git.head()?.is_none() {
        return Ok(Vec::new());
    }
    let listed = git.run(&Call::of(&["ls-tree", "-r", "-z", "HEAD"]))?.out;
    let mut hidden = Vec::new();
    for entry in String::from_utf8_lossy(&listed).split('\0') {
        // mode SP type SP object TAB path
        let Some((what, path)) = entry.split_once('\t') else { continue };
        let Some(now) = tree.at(path).filter(|now| !now.starts_with("160000")) else { continue };
        let mut words = what.split(' ');
        let (mode, object) = (words.next().unwrap_or_default(), words.nth(1).unwrap_or_default());
        if now != format!("{mode} {object} 0") && !changed.iter().any(|known| known == path) {
            hidden.push(path.to_owned());
        }
    }
    Ok(hidden)
}

/// Whether git knows the author and committer; checked before the first worker starts, not after the work is done.
pub(crate) fn identity(git: &Git) -> Result<(), Fail> {
    let known = |who: &str| Ok::<_, Fail>(git.ask(&Call::of(&["var", who]))?.status.success());
    if known("GIT_COMMITTER_IDENT")? && known("GIT_AUTHOR_IDENT")? {
        return Ok(());
    }
    let message = "git knows no user.name and user.email; set them with 'git config'";
    Err(Fail::config("no-identity", message))
}

/// Removes paths from the index that were only added by name.
fn forget(git: &Git, paths: &[OsString]) -> Result<(), Fail> {
    if !paths.is_empty() {
        let reset =
            ["rm", "--cached", "--quiet", "--ignore-unmatch", "--sparse", FROM_STDIN[0], FROM_STDIN[1]];
        git.ask(&Call::of(&reset).input(&nul_separated(paths)))?;
    }
    Ok(())
}

/// The paths that git does not know yet, without files that were removed from the index and deleted.
fn unknown(git: &Git, files: &[Vec<u8>]) -> Result<Vec<OsString>, Fail> {
    let listed = git.run(&Call::of(&["ls-files", "-z", "--cached"]))?;
    let known: HashSet<&[u8]> = listed.out.split(|b| *b == 0).collect();
    let is_there = |path: &[u8]| git.home().root().join(OsStr::from_bytes(path)).symlink_metadata().is_ok();
    let new = files.iter().filter(|path| !known.contains(path.as_slice()) && is_there(path));
    Ok(new.cloned().map(OsString::from_vec).collect())
}

/// The names as they are on disk: a name that is not UTF-8 becomes text only for display.
fn bytes_of(git: &Git, files: &[String]) -> Result<Vec<Vec<u8>>, Fail> {
    if !files.iter().any(|name| name.contains(char::REPLACEMENT_CHARACTER)) {
        return Ok(files.iter().map(|name| name.clone().into_bytes()).collect());
    }
    let listed =
        git.run(&Call::of(&["ls-files", "-z", "-c", "-o", "--exclude-standard", "--deduplicate"]))?;
    let mut shown: HashMap<String, Vec<Vec<u8>>> = HashMap::new();
    for name in listed.out.split(|b| *b == 0) {
        shown.entry(String::from_utf8_lossy(name).into_owned()).or_default().push(name.to_vec());
    }
    let bytes = |name: &String| shown.get(name).cloned().unwrap_or_else(|| vec![name.clone().into_bytes()]);
    Ok(files.iter().flat_map(bytes).collect())
}

fn text(request: &Request<'_>) -> String {
    let trailers: Vec<String> =
        request.trailers.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
    let trailers = trailers.concat();
    format!("{}\n\n{trailers}", request.message.trim_end())
}

/// Marks on disk that a commit is being made, and on which parent. If git is killed or the power fails, its lock
/// files stay behind and would stop every later commit; this marker tells the next run that they were ours.
const MARKER: &str = "committing";

fn set_marker(home: &Home, head: Option<&str>) -> Result<(), Fail> {
    fs::create(&home.folder("")?.join(MARKER), head.unwrap_or_default().as_bytes())
}

/// Removes lock files that a killed commit of ours left behind, and repairs the index: rebuilds it if a power cut
/// tore it, and updates it to a commit that was made but not entered there. The caller holds our own lock, so no
/// other of our processes is committing; a git that outlived us may be, so this waits for it.
pub(crate) fn recover(home: &Home) -> Result<(), Fail> {
    let Some(before) = fs::read_if_there(&home.path(MARKER))? else { return Ok(()) };
    let deadline = Instant::now() + Duration::from_secs(10);
    while !locks::there(home.root()).is_empty() && locks::are_held(home.root()) {
        if Instant::now() > deadline {
            return Err(Fail::new(Exit::Busy, "commit-busy", "a git of an earlier commit does not end"));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let locks = locks::there(home.root());
    for lock in &locks {
        tool::note(&format!("commit-run: removing '{}', left by a commit that was killed", lock.display()));
        fs::remove(lock)?;
    }
    let git = Git::new(home.clone());
    mend_index(&git)?;
    if locks.iter().any(|lock| lock.ends_with("index.lock")) {
        enter(&git, &String::from_utf8_lossy(&before))?;
    }
    fs::remove(&home.path(MARKER))
}

/// Updates the index to a commit on `before` made by a git that was killed before it did so.
fn enter(git: &Git, before: &str) -> Result<(), Fail> {
    let Some(head) = git.head()?.filter(|head| head != before) else { return Ok(()) };
    let parent = git.ask(&Call::of(&["rev-parse", "--verify", "--quiet", &format!("{head}^")]))?;
    if parent.line() != before {
        return Ok(());
    }
    let list = ["diff-tree", "-r", "-z", "--root", "--no-commit-id", "--no-renames", &head];
    let listed = git.run(&Call::of(&list))?.out;
    // `:old-mode new-mode old-object new-object letter` and the path become `mode object`, a tab and the path.
    let words: Vec<&[u8]> = listed.split(|b| *b == 0).collect();
    let mut entries = Vec::new();
    for pair in words.chunks_exact(2) {
        let what: Vec<&[u8]> = pair[0].split(|b| *b == b' ').collect();
        let (Some(mode), Some(object)) = (what.get(1), what.get(3)) else { continue };
        entries.extend([*mode, b" ", object, b"\t", pair[1], b"\0"].concat());
    }
    git.run(&Call::of(&["update-index", "-z", "--index-info"]).input(&entries)).map(|_| ())
}

/// Rebuilds an unreadable index from the last commit: it contains nothing that could be lost.
fn mend_index(git: &Git) -> Result<(), Fail> {
    if git.ask(&Call::of(&["ls-files", "-z", "--cached"]))?.status.success() {
        return Ok(());
    }
    let index = root::git_dir(git.home().root()).join("index");
    tool::note(&format!("commit-run: '{}' was torn by a power cut and is made anew", index.display()));
    fs::remove(&index)?;
    if git.head()?.is_some() {
        git.run(&Call::of(&["read-tree", "HEAD"]))?;
    }
    Ok(())
}
