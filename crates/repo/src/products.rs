//! Files that only checks write: coverage reports, databases, build results that git does not ignore.
//!
//! They are listed in `.plantools/products.json`, which counts only as the ledger has it on record. As long as git does not
//! track them they are no part of the tree, of a snapshot or of a commit.

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
