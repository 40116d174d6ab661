//! Locks: who keeps whom off, and what is done under them.

#![expect(clippy::unwrap_used, reason = "what cannot be set up is a failed test")]

use std::path::Path;
use std::process::Command;
use std::time::Duration;
use toolkit::git::Git;
use toolkit::lock::Lock;
use toolkit::root::Home;
use toolkit::worktree;

const SOON: Duration = Duration::from_millis(30);

#[test]
fn those_who_share_a_lock_keep_off_whoever_wants_it_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let shared = [1, 2].map(|_| Lock::share(&path, SOON, "many").unwrap());
    assert!(Lock::take_if_free(&path, "one").unwrap().is_none());
    let refused = Lock::take(&path, SOON, "one").unwrap_err();
    assert_eq!(refused.code, "lock-busy");
    drop(shared);
    // A process that another test starts has what is open here for a moment.
    let alone = Lock::take(&path, Duration::from_secs(10), "one").unwrap();
    assert_eq!(Lock::share(&path, SOON, "many").unwrap_err().code, "lock-busy");
    drop(alone);
    Lock::share(&path, SOON, "many").unwrap();
}

#[test]
fn a_worktree_that_is_being_made_is_not_taken_for_stale() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    git(&root, &["init", "-q"]);
    let who = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"];
    git(&root, &[&who[..], &["commit", "-q", "--allow-empty", "-m", "start"]].concat());
    let home = Home::of(&root).unwrap();
    let making = [1, 2].map(|_| worktree::making(&home, "test").unwrap());
    let tree = worktree::make(&Git::new(home.clone()), "one-0123abcd", "HEAD").unwrap();
    let tidied = || {
        worktree::tidy(&home, |_| false, "test").unwrap();
        !root.join(&tree.path).exists()
    };
    assert!(!tidied());
    drop(making);
    assert!(tidied(), "no record names it");
}

fn git(root: &Path, args: &[&str]) {
    let status =
        Command::new("git").args(args).current_dir(root).env("GIT_CONFIG_GLOBAL", "/dev/null").status();
    assert!(status.unwrap().success(), "git {args:?}");
}
