//! The rest of a run: bookkeeping, residual commits, the clean check, the state from trailers alone, pushing.

use crate::repo::Repo;

const ROW: &str = "| 1 | `feat: it` | `a.txt` | always |";

#[test]
fn bookkeeping_takes_ticks_and_context_and_nothing_else() {
    let repo = Repo::with(ROW, &["1"]);
    repo.write("made.txt", "m").write("mine.txt", "m").write("context/issues.md", "- [ ] x\n");
    repo.tick("1", &["made.txt"]);
    repo.run(&["bookkeeping", "PLAN.md"])
        .exits(0)
        .says("left as it is: made.txt, mine.txt")
        .says("bookkeeping");
    assert_eq!(repo.committed(), ["PLAN.md", "context/issues.md"]);
    // A plan that a person edits is not ours to commit.
    let plan = repo.text("PLAN.md").replace("Task 1", "Another task").replace("[x]", "[ ]");
    repo.write("PLAN.md", plan);
    repo.run(&["bookkeeping", "PLAN.md"]).exits(0).says("left as it is: PLAN.md");
    assert_eq!(repo.subjects().len(), 2);
}

#[test]
fn residual_takes_what_led_to_a_tick_too() {
    let repo = Repo::with(ROW, &["1"]);
    repo.write("made.txt", "m").write("mine.txt", "m");
    repo.tick("1", &["made.txt"]);
    repo.run(&["residual", "PLAN.md"]).exits(0).says("miscellaneous changes");
    assert_eq!(repo.committed(), ["PLAN.md", "made.txt"]);
}

#[test]
fn residual_takes_what_unfinished_attempts_left_and_not_what_was_refused() {
    let repo = Repo::with(ROW, &["1"]);
    repo.write("refused.txt", "r");
    repo.halted("1", &["refused.txt"], "must-not");
    repo.write("failed.txt", "r");
    repo.halted("1", &["failed.txt"], "checks-failed");
    // The plan was fixed in between.
    repo.halted("1", &[], "pin-changed");
    repo.write("first.txt", "f");
    repo.halted("1", &["first.txt"], "crashed");
    repo.write("second.txt", "s");
    repo.tick("1", &["second.txt"]);
    repo.run(&["residual", "PLAN.md"]).exits(0).says("left as it is: refused.txt");
    assert_eq!(repo.committed(), ["PLAN.md", "failed.txt", "first.txt", "second.txt"]);
}

#[test]
fn clean_means_that_git_has_nothing_to_say() {
    let repo = Repo::with(ROW, &["1"]);
    repo.run(&["check-clean", "PLAN.md"]).exits(0);
    repo.write("new file.txt", "x");
    let got = repo.run(&["check-clean", "PLAN.md"]);
    assert_eq!(got.exits(1).out, "?? new file.txt\n");
    assert_eq!(repo.text("new file.txt"), "x", "nothing is cleaned up");
}

#[test]
fn the_state_is_rebuilt_from_trailers_alone() {
    let repo = Repo::with(
        "| 1 | `feat: one` | `a.txt` | always |\n| 2 | `feat: two` | `b.txt` | always |",
        &["1", "2"],
    );
    for (id, file) in [("1", "a.txt"), ("2", "b.txt")] {
        repo.write(file, id);
        let order = repo.tick(id, &[file]);
        repo.stage(&order, &[]).exits(0);
    }
    std::fs::remove_dir_all(repo.path(".plantools")).unwrap();
    std::fs::remove_file(repo.path("PLAN.md")).unwrap();
    let tasks = |got: &crate::repo::Got| -> Vec<String> {
        let lines = got.out.lines().map(|l| serde_json::from_str::<serde_json::Value>(l).unwrap());
        lines.map(|v| format!("{} {}", v["task"].as_str().unwrap(), v["title"].as_str().unwrap())).collect()
    };
    let got = repo.run(&["rebuild-state", "PLAN.md"]);
    assert_eq!(tasks(got.exits(0)), ["1 feat: one", "2 feat: two"]);
    repo.git(&["checkout", "-q", "PLAN.md"]);
    repo.git(&["revert", "--no-edit", "HEAD~1"]);
    let got = repo.run(&["rebuild-state"]);
    assert_eq!(tasks(got.exits(0)), ["2 feat: two"], "what was reverted is not done");
    assert_eq!(repo.run(&["rebuild-state", "OTHER.md"]).exits(0).out, "");
}

#[test]
fn only_push_pushes_and_only_what_was_committed() {
    let repo = Repo::with(ROW, &["1"]);
    repo.git(&["init", "-q", "--bare", ".git/remote"]);
    repo.git(&["remote", "add", "origin", ".git/remote"]);
    repo.git(&["push", "-q", "-u", "origin", "main"]);
    let remote = |repo: &Repo| repo.git(&["--git-dir=.git/remote", "log", "--format=%s", "main"]);
    repo.write("a.txt", "a");
    let order = repo.tick("1", &["a.txt"]);
    repo.stage(&order, &[]).exits(0);
    assert_eq!(remote(&repo), "start\n");
    repo.run(&["residual", "--push", "PLAN.md"]).exits(0);
    assert_eq!(remote(&repo).lines().count(), 3);
    repo.git(&["remote", "set-url", "origin", "nowhere"]);
    repo.write("context/issues.md", "- [ ] x\n");
    repo.run(&["bookkeeping", "--push", "PLAN.md"]).exits(74).says("not pushed");
    assert_eq!(repo.subjects().len(), 4, "the commit stays");
}

#[test]
fn residual_leaves_what_an_owed_commit_is_for() {
    let repo = Repo::with(
        "| 1 | `feat: one` | `a.txt` | always |\n| 2 | `feat: two` | - | once it is read |",
        &["1", "2"],
    );
    repo.write("a.txt", "a").write("made.txt", "m").write("b.txt", "b");
    repo.hook("pre-commit", "! git diff --cached --name-only | grep -q a.txt");
    let one = repo.tick("1", &["a.txt", "made.txt"]);
    let two = repo.tick("2", &["b.txt"]);
    repo.stage(&one, &[]).exits(0).says("commit-refused");
    repo.stage(&two, &[]).exits(0).says("commit-condition").says("commit by hand: b.txt");
    repo.run(&["residual", "PLAN.md"])
        .exits(0)
        .says("left for the owed commit of task 1: a.txt")
        .says("left for the owed commit of task 2: b.txt");
    let work: Vec<String> =
        repo.committed().into_iter().filter(|path| !path.starts_with("context/")).collect();
    assert_eq!(work, ["PLAN.md", "made.txt"]);
    // A person's own commit settles the one, a fixed hook the other.
    repo.git(&["add", "b.txt"]);
    repo.git(&["commit", "-q", "-m", "by hand"]);
    std::fs::remove_file(repo.path(".git/hooks/pre-commit")).unwrap();
    repo.run(&["pending", "PLAN.md"]).exits(0).says("task '2': its files are committed");
    assert_eq!(
        (repo.committed(), repo.subjects().pop().unwrap()),
        (vec!["a.txt".to_owned()], "feat: one".to_owned())
    );
    assert_eq!(repo.run(&["pending", "PLAN.md"]).exits(0).err, "");
}

#[test]
fn what_was_discarded_stays_owed_and_what_a_person_committed_otherwise_does_not() {
    let repo = Repo::with(ROW, &["1"]);
    repo.write("a.txt", "a\n");
    repo.hook("pre-commit", "exit 1");
    let order = repo.tick("1", &["a.txt"]);
    repo.stage(&order, &[]).exits(0).says("commit-refused");
    std::fs::remove_file(repo.path("a.txt")).unwrap();
    repo.run(&["pending", "PLAN.md"])
        .exits(1)
        .says("'a.txt' is not what was checked, and was not committed since");
    repo.write("a.txt", "better\n");
    repo.git(&["add", "a.txt"]);
    repo.git(&["commit", "-q", "--no-verify", "-m", "by hand"]);
    repo.run(&["pending", "PLAN.md"]).exits(0).says("no longer owed");
}

#[test]
fn a_commit_that_a_crash_left_owing_and_git_refuses_is_on_record_once_for_all_its_tasks() {
    let repo = Repo::with("| 1+2 | `feat: both` | `a.txt` | always |", &["1", "2"]);
    repo.write("a.txt", "a\n");
    repo.hook("pre-commit", "exit 1");
    repo.tick("1", &["a.txt"]);
    repo.tick("2", &[]);
    let owed = || {
        let plan = repo.field().plan;
        let tasks = plan.tasks.iter().map(|task| (&task.id, &task.fingerprint));
        let records = ledger::Ledger::new(repo.home()).read().unwrap();
        let standings = ledger::task_history::of_plan(&records, "PLAN.md", tasks);
        (records.len(), standings.values().filter(|standing| standing.owed.is_some()).count())
    };
    repo.run(&["pending", "PLAN.md"]).exits(1);
    let first = owed();
    assert_eq!(first.1, 2);
    repo.run(&["pending", "PLAN.md"]).exits(1);
    assert_eq!(owed(), first);
    std::fs::remove_file(repo.path(".git/hooks/pre-commit")).unwrap();
    repo.run(&["pending", "PLAN.md"]).exits(0);
    assert_eq!(owed().1, 0);
}
