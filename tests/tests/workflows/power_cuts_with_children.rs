//! Power cuts in the workflows: `kill -9` of everything at random moments, then running it again: each time the same
//! last state. `PLANTOOLS_KILLS` says at how many moments; a few unless it is set.

use pipeline_tests::{Bench, until};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::{Duration, Instant};

/// One workflow: its example, how it is run, the files whose bytes must be the same in the end, and its commits.
struct Case {
    name: &'static str,
    runs: &'static [&'static [&'static str]],
    ends: &'static [i32],
    files: &'static [&'static str],
}

const EXECUTE_TASK: Case = Case {
    name: "execute-task",
    runs: &[&["shelf-7"], &["--approve", "shelf-7"]],
    ends: &[5, 0],
    files: &[".kilocode/todo/shelf-7.md", "src/count.sh", "src/by_year.sh", "tests/run.sh", "books.txt"],
};

const WORKFLOW_EXECUTE: Case = Case {
    name: "workflow-execute",
    runs: &[&["--resume-session", "WFS-shop"]],
    ends: &[0],
    files: &[
        ".workflow/archives/WFS-shop/TODO_LIST.md",
        ".workflow/archives/WFS-shop/.task/IMPL-1.json",
        ".workflow/archives/WFS-shop/.task/IMPL-2.json",
        ".workflow/archives/WFS-shop/.task/IMPL-3.json",
        ".workflow/archives/WFS-shop/workflow-session.json",
        ".workflow/archives/manifest.json",
        "src/total.sh",
        "src/label.sh",
        "test.sh",
    ],
};

#[test]
fn execute_task_survives_power_cuts() {
    EXECUTE_TASK.survives();
}

#[test]
fn workflow_execute_survives_power_cuts() {
    WORKFLOW_EXECUTE.survives();
}

#[test]
fn workflow_execute_with_four_jobs_survives_power_cuts() {
    Case { runs: &[&["--jobs", "4", "--resume-session", "WFS-shop"]], ..WORKFLOW_EXECUTE }.survives();
}

impl Case {
    fn survives(&self) {
        let bench = self.fresh();
        let start = Instant::now();
        for (args, code) in self.runs.iter().zip(self.ends) {
            bench.carry_out(args).run().exits(*code);
        }
        let took = start.elapsed();
        let calm = self.state(&bench);
        for _ in 0..kills() {
            let moment = RandomState::new().hash_one("a moment") % 1000;
            let bench = self.fresh();
            self.kill_at(&bench, took * u32::try_from(moment).unwrap_or(0) / 1000);
            for (args, code) in self.runs.iter().zip(self.ends) {
                let got = bench.carry_out(args).run();
                // A run that had been approved before the power went has nothing to wait for.
                assert!(
                    got.status == *code || got.status == 0,
                    "killed at {moment}‰: {got:?}\n{}",
                    tale(&bench)
                );
            }
            assert_eq!(self.state(&bench), calm, "killed at {moment}‰ of {took:?}\n{}", tale(&bench));
            bench.check("punch verify && git fsck --strict", 0);
        }
    }

    fn fresh(&self) -> Bench {
        let bench = Bench::workflow(env!("CARGO_BIN_EXE_t-plantools"), self.name);
        // A criterion in words would wait for a person.
        let packet = ".kilocode/handoff/shelf-7.json";
        if bench.path(packet).exists() {
            bench.write(
                packet,
                bench.text(packet).replace("\"The scripts read well\"", "\"`test -f src/by_year.sh`\""),
            );
            bench.commit_all("criteria with commands");
        }
        bench
    }

    fn kill_at(&self, bench: &Bench, moment: Duration) {
        let start = Instant::now();
        for args in self.runs {
            let left = moment.saturating_sub(start.elapsed());
            if bench.carry_out(args).start().wait(left).is_err() {
                break;
            }
        }
        until(|| bench.processes().is_empty());
    }

    /// Everything that must be the same: files, commits, what is left over.
    fn state(&self, bench: &Bench) -> Vec<String> {
        let mut state: Vec<String> = self.files.iter().map(|file| bench.text(file)).collect();
        state.extend(bench.subjects());
        state.push(bench.git(&["status", "--porcelain"]));
        state.push(bench.git(&["ls-files"]));
        state
    }
}

#[expect(clippy::disallowed_methods, reason = "how long the test runs is asked of whoever runs it")]
fn kills() -> u32 {
    std::env::var("PLANTOOLS_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(2)
}

fn tale(bench: &Bench) -> String {
    let ledger = bench.command("punch").args(["list", "--text"]).run().out();
    format!("{ledger}\n{}", bench.git(&["log", "--oneline", "--reverse"]))
}
