//! The pins of git: every place from which a setting, a hook or an attribute can come.

#![expect(clippy::unwrap_used, reason = "a test may end where something is missing")]

use ledger::pins::plan_after;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use testbench::{git, write};
use wire::punch::Punch;

/// A repository with one commit, settings taken in from a file beside, and a linked worktree.
fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("repo");
    write(folder.path(), "taken-in", "[core]\n\tabbrev = 9\n");
    write(&root, "a.txt", "one");
    write(&root, ".husky/pre-commit", "exit 0\n");
    write(&root, ".husky/_/husky.sh", "exit 0\n");
    git(&root, &["init", "--quiet"]);
    git(&root, &["config", "include.path", "../../taken-in"]);
    git(&root, &["add", "--all"]);
    git(&root, &["commit", "--quiet", "--message", "start"]);
    git(&root, &["config", "core.hooksPath", ".husky"]);
    git(&root, &["worktree", "add", "--quiet", "../linked"]);
    folder
}

fn git_pin(root: &Path) -> String {
    repo::pins::now(root).unwrap().git
}

/// Asserts that the pin changes after each of these, and is never empty.
#[track_caller]
fn each_is_seen(root: &Path, deeds: &[(&str, &dyn Fn())]) {
    let mut before = git_pin(root);
    for (what, deed) in deeds {
        deed();
        let now = git_pin(root);
        assert!(now != before && !now.is_empty(), "not seen: {what}");
        before = now;
    }
}

#[test]
fn settings_that_are_taken_in_hooks_in_the_tree_and_objects_for_others_are_pinned() {
    let folder = repository();
    let root = &folder.path().join("repo");
    each_is_seen(
        root,
        &[
            ("a file that is taken in", &|| write(folder.path(), "taken-in", "[core]\n\tabbrev = 10\n")),
            ("a hook in the tree", &|| write(root, ".husky/pre-commit", "exit 1\n")),
            ("what a hook calls", &|| write(root, ".husky/_/husky.sh", "exit 1\n")),
            ("a hook that can be run now", &|| {
                let mode = std::fs::Permissions::from_mode(0o755);
                std::fs::set_permissions(root.join(".husky/pre-commit"), mode).unwrap();
            }),
            ("attributes of its own", &|| write(root, ".git/info/attributes", "* ident\n")),
            ("an object for another", &|| {
                git(root, &["replace", "HEAD:a.txt", "HEAD:.husky/_/husky.sh"]);
            }),
            ("objects from elsewhere", &|| write(root, ".git/objects/info/alternates", "/nowhere\n")),
            ("settings of one worktree", &|| {
                git(root, &["config", "extensions.worktreeConfig", "true"]);
                git(root, &["config", "--worktree", "filter.x.clean", "cat"]);
            }),
        ],
    );
    let before = git_pin(root);
    git(root, &["config", "user.name", "Somebody"]);
    assert_eq!(git_pin(root), before, "who commits is no setting that a check depends on");
}

#[test]
fn a_linked_worktree_has_pins_like_any_root() {
    let folder = repository();
    let (root, linked) = (&folder.path().join("repo"), &folder.path().join("linked"));
    each_is_seen(
        linked,
        &[
            ("a setting", &|| _ = git(linked, &["config", "core.abbrev", "12"])),
            ("a hook in the tree", &|| write(linked, ".husky/pre-commit", "exit 1\n")),
            ("what is ignored", &|| write(root, ".git/info/exclude", "*.sh\n")),
        ],
    );
}

fn changed(plan: &str, before: &str, after: &str) -> Punch {
    let text = format!(
        r#"{{"schema":"punch/1","seq":1,"plan":"{plan}","run":"r","type":"override","key":"add",
        "observed_at":"2026-01-01T00:00:00Z","source":{{"kind":"worker"}},"trust":"typed","prev":"","hash":"",
        "data":{{"plan_blanked":"{before}","plan_after":"{after}"}}}}"#
    );
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_change_of_the_plan_is_followed_only_from_what_was_there() {
    let records = [changed("P", "a", "b"), changed("Q", "b", "x"), changed("P", "b", "c")];
    let records: Vec<&Punch> = records.iter().collect();
    assert_eq!(plan_after(&records, "P", "a"), "c");
    assert_eq!(plan_after(&records, "P", "z"), "z", "what somebody else wrote before it is not made good");
}
