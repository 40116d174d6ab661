//! Content that a tree's objects do not show: the files of a nested repository, and bytes that git stores in
//! another form.
//!
//! Everything is read as it is on disk. No filter of a nested repository is run: its configuration is not pinned.

use crate::git::{Call, Git, nul_separated};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use toolkit::Fail;
use toolkit::files::oversize;
use toolkit::files::{fs, root, sha};

/// Attributes that make git store a file in another form, which the object's name does not show.
pub(super) const CONVERTING: [&str; 3] = ["filter", "ident", "working-tree-encoding"];

/// One digest over all files of a repository at this path that git tracks there or would add; `None` if there is
/// none.
pub fn of_repository(git: &Git, path: &Path) -> Result<Option<String>, Fail> {
    let top = git.home().root().join(path);
    if !top.join(".git").exists() {
        return Ok(None);
    }
    let shown = top.to_string_lossy().into_owned();
    let list = ["-C", &shown, "ls-files", "-z", "-c", "-o", "--exclude-standard"];
    let answer = git.ask(&Call::of(&list))?;
    let mut hasher = sha::Hasher::new();
    // A repository that git cannot list must still give another digest.
    hasher.update(answer.err.as_bytes());
    for name in answer.out.split(|b| *b == 0).filter(|name| !name.is_empty()) {
        hasher.update(name);
        hasher.update(b"\0");
        let path = path.join(OsStr::from_bytes(name));
        let inner = if git.home().root().join(&path).is_dir() { of_repository(git, &path)? } else { None };
        let digest = match inner {
            Some(inner) => inner,
            None => raw(&git.home().root().join(&path))?,
        };
        hasher.update(digest.as_bytes());
    }
    Ok(Some(hasher.finish()))
}

/// The files that git stores in another form, each with the object name of its own bytes. `stored` returns what git
/// stores. Costs nothing if no attribute asks for it; an attribute that changes no byte changes nothing here.
pub fn of_converted<'s>(
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
    // Names are passed line by line, so skip a name with several lines; such a file is not converted in practice.
    let is_file = |name: &&[u8]| {
        let data = top.join(OsStr::from_bytes(name)).symlink_metadata();
        !name.contains(&b'\n') && data.is_ok_and(|data| data.is_file())
    };
    let converted: BTreeSet<&[u8]> = converted.filter(is_file).collect();
    if converted.is_empty() {
        return Ok(BTreeMap::new());
    }
    oversize::refuse(top, converted.iter().copied())?;
    let input: Vec<u8> = converted.iter().flat_map(|name| [name, &b"\n"[..]].concat()).collect();
    let own = git.run(&Call::of(&["hash-object", "--no-filters", "--stdin-paths"]).input(&input))?.out;
    let stored = stored();
    let pairs = converted.iter().zip(own.split(|b| *b == b'\n'));
    let differ = pairs.filter(|(name, own)| stored.get(*name) != Some(own));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(differ.map(|(name, own)| (text(name), text(own))).collect())
}

/// Git LFS stores a file by the digest of its bytes, which is enough.
fn is_converting(attribute: &[u8], value: &[u8]) -> bool {
    match value {
        b"unspecified" | b"unset" => false,
        b"lfs" => attribute != b"filter",
        _ => true,
    }
}

/// The digest of a file's bytes or of a link's target, or that it cannot be read. Fails for a file that is too
/// large: otherwise two of them would look the same.
fn raw(path: &Path) -> Result<String, Fail> {
    if let Ok(target) = std::fs::read_link(path) {
        return Ok(format!("link {}", sha::hex(target.as_os_str().as_bytes())));
    }
    match fs::read_if_there(path) {
        Ok(Some(bytes)) => Ok(sha::hex(&bytes)),
        Ok(None) => Ok("gone".to_owned()),
        Err(fail) if fail.code == oversize::TOO_LARGE => Err(fail),
        Err(fail) => Ok(fail.code.to_owned()),
    }
}
