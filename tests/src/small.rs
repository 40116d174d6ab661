//! A plan of one task, a worker that is a script, and what must be so after a round.

use crate::{Bench, Got};

/// The plan.
pub const SMALL_PLAN: &str = "# Small

## Dependency Graph

| TODO | Requires (Inputs) | Produces (Outputs) | Type |
|------|-------------------|--------------------|------|
| 1 | - | `made` (file) | work |

## Commit Strategy

| After TODO | Message | Files | Condition |
|------------|---------|-------|-----------|
| 1 | `feat: make it` | `made.txt` | always |

## TODOs

### [ ] TODO 1: Make it

**Type**: work

**Outputs**:
- `made` (file): `made.txt` - what was made

**Acceptance Criteria**:

*Functional:*
- [ ] It is there: `test -f made.txt`
- [ ] It is done: `grep -c done made.txt` → 1
";

/// The line of a worker's script that says that it is done.
pub const SUCCESS: &str = r#"echo '{"status":"SUCCESS","outputs":{"made":"made.txt"}}'"#;

impl Bench {
    /// A repository with the small plan, and a worker that is this script.
    pub fn small(tools: &str, script: &str) -> Self {
        let bench = Self::empty(tools);
        bench.write("PLAN.md", SMALL_PLAN).commit_all("plan");
        bench.set_worker(script);
        bench
    }

    /// Makes the worker another script.
    pub fn set_worker(&self, script: &str) {
        self.program("../home/w.sh", &format!("#!/usr/bin/env bash\n{script}\n"));
    }

    /// One round with that worker, which has two seconds.
    pub fn worker_round(&self) -> Got {
        self.round("PLAN.md", "worker-run --timeout-seconds 2 --grace-seconds 1 -- ../home/w.sh")
    }

    /// The box is open, the ledger says why, no process is left.
    #[track_caller]
    pub fn is_open(&self, got: &Got, halt: &str) {
        got.exits(1);
        assert!(self.text("PLAN.md") == SMALL_PLAN, "the plan changed: {}", self.text("PLAN.md"));
        assert_eq!(self.halts().last().map(String::as_str), Some(halt), "{got:?}");
        assert_eq!(self.count("tick"), 0);
        assert_eq!(self.processes(), Vec::<String>::new());
    }

    /// Besides, nothing was committed and the chain of the ledger is whole.
    #[track_caller]
    pub fn stays_open(&self, got: &Got, halt: &str) {
        self.is_open(got, halt);
        assert_eq!(self.subjects(), ["start", "plan"]);
        self.command("punch").args(["verify"]).run().exits(0);
    }
}
