//! Anchors: references from commits to the ledger. Each commit that `commit-run` makes carries the number and the
//! hash of the last record, so that a truncated or rewritten ledger contradicts the history.
//!
//! It also names the ledger: in a clone, in a worktree and after `.plantools` was removed there is another one, and a commit
//! contradicts its own ledger alone.

use crate::git::{Call, Git};
use ledger::Ledger;
use toolkit::Fail;
use toolkit::files::root::{self, Home};

/// The anchor in one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// The commit, shortened.
    pub commit: String,
    /// The record's number.
    pub seq: u64,
    /// The record's hash.
    pub hash: String,
}

/// The anchors in the history of HEAD.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Anchors {
    /// Those of this ledger, by number.
    pub own: Vec<Anchor>,
    /// How many commits name another ledger: another clone's, that of a worktree, or one that was removed.
    pub elsewhere: u64,
}

/// Every anchor in the history of HEAD.
pub fn read(home: &Home) -> Result<Anchors, Fail> {
    let mut anchors = Anchors::default();
    if !root::has_git(home.root()) {
        return Ok(anchors);
    }
    let git = Git::new(home.clone());
    if git.head()?.is_none() {
        return Ok(anchors);
    }
    let args = ["log", "-z", "--grep=^Ledger-Head: ", "--format=%H%n%(trailers:key=Ledger-Head,valueonly)"];
    let answer = git.run(&Call::of(&args))?;
    let text = String::from_utf8_lossy(&answer.out).into_owned();
    let name = Ledger::new(home.clone()).name()?;
    for (anchor, ledger) in text.split('\0').filter_map(anchor) {
        if name.is_some() && ledger == name {
            anchors.own.push(anchor);
        } else {
            anchors.elsewhere += 1;
        }
    }
    anchors.own.sort_by_key(|anchor| anchor.seq);
    Ok(anchors)
}

/// The beginning of the name of a branch on which a whole plan is carried out.
pub const BRANCHES: &str = "plan/";

/// The anchor in a commit, and the name of its ledger.
fn anchor(entry: &str) -> Option<(Anchor, Option<String>)> {
    let (commit, trailers) = entry.trim().split_once('\n')?;
    let mut words = trailers.lines().rev().find(|line| !line.is_empty())?.trim().splitn(3, ':');
    let (seq, hash) = (words.next()?.parse().ok()?, words.next()?.to_owned());
    Some((Anchor { commit: commit.chars().take(12).collect(), seq, hash }, words.next().map(str::to_owned)))
}

#[cfg(test)]
mod tests {
    use super::anchor;

    #[test]
    fn the_last_trailer_of_a_commit_counts() {
        let (found, ledger) = anchor("0123456789abcdef\n3:aa:c\n7:bb:cc\n").unwrap();
        assert_eq!((found.commit.as_str(), found.seq, found.hash.as_str()), ("0123456789ab", 7, "bb"));
        assert_eq!(ledger.as_deref(), Some("cc"));
        assert_eq!(anchor("0123456789abcdef\n3:aa\n").unwrap().1, None);
        assert_eq!(anchor("0123456789abcdef\n\n"), None);
    }
}
