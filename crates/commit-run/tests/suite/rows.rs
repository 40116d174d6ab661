//! The rows of a Commit Strategy: messages, files, conditions, several tasks in one commit.

use crate::repo::Repo;

#[test]
fn only_what_the_row_names_is_committed_with_its_message_and_trailers() {
    let repo = Repo::with("| 1 | `feat(x): say \"$HOME\" & 'more'` | `src/*.rs`, `docs/` | always |", &["1"]);
    repo.write("src/a.rs", "a").write("src/deep/b.rs", "b").write("docs/x/y.md", "y").write("other.txt", "o");
    let order = repo.tick("1", &["src/a.rs", "src/deep/b.rs", "docs/x/y.md", "other.txt"]);
    let got = repo.stage(&order, &[]);
    got.exits(0).says("\"outside\":[\"other.txt\",\"src/deep/b.rs\"]");
    assert_eq!(repo.committed(), ["docs/x/y.md", "src/a.rs"]);
    let message = repo.git(&["log", "-1", "--format=%B"]);
    assert!(
        message.starts_with(
            "feat(x): say \"$HOME\" & 'more'\n\nPlan: PLAN.md\nTask: 1\nRun: r1\nLedger-Head: 2:"
        ),
        "{message}"
    );
    // Once is enough.
    repo.run(&["pending", "PLAN.md"]).exits(0);
    assert_eq!(repo.subjects().len(), 2);
}

#[test]
fn two_tasks_go_into_one_commit_when_the_last_is_done() {
    let repo = Repo::with("| 1+2 | `feat: both` | `a.txt`, `b.txt` | always |", &["1", "2"]);
    repo.write("a.txt", "a");
    let first = repo.tick("1", &["a.txt"]);
    repo.stage(&first, &[]).exits(0).says("waits for task '2'");
    assert_eq!(repo.subjects(), ["start"]);
    repo.write("b.txt", "b");
    let second = repo.tick("2", &["b.txt"]);
    repo.stage(&second, &[]).exits(0);
    assert_eq!(repo.committed(), ["a.txt", "b.txt"]);
    let message = repo.git(&["log", "-1", "--format=%B"]);
    assert!(message.contains("Task: 2\nTask: 1\n"), "{message}");
    let records = ledger::Ledger::new(repo.home()).read().unwrap();
    assert_eq!(records.iter().filter(|p| p.kind == wire::punch::Type::Commit).count(), 2);
}

#[test]
fn a_row_without_files_means_what_the_worker_changed() {
    let repo = Repo::with("| 1 | `feat: it` | - | only if any change |", &["1"]);
    repo.write("made.txt", "m").write("mine.txt", "user's own");
    let order = repo.tick("1", &["made.txt"]);
    repo.stage(&order, &[]).exits(0);
    assert_eq!(repo.committed(), ["made.txt"]);
}

#[test]
fn conditions_in_prose_halt_and_are_an_issue() {
    let repo = Repo::with("| 1 | `feat: it` | `a.txt` | if the reviewer agrees |", &["1"]);
    repo.write("a.txt", "a");
    let order = repo.tick("1", &["a.txt"]);
    repo.stage(&order, &[]).exits(0).says("commit-condition").says("for a person to say");
    assert_eq!(repo.subjects(), ["start"]);
    assert!(repo.text("context/issues.md").contains("whether 'if the reviewer agrees' holds"));
}

#[test]
fn nothing_to_commit_is_a_skip_on_record() {
    let repo = Repo::with("| 1 | `feat: it` | `a.txt` | always |", &["1"]);
    let order = repo.tick("1", &[]);
    repo.stage(&order, &[]).exits(0).says("nothing to commit that the row names");
    let records = ledger::Ledger::new(repo.home()).read().unwrap();
    let last = records.last().unwrap();
    assert_eq!((last.kind, last.key.as_str()), (wire::punch::Type::Commit, "skipped"));
}

#[test]
fn content_that_changed_after_the_proof_is_not_committed() {
    let repo = Repo::with("| 1 | `feat: it` | `a.txt` | always |", &["1"]);
    repo.write("a.txt", "a");
    let order = repo.tick("1", &["a.txt"]);
    repo.write("a.txt", "something else");
    repo.stage(&order, &[]).exits(0).says("tree-moved");
    assert_eq!(repo.subjects(), ["start"]);
    assert_eq!(repo.text("a.txt"), "something else");
}

#[test]
fn a_deleted_file_that_the_row_names_is_deleted_in_the_commit() {
    let repo = Repo::with("| 1 | `feat: it` | `old/` | always |", &["1"]);
    repo.write("old/a.txt", "a");
    repo.git(&["add", "old"]);
    repo.git(&["commit", "-q", "-m", "old"]);
    std::fs::remove_file(repo.path("old/a.txt")).unwrap();
    let order = repo.tick("1", &["old/a.txt"]);
    repo.stage(&order, &[]).exits(0);
    assert_eq!(repo.git(&["show", "--format=", "--name-status", "HEAD"]), "D\told/a.txt\n");
}

#[test]
fn the_plan_goes_with_each_commit_where_that_is_asked_for() {
    let repo = Repo::with("| 1 | `feat: it` | `a.txt` | always |", &["1"]);
    repo.write("plantools.toml", "[commit]\nwith_plan = true\n").write("a.txt", "a");
    repo.write("context/learnings.md", "## TODO 1\n- x\n");
    let order = repo.tick("1", &["a.txt"]);
    repo.stage(&order, &[]).exits(0);
    assert_eq!(repo.committed(), ["PLAN.md", "a.txt", "context/learnings.md"]);
}

#[test]
fn a_change_that_the_index_hides_halts_and_is_named() {
    for mark in ["--skip-worktree", "--assume-unchanged"] {
        let repo = Repo::with("| 1 | `feat: it` | `a.txt` | always |", &["1"]);
        repo.write("a.txt", "a");
        repo.git(&["add", "a.txt"]);
        repo.git(&["commit", "--quiet", "--message=before"]);
        repo.git(&["update-index", mark, "a.txt"]);
        repo.write("a.txt", "new");
        let order = repo.tick("1", &["a.txt"]);
        repo.stage(&order, &[]).exits(0).says("hidden-change").says("'a.txt' differs from the last commit");
        repo.run(&["residual", "PLAN.md"]).exits(1).says("git's index says not to look: a.txt");
        assert_eq!(repo.subjects(), ["start", "before"], "{mark}");
    }
}

#[test]
fn a_repository_within_a_row_is_refused_by_its_name() {
    let repo = Repo::with("| 1 | `feat: it` | `lib/`, `a.txt` | always |", &["1"]);
    repo.write("lib/x.txt", "x").write("a.txt", "a");
    repo.git(&["-C", "lib", "init", "--quiet"]);
    repo.git(&["-C", "lib", "add", "x.txt"]);
    let who = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"];
    repo.git(&[&["-C", "lib"], &who[..], &["commit", "--quiet", "--message=inner"]].concat());
    let index = repo.git(&["ls-files", "-s"]);
    let order = repo.tick("1", &["a.txt", "lib"]);
    repo.stage(&order, &[]).exits(0).says("'lib/' is a repository of its own");
    assert_eq!(repo.subjects(), ["start"]);
    assert_eq!(repo.git(&["ls-files", "-s"]), index);
}

#[test]
fn a_file_whose_name_is_no_text_is_committed() {
    use std::os::unix::ffi::OsStrExt;
    let repo = Repo::with("| 1 | `feat: it` | `lib/` | always |", &["1"]);
    repo.write("lib/plain.txt", "p");
    std::fs::copy(repo.path("PLAN.md"), repo.path("lib").join(std::ffi::OsStr::from_bytes(b"caf\xe9")))
        .unwrap();
    let order = repo.tick("1", &["lib/plain.txt", "lib/caf\u{fffd}"]);
    repo.stage(&order, &[]).exits(0);
    assert_eq!(repo.committed(), ["\"lib/caf\\351\"", "lib/plain.txt"]);
    assert_eq!(repo.subjects(), ["start", "feat: it"]);
}
