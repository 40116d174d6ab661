//! Checks that pass although they looked at nothing, or although a stage failed: they prove nothing.

use pipeline_tests::{SMALL_PLAN, SUCCESS, bench};

/// The small plan with this check alone.
fn plan_with(check: &str) -> String {
    let head = SMALL_PLAN.split("- [ ] It is there").next().unwrap_or_default();
    format!("{head}- [ ] {check}\n")
}

/// Checks that a worker who does nothing must not pass, each alone in a plan.
fn all_refused(checks: &[&str], said: &str) {
    for check in checks {
        let bench = bench!(small, &format!("date +%N >> touched.txt; {SUCCESS}"));
        bench.write("PLAN.md", plan_with(check));
        bench.write(
            "t/test_a.py",
            "import unittest\nclass T(unittest.TestCase):\n  def test_a(self): self.fail()\n",
        );
        bench.commit_all("a check");
        let got = bench.worker_round();
        assert_eq!((got.status, bench.boxes("PLAN.md").0), (1, 0), "{check}: {got:?}");
        assert!(got.out().contains(said), "{check}: {got:?}");
    }
}

#[test]
fn who_could_not_look_has_proved_nothing() {
    let checks = [
        "`! sh src/validate.sh bad`",
        "`! python3 src/validate.py bad`",
        "`python3 -m mytool --bad` → fails",
        "`grep -rn TODO src | wc -l` → 0",
        "`! grep -rn TODO src`",
        "`! grep -q x old.txt`",
        "`cd nodir && ls` → fails",
        "`find nodir | wc -l` → 0",
    ];
    all_refused(&checks, "no verdict: 1:1");
    // That a file is gone is what may be wanted.
    for check in ["`! ls old.txt`", "`ls old.txt` → fails", "`test ! -e old.txt`"] {
        let bench = bench!(small, &format!("echo done > made.txt; {SUCCESS}"));
        bench.write("PLAN.md", plan_with(check)).commit_all("a check");
        let got = bench.worker_round();
        assert_eq!(bench.boxes("PLAN.md").1, 0, "{check}: {got:?}");
    }
}

#[test]
fn a_runner_of_tests_behind_a_pipe_does_not_hide_its_failure() {
    let run = "python3 -B -m unittest discover -s t 2>&1";
    all_refused(&[&format!("`{run} | tail -3` → 0 failed")], "no verdict: 1:1");
}

/// A task file with these lines below `verify:`.
fn card(verify: &str) -> String {
    format!("---\nid: T-1\ntitle: Tidy: up\nstatus: pending\nverify:\n{verify}---\n\nDo it.\n")
}

#[test]
fn a_check_of_the_front_matter_is_run_whole_in_every_form_of_yaml() {
    for verify in [
        "  - type: bash\n    run: \"! grep -rq \\\"TODO\\\" src\"\n",
        "  - type: bash\n    run: >-\n      grep -q nothing\n      src/a.txt\n",
        "  - type: bash\n    run: |\n      false\n      true\n",
        "  - {type: bash, run: \"false\"}\n",
        "  - type: bash\n    run: test -f src/a.txt\n  - type: bash\n    run: 'test \"it''s\" = x'\n",
    ] {
        let bench = bench!(small, &format!("date +%N >> touched.txt; {SUCCESS}"));
        bench.write("src/a.txt", "TODO\n").write("tasks/1.md", card(verify)).commit_all("a task");
        let got = bench.round("tasks", "worker-run --timeout-seconds 2 --grace-seconds 1 -- ../home/w.sh");
        assert_eq!((got.status, bench.count("tick")), (1, 0), "{verify}: {got:?}");
        assert_eq!(bench.text("tasks/1.md"), card(verify));
        assert_eq!(bench.halts(), ["gate-run checks-failed"], "{verify}: {got:?}");
    }
}

#[test]
fn a_check_of_the_front_matter_that_is_not_understood_is_refused_with_its_line() {
    for (verify, line) in [
        ("  - type: bash\n    run: ! grep -rq TODO src\n", 7),
        ("  - type: bash\n    run: test 'a: b' = x: y\n", 7),
        ("  - type: bash\n    run: [ -f x ]\n", 7),
        ("  - type: bash\n    run: *check\n", 7),
        ("  - test -f x\n", 6),
        ("  run: test -f x\n", 6),
        ("  - type: bash\n    run: \"true\"\n  - type: http\n    run: x\n", 8),
        ("  - type: bash\n    run: echo 3\n    expect: 4\n", 6),
    ] {
        let bench = bench!(small, &format!("date +%N >> touched.txt; {SUCCESS}"));
        bench.write("tasks/1.md", card(verify)).commit_all("a task");
        let got = bench.command("plan-parse").args(["tasks"]).run();
        got.exits(65);
        assert!(got.err().contains(&format!("tasks/1.md:{line}: 'verify'")), "{verify}: {got:?}");
        assert!(got.err().contains("write '- type: bash'"), "{verify}: the form that is understood: {got:?}");
        // Nothing runs.
        bench.command("orchestrate").args(["tasks"]).run().exits(65);
        assert!(!bench.path("touched.txt").exists(), "{verify}");
    }
}
