//! The tree as one hash: every edit changes it, except our own.

#![expect(clippy::unwrap_used, reason = "a test may end where something is missing")]

use repo::git::Git;
use repo::tree::{OwnFiles, Tree};
use std::path::Path;
use std::process::Command;
use testbench::{git, write};
use toolkit::files::root::{Home, find};

fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "--quiet"]);
    write(folder.path(), "a.txt", "one");
    write(folder.path(), ".gitignore", "*.log\n");
    git(folder.path(), &["add", "--all"]);
    git(folder.path(), &["commit", "--quiet", "--message", "start"]);
    folder
}

fn tree(root: &Path, ground: &OwnFiles) -> Tree {
    Tree::now(&Home::of(root).unwrap(), ground).unwrap().unwrap()
}

#[test]
fn every_edit_is_seen_even_of_equal_length_at_once() {
    let folder = repository();
    let (root, ground) = (folder.path(), OwnFiles::default());
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
    let (root, ground) = (folder.path(), OwnFiles::default());
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
    let (root, ground) = (folder.path(), OwnFiles::default());
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
    let ground = |digest: &str| OwnFiles {
        own: vec!["context/".into()],
        plan: vec![("PLAN.md".into(), digest.into())],
    };
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
    assert!(Tree::now(&Home::of(other.path()).unwrap(), &OwnFiles::default()).unwrap().is_none());
}

#[test]
fn what_is_remembered_says_the_same_as_a_look_at_everything() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = repository();
    let (root, ground) = (folder.path(), OwnFiles::default());
    let changes: [&dyn Fn(); 9] = [
        &|| {},
        &|| std::fs::set_permissions(root.join("a.txt"), PermissionsExt::from_mode(0o755)).unwrap(),
        &|| std::fs::remove_file(root.join("a.txt")).unwrap(),
        &|| symlink("nowhere", root.join("a.txt")).unwrap(),
        &|| std::fs::remove_file(root.join("a.txt")).unwrap(),
        &|| write(root, "a.txt/inner", "a folder now"),
        &|| _ = git(root, &["rm", "--quiet", "--cached", ".gitignore"]),
        &|| write(root, ".gitignore", "*.log\n.gitignore\n"),
        &|| _ = git(root, &["add", "--intent-to-add", "--force", ".gitignore"]),
    ];
    for (number, change) in changes.iter().enumerate() {
        change();
        let remembered = [tree(root, &ground), tree(root, &ground)];
        // Nothing is known of a copy.
        let other = tempfile::tempdir().unwrap();
        let copy = other.path().join("copy");
        let status = Command::new("cp").arg("-a").arg(root).arg(&copy).status().unwrap();
        assert!(status.success());
        std::fs::remove_dir_all(copy.join(".plantools")).unwrap();
        let afresh = tree(&copy, &ground);
        assert!(remembered.iter().all(|tree| *tree == afresh), "{number}: {remembered:?} {afresh:?}");
    }
}

#[test]
fn the_commit_is_found_however_git_keeps_it() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("main");
    std::fs::create_dir(&root).unwrap();
    let head = |root: &Path| Git::new(Home::of(root).unwrap()).head().unwrap();
    let said = |root: &Path| {
        let said = Command::new("git").args(["rev-parse", "HEAD"]).current_dir(root).output().unwrap();
        Some(String::from_utf8(said.stdout).unwrap().trim().to_owned())
    };
    git(&root, &["init", "--quiet"]);
    assert_eq!(head(&root), None);
    git(&root, &["commit", "--quiet", "--allow-empty", "--message", "one"]);
    assert_eq!(head(&root), said(&root));
    git(&root, &["worktree", "add", "--quiet", "../other"]);
    let other = folder.path().join("other");
    git(&other, &["commit", "--quiet", "--allow-empty", "--message", "two"]);
    assert!(head(&other) == said(&other) && head(&other) != head(&root));
    git(&root, &["pack-refs", "--all"]);
    assert_eq!((head(&root), head(&other)), (said(&root), said(&other)));
    git(&root, &["checkout", "--quiet", "--detach", "other"]);
    assert_eq!(head(&root), said(&other));
}

#[test]
fn an_edit_is_seen_although_the_index_says_not_to_look() {
    for mark in ["--skip-worktree", "--assume-unchanged"] {
        let folder = repository();
        let (root, ground) = (folder.path(), OwnFiles::default());
        git(root, &["update-index", mark, "a.txt"]);
        let before = tree(root, &ground);
        assert!(before.entries.contains_key("a.txt"), "{mark}");
        write(root, "a.txt", "two");
        assert_eq!(tree(root, &ground).changed_since(&before), ["a.txt"], "{mark}");
    }
}

#[test]
fn a_folder_that_became_a_link_is_gone_with_its_files() {
    let folder = repository();
    let (root, ground) = (folder.path(), OwnFiles::default());
    write(root, "tests/a.sh", "exit 1");
    git(root, &["add", "--all"]);
    let before = tree(root, &ground);
    std::fs::rename(root.join("tests"), root.join("elsewhere.log")).unwrap();
    std::os::unix::fs::symlink("elsewhere.log", root.join("tests")).unwrap();
    assert_eq!(tree(root, &ground).changed_since(&before), ["tests", "tests/a.sh"]);
}

#[test]
fn an_edit_in_a_repository_within_is_seen_whether_it_is_a_submodule_or_not() {
    let (folder, source) = (repository(), repository());
    let (root, ground) = (folder.path(), OwnFiles::default());
    git(root, &["init", "--quiet", "nested"]);
    let shown = source.path().to_string_lossy().into_owned();
    git(root, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &shown, "sub"]);
    git(root, &["commit", "--quiet", "--message", "sub"]);
    let mut before = tree(root, &ground);
    for (name, path) in [("sub", "sub/a.txt"), ("sub", "sub/new.txt"), ("nested", "nested/b.txt")] {
        write(root, path, "evil");
        let now = tree(root, &ground);
        assert_eq!(now.changed_since(&before), [name], "{path}");
        assert_ne!(now.hash, before.hash, "{path}");
        before = now;
    }
}

#[test]
fn bytes_that_git_does_not_store_are_part_of_the_tree() {
    let folder = repository();
    let (root, ground) = (folder.path(), OwnFiles::default());
    write(root, ".gitattributes", "*.sh ident\n");
    write(root, "run.sh", "echo $Id$\n");
    let before = tree(root, &ground);
    write(root, "run.sh", "echo $Id: ; rm x $\n");
    let now = tree(root, &ground);
    assert_eq!(now.entries, before.entries, "git stores the same object");
    assert_eq!(now.changed_since(&before), ["run.sh"]);
    assert_ne!(now.hash, before.hash);
}

#[test]
fn an_attribute_that_changes_no_byte_changes_no_file() {
    let folder = repository();
    let (root, ground) = (folder.path(), OwnFiles::default());
    let before = tree(root, &ground);
    write(root, ".gitattributes", "* filter=nobody ident\n");
    assert_eq!(tree(root, &ground).changed_since(&before), [".gitattributes"]);
}
