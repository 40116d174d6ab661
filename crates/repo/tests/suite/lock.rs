//! Locks: which holder excludes which, and the work done under them.

use repo::git::Git;
use repo::worktree;
use std::time::Duration;
use testbench::{git, until};
use toolkit::files::lock::Lock;
use toolkit::files::root::Home;

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
    // A process that another test forks has our open files for a moment.
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
    git(&root, &["commit", "-q", "--allow-empty", "-m", "start"]);
    let home = Home::of(&root).unwrap();
    let making = [1, 2].map(|_| worktree::making(&home, "test").unwrap());
    let tree = worktree::make(&Git::new(home.clone()), "one-0123abcd", "HEAD").unwrap();
    let tidied = || {
        worktree::tidy(&home, |_| false, "test").unwrap();
        !root.join(&tree.path).exists()
    };
    assert!(!tidied());
    drop(making);
    // No record names it. A process that another test forks has our lock for a moment.
    until(tidied);
}
