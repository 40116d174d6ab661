//! What is left of a run: bookkeeping, residual commits, the clean check, the state from trailers alone, pushing.

use crate::repo::Repo;

const ROW: &str = "| 1 | `feat: it` | `a.txt` | always |";

#[test]
fn bookkeeping_takes_ticks_and_context_and_nothing_else() {
    let repo = Repo::with(ROW, &["1"]);
    repo.write("made.txt", "m").write("mine.txt", "m").write("context/issues.md", "- [ ] x\n");
    repo.tick("1", &["made.txt"]);
    repo.run(&["--bookkeeping", "PLAN.md"])
        .exits(0)
        .says("left as it is: made.txt, mine.txt")
        .says("bookkeeping");
    assert_eq!(repo.committed(), ["PLAN.md", "context/issues.md"]);
    // A plan that somebody edits is his.
    let plan = repo.text("PLAN.md").replace("Task 1", "Another task").replace("[x]", "[ ]");
    repo.write("PLAN.md", plan);
    repo.run(&["--bookkeeping", "PLAN.md"]).exits(0).says("left as it is: PLAN.md");
    assert_eq!(repo.subjects().len(), 2);
}

#[test]
fn residual_takes_what_led_to_a_tick_too() {
    let repo = Repo::with(ROW, &["1"]);
    repo.write("made.txt", "m").write("mine.txt", "m");
    repo.tick("1", &["made.txt"]);
    repo.run(&["--residual", "PLAN.md"]).exits(0).says("miscellaneous changes");
    assert_eq!(repo.committed(), ["PLAN.md", "made.txt"]);
}

#[test]
fn residual_takes_what_unfinished_attempts_left_and_not_what_was_refused() {
    let repo = Repo::with(ROW, &["1"]);
    repo.write("refused.txt", "r");
    repo.halted("1", &["refused.txt"], "must-not");
    repo.write("failed.txt", "r");
    repo.halted("1", &["failed.txt"], "checks-failed");
    // The plan was mended in between.
    repo.halted("1", &[], "pin-changed");
    repo.write("first.txt", "f");
    repo.halted("1", &["first.txt"], "crashed");
    repo.write("second.txt", "s");
    repo.tick("1", &["second.txt"]);
    repo.run(&["--residual", "PLAN.md"]).exits(0).says("left as it is: refused.txt");
    assert_eq!(repo.committed(), ["PLAN.md", "failed.txt", "first.txt", "second.txt"]);
}

#[test]
fn clean_means_that_git_has_nothing_to_say() {
    let repo = Repo::with(ROW, &["1"]);
    repo.run(&["--check-clean", "PLAN.md"]).exits(0);
    repo.write("new file.txt", "x");
    let got = repo.run(&["--check-clean", "PLAN.md"]);
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
    let got = repo.run(&["--rebuild-state", "PLAN.md"]);
    assert_eq!(tasks(got.exits(0)), ["1 feat: one", "2 feat: two"]);
    repo.git(&["checkout", "-q", "PLAN.md"]);
    repo.git(&["revert", "--no-edit", "HEAD~1"]);
    let got = repo.run(&["--rebuild-state"]);
    assert_eq!(tasks(got.exits(0)), ["2 feat: two"], "what was reverted is not done");
    assert_eq!(repo.run(&["--rebuild-state", "OTHER.md"]).exits(0).out, "");
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
    repo.run(&["--residual", "--push", "PLAN.md"]).exits(0);
    assert_eq!(remote(&repo).lines().count(), 3);
    repo.git(&["remote", "set-url", "origin", "nowhere"]);
    repo.write("context/issues.md", "- [ ] x\n");
    repo.run(&["--bookkeeping", "--push", "PLAN.md"]).exits(74).says("not pushed");
    assert_eq!(repo.subjects().len(), 4, "the commit stays");
}
