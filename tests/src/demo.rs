//! What the demo's repository is known to hold.

use crate::{Bench, Got, Run};

/// Where its plan is.
pub const DEMO_PLAN: &str = ".dev/specs/greeter/PLAN.md";

/// The pipe after `worker-run`.
pub const PIPE: &str =
    "gate-run | punch checkpoint | session-export | context-save | checkbox | commit-run | run-report";

/// The subjects of all commits once it is carried out, oldest first.
pub const DEMO_SUBJECTS: [&str; 7] = [
    "start: the plan",
    "feat(config): add the names to greet",
    "feat(greet): greet every name",
    "feat(farewell): say goodbye to every name",
    "test: check both commands",
    "docs: explain how to use it",
    "chore(greeter): miscellaneous changes",
];

impl Bench {
    /// `orchestrate` on the demo's plan with the embedded worker.
    pub fn orchestrate(&self, more: &[&str]) -> Run {
        self.command("orchestrate").args(["--worker", "shell"]).args(more).args([DEMO_PLAN]).within(120)
    }

    /// One round of the pipe on a plan, with this worker-run.
    pub fn round(&self, plan: &str, worker_run: &str) -> Got {
        self.sh(&format!("plan-parse --quiet {plan} | dag-next | handoff | {worker_run} | {PIPE}")).run()
    }

    /// How many boxes of tasks a plan has, ticked and open.
    pub fn boxes(&self, plan: &str) -> (usize, usize) {
        let text = self.text(plan);
        let count = |start: &str| text.lines().filter(|l| l.starts_with(start)).count();
        (count("### [x] "), count("### [ ] "))
    }
}
