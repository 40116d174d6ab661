//! Hooks: they run, they may refuse, and they may not turn the commit into another one.

use crate::repo::Repo;

const ROW: &str = "| 1 | `feat: it` | `a.txt` | always |";

#[test]
fn a_hook_that_rewrites_a_file_halts_and_everything_is_as_it_was() {
    let repo = Repo::with(ROW, &["1"]);
    repo.write("a.txt", "a\n").write("staged.txt", "s\n").write("clean.txt", "c\n");
    repo.git(&["add", "clean.txt"]);
    repo.git(&["commit", "-q", "-m", "clean"]);
    repo.git(&["add", "staged.txt"]);
    repo.hook("pre-commit", "echo formatted >> a.txt; echo formatted >> clean.txt; git add a.txt");
    let order = repo.tick("1", &["a.txt"]);
    let before = repo.git(&["status", "--porcelain"]);
    let head = repo.git(&["rev-parse", "HEAD"]);
    repo.stage(&order, &[]).exits(0).says("hook-rewrote").says("a commit hook changed 'a.txt'");
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), head, "the commit was taken back");
    assert_eq!(repo.text("a.txt"), "a\n");
    assert_eq!(repo.text("clean.txt"), "c\n");
    let after = repo.git(&["status", "--porcelain"]).replace("?? context/\n", "");
    assert_eq!(after, before);
    // Without the hook, `--pending` makes the commit that is owed.
    std::fs::remove_file(repo.path(".git/hooks/pre-commit")).unwrap();
    repo.run(&["pending", "PLAN.md"]).exits(0);
    assert_eq!(repo.committed(), ["a.txt"]);
}

#[test]
fn a_tick_of_another_task_meanwhile_is_no_work_of_a_hook() {
    let repo = Repo::with(ROW, &["1", "2"]);
    repo.write("plantools.toml", "[commit]\nwith_plan = true\n").write("a.txt", "a\n");
    // Between our look at the plan and the commit, another order of the run is ticked.
    repo.hook("pre-commit", "sed -i 's/### \\[ \\] TODO 2/### [x] TODO 2/' PLAN.md; git add PLAN.md");
    let order = repo.tick("1", &["a.txt"]);
    repo.stage(&order, &[]).exits(0);
    assert_eq!(repo.committed(), ["PLAN.md", "a.txt"]);
    let plan = repo.text("PLAN.md");
    assert!(
        plan.contains("### [x] TODO 1") && plan.contains("### [x] TODO 2"),
        "nothing is put back: {plan}"
    );
    // Another change of the plan is a hook's as before.
    let repo = Repo::with(ROW, &["1", "2"]);
    repo.write("plantools.toml", "[commit]\nwith_plan = true\n").write("a.txt", "a\n");
    repo.hook("pre-commit", "sed -i 's/test -e ./true/' PLAN.md; git add PLAN.md");
    let order = repo.tick("1", &["a.txt"]);
    repo.stage(&order, &[]).exits(0).says("a commit hook changed");
    assert_eq!(repo.subjects(), ["start"]);
}

#[test]
fn a_hook_that_adds_a_file_halts() {
    let repo = Repo::with(ROW, &["1"]);
    repo.write("a.txt", "a\n");
    repo.hook("pre-commit", "echo log > log.txt; git add log.txt");
    let order = repo.tick("1", &["a.txt"]);
    repo.stage(&order, &[]).exits(0).says("hook-rewrote").says("put 'log.txt' into the commit");
    assert_eq!(repo.subjects(), ["start"]);
    assert!(!repo.git(&["ls-files"]).contains("log.txt"));
}

#[test]
fn a_refused_commit_leaves_tree_and_index_as_they_were() {
    let repo = Repo::with(ROW, &["1"]);
    repo.write("a.txt", "a\n").write("part.txt", "one\n");
    repo.git(&["add", "part.txt"]);
    repo.write("part.txt", "one\ntwo\n");
    repo.hook("pre-commit", "rm -f a.txt; echo not like this >&2; exit 1");
    let order = repo.tick("1", &["a.txt"]);
    let before = (repo.git(&["status", "--porcelain"]), repo.git(&["diff"]), repo.git(&["diff", "--cached"]));
    repo.stage(&order, &[]).exits(0).says("commit-refused").says("not like this");
    assert_eq!(repo.text("a.txt"), "a\n");
    let status = repo.git(&["status", "--porcelain"]).replace("?? context/\n", "");
    assert_eq!((status, repo.git(&["diff"]), repo.git(&["diff", "--cached"])), before);
}

#[test]
fn what_a_hook_has_formatted_waits_for_its_checks() {
    for ends in ["git add a.txt", "exit 1"] {
        let repo = Repo::with(ROW, &["1"]);
        repo.write("a.txt", "a\n").write("mine.txt", "mine\n");
        repo.git(&["add", "mine.txt"]);
        repo.hook(
            "pre-commit",
            &format!("grep -q formatted a.txt || {{ echo formatted >> a.txt; {ends}; }}"),
        );
        let order = repo.tick("1", &["a.txt"]);
        let head = repo.git(&["rev-parse", "HEAD"]);
        repo.stage(&order, &[]).exits(0).says("hook-formatted").says("a commit hook changed a.txt");
        assert_eq!(
            (repo.git(&["rev-parse", "HEAD"]), repo.text("a.txt").as_str()),
            (head, "a\nformatted\n"),
            "{ends}"
        );
        assert!(repo.git(&["status", "--porcelain"]).contains("A  mine.txt"), "{ends}");
        // No check has looked at it: it stays owed.
        repo.run(&["pending", "PLAN.md"]).exits(1).says("'a.txt' changed after the proof");
    }
}

#[test]
fn hooks_of_the_message_are_heard() {
    let repo = Repo::with(ROW, &["1"]);
    repo.write("a.txt", "a\n");
    repo.hook("commit-msg", "grep -q '^feat' \"$1\" && echo 'Signed: yes' >> \"$1\"");
    let order = repo.tick("1", &["a.txt"]);
    repo.stage(&order, &[]).exits(0);
    assert!(repo.git(&["log", "-1", "--format=%B"]).contains("Signed: yes"));
}
