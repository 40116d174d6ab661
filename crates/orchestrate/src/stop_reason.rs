//! Why a run ends: a closed list, each reason with its word, its exit code and what to do next.
//!
//! The list is also a table of the manual page; a test compares them.

use toolkit::Exit;
use toolkit::cli::fail::Fail;

/// What ends a run before its regular end.
#[derive(Debug)]
pub(crate) enum Stop {
    /// A reason that is known, with its sentence.
    Reason(Reason, String),
    /// A tool ended the run and has said why; this is its exit code.
    Said(Exit),
    /// An error of our own.
    Fail(Fail),
}

impl From<Fail> for Stop {
    fn from(fail: Fail) -> Self {
        Self::Fail(fail)
    }
}

/// Declares the reasons once, for the code and for the table of the manual page.
macro_rules! reasons {
    ($($(#[doc = $about:literal])* $name:ident = $word:literal, $exit:ident, $next:literal;)*) => {
        /// Why a run ends.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Reason {
            $($(#[doc = $about])* $name,)*
        }

        impl Reason {
            /// Every reason.
            #[cfg(test)]
            pub(crate) const ALL: &[Self] = &[$(Self::$name,)*];

            /// The stable word.
            pub(crate) fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// The exit code of the run.
            pub(crate) fn exit(self) -> Exit {
                match self { $(Self::$name => Exit::$exit,)* }
            }

            /// What to do next; `PLAN` stands for the plan.
            pub(crate) fn next(self) -> &'static str {
                match self { $(Self::$name => $next,)* }
            }
        }
    };
}

reasons! {
    /// Every task is done, and so is what follows.
    Done = "done", Ok, "";
    /// Every task is done, and something else is open.
    Open = "open", No, "run-report --check PLAN";
    /// Every task is done, and a check of the end gave no verdict.
    NoVerdict = "no-verdict", NoVerdict, "run-report --check PLAN";
    /// What is left is blocked, failed or waits for a person.
    Stuck = "stuck", Stuck, "plan-parse PLAN | dag-next --status --format text";
    /// `--budget-attempts`, `--budget-cost`, `--budget-tokens` or `--budget-per-day` is used up, or a worker reports nothing
    /// against it.
    Budget = "budget-used-up", Stuck, "orchestrate PLAN";
    /// Success criteria wait for a person.
    Criteria = "criteria-open", Stuck, "checkbox criterion ID --reason WHY PLAN";
    /// The report waits for approval.
    Approval = "waits-for-approval", Stuck, "orchestrate --approve PLAN";
    /// The workflow refuses to begin.
    Refused = "refused", Stuck, "orchestrate PLAN";
    /// A task is given up, and the workflow, `--on-halt` or a person ends the run there.
    GivenUp = "given-up", Stuck, "run-report --final PLAN";
    /// A round recorded nothing, so the next one would change nothing either.
    NoProgress = "no-progress", Stuck, "plan-parse PLAN | dag-next --status --format text";
    /// `orchestrate --stop`.
    Asked = "asked-to-stop", Stuck, "orchestrate PLAN";
    /// `--budget-time` is used up.
    TimeUp = "time-used-up", Stuck, "orchestrate PLAN";
    /// The ledger was cut or rewritten while the run used it.
    LedgerCut = "ledger-cut", Stuck, "punch verify";
    /// Another run has the plan.
    Busy = "plan-busy", Busy, "orchestrate --wait PLAN";
    /// A person or a service manager stopped the run.
    Interrupted = "interrupted", Stopped, "orchestrate PLAN";
    /// A signal stopped a stage again and again.
    StageStopped = "stage-stopped", Stopped, "orchestrate PLAN";
    /// A stage did nothing for a long time.
    StageHung = "stage-hung", Stopped, "orchestrate PLAN";
    /// A signal killed a stage.
    StageKilled = "stage-killed", Stopped, "orchestrate PLAN";
    /// A tool failed; its code is the run's.
    ToolFailed = "tool-failed", Bug, "orchestrate doctor";
}

#[cfg(test)]
mod tests {
    use super::Reason;

    #[test]
    fn the_manual_page_lists_every_reason() {
        let page = include_str!("../man.md");
        for reason in Reason::ALL {
            let code = if *reason == Reason::ToolFailed {
                "its own".to_owned()
            } else {
                format!("`{}`", reason.exit().code())
            };
            let row = format!("| `{}` | {code} |", reason.word());
            assert!(page.contains(&row), "man.md has no row {row}");
        }
    }
}
