//! Repositories of all kinds: linked worktrees, submodules, no commit yet, a detached head, an operation in
//! progress, no author.

use crate::repo::{Repo, plan};

const ROW: &str = "| 1 | `feat: it` | `a.txt` | always |";

#[test]
fn the_first_commit_of_a_repository() {
    let repo = Repo::unborn(ROW, &["1"]);
    repo.write("a.txt", "a").write("mine.txt", "m");
    repo.git(&["add", "mine.txt"]);
    let order = repo.tick("1", &["a.txt"]);
    repo.stage(&order, &[]).exits(0);
    assert_eq!(repo.committed(), ["a.txt"]);
    assert!(repo.git(&["status", "--porcelain"]).contains("A  mine.txt\n"));
}

#[test]
fn the_first_commit_that_a_hook_rewrites_is_taken_back() {
    let repo = Repo::unborn(ROW, &["1"]);
    repo.write("a.txt", "a\n");
    repo.hook("pre-commit", "echo more >> a.txt; git add a.txt");
    let order = repo.tick("1", &["a.txt"]);
    repo.stage(&order, &[]).exits(0).says("hook-formatted");
    assert!(!repo.command("git", &["rev-parse", "--verify", "-q", "HEAD"]).status().unwrap().success());
    assert_eq!(repo.text("a.txt"), "a\nmore\n");
}

#[test]
fn a_landing_that_is_not_on_record_moves_nothing() {
    let repo = Repo::with("| 1 | `feat: it` | `a.txt` | always |", &["1"]);
    let before = repo.git(&["rev-parse", "HEAD"]).trim().to_owned();
    repo.write("a.txt", "forged");
    repo.git(&["add", "a.txt"]);
    repo.git(&["commit", "--quiet", "--message=forged"]);
    let forged = repo.git(&["rev-parse", "HEAD"]).trim().to_owned();
    repo.git(&["reset", "--quiet", "--hard", &before]);
    repo.tick("1", &[]);
    let landing = serde_json::json!({
        "plan": "PLAN.md", "task": "1", "run": "r0", "attempt": 1, "before": forged, "after": before,
        "files": ["a.txt"], "head": [forged, before], "owner": [999_999, 1],
    });
    repo.write(".plantools/landing.json", landing.to_string());
    repo.run(&["pending", "PLAN.md"]).exits(65).says("landing.json: is not on record");
    assert_eq!(repo.git(&["rev-parse", "HEAD"]).trim(), before);
    assert!(!repo.path("a.txt").exists());
}

#[test]
fn a_detached_head_gets_its_commit() {
    let repo = Repo::with(ROW, &["1"]);
    repo.git(&["checkout", "-q", "--detach"]);
    repo.write("a.txt", "a");
    let order = repo.tick("1", &["a.txt"]);
    repo.stage(&order, &[]).exits(0);
    assert_eq!(repo.committed(), ["a.txt"]);
    assert_eq!(repo.git(&["log", "--format=%s", "main"]), "start\n");
}

#[test]
fn nothing_is_committed_while_a_merge_or_a_rebase_is_under_way() {
    let repo = Repo::with(ROW, &["1"]);
    repo.write("c.txt", "base\n");
    repo.git(&["add", "c.txt"]);
    repo.git(&["commit", "-qm", "base"]);
    repo.git(&["checkout", "-qb", "other"]);
    repo.write("c.txt", "other\n");
    repo.git(&["commit", "-qam", "other"]);
    repo.git(&["checkout", "-q", "main"]);
    repo.write("c.txt", "main\n");
    repo.git(&["commit", "-qam", "main"]);
    for (start, stop, said) in [
        (["merge", "other"], ["merge", "--abort"], "a merge is under way"),
        (["rebase", "other"], ["rebase", "--abort"], "a rebase is under way"),
        (["cherry-pick", "other"], ["cherry-pick", "--abort"], "a cherry-pick is under way"),
    ] {
        assert!(!repo.command("git", &start).output().unwrap().status.success());
        repo.write("a.txt", said);
        let order = repo.tick("1", &["a.txt"]);
        let head = repo.git(&["rev-parse", "HEAD"]);
        repo.stage(&order, &[]).exits(0).says("commit-obstacle").says(said);
        assert_eq!(repo.git(&["rev-parse", "HEAD"]), head);
        repo.git(&["checkout", "-q", "HEAD", "--", "PLAN.md"]);
        repo.git(&stop);
    }
}

#[test]
fn a_linked_worktree_has_its_own_merge_and_its_own_branch() {
    let main = Repo::with(ROW, &["1"]);
    main.write("c.txt", "base\n");
    main.git(&["add", "c.txt"]);
    main.git(&["commit", "-qm", "base"]);
    let linked = Repo::without_git();
    let place = linked.path("").to_string_lossy().into_owned();
    main.git(&["worktree", "add", "-q", "--force", &place, "-b", "feat"]);
    linked.write("a.txt", "a");
    let order = linked.tick("1", &["a.txt"]);
    let line = serde_json::to_string(&order).unwrap() + "\n";
    main.write(".git/order", line);
    let file = main.path(".git/order").to_string_lossy().into_owned();
    linked.run(&[&file]).exits(0);
    assert_eq!(linked.committed(), ["a.txt"]);
    assert_eq!(main.subjects(), ["start", "base"]);
    main.write("c.txt", "main\n");
    main.git(&["commit", "-qam", "main"]);
    linked.write("c.txt", "feat\n");
    linked.git(&["commit", "-qam", "feat"]);
    assert!(!linked.command("git", &["merge", "main"]).output().unwrap().status.success());
    linked.write("context/issues.md", "- [ ] x\n");
    linked.run(&["residual", "PLAN.md"]).exits(1).says("a merge is under way");
    main.git(&["worktree", "remove", "--force", &place]);
}

#[test]
fn a_submodule_is_committed_as_what_it_points_to() {
    let repo = Repo::with("| 1 | `feat: it` | `sub`, `a.txt` | always |", &["1"]);
    let inner = Repo::with(ROW, &["1"]);
    let url = inner.root().to_string_lossy().into_owned();
    repo.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", &url, "sub"]);
    repo.git(&["commit", "-qm", "with sub"]);
    repo.write("sub/dirty.txt", "not committed inside").write("a.txt", "a");
    let order = repo.tick("1", &["a.txt"]);
    repo.stage(&order, &[]).exits(0);
    assert_eq!(repo.committed(), ["a.txt"], "what is not committed inside cannot be committed here");
    repo.write("PLAN.md", plan("| 1 | `feat: next` | `sub` | always |", &["1"]));
    repo.git(&[
        "-C",
        "sub",
        "-c",
        "user.name=T",
        "-c",
        "user.email=t@x",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "more",
    ]);
    let order = repo.tick("1", &["sub"]);
    repo.stage(&order, &[]).exits(0);
    assert_eq!(repo.committed(), ["sub"]);
}

#[test]
fn without_a_name_it_is_said_what_is_missing() {
    let repo = Repo::with(ROW, &["1"]);
    repo.git(&["config", "--unset", "user.name"]);
    repo.git(&["config", "--unset", "user.email"]);
    repo.git(&["config", "user.useConfigOnly", "true"]);
    repo.write("a.txt", "a");
    let order = repo.tick("1", &["a.txt"]);
    repo.stage(&order, &[]).exits(78).says("user.name");
    repo.run(&["residual", "PLAN.md"]).exits(78);
    assert_eq!(repo.subjects(), ["start"]);
}

#[test]
fn outside_a_repository_there_is_nothing_to_do() {
    let repo = Repo::without_git();
    repo.write("PLAN.md", plan(ROW, &["1"]));
    for deed in ["pending", "residual", "bookkeeping", "check-clean", "rebuild-state"] {
        repo.run(&[deed, "PLAN.md"]).exits(0);
    }
}
