//! Files that only checks write: coverage reports, databases, build results that git does not ignore.
//!
//! They are listed in `.plantools/products.json`, which counts only as the ledger has it on record. As long as git does not
//! track them they are no part of the tree, of a snapshot or of a commit. The same holds for what editors write beside a
//! file while a person edits it.

use crate::git::{Call, Git, nul_separated};
use ledger::{Entry, Ledger};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;
use toolkit::Fail;
use toolkit::files::root::Home;
use toolkit::files::{fs, sha};
use wire::RunId;
use wire::punch::{Punch, SourceKind, Trust, Type};

const NAME: &str = "products.json";
/// The record of the list; its data contains the digest of the file, and the files that are new in it.
const RECORD: (Type, &str, SourceKind, Trust) =
    (Type::Message, "products", SourceKind::Gate, Trust::Observed);

/// The list as it is in its file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Listed {
    /// The plan whose records vouch for it.
    plan: String,
    files: BTreeSet<String>,
}

/// Every product that is on record, as seen from the root of the tree. A list that is not on record counts for nothing.
pub fn on_record(home: &Home) -> Result<BTreeSet<String>, Fail> {
    let home = main(home)?;
    let Some(bytes) = fs::read_if_there(&home.path(NAME))? else { return Ok(BTreeSet::new()) };
    let Ok(listed) = serde_json::from_slice::<Listed>(&bytes) else { return Ok(BTreeSet::new()) };
    let digest = sha::hex(&bytes);
    let is_it = |p: &Punch| {
        (p.kind, p.key.as_str(), p.source.kind, p.trust) == RECORD && p.data["sha256"] == digest.as_str()
    };
    let known = Ledger::new(home).read_of(&listed.plan)?.iter().rev().any(is_it);
    Ok(if known { listed.files } else { BTreeSet::new() })
}

/// Whether an editor writes a file of this name beside the one that is edited (a swap file, a lock, a backup), or a browser
/// of files into every folder that it shows.
pub fn is_of_editor(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    // Vim's swap files count down from `.swp`, and it tries with `4913` whether it may write here.
    let swap = name.starts_with('.')
        && name
            .rsplit_once(".sw")
            .is_some_and(|(_, end)| end.len() == 1 && end.bytes().all(|b| b.is_ascii_lowercase()));
    let emacs = name.starts_with(".#") || name.len() > 2 && name.starts_with('#') && name.ends_with('#');
    let others =
        name.starts_with(".goutputstream-") || name.ends_with(".kate-swp") || name.ends_with("___jb_tmp___");
    swap || name == "4913"
        || emacs
        || name.len() > 1 && name.ends_with('~')
        || others
        || matches!(name, ".DS_Store" | "Thumbs.db")
        || name.ends_with("___jb_old___")
}

/// Those of the listed files that an editor wrote and git does not track in this tree.
pub(crate) fn of_editors<'l>(git: &Git, listed: &[&'l [u8]]) -> Result<Vec<&'l [u8]>, Fail> {
    let mut found: Vec<&[u8]> =
        listed.iter().copied().filter(|path| is_of_editor(&String::from_utf8_lossy(path))).collect();
    if !found.is_empty() {
        let tracked = git.run(&Call::of(&["ls-files", "-z", "--cached"]))?.out;
        let tracked: BTreeSet<&[u8]> = tracked.split(|b| *b == 0).collect();
        found.retain(|path| !tracked.contains(path));
    }
    Ok(found)
}

/// Those of the products that git does not track in this tree.
pub fn untracked(git: &Git) -> Result<BTreeSet<String>, Fail> {
    let mut files = on_record(git.home())?;
    if files.is_empty() {
        return Ok(files);
    }
    let call = ["ls-files", "-z", "--cached"];
    let listed = git.run(&Call::of(&call))?.out;
    for tracked in listed.split(|b| *b == 0) {
        files.remove(&*String::from_utf8_lossy(tracked));
    }
    Ok(files)
}

/// Adds products: first to the ledger, then to the list. Returns those that are new.
pub fn add(
    home: &Home,
    plan: &str,
    run: &RunId,
    now: String,
    found: impl IntoIterator<Item = String>,
) -> Result<Vec<String>, Fail> {
    let home = main(home)?;
    let mut files = on_record(&home)?;
    let new: Vec<String> = found.into_iter().filter(|path| files.insert(path.clone())).collect();
    if new.is_empty() {
        return Ok(new);
    }
    let listed = Listed { plan: plan.to_owned(), files };
    let bytes = serde_json::to_vec(&listed).map_err(|e| Fail::data("bad-record", e.to_string()))?;
    let (kind, key, source, trust) = RECORD;
    let data = json!({ "sha256": sha::hex(&bytes), "new": new });
    let entry = Entry::new(run.clone(), kind, key, now);
    Ledger::new(home.clone()).append(Entry { plan: plan.to_owned(), source, trust, data, ..entry })?;
    fs::create(&home.folder("")?.join(NAME), &bytes)?;
    Ok(new)
}

/// Takes products out of an index.
pub(crate) fn leave_out(git: &Git, index: &Path) -> Result<(), Fail> {
    let files = untracked(git)?;
    if files.is_empty() {
        return Ok(());
    }
    let remove = ["update-index", "-z", "--force-remove", "--stdin"];
    git.run(&Call::of(&remove).input(&nul_separated(&files)).index(index)).map(|_| ())
}

/// The home of the main tree: a task's own tree is below it.
fn main(home: &Home) -> Result<Home, Fail> {
    let parts: Vec<_> = home.root().components().collect();
    let at = parts
        .windows(2)
        .position(|pair| pair[0].as_os_str() == ".plantools" && pair[1].as_os_str() == "worktrees");
    match at {
        Some(at) => Home::of(&parts[..at].iter().collect::<std::path::PathBuf>()),
        None => Ok(home.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::is_of_editor;

    #[test]
    fn files_of_editors_are_known_by_their_names() {
        for path in [
            ".PLAN.md.swp",
            "src/.a.rs.swo",
            "4913",
            "src/4913",
            ".#a.rs",
            "#a.rs#",
            "a.rs~",
            "b/.goutputstream-X1",
            "b/.DS_Store",
        ] {
            assert!(is_of_editor(path), "{path}");
        }
        for path in
            ["a.swp", "swp", ".swift", "x.sw", "49130", "#", "##", "~", "a#b#c", ".a.swap", "src~/a.rs"]
        {
            assert!(!is_of_editor(path), "{path}");
        }
    }
}
