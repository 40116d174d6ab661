//! The bench that tests across tools work on.
//!
//! A [`Bench`] is a temporary folder with a repository, a folder of links named like the tools, an empty home and
//! an environment that holds nothing else. A [`Run`] is one command on it, with a hard time limit, so that no
//! test hangs. A [`Got`] is what came of it.
//!
//! ```text
//! let bench = pipeline_tests::bench!(demo);
//! bench.sh("plan-parse PLAN.md | dag-next").run().exits(0);
//! ```

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a bench that cannot be set up is a failed test, and a test fails by a panic"
)]

mod bench;
mod demo;
mod got;
mod ledger;
mod live;
mod run;
mod small;
mod workflow;

pub use bench::{Bench, CONDUCTOR, TOOLS, workspace};
pub use demo::{DEMO_PLAN, DEMO_SUBJECTS, PIPE};
pub use got::Got;
pub use ledger::Record;
pub use live::Live;
pub use run::Run;
pub use small::{SMALL_PLAN, SUCCESS};
pub use testbench::{snapshot, until};

/// Makes a [`Bench`]: `bench!(empty)` has a git repository with one commit, `bench!(bare)` a folder without git,
/// `bench!(demo)` the repository of `scripts/demo`, `bench!(small, SCRIPT)` a plan of one task and a worker that is this
/// script. It is a macro because cargo tells only the test itself where the executable of the tools is.
#[macro_export]
macro_rules! bench {
    ($kind:ident $(, $more:expr)*) => {
        $crate::Bench::$kind(env!("CARGO_BIN_EXE_t-plantools") $(, $more)*)
    };
}
