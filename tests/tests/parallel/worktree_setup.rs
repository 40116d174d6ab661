//! The command that sets a new worktree up.

use crate::generated_plans::{PLAN, Task, carry, repository, story, tidy};

#[test]
fn what_a_tree_needs_is_set_up_before_its_worker_and_does_not_land() {
    let script = "test -s tool.cfg && cat tool.cfg > out.txt";
    let bench = repository(&[Task::of(1, &[], script, "test -s out.txt")]);
    bench
        .write("plantools.toml", "[worktree]\nsetup = \"echo ready > tool.cfg; echo said\"\n")
        .commit_all("set-up");
    let got = carry(&bench, 2).run();
    assert_eq!(got.status, 4, "{got:?}\n{}", story(&bench));
    assert_eq!(bench.text("out.txt"), "ready\n");
    assert!(!bench.path("tool.cfg").exists(), "what the set-up made belongs to the worktree");
    let logs = bench.sh("cat .plantools/work/*/1/1/setup.log").run().exits(0).out();
    assert_eq!(logs, "said\n");
    tidy(&bench, "after a set-up");
}

#[test]
fn a_set_up_that_fails_or_hangs_halts_its_task_and_is_bounded() {
    let bench = repository(&[Task::plain(1, &[], "")]);
    bench.write(
        "plantools.toml",
        "[worktree]\nsetup = \"echo no such thing; exit 3\"\n[defaults]\nmax_attempts = 1\n",
    );
    let got = carry(&bench, 2).run();
    got.exits(5);
    assert!(got.out().contains("the set-up command of the worktree gave exit 3: no such thing"), "{got:?}");
    assert_eq!(bench.boxes(PLAN), (0, 1));
    bench.write(
        "plantools.toml",
        "[worktree]\nsetup = \"sleep 60\"\nsetup_seconds = 1\n[defaults]\nmax_attempts = 1\n",
    );
    let got = carry(&bench, 2).within(30).env("PLANTOOLS_RUN", "r2").run();
    assert!(got.status == 5 && bench.boxes(PLAN) == (0, 1), "{got:?}\n{}", story(&bench));
}
