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
    let pins = repo::pins::now(root).unwrap();
    format!("{} {}", pins.git, pins.hooks)
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

/// Whether each of these settings counts as a change, one after the other.
#[track_caller]
fn are_changes(root: &Path, settings: &[(&str, &str)], counts: bool) {
    for (key, value) in settings {
        let before = repo::pins::now(root).unwrap();
        git(root, &["config", key, value]);
        let changed = repo::pins::changed_since(root, &before).unwrap();
        assert_eq!(!changed.is_empty(), counts, "{key} = {value}");
    }
}

#[test]
fn what_a_persons_tools_add_is_no_change_and_every_setting_that_can_run_a_command_is_one() {
    let folder = repository();
    let root = &folder.path().join("repo");
    let added = [
        ("remote.origin.url", "https://example.invalid/a.git"),
        ("remote.fork.url", "https://example.invalid/b.git"),
        ("branch.main.remote", "fork"),
        ("branch.other.remote", "origin"),
        ("branch.other.merge", "refs/heads/other"),
        ("branch.main.vscode-merge-base", "origin/main"),
        ("remote.origin.gh-resolved", "base"),
        ("submodule.part.url", "https://example.invalid/c.git"),
        ("submodule.next.active", "true"),
        ("submodule.third.update", "rebase"),
        ("user.email", "other@example.invalid"),
    ];
    are_changes(root, &added, false);
    let harmful = [
        ("remote.origin.url", "https://elsewhere.invalid/a.git"),
        ("branch.main.remote", "evil"),
        ("remote.pushdefault", "evil"),
        ("remote.new.uploadpack", "touch pwned; git-upload-pack"),
        ("remote.new.receivepack", "touch pwned"),
        ("remote.new.vcs", "evil"),
        ("submodule.new.update", "!touch pwned"),
        ("submodule.new.ignore", "all"),
        ("branch.main.mergeoptions", "--strategy=evil"),
        ("core.fsmonitor", "touch pwned"),
        ("core.sshcommand", "touch pwned"),
        ("core.editor", "touch pwned"),
        ("core.hookspath", "elsewhere"),
        ("core.excludesfile", "hidden"),
        ("filter.x.clean", "touch pwned"),
        ("diff.external", "touch pwned"),
        ("merge.x.driver", "touch pwned"),
        ("alias.status", "!touch pwned"),
        ("include.path", "more"),
        ("credential.helper", "!touch pwned"),
        ("gpg.program", "touch"),
        ("url.ext::sh.insteadof", "https:"),
        ("push.default", "matching"),
    ];
    are_changes(root, &harmful, true);
}

#[test]
fn hooks_that_a_commit_has_may_be_switched_on_and_no_others() {
    let folder = repository();
    let root = &folder.path().join("repo");
    git(root, &["config", "--unset", "core.hooksPath"]);
    write(root, ".githooks/pre-commit", "#!/bin/sh\nexit 0\n");
    git(root, &["add", "--chmod=+x", ".githooks/pre-commit"]);
    git(root, &["commit", "--quiet", "--message", "hooks"]);
    git(root, &["checkout", "--quiet", "--", ".githooks"]);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(root.join(".githooks/pre-commit"), mode).unwrap();
    let commit = git(root, &["rev-parse", "HEAD"]).trim().to_owned();
    let before = ledger::pins::Pins { commit: Some(commit), ..repo::pins::now(root).unwrap() };
    let is_changed = || !repo::pins::changed_since(root, &before).unwrap().is_empty();
    git(root, &["config", "core.hooksPath", "nowhere"]);
    assert!(is_changed(), "a folder that is not there");
    write(root, "empty/.keep", "");
    git(root, &["config", "core.hooksPath", "empty"]);
    assert!(is_changed(), "a folder that the commit does not have");
    git(root, &["config", "core.hooksPath", ".githooks"]);
    assert!(!is_changed(), "as `npm install` does");
    write(root, ".githooks/post-commit", "touch pwned\n");
    assert!(is_changed(), "a hook that the commit does not have");
    std::fs::remove_file(root.join(".githooks/post-commit")).unwrap();
    write(root, ".githooks/pre-commit", "#!/bin/sh\ntouch pwned\n");
    assert!(is_changed(), "a hook that was edited");
    git(root, &["commit", "--quiet", "--all", "--no-verify", "--message", "by a worker"]);
    assert!(is_changed(), "a later commit vouches for nothing");
    git(root, &["config", "--unset", "core.hooksPath"]);
    write(root, ".git/hooks/pre-commit", "exit 1\n");
    let before = ledger::pins::Pins { commit: before.commit.clone(), ..repo::pins::now(root).unwrap() };
    git(root, &["checkout", "--quiet", before.commit.as_deref().unwrap(), "--", ".githooks"]);
    git(root, &["config", "core.hooksPath", ".githooks"]);
    assert!(!repo::pins::changed_since(root, &before).unwrap().is_empty(), "a hook is switched off by it");
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
