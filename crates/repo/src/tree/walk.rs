//! The files of a working tree that git tracks or would add, found without git.
//!
//! Whatever git may see in another way gives `None`, and git is asked: a repository within the tree, a folder that cannot
//! be read, an attribute by which git stores files in another form, a name that git refuses.

use super::index::Entry;
use super::nested::CONVERTING;
use crate::git::patterns::Rules;
use crate::git::settings::{self, Settings, files};
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::{FileType, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use toolkit::cli::env;
use toolkit::files::{fs, root};

/// Extensions of a repository that change nothing about its files and its index.
const KNOWN_EXTENSIONS: [&str; 6] = [
    "extensions.noop",
    "extensions.partialclone",
    "extensions.preciousobjects",
    "extensions.refstorage",
    "extensions.relativeworktrees",
    "extensions.worktreeconfig",
];

/// Words of attributes by which git may change the ends of lines.
const ENDS_OF_LINES: [&str; 3] = ["text", "eol", "crlf"];

/// The files that exist, and how git stores them.
pub(super) struct Found {
    pub(super) files: Vec<(Vec<u8>, Metadata)>,
    /// Whether git may store a file with carriage returns in another form.
    pub(super) may_convert: bool,
}

/// Walks a tree whose index has these entries.
pub(super) fn walk(
    top: &Path,
    settings: &Settings,
    system_attributes: &Path,
    tracked: &[Entry],
) -> Option<Found> {
    if !files::are_all() || !files::is_own(top) || !is_plain(settings) {
        return None;
    }
    let common = root::common_git_dir(top);
    let may_convert =
        ["core.autocrlf", "core.eol"].iter().any(|key| settings.get(key).is_some_and(|v| !is_off(v)));
    let excludes = named(top, settings, "core.excludesfile", "ignore")?;
    let attributes = named(top, settings, "core.attributesfile", "attributes")?;
    let rules: Option<Vec<(usize, Rules)>> = excludes
        .iter()
        .chain([&common.join("info/exclude")])
        .map(|path| Some((0, rules_of(path)?)))
        .collect();
    let mut walk = Walk {
        top,
        tracked: tracked.iter().enumerate().map(|(at, entry)| (entry.path.as_slice(), at)).collect(),
        is_found: vec![false; tracked.len()],
        rules: rules?,
        pruned: HashSet::new(),
        found: Found { files: Vec::with_capacity(tracked.len()), may_convert },
    };
    let attributes = attributes.into_iter().chain([system_attributes.into(), common.join("info/attributes")]);
    for path in attributes {
        walk.attributes(&path)?;
    }
    walk.folder(&[])?;
    walk.rest(tracked)?;
    Some(walk.found)
}

/// Whether no setting makes git look at a tree in an unusual way.
fn is_plain(settings: &Settings) -> bool {
    let is_on = |value: &str| ["true", "yes", "on", "1"].iter().any(|word| value.eq_ignore_ascii_case(word));
    let usual = |key: &str, on: bool| {
        settings.get(key).is_none_or(|value| if on { is_on(value) } else { is_off(value) })
    };
    let version = settings.get("core.repositoryformatversion");
    version.is_none_or(|version| matches!(version, "0" | "1"))
        && settings.get("core.worktree").is_none()
        && settings.get("attr.tree").is_none()
        && usual("core.filemode", true)
        && usual("core.symlinks", true)
        && usual("core.bare", false)
        && usual("core.ignorecase", false)
        && usual("core.precomposeunicode", false)
        && settings.get("extensions.objectformat").is_none_or(|format| format == "sha1")
        && settings
            .keys()
            .filter(|key| key.starts_with("extensions."))
            .all(|key| key == "extensions.objectformat" || KNOWN_EXTENSIONS.contains(&key))
}

fn is_off(value: &str) -> bool {
    ["false", "no", "off", "0"].iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// The file that a setting names, or git's default for it, or none; `None` if only git can tell.
fn named(top: &Path, settings: &Settings, key: &str, default: &str) -> Option<Vec<PathBuf>> {
    let Some(value) = settings.get(key) else {
        let folder = env::get("XDG_CONFIG_HOME").map(PathBuf::from).or_else(|| settings::home(".config"));
        return Some(folder.map(|folder| folder.join("git").join(default)).into_iter().collect());
    };
    match value.strip_prefix("~/") {
        Some(rest) => Some(vec![settings::home(rest)?]),
        None if value.starts_with(['~', '%', ':']) || value.contains('\u{fffd}') => None,
        None if value.is_empty() => Some(Vec::new()),
        None => Some(vec![top.join(value)]),
    }
}

/// The rules of an ignore file, which may be missing.
fn rules_of(path: &Path) -> Option<Rules> {
    Rules::of(&fs::read_if_there(path).ok()?.unwrap_or_default())
}

struct Walk<'w> {
    top: &'w Path,
    tracked: HashMap<&'w [u8], usize>,
    is_found: Vec<bool>,
    /// Ignore rules, the last ones first in rank, each with the length of the folder's name that they are for.
    rules: Vec<(usize, Rules)>,
    /// Folders that are not walked.
    pruned: HashSet<Vec<u8>>,
    found: Found,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &[u8]) -> Option<()> {
        let entries = std::fs::read_dir(self.full(folder)).ok()?;
        let entries: Vec<(Vec<u8>, FileType)> = entries
            .map(|entry| entry.and_then(|e| Ok((e.file_name().as_bytes().to_vec(), e.file_type()?))).ok())
            .collect::<Option<_>>()?;
        let before = self.rules.len();
        for (name, kind) in &entries {
            match name.as_slice() {
                // Git knows its own folder by this name alone; elsewhere it is another repository.
                b".git" if !folder.is_empty() => return None,
                b".gitignore" | b".gitattributes" if !kind.is_file() => return None,
                b".gitattributes" => self.attributes(&self.full(&joined(folder, name)))?,
                b".gitignore" => {
                    let base = if folder.is_empty() { 0 } else { folder.len() + 1 };
                    self.rules.push((base, rules_of(&self.full(&joined(folder, name)))?));
                }
                name if is_refused(name) => return None,
                _ => {}
            }
        }
        for (name, kind) in entries.iter().filter(|(name, _)| name != b".git") {
            let path = joined(folder, name);
            if kind.is_dir() {
                if path == b".plantools" || self.is_ignored(&path, true) {
                    self.pruned.insert(path);
                } else {
                    self.folder(&path)?;
                }
            } else if (kind.is_file() || kind.is_symlink())
                && (self.tracked.contains_key(path.as_slice()) || !self.is_ignored(&path, false))
            {
                self.add(path)?;
            }
        }
        self.rules.truncate(before);
        Some(())
    }

    /// Adds the files that git tracks although it ignores their folders.
    fn rest(&mut self, tracked: &[Entry]) -> Option<()> {
        let mut known: HashMap<Vec<u8>, bool> = HashMap::new();
        for (at, entry) in tracked.iter().enumerate() {
            let path = &entry.path;
            if !self.is_found[at] && ancestors(path).any(|folder| self.pruned.contains(folder)) {
                let mut is_reached = true;
                for folder in ancestors(path) {
                    if !known.contains_key(folder) {
                        known.insert(folder.to_vec(), is_reached && self.looked_at(folder)?);
                    }
                    is_reached &= known.get(folder) == Some(&true);
                }
                let kind = self.full(path).symlink_metadata().ok().filter(|_| is_reached);
                if kind.is_some_and(|about| about.is_file() || about.is_symlink()) {
                    self.add(path.clone())?;
                }
            }
            // Git takes its rules from the index where their file is missing.
            let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
            let counts = name == b".gitattributes" || name == b".gitignore" && entry.may_be_absent;
            if counts && !self.is_found[at] {
                return None;
            }
        }
        Some(())
    }

    /// Whether a path is a folder that git would look into for what it tracks there.
    fn looked_at(&mut self, folder: &[u8]) -> Option<bool> {
        if !self.full(folder).symlink_metadata().is_ok_and(|about| about.is_dir()) {
            return Some(false);
        }
        if self.full(&joined(folder, b".git")).symlink_metadata().is_ok() {
            return None;
        }
        self.attributes(&self.full(&joined(folder, b".gitattributes")))?;
        Some(true)
    }

    fn add(&mut self, path: Vec<u8>) -> Option<()> {
        let about = match self.full(&path).symlink_metadata() {
            Ok(about) => about,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Some(()),
            Err(_) => return None,
        };
        if let Some(at) = self.tracked.get(path.as_slice()) {
            self.is_found[*at] = true;
        }
        if about.is_file() || about.is_symlink() {
            self.found.files.push((path, about));
        }
        Some(())
    }

    fn is_ignored(&self, path: &[u8], is_folder: bool) -> bool {
        let said = self.rules.iter().rev().find_map(|(base, rules)| rules.say(&path[*base..], is_folder));
        said == Some(true)
    }

    /// Reads a file of attributes, which may be missing.
    fn attributes(&mut self, path: &Path) -> Option<()> {
        let text = fs::read_if_there(path).ok()?.unwrap_or_default();
        let has = |word: &&str| text.windows(word.len()).any(|found| found == word.as_bytes());
        if CONVERTING.iter().any(&has) {
            return None;
        }
        self.found.may_convert |= ENDS_OF_LINES.iter().any(&has);
        Some(())
    }

    fn full(&self, path: &[u8]) -> PathBuf {
        self.top.join(OsStr::from_bytes(path))
    }
}

/// Whether git may refuse to track this name: it could be `.git` on another file system.
fn is_refused(name: &[u8]) -> bool {
    let is = |text: &[u8]| name.get(..text.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(text));
    let plain =
        [&b".git"[..], b".gitignore", b".gitattributes", b".gitmodules", b".gitkeep", b".github", b".gitlab"];
    let beyond_ascii = || is(b".g") && !name.is_ascii();
    name.contains(&b'\\')
        || is(b"git~")
        || beyond_ascii()
        || is(b".git")
            && !plain.contains(&name)
            && !name.get(4).is_some_and(|next| next.is_ascii_alphanumeric() || matches!(next, b'-' | b'_'))
}

fn joined(folder: &[u8], name: &[u8]) -> Vec<u8> {
    if folder.is_empty() { name.to_vec() } else { [folder, b"/", name].concat() }
}

/// The folders of a path, from the top.
fn ancestors(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| &path[..end])
}
