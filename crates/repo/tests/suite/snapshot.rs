//! A commit of the whole working tree.

use repo::git::Git;
use repo::snapshot;
use testbench::{git, write};
use toolkit::files::root::Home;

/// Git fails the first time, as it does when a file disappears between its listing and its reading.
#[test]
fn a_snapshot_is_tried_again_when_git_fails_once() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    git(root, &["init", "--quiet"]);
    let flag = root.join(".git/failed-once");
    let clean = format!("test -e '{0}' || {{ : > '{0}'; exit 1; }}; cat", flag.display());
    git(root, &["config", "filter.once.clean", &clean]);
    git(root, &["config", "filter.once.required", "true"]);
    write(root, ".gitattributes", "*.txt filter=once\n");
    write(root, "a.txt", "one");
    let taken = snapshot::take(&Git::new(Home::of(root).unwrap()), None).unwrap();
    assert!(flag.is_file(), "git has not run the filter");
    assert_eq!(git(root, &["show", &format!("{taken}:a.txt")]), "one");
}
