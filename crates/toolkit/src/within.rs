//! What a tree's objects do not tell: the files of a repository within it, and bytes that git stores otherwise than they
//! are.
//!
//! Everything is read as it is on disk. No filter of a repository within is run: its configuration is nobody's that we
//! pinned.

use crate::git::{Call, Git, nul_separated};
use crate::{Fail, fs, root, sha};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Attributes with which git stores a file otherwise than it is, in a way that the object's name does not tell.
const CONVERTING: [&str; 3] = ["filter", "ident", "working-tree-encoding"];

/// One digest over all files of a repository at this path that git tracks there or would add; `None` where there is none.
pub(crate) fn of_repository(git: &Git, path: &Path) -> Result<Option<String>, Fail> {
    let top = git.home().root().join(path);
    if !top.join(".git").exists() {
        return Ok(None);
    }
    let shown = top.to_string_lossy().into_owned();
    let list = ["-C", &shown, "ls-files", "-z", "-c", "-o", "--exclude-standard"];
    let answer = git.ask(&Call::of(&list))?;
    let mut hasher = sha::Hasher::new();
    // A repository that git cannot list is still told from one that it can.
    hasher.update(answer.err.as_bytes());
    for name in answer.out.split(|b| *b == 0).filter(|name| !name.is_empty()) {
        hasher.update(name);
        hasher.update(b"\0");
        let path = path.join(OsStr::from_bytes(name));
        let inner = if git.home().root().join(&path).is_dir() { of_repository(git, &path)? } else { None };
        hasher.update(inner.unwrap_or_else(|| raw(&git.home().root().join(&path))).as_bytes());
    }
    Ok(Some(hasher.finish()))
}

/// The files that git stores otherwise than they are, each with the name that its own bytes would have. `stored` says what
/// git stores. It costs nothing where no attribute asks for that, and one that changes no byte changes nothing here.
pub(crate) fn of_converted<'s>(
    git: &Git,
    files: &[&[u8]],
    stored: impl FnOnce() -> HashMap<&'s [u8], &'s [u8]>,
) -> Result<BTreeMap<String, String>, Fail> {
    let top = git.home().root();
    let mut known = files.iter().filter(|name| name.ends_with(b".gitattributes"));
    let converts = |path: &Path| {
        let text = fs::read_if_there(path).ok().flatten().unwrap_or_default();
        CONVERTING.iter().any(|word| text.windows(word.len()).any(|w| w == word.as_bytes()))
    };
    if !converts(&root::common_git_dir(top).join("info/attributes"))
        && !known.any(|name| converts(&top.join(OsStr::from_bytes(name))))
    {
        return Ok(BTreeMap::new());
    }
    let input = nul_separated(files.iter().map(|name| OsStr::from_bytes(name)));
    let args = [&["check-attr", "-z", "--stdin"][..], &CONVERTING].concat();
    let told = git.run(&Call::of(&args).input(&input))?.out;
    let words: Vec<&[u8]> = told.split(|b| *b == 0).collect();
    let converted = words.chunks_exact(3).filter(|told| is_converting(told[1], told[2])).map(|told| told[0]);
    // Names are asked for line by line; a name of several lines is none that anybody converts.
    let is_file = |name: &&[u8]| {
        let data = top.join(OsStr::from_bytes(name)).symlink_metadata();
        !name.contains(&b'\n') && data.is_ok_and(|data| data.is_file())
    };
    let converted: BTreeSet<&[u8]> = converted.filter(is_file).collect();
    if converted.is_empty() {
        return Ok(BTreeMap::new());
    }
    let input: Vec<u8> = converted.iter().flat_map(|name| [name, &b"\n"[..]].concat()).collect();
    let own = git.run(&Call::of(&["hash-object", "--no-filters", "--stdin-paths"]).input(&input))?.out;
    let stored = stored();
    let pairs = converted.iter().zip(own.split(|b| *b == b'\n'));
    let differ = pairs.filter(|(name, own)| stored.get(*name) != Some(own));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(differ.map(|(name, own)| (text(name), text(own))).collect())
}

/// Large files kept elsewhere are stored by the digest of their bytes, which tells everything already.
fn is_converting(attribute: &[u8], value: &[u8]) -> bool {
    match value {
        b"unspecified" | b"unset" => false,
        b"lfs" => attribute != b"filter",
        _ => true,
    }
}

/// The bytes of a file, where a link leads to, or that it cannot be read.
fn raw(path: &Path) -> String {
    if let Ok(target) = std::fs::read_link(path) {
        return format!("link {}", sha::hex(target.as_os_str().as_bytes()));
    }
    match fs::read_if_there(path) {
        Ok(Some(bytes)) => sha::hex(&bytes),
        Ok(None) => "gone".to_owned(),
        Err(fail) => fail.code.to_owned(),
    }
}
