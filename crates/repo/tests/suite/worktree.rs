//! The worktree of an attempt, after a power cut too.

use repo::git::Git;
use repo::worktree::{self, is_whole};
use testbench::{git, write};
use toolkit::files::fs;
use toolkit::files::root::Home;

/// What a power cut leaves of files that were never synced: nothing of their content, or not even their names.
#[test]
fn a_worktree_is_whole_while_git_can_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    git(&root, &["init", "--quiet"]);
    git(&root, &["config", "user.name", "Test"]);
    git(&root, &["config", "user.email", "test@example.invalid"]);
    write(&root, "a.txt", "one");
    git(&root, &["add", "--all"]);
    git(&root, &["commit", "--quiet", "-m", "start"]);
    let main = Git::new(Home::of(&root).unwrap());
    let base = main.head().unwrap().unwrap();
    let lost = |lose: &dyn Fn(&std::path::Path, &std::path::Path)| {
        let tree = worktree::make(&main, "1-0123abcd", &base).unwrap();
        let path = root.join(&tree.path);
        write(&path, "a.txt", "two");
        assert!(is_whole(&path).unwrap());
        lose(&path, &root.join(".git/worktrees/1-0123abcd"));
        is_whole(&path).unwrap()
    };
    let emptied = |path: std::path::PathBuf| fs::create(&path, b"").unwrap();
    assert!(!lost(&|path, _| emptied(path.join(".git"))));
    assert!(!lost(&|path, _| std::fs::remove_file(path.join(".git")).unwrap()));
    assert!(!lost(&|_, own| std::fs::remove_dir_all(own).unwrap()));
    assert!(!lost(&|_, own| emptied(own.join("HEAD"))));
    assert!(!lost(&|_, own| fs::create(&own.join("index"), b"torn").unwrap()));
    assert!(lost(&|path, _| std::fs::remove_file(path.join("a.txt")).unwrap()));
}
