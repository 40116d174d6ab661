//! `orchestrate --worktree`: a plan in a worktree and on a branch of its own.

use crate::plans::{carry, list_of, with_plan};
use pipeline_tests::{Bench, bench};

fn todo() -> Bench {
    let bench = bench!(empty);
    with_plan(&bench, "TODO.md", &list_of(3));
    bench
}

#[test]
fn a_plan_is_carried_out_beside_the_repository_and_merged() {
    let bench = todo();
    let got = carry(&bench, "--worktree TODO.md");
    got.exits(0);
    assert!(got.err().contains("merge it: git merge --no-ff plan/todo"), "{got:?}");
    // Nothing happened here.
    assert_eq!((bench.subjects().len(), bench.git(&["status", "--porcelain"]).as_str()), (2, ""));
    assert!(!bench.path("1.txt").exists() && bench.text("TODO.md").contains("- [ ] Write 1.txt"));
    bench.git(&["merge", "--quiet", "--no-ff", "--no-edit", "plan/todo"]);
    let subjects =
        ["start", "plan", "1: Write 1.txt", "2: Write 2.txt", "3: Write 3.txt", "Merge branch 'plan/todo'"];
    let history = bench.git(&["log", "--topo-order", "--reverse", "--format=%s"]);
    assert_eq!(history.lines().collect::<Vec<_>>(), subjects);
    assert!(!bench.text("TODO.md").contains("- [ ]"));
    // The evidence is here, and the worktree can go.
    bench.command("run-report").args(["--check", "TODO.md"]).run().exits(0);
    bench.command("punch").args(["verify"]).run().exits(0);
    bench.sh("git worktree remove --force ../repo-plan-todo && git branch --delete plan/todo").run().exits(0);
    // The records of another plan here, and in a tree of its own behind it, are not those of the merged branch.
    let more = "# More\n\n- [ ] Write 4.txt\n  Verify: `grep -qx done 4.txt`\n";
    bench.write("MORE.md", more).write("LAST.md", more.replace('4', "5")).commit_all("more");
    carry(&bench, "MORE.md").exits(0);
    bench.command("punch").args(["verify"]).run().exits(0);
    carry(&bench, "--worktree LAST.md").exits(0);
}

#[test]
fn a_second_run_goes_on_in_the_same_tree() {
    let bench = todo();
    carry(&bench, "--worktree --only 1 TODO.md").exits(0);
    let got = carry(&bench, "--worktree TODO.md");
    got.exits(0);
    assert_eq!(bench.text("../home/prompts").matches("You carry out one task").count(), 3, "{got:?}");
    assert_eq!(bench.git(&["log", "--format=%s", "plan/todo"]).lines().count(), 5);
}

#[test]
fn what_is_not_committed_is_named() {
    let bench = todo();
    bench.write("TODO.md", format!("{}\nmore\n", bench.text("TODO.md")));
    let got = carry(&bench, "--worktree TODO.md");
    got.exits(78);
    assert!(got.err().contains("'TODO.md' is not: git add"), "{got:?}");
    assert!(!bench.path("../repo-plan-todo").exists());
    bench.commit_all("more");
    bench.set_worker("exit 1");
    let got = carry(&bench, "--worktree TODO.md");
    got.exits(5);
    assert!(got.err().contains("go on there: orchestrate --worktree TODO.md"), "{got:?}");
}

#[test]
fn records_that_were_made_meanwhile_are_not_written_over() {
    let bench = todo();
    carry(&bench, "--worktree --only 1 TODO.md").exits(0);
    bench
        .write("MORE.md", "# More\n\n- [ ] Write 4.txt\n  Verify: `grep -qx done 4.txt`\n")
        .commit_all("more");
    carry(&bench, "MORE.md").exits(0);
    let records = bench.records().len();
    let got = carry(&bench, "--worktree TODO.md");
    got.exits(0);
    assert!(got.err().contains("other records were made here meanwhile"), "{got:?}");
    assert!(!got.err().contains("worktree remove"), "{got:?}");
    assert_eq!(bench.records().len(), records);
}
