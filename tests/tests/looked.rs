//! Checks that pass although nobody looked, or although somebody saw a failure: they prove nothing.

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
        "`cd nodir && ls` → fails",
        "`find nodir | wc -l` → 0",
    ];
    all_refused(&checks, "no verdict: 1:1");
    // That a file is gone is what may be wanted.
    for check in ["`! ls old.txt`", "`ls old.txt` → fails", "`test ! -e old.txt`", "`! grep -q x old.txt`"]
    {
        let bench = bench!(small, &format!("echo done > made.txt; {SUCCESS}"));
        bench.write("PLAN.md", plan_with(check)).commit_all("a check");
        let got = bench.worker_round();
        assert_eq!(bench.boxes("PLAN.md").1, 0, "{check}: {got:?}");
    }
}

#[test]
fn a_runner_of_tests_behind_a_pipe_does_not_hide_its_failure() {
    let run = "python3 -B -m unittest discover -s t 2>&1";
    let checks = [format!("`{run} | tail -3`"), format!("`{run} | tail -3` → passes")];
    all_refused(&[&checks[0], &checks[1]], "unittest reports 1 failed");
}
