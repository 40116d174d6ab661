//! The tree as one hash: it sees every edit, and none of ours.

#![expect(clippy::unwrap_used, reason = "a test may end where something is missing")]

use std::io::Write;
use std::path::Path;
use std::process::Command;
use toolkit::root::{Home, find};
use toolkit::tree::{Ground, Tree};

fn git(root: &Path, args: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=T", "-c", "user.email=t@example.invalid"])
        .args(args)
        .current_dir(root)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
}

fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "--quiet"]);
    write(folder.path(), "a.txt", "one");
    write(folder.path(), ".gitignore", "*.log\n");
    git(folder.path(), &["add", "--all"]);
    git(folder.path(), &["commit", "--quiet", "--message", "start"]);
    folder
}

fn tree(root: &Path, ground: &Ground) -> Tree {
    Tree::now(&Home::of(root).unwrap(), ground).unwrap().unwrap()
}

#[test]
fn every_edit_is_seen_even_of_equal_length_at_once() {
    let folder = repository();
    let (root, ground) = (folder.path(), Ground::default());
    let mut seen = vec![tree(root, &ground)];
    for text in ["two", "six", "one"] {
        write(root, "a.txt", text);
        seen.push(tree(root, &ground));
    }
    assert_eq!(seen[0].hash, seen[3].hash);
    assert!(seen[0].hash != seen[1].hash && seen[1].hash != seen[2].hash);
    assert_eq!(seen[1].changed_since(&seen[0]), ["a.txt"]);
}

#[test]
fn new_gone_and_executable_files_count_and_ignored_ones_do_not() {
    let folder = repository();
    let (root, ground) = (folder.path(), Ground::default());
    let start = tree(root, &ground);
    write(root, "x.log", "noise");
    assert_eq!(tree(root, &ground).hash, start.hash);
    write(root, "new file.txt", "n");
    assert_eq!(tree(root, &ground).changed_since(&start), ["new file.txt"]);
    std::fs::remove_file(root.join("a.txt")).unwrap();
    assert_eq!(tree(root, &ground).changed_since(&start), ["a.txt", "new file.txt"]);
}

#[test]
fn neither_staging_nor_committing_changes_the_tree_and_the_index_is_not_touched() {
    let folder = repository();
    let (root, ground) = (folder.path(), Ground::default());
    write(root, "a.txt", "two");
    write(root, "b.txt", "new");
    let index = std::fs::read(root.join(".git/index")).unwrap();
    let before = tree(root, &ground);
    assert_eq!(std::fs::read(root.join(".git/index")).unwrap(), index);
    git(root, &["add", "--all"]);
    assert_eq!(tree(root, &ground).hash, before.hash);
    git(root, &["commit", "--quiet", "--message", "next"]);
    assert_eq!(tree(root, &ground).hash, before.hash);
}

#[test]
fn our_own_files_are_left_out_and_the_plan_is_taken_blanked() {
    let folder = repository();
    let root = folder.path();
    let ground =
        |digest: &str| Ground { own: vec!["context/".into()], plan: vec![("PLAN.md".into(), digest.into())] };
    write(root, "PLAN.md", "- [ ] a");
    let before = tree(root, &ground("same"));
    write(root, "PLAN.md", "- [x] a");
    write(root, "context/outputs.json", "{}");
    assert_eq!(tree(root, &ground("same")).hash, before.hash);
    assert_ne!(tree(root, &ground("other")).hash, before.hash);
}

#[test]
fn the_root_of_a_linked_worktree_is_its_own_and_outside_git_it_is_the_folder() {
    let folder = repository();
    let root = folder.path().canonicalize().unwrap();
    assert_eq!(find(&root.join("a.txt")).unwrap(), root);
    let other = tempfile::tempdir().unwrap();
    write(other.path(), "sub/PLAN.md", "x");
    assert_eq!(
        find(&other.path().join("sub/PLAN.md")).unwrap(),
        other.path().join("sub").canonicalize().unwrap()
    );
    assert!(Tree::now(&Home::of(other.path()).unwrap(), &Ground::default()).unwrap().is_none());
}
