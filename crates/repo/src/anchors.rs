//! Anchors: references from commits to the ledger. Each commit that `commit-run` makes carries the number and the
//! hash of the last record, so that a truncated or replaced ledger contradicts the history.
//!
//! A plan that was carried out in a worktree of its own has its records there. What a merge of its branch brought in vouches
//! for that ledger.

use crate::git::{Call, Git};
use std::collections::HashSet;
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

/// Every anchor in the history of HEAD, by number.
pub fn read(home: &Home) -> Result<Vec<Anchor>, Fail> {
    if !root::has_git(home.root()) {
        return Ok(Vec::new());
    }
    let git = Git::new(home.clone());
    if git.head()?.is_none() {
        return Ok(Vec::new());
    }
    let args = ["log", "-z", "--grep=^Ledger-Head: ", "--format=%H%n%(trailers:key=Ledger-Head,valueonly)"];
    let answer = git.run(&Call::of(&args))?;
    let text = String::from_utf8_lossy(&answer.out).into_owned();
    let elsewhere = elsewhere(&git)?;
    let own = text.split('\0').filter(|entry| !entry.get(..40).is_some_and(|hash| elsewhere.contains(hash)));
    let mut anchors: Vec<Anchor> = own.filter_map(anchor).collect();
    anchors.sort_by_key(|anchor| anchor.seq);
    Ok(anchors)
}

/// The beginning of the name of a branch on which a whole plan is carried out.
pub const BRANCHES: &str = "plan/";

/// The commits that merges of such branches have brought into this one.
fn elsewhere(git: &Git) -> Result<HashSet<String>, Fail> {
    let grep = format!("--grep=^Merge branch '{BRANCHES}");
    let merges = git.run(&Call::of(&["log", "--first-parent", "--merges", &grep, "--format=%P"]))?.out;
    let mut found = HashSet::new();
    for parents in String::from_utf8_lossy(&merges).lines() {
        let Some((first, second)) = parents.split_once(' ') else { continue };
        let range = format!("{first}..{}", second.split(' ').next().unwrap_or(second));
        let listed = git.run(&Call::of(&["rev-list", &range]))?.out;
        let listed = String::from_utf8_lossy(&listed).into_owned();
        found.extend(listed.lines().map(|hash| hash.chars().take(40).collect::<String>()));
    }
    Ok(found)
}

fn anchor(entry: &str) -> Option<Anchor> {
    let (commit, trailers) = entry.trim().split_once('\n')?;
    let (seq, hash) = trailers.lines().rev().find(|line| !line.is_empty())?.split_once(':')?;
    let hash = hash.trim().to_owned();
    Some(Anchor { commit: commit.chars().take(12).collect(), seq: seq.trim().parse().ok()?, hash })
}

#[cfg(test)]
mod tests {
    use super::anchor;

    #[test]
    fn the_last_trailer_of_a_commit_counts() {
        let found = anchor("0123456789abcdef\n3:aa\n7:bb\n").unwrap();
        assert_eq!((found.commit.as_str(), found.seq, found.hash.as_str()), ("0123456789ab", 7, "bb"));
        assert_eq!(anchor("0123456789abcdef\n\n"), None);
    }
}
