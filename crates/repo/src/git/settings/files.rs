//! Git's settings, read from their files without git.
//!
//! Every form that git itself may read in another way (an unknown condition, a tab within a value, a syntax error, a
//! variable that changes what git reads) gives `None`: git is asked.

use crate::git::patterns::Wild;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use toolkit::cli::env;
use toolkit::files::{fs, root};

/// Settings in the order of their files: name and value.
pub(super) type All = Vec<(String, String)>;

/// How deep files may include one another.
const DEEPEST: usize = 10;

/// Variables of git that change neither which settings it reads nor which files it sees. `repo::git` removes some of them.
const HARMLESS: [&str; 28] = [
    "GIT_ASKPASS",
    "GIT_ATTR_NOSYSTEM",
    "GIT_AUTHOR_DATE",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_NAME",
    "GIT_COMMITTER_DATE",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_DIR",
    "GIT_EDITOR",
    "GIT_INDEX_FILE",
    "GIT_LITERAL_PATHSPECS",
    "GIT_MERGE_AUTOEDIT",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_OPTIONAL_LOCKS",
    "GIT_PAGER",
    "GIT_PREFIX",
    "GIT_REFLOG_ACTION",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSL_CAINFO",
    "GIT_TERMINAL_PROMPT",
    "GIT_WORK_TREE",
];

/// Whether the environment leaves git with nothing but its files.
pub(crate) fn are_all() -> bool {
    env::names("GIT_").iter().all(|name| HARMLESS.iter().any(|harmless| *harmless == name))
}

/// Whether a repository belongs to this user; git reads another's only where a setting allows it.
pub(crate) fn is_own(root: &Path) -> bool {
    let user = rustix::process::geteuid().as_raw();
    let paths = [root.to_path_buf(), root.join(".git"), root::git_dir(root)];
    paths.iter().all(|path| path.symlink_metadata().is_ok_and(|about| about.uid() == user))
}

/// The settings of all scopes for a root, as `git config --list` has them. `system` names the file for the whole
/// machine.
pub(super) fn read(root: &Path, system: Option<&Path>) -> Option<All> {
    if !are_all() || !is_own(root) {
        return None;
    }
    let mut reader = Reader { root, all: All::new() };
    if env::get("GIT_CONFIG_NOSYSTEM").is_none() {
        reader.file(system?, 0)?;
    } else if env::get("GIT_CONFIG_NOSYSTEM").is_some_and(|value| value != "1" && value != "true") {
        return None;
    }
    match env::get("GIT_CONFIG_GLOBAL") {
        Some(path) => reader.file(Path::new(&path), 0)?,
        // Set and empty it names no file.
        None if env::names("GIT_CONFIG_GLOBAL").iter().any(|name| name == "GIT_CONFIG_GLOBAL") => {
            return None;
        }
        None => {
            let xdg = env::get("XDG_CONFIG_HOME").map(PathBuf::from).or_else(|| super::home(".config"));
            let own = super::home(".gitconfig");
            for path in xdg.map(|folder| folder.join("git/config")).into_iter().chain(own) {
                reader.file(&path, 0)?;
            }
        }
    }
    reader.file(&root::common_git_dir(root).join("config"), 0)?;
    let own = reader.all.iter().rev().find(|(key, _)| key == "extensions.worktreeconfig");
    match own.map(|(_, value)| value.to_ascii_lowercase()).as_deref() {
        None | Some("false" | "no" | "off" | "0") => {}
        Some("true" | "yes" | "on" | "1") => reader.file(&root::git_dir(root).join("config.worktree"), 0)?,
        Some(_) => return None,
    }
    Some(reader.all)
}

struct Reader<'r> {
    root: &'r Path,
    all: All,
}

impl Reader<'_> {
    fn file(&mut self, path: &Path, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        if path == Path::new("/dev/null") {
            return Some(());
        }
        let Some(bytes) = fs::read_if_there(path).ok()? else { return Some(()) };
        for (key, value) in parse(&bytes)? {
            self.all.push((key.clone(), value.clone().unwrap_or_default()));
            let Some(condition) = condition_of(&key) else { continue };
            let value = value?;
            if condition.is_empty() || self.holds(condition)? {
                self.file(&included(path, &value)?, depth + 1)?;
            }
        }
        Some(())
    }

    /// Whether the condition of an include holds.
    fn holds(&self, condition: &str) -> Option<bool> {
        let (kind, pattern) = condition.split_once(':')?;
        let pattern = if pattern.ends_with('/') { format!("{pattern}**") } else { pattern.to_owned() };
        match kind {
            "gitdir" => {
                let pattern = match pattern.strip_prefix("~/") {
                    Some(rest) => super::home("")?.canonicalize().ok()?.join(rest).to_str()?.to_owned(),
                    None if pattern.starts_with(['.', '~', '%', ':']) => return None,
                    None if pattern.starts_with('/') => pattern,
                    None => format!("**/{pattern}"),
                };
                let wild = Wild::new(pattern.as_bytes());
                let own = root::git_dir(self.root);
                let real = own.canonicalize().ok()?;
                let named = std::path::absolute(&own).ok()?;
                Some([real, named].iter().any(|path| wild.matches(path.as_os_str().as_encoded_bytes())))
            }
            "onbranch" => {
                let head = fs::read_if_there(&root::git_dir(self.root).join("HEAD")).ok()??;
                let head = String::from_utf8(head).ok()?;
                let branch =
                    head.strip_prefix("ref:").and_then(|name| name.trim().strip_prefix("refs/heads/"));
                // A repository with another storage of branches has this name there.
                if branch == Some(".invalid") {
                    return None;
                }
                Some(branch.is_some_and(|branch| Wild::new(pattern.as_bytes()).matches(branch.as_bytes())))
            }
            _ => None,
        }
    }
}

/// The condition of an include, empty if it has none; `None` for any other setting.
fn condition_of(key: &str) -> Option<&str> {
    match key {
        "include.path" => Some(""),
        key => key.strip_prefix("includeif.")?.strip_suffix(".path"),
    }
}

/// The file that an include in `file` names.
fn included(file: &Path, value: &str) -> Option<PathBuf> {
    match value.strip_prefix("~/") {
        Some(rest) => super::home(rest),
        None if value.is_empty() || value.starts_with(['~', '%', ':']) => None,
        None => Some(file.parent()?.join(value)),
    }
}

/// The settings of one file; a setting without `=` has no value.
fn parse(bytes: &[u8]) -> Option<Vec<(String, Option<String>)>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut text = Text { bytes, at: 0 };
    let mut out = Vec::new();
    let mut section = None;
    while let Some(byte) = text.next() {
        match byte {
            b'\n' | b' ' | b'\t' | b'\r' => {}
            b'#' | b';' => while text.next().is_some_and(|byte| byte != b'\n') {},
            b'[' => section = Some(text.section()?),
            byte if byte.is_ascii_alphabetic() => {
                let (name, value) = text.setting(byte)?;
                out.push((format!("{}.{name}", section.as_ref()?), value));
            }
            _ => return None,
        }
    }
    Some(out)
}

struct Text<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Text<'_> {
    /// The next byte; the end of a line is one byte, however it is written.
    fn next(&mut self) -> Option<u8> {
        if self.bytes[self.at..].starts_with(b"\r\n") {
            self.at += 1;
        }
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// The name of a section, after its `[`.
    fn section(&mut self) -> Option<String> {
        let mut name = Vec::new();
        loop {
            match self.next()? {
                b']' => break,
                b' ' | b'\t' => {
                    name.push(b'.');
                    self.subsection(&mut name)?;
                    break;
                }
                byte if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.') => {
                    name.push(byte.to_ascii_lowercase());
                }
                _ => return None,
            }
        }
        Some(String::from_utf8_lossy(&name).into_owned())
    }

    fn subsection(&mut self, name: &mut Vec<u8>) -> Option<()> {
        let mut byte = self.next()?;
        while matches!(byte, b' ' | b'\t') {
            byte = self.next()?;
        }
        if byte != b'"' {
            return None;
        }
        loop {
            match self.next()? {
                b'"' => break,
                b'\n' | 0 => return None,
                b'\\' => match self.next()? {
                    b'\n' | 0 => return None,
                    byte => name.push(byte),
                },
                byte => name.push(byte),
            }
        }
        (self.next()? == b']').then_some(())
    }

    /// A name that begins with this byte, and its value.
    fn setting(&mut self, first: u8) -> Option<(String, Option<String>)> {
        let mut name = vec![first.to_ascii_lowercase()];
        let mut byte = self.next().unwrap_or(b'\n');
        while byte.is_ascii_alphanumeric() || byte == b'-' {
            name.push(byte.to_ascii_lowercase());
            byte = self.next().unwrap_or(b'\n');
        }
        while matches!(byte, b' ' | b'\t') {
            byte = self.next().unwrap_or(b'\n');
        }
        let value = match byte {
            b'\n' => None,
            b'=' => Some(self.value()?),
            _ => return None,
        };
        Some((String::from_utf8_lossy(&name).into_owned(), value))
    }

    fn value(&mut self) -> Option<String> {
        let mut out = Vec::new();
        // Spaces that count only if something follows them.
        let mut spaces = 0;
        let (mut quoted, mut comment) = (false, false);
        loop {
            let byte = self.next().unwrap_or(b'\n');
            match byte {
                b'\n' if quoted => return None,
                b'\n' => break,
                _ if comment => continue,
                b' ' if !quoted => {
                    spaces += usize::from(!out.is_empty());
                    continue;
                }
                // Versions of git differ about other white space within a value.
                b'\t' | b'\r' if !quoted => {
                    let rest = &self.bytes[self.at..];
                    let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
                    let next = line.iter().find(|byte| !byte.is_ascii_whitespace());
                    if !(out.is_empty() || matches!(next, None | Some(b'#' | b';'))) {
                        return None;
                    }
                    continue;
                }
                b'#' | b';' if !quoted => {
                    comment = true;
                    continue;
                }
                0 => return None,
                _ => {}
            }
            out.extend(std::iter::repeat_n(b' ', spaces));
            spaces = 0;
            match byte {
                b'\\' => match self.next().unwrap_or(0) {
                    b'\n' => {}
                    b't' => out.push(b'\t'),
                    b'n' => out.push(b'\n'),
                    b'b' => out.push(8),
                    byte @ (b'\\' | b'"') => out.push(byte),
                    _ => return None,
                },
                b'"' => quoted = !quoted,
                byte => out.push(byte),
            }
        }
        Some(String::from_utf8_lossy(&out).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{listed, system_files};
    use crate::git::{Call, Git};
    use std::path::Path;
    use testbench::{git, write};
    use toolkit::files::root::Home;

    /// What the files say against what git says; `None` if git is asked anyway.
    fn compared(root: &Path) -> Option<bool> {
        let at = Git::new(Home::of(root).unwrap());
        let system = system_files(&at).unwrap();
        let own = super::read(root, system.config.as_deref())?;
        let answer = at.ask(&Call::of(&["config", "--list", "--show-scope", "-z"])).unwrap();
        Some(answer.status.success() && own == listed(&answer.out))
    }

    fn repository() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        git(folder.path(), &["init", "--quiet", "--initial-branch=main"]);
        folder
    }

    #[test]
    fn settings_are_read_as_git_reads_them() {
        let begin = "[core]\n\trepositoryformatversion = 0\n";
        for (text, is_read) in [
            ("[a]\n\tb = c\n", true),
            ("[A \"B c\"]\n\tDe-f=g # h\n", true),
            ("[a.b]\nc\n", true),
            ("[a]b=c", true),
            ("[a]\nb = \"  c ; d \" ; e\n", true),
            ("[a]\nb = c  d   \n", true),
            ("[a]\nb = c\\\n  d\n", true),
            ("[a]\nb = \\t\\n\\\\\\\"x\n", true),
            ("[a]\r\nb = c\r\n", true),
            ("[a \"x\\\"y\"]\nb = c\n", true),
            ("[a]\nb =\n", true),
            ("[include]\npath = more\n[a]\nb = 1\n", true),
            ("[include]\npath = missing\n", true),
            ("[includeIf \"gitdir:/nowhere/\"]\npath = more\n", true),
            ("[includeIf \"gitdir:.git\"]\npath = more\n", false),
            ("[includeIf \"gitdir:**/.git\"]\npath = more\n", true),
            ("[includeIf \"onbranch:ma*\"]\npath = more\n", true),
            ("[includeIf \"onbranch:other/\"]\npath = more\n", true),
            ("[includeIf \"hasconfig:remote.*.url:x\"]\npath = more\n", false),
            ("[extensions]\nworktreeConfig = true\n", true),
            ("[a]\nb = c\td\n", false),
            ("[a]\nb = \\x\n", false),
            ("[a]\nb c\n", false),
            ("[a\nb = c\n", false),
        ] {
            let folder = repository();
            write(folder.path(), ".git/config", format!("{begin}{text}"));
            write(folder.path(), ".git/more", "[more]\nvalue = 1\n[include]\npath = \"\"\n[x]\ny\n");
            if text.contains("= more") {
                write(folder.path(), ".git/more", "[more]\nvalue = 1\n[x]\ny\n");
            }
            write(folder.path(), ".git/config.worktree", "[own]\nvalue = 2\n");
            assert_eq!(compared(folder.path()), is_read.then_some(true), "{text:?}");
        }
    }

    #[test]
    fn a_damaged_file_is_read_as_git_reads_it_or_left_to_git() {
        let text = "[own]\n\tname = false\n[a \"b\\\\c\"]\n\tD = \" e # f\" g ; h\n\ti\n  j=k\\\n l\n# m\n";
        let folder = repository();
        let mut read = 0;
        for at in 0..text.len() {
            for byte in ["\"", "\\", "\n", "=", "#", ""] {
                let end = if byte.is_empty() || at % 2 == 0 { at + 1 } else { at };
                let damaged = [&text[..at], byte, &text[end..]].concat();
                write(folder.path(), ".git/config", &damaged);
                let said = compared(folder.path());
                assert_ne!(said, Some(false), "{damaged:?}");
                read += usize::from(said.is_some());
            }
        }
        assert!(read > 100, "{read}");
    }
}
