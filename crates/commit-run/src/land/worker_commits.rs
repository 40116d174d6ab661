//! Replays the commits that a worker made in its own tree on the main tree's branch.
//!
//! A task's own tree may begin from uncommitted files. So commits are never taken over unchanged: each is merged
//! again, with its author, date and message, onto the branch.

use config::LandBy;
use repo::git::{Call, Git};
use repo::snapshot;
use toolkit::Fail;
use wire::order::Worktree;

/// The branch before and after, and the commits between.
pub(crate) struct Replayed {
    pub(crate) head: (String, String),
    pub(crate) commits: Vec<String>,
}

/// Replays the commits of a worktree; `None` if there are none, or no branch for them.
pub(crate) fn replay(git: &Git, by: LandBy, tree: &Worktree, last: &str) -> Result<Option<Replayed>, Fail> {
    let Some(old) = git.head()? else { return Ok(None) };
    let range = format!("{}..{last}", tree.base);
    let listed = git.run(&Call::of(&["rev-list", "--reverse", "--topo-order", &range]))?;
    let listed = String::from_utf8_lossy(&listed.out).into_owned();
    let mut made = Vec::new();
    let mut head = old.clone();
    match by {
        LandBy::Squash => {
            let joined = snapshot::merge(git, &tree.base, &head, last)?;
            let messages = git.run(&Call::of(&["log", "--reverse", "--format=%B", &range]))?;
            let message = String::from_utf8_lossy(&messages.out).into_owned();
            head = again(git, last, &joined.tree, &head, message.trim())?;
            made.push(head.clone());
        }
        LandBy::Rebase | LandBy::Merge => {
            for commit in listed.lines() {
                let parent = format!("{commit}^");
                let joined = snapshot::merge(git, &parent, &head, commit)?;
                let message = git.run(&Call::of(&["log", "-1", "--format=%B", commit]))?;
                head = again(git, commit, &joined.tree, &head, &String::from_utf8_lossy(&message.out))?;
                made.push(head.clone());
            }
        }
    }
    if by == LandBy::Merge && !made.is_empty() {
        head = join(git, &old, &head, &tree.branch)?;
        made.push(head.clone());
    }
    Ok((!made.is_empty()).then_some(Replayed { head: (old, head), commits: made }))
}

/// A merge commit that joins a line of commits to the branch they are based on.
pub(crate) fn join(git: &Git, onto: &str, last: &str, branch: &str) -> Result<String, Fail> {
    let tree = snapshot::tree_of(git, last)?;
    let message = format!("Merge branch '{branch}'");
    Ok(git.run(&Call::of(&["commit-tree", &tree, "-p", onto, "-p", last, "-m", &message]))?.line())
}

/// The same commit with another tree on another parent.
fn again(git: &Git, commit: &str, tree: &str, parent: &str, message: &str) -> Result<String, Fail> {
    let who = git.run(&Call::of(&["log", "-1", "--format=%an%x00%ae%x00%aI", commit]))?;
    let who = String::from_utf8_lossy(&who.out).trim_end().to_owned();
    let mut who = who.split('\0');
    let mut next = || who.next().unwrap_or_default().to_owned();
    let (name, mail, date) = (next(), next(), next());
    let author = [("GIT_AUTHOR_NAME", name), ("GIT_AUTHOR_EMAIL", mail), ("GIT_AUTHOR_DATE", date)];
    let args = ["commit-tree", tree, "-p", parent, "-F", "-"];
    Ok(git.run(&Call::of(&args).input(message.as_bytes()).variables(&author))?.line())
}
