//! The command line of `dag-next`.

use config::ConfigArgs;
use config::prices::Amount;
use std::path::PathBuf;
use toolkit::cli::clock::RunArgs;
use toolkit::cli::format::FormatArgs;
use toolkit::cli::tool::{About, Effects, Manners, Tool};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::plan::Model;
use wire::schemas::{END, ORDER, ROUNDS, STATUS};

/// Say which tasks of a plan may run now, and why
///
/// Reads a `plan/1` document and writes one `order/1` line for each task that may run now, closed by `end/1`.
#[derive(Debug, clap::Parser)]
#[command(name = "dag-next", version, before_help = MOST_USED)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Args {
    /// The plan as `plan/1`; '-' or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// How many tasks to hand out at most
    ///
    /// The default is all that the strategy allows.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) jobs: Option<u32>,
    /// Which tasks may run together (default: as the plan states, else as its dialect does)
    #[arg(long, value_name = "NAME", value_enum, hide_short_help = true)]
    pub(crate) strategy: Option<Named>,
    /// Only this task
    #[arg(long, value_name = "ID")]
    pub(crate) only: Option<String>,
    /// How often a task may be tried
    ///
    /// The default is as configured, else as the workflow's profile says.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_attempts: Option<u32>,
    /// The profile that says how often a task may be tried (default: by the plan's dialect)
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub(crate) profile: Option<String>,
    /// The older name of what a profile says; it counts where neither --max-attempts nor the configuration does
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), hide = true)]
    pub(crate) usual_attempts: Option<u32>,
    /// Hand out nothing once this run has begun so many attempts in all
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) budget_attempts: Option<u64>,
    /// Hand out nothing once the workers of this run have cost so much
    #[arg(long, value_name = "X", value_parser = cost, hide_short_help = true)]
    pub(crate) budget_cost: Option<f64>,
    /// Hand out nothing once the workers of this run have used so many tokens, input and output
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) budget_tokens: Option<u64>,
    /// Hand out nothing once the runs of this day (UTC) have spent so much in this project: dollars as 2.50, or 300000tokens
    #[arg(long, value_name = "AMOUNT", hide_short_help = true)]
    pub(crate) budget_per_day: Option<Amount>,
    /// How many tasks may use a resource at once (default 1); may be given several times
    #[arg(long, value_name = "NAME=K", hide_short_help = true)]
    pub(crate) resource: Vec<String>,
    /// Hand out tasks with unclear checks too: a person judges these; `gate-run --unclear-note` records the reason
    #[arg(long, value_name = "REASON", hide_short_help = true)]
    pub(crate) unclear_note: Option<String>,
    /// Hand out only the work that waits for a review, where the configuration names a reviewer and accepts one
    #[arg(long, conflicts_with_all = ["follow", "question"], hide_short_help = true)]
    pub(crate) review: bool,
    /// Read a stream of plans, as `plan-parse --follow` writes it, watch the ledger, and hand out each task as it becomes
    /// ready; --jobs is then how many may be worked on at once
    #[arg(long, conflicts_with_all = ["file", "question"], hide_short_help = true)]
    pub(crate) follow: bool,
    /// Read one plan a line, as `plan-parse --each` writes them, and answer each with the orders of a round and its `end/1`
    #[arg(long, conflicts_with_all = ["file", "question", "follow"], hide_short_help = true)]
    pub(crate) each: bool,
    /// Other runs carry out the same plan: say in each order which claim on its task it comes after, and where several are
    /// as good begin elsewhere than the others do
    #[arg(long, requires = "follow", hide_short_help = true)]
    pub(crate) shared: bool,
    /// Hand out every open task without a check that can be run, whatever it waits for; for 'handoff --for check'
    #[arg(long, conflicts_with_all = ["question", "follow"], hide_short_help = true)]
    pub(crate) unchecked: bool,
    /// Print where the plan stands instead; the exit code says it too
    ///
    /// 0 ready, 4 done, 5 stuck, 6 wait.
    #[arg(long, group = "question")]
    pub(crate) status: bool,
    /// Say why this task waits, down to the root of it
    #[arg(long, value_name = "ID", group = "question")]
    pub(crate) why: Option<String>,
    /// List the tasks that are for a person
    #[arg(long, group = "question", hide_short_help = true)]
    pub(crate) human: bool,
    /// List the tasks that are given up in this run: id, reason, code word and next command, with tabs between
    #[arg(long, group = "question", hide_short_help = true)]
    pub(crate) given_up: bool,
    /// Give a task all its attempts again
    ///
    /// Without an ID, every open task that has failed; may be given several times. The decision is put on record, and the
    /// ids are printed. No order is handed out.
    #[arg(
        long, value_name = "ID", num_args = 0..=1, require_equals = true, default_missing_value = "",
        group = "question"
    )]
    pub(crate) retry: Option<Vec<String>>,
    /// Print the whole schedule instead, with the critical path
    #[arg(long, group = "question")]
    pub(crate) rounds: bool,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// Indent the JSON of --status, --why and --rounds for people
    #[arg(long, hide_short_help = true)]
    pub(crate) pretty: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) manners: Manners,
}

/// What is asked most; help shows it first, and the manual has it among its examples.
const MOST_USED: &str = concat!(
    "  plan-parse PLAN.md | dag-next > orders.ndjson         hand out what is ready\n",
    "  plan-parse PLAN.md | dag-next --status --format text  where the plan stands\n",
    "  plan-parse PLAN.md | dag-next --why 5 --format text   why task 5 waits"
);

fn cost(text: &str) -> Result<f64, String> {
    let cost = text.parse::<f64>().ok().filter(|cost| cost.is_finite() && *cost >= 0.0);
    cost.ok_or_else(|| "not an amount".to_owned())
}

/// A strategy by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Named {
    /// One at a time, in the order of the list
    Sequential,
    /// Everything that waits for nothing
    Parallel,
    /// One phase after the other
    Phased,
    /// RED before GREEN before REFACTOR
    Tdd,
    /// By rule: groups together, risky tasks alone, else one at a time
    Auto,
}

impl From<Named> for Model {
    fn from(named: Named) -> Self {
        match named {
            Named::Sequential => Model::Sequential,
            Named::Parallel => Model::Parallel,
            Named::Phased => Model::Phased,
            Named::Tdd => Model::Tdd,
            Named::Auto => Model::Auto,
        }
    }
}

impl Tool for Args {
    const ABOUT: About =
        About { name: "dag-next", schemas: &[ORDER, END, STATUS, ROUNDS], effects: Effects::None };

    fn manners(&self) -> &Manners {
        &self.manners
    }

    fn effects(&self) -> Effects {
        if self.retry.is_some() { Effects::Some } else { Effects::None }
    }

    fn run(self, out: &mut Output) -> Result<Exit, Fail> {
        crate::run(&self, out)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_well_formed() {
        crate::command().debug_assert();
    }
}
