//! The end of a plan: what the ticked tasks had made true holds on the tree that is left.

use pipeline_tests::{Bench, Got, bench};

/// Two tasks, of which the second breaks what the first had proved, and then a third.
const PLAN: &str = "# Small

## Commit Strategy

| After TODO | Message | Files | Condition |
|------------|---------|-------|-----------|
| 1 | `feat: one` | `one.txt` | always |
| 2 | `feat: two` | `one.txt`, `two.txt` | always |

## TODOs

### [ ] TODO 1: First

```sh
echo whole > one.txt
```

**Acceptance Criteria**:
- [ ] It is whole: `echo 1:1 >> ../home/ran && grep -qx whole one.txt` → exit 0
- [ ] It is there: `echo 1:2 >> ../home/ran && test -f one.txt` → exit 0

### [ ] TODO 2: Second

**Depends On**: 1

```sh
echo broken > one.txt; echo 2 > two.txt
```

**Acceptance Criteria**:
- [ ] It is there: `echo 2:1 >> ../home/ran && test -f two.txt` → exit 0
";

#[test]
fn a_task_that_breaks_an_earlier_one_is_found_before_the_plan_is_complete() {
    let bench = bench_with(PLAN);
    let got = carry(&bench);
    got.exits(1);
    assert!(got.err().contains("task '1' is ticked, and its check 1:1 fails"), "{got:?}");
    assert!(got.out().contains("task 1: ticked, and its check 1:1 fails since: exit 1"), "{got:?}");
    // Nothing is unticked in silence, and the failure is on record with its task.
    assert_eq!(bench.boxes("PLAN.md"), (2, 0));
    let failed: Vec<_> = bench.records().into_iter().filter(|record| record["type"] == "gate_fail").collect();
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert_eq!((&failed[0]["task"], &failed[0]["key"]), (&"1".into(), &"1:1".into()), "{failed:?}");
    // As long as it is so, the plan is not complete; what is mended is.
    carry(&bench).exits(1);
    bench.write("one.txt", "whole\n").commit_all("mend it");
    carry(&bench).exits(0);
}

#[test]
fn a_broken_task_can_be_opened_again_and_is_carried_out_again() {
    let bench = bench_with(PLAN);
    carry(&bench).exits(1);
    bench.command("checkbox").args(["regressions", "PLAN.md"]).run().exits(0);
    assert_eq!(bench.boxes("PLAN.md"), (1, 1));
    carry(&bench).exits(0);
    assert_eq!((bench.boxes("PLAN.md"), bench.text("one.txt").as_str()), ((2, 0), "whole\n"));
}

#[test]
fn what_passed_on_the_tree_that_is_left_is_not_run_again() {
    let bench = bench_with(PLAN);
    carry(&bench).exits(1);
    assert_eq!(ran(&bench), ["1:1", "1:2", "2:1", "1:1", "1:2"], "the last task's proof is fresh");
    carry(&bench).exits(1);
    assert_eq!(ran(&bench)[5..], ["1:1"], "only what does not hold is tried again");
}

#[test]
fn a_check_that_cannot_hold_at_the_end_is_left_out_for_a_reason() {
    let bench = bench_with(PLAN);
    carry(&bench).exits(1);
    let put_off = ["criterion", "1:1", "--defer", "--reason", "2 replaces it", "PLAN.md"];
    bench.command("checkbox").args(put_off).run().exits(0);
    carry(&bench).exits(0);
    assert_eq!(ran(&bench).len(), 5, "{:?}", ran(&bench));
    let said = bench.records().into_iter().find(|record| record["key"] == "defer").expect("a record");
    assert_eq!((&said["task"], &said["data"]["reason"]), (&"1".into(), &"2 replaces it".into()), "{said}");
}

#[test]
fn the_configuration_can_leave_all_of_it_out() {
    let bench = bench_with(PLAN);
    bench
        .write("plantools.toml", "[defaults]\nrecheck = false\n[proof]\nbefore = \"off\"\n")
        .commit_all("configuration");
    carry(&bench).exits(0);
    assert_eq!(ran(&bench), ["1:1", "1:2", "2:1"]);
}

#[test]
fn a_person_who_ticked_is_not_asked_again() {
    let bench = bench_with(&PLAN.replacen("echo whole", "echo never whole", 1));
    bench.command("checkbox").args(["tick", "1", "--reason", "I looked", "PLAN.md"]).run().exits(0);
    bench.commit_all("tick");
    carry(&bench).exits(0);
    assert_eq!(ran(&bench), ["2:1"]);
}

fn bench_with(plan: &str) -> Bench {
    let bench = bench!(empty);
    bench.write("plantools.toml", "[proof]\nbefore = \"off\"\n");
    bench.write("PLAN.md", plan).commit_all("plan");
    bench
}

fn carry(bench: &Bench) -> Got {
    bench.command("orchestrate").args(["--worker", "shell", "PLAN.md"]).run()
}

/// Which checks were run, in order.
fn ran(bench: &Bench) -> Vec<String> {
    bench.text("../home/ran").lines().map(str::to_owned).collect()
}

#[test]
fn what_git_ignores_is_checked_again_after_the_last_worker() {
    let plan = "# P\n\n## TODOs\n\n### [ ] TODO 1: First\n\n```sh\necho whole > out.txt\n```\n\n**Acceptance Criteria**:\n\
                - [ ] It is whole: `grep -qx whole out.txt` → exit 0\n\n### [ ] TODO 2: Second\n\n**Depends On**: 1\n\n```sh\n\
                echo broken > out.txt\n```\n\n**Acceptance Criteria**:\n- [ ] It is there: `test -f out.txt`\n";
    let bench = bench_with(plan);
    bench.write(".gitignore", "out.txt\n").commit_all("what is ignored");
    let got = carry(&bench);
    got.exits(1);
    assert!(got.err().contains("task '1' is ticked, and its check 1:1 fails"), "{got:?}");
}

#[test]
fn what_holds_tasks_and_has_a_check_of_its_own_is_ticked_on_its_proof() {
    let plan = "# P\n\n- [ ] parent\n  - Verify: `test -f whole.txt`\n  - [ ] child\n    ```sh\n    echo 1 > one.txt\n    ```\n    - Verify: `test -f one.txt`\n";
    let bench = bench!(empty);
    bench.write("PLAN.md", plan).commit_all("a list");
    let ticked = |path| bench.text(path).matches("[x]").count();
    let got = carry(&bench);
    got.exits(1);
    assert_eq!(ticked("PLAN.md"), 1, "{got:?}");
    assert!(got.err().contains("task '1' has its parts done, and its check 1:1 fails"), "{got:?}");
    assert!(got.out().contains("task 1: pending, its own checks have not passed"), "{got:?}");
    assert_ne!(bench.sh("run-report --check PLAN.md").run().status, 0);
    bench.write("whole.txt", "").commit_all("what the parent asks for");
    let got = carry(&bench);
    got.exits(0);
    assert_eq!(ticked("PLAN.md"), 2, "{got:?}");
    bench.sh("run-report --check PLAN.md").run().exits(0);
}

#[test]
fn a_plan_that_was_begun_elsewhere_is_complete_when_its_ticks_are_proved_here() {
    let plan = PLAN.replace("echo broken > one.txt; ", "");
    for (done, status) in [("echo whole > one.txt", 0), (":", 1)] {
        let bench = bench_with(&plan);
        bench.sh(&format!("sed -i 's/\\[ \\] TODO 1/[x] TODO 1/' PLAN.md; {done}")).run().exits(0);
        bench.commit_all("half of it");
        let got = carry(&bench);
        got.exits(status);
        assert_eq!(got.out().contains("nothing on record says why"), status != 0, "{got:?}");
    }
}

#[test]
fn an_optional_task_that_is_left_out_is_named_and_does_not_keep_a_plan_open() {
    let bench = bench!(empty);
    let block = "  ```sh\n  echo 1 > one.txt\n  ```\n  - Verify: `test -f one.txt`\n";
    let plan =
        format!("# Implementation Plan\n\n- [ ] 1. Do\n{block}- [ ]* 2. Write optional tests\n{block}");
    bench.write(".kiro/specs/a/tasks.md", plan).commit_all("a list");
    let got = bench.sh("orchestrate --worker shell .kiro/specs/a/tasks.md").within(60).run();
    got.exits(0);
    let report = bench.command("run-report").args(["--final", ".kiro/specs/a/tasks.md"]).run();
    assert!(report.out().contains("2 Write optional tests (skipped"), "{report:?}");
    assert!(report.out().contains("optional, left out"), "{report:?}");
    assert_eq!(bench.text(".kiro/specs/a/tasks.md").matches("[x]").count(), 1, "{got:?}");
}
