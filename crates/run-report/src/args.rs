//! The command line of `run-report`.

use std::path::PathBuf;
use toolkit::cli::clock::RunArgs;
use toolkit::cli::tool::{About, Effects, Manners, Tool};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::schemas::{EVENT, REPORT};

/// Show where the plan stands and what happened
///
/// As the last stage of the pipe it prints a line for each order and turns the round into an exit code: 0 more to do,
/// 1 some order was halted, 4 done, 5 stuck, 6 wait.
#[derive(Debug, clap::Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(name = "run-report", version, before_help = MOST_USED)]
pub(crate) struct Args {
    /// Orders, or the plan; '-' or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Print the final report of a plan
    #[arg(long = "final", requires = "file")]
    pub(crate) whole: bool,
    /// Print the end of a run in ten lines: what is done, what is open and why, and the next command
    ///
    /// This is what a plan alone, without an option, prints as well.
    #[arg(long, requires = "file", conflicts_with_all = ["whole", "check", "follow", "once"])]
    pub(crate) end: bool,
    /// With --end, the worker of the run, for the next command
    #[arg(long, value_name = "NAME", requires = "end", hide_short_help = true)]
    pub(crate) worker: Option<String>,
    /// With --end, the worker of the run as a command, for the next command
    #[arg(
        last = true,
        value_name = "COMMAND",
        requires = "end",
        conflicts_with = "worker",
        hide_short_help = true
    )]
    pub(crate) worker_command: Vec<String>,
    /// With '--format todowrite', show the tasks of these orders, which begin now, as in progress; '-' is standard input
    #[arg(long, value_name = "ORDERS", requires = "whole", hide_short_help = true)]
    pub(crate) begins: Option<PathBuf>,
    /// Answer whether everything is done: exit 0, or 1 with each open item named; 5 where only a person can settle them
    #[arg(long, requires = "file", conflicts_with = "whole")]
    pub(crate) check: bool,
    /// Tell the whole story of one task's box: its checks before and after, attempts, trees, commit
    #[arg(long, value_name = "ID", requires = "file", conflicts_with_all = ["whole", "check"])]
    pub(crate) why: Option<String>,
    /// Show a board of the plan that follows what happens
    #[arg(long, requires = "file", conflicts_with_all = ["whole", "check", "why"])]
    pub(crate) follow: bool,
    /// Print the board one time
    #[arg(long, requires = "file", conflicts_with_all = ["whole", "check", "why"])]
    pub(crate) once: bool,
    /// The task that was asked for alone: what else is left is not said
    #[arg(long, value_name = "ID", conflicts_with_all = ["whole", "check", "follow", "once"], hide_short_help = true)]
    pub(crate) only: Option<String>,
    /// Read one round after the other, and close each with an `end/1` line that has its exit code
    #[arg(
        long,
        conflicts_with_all = ["whole", "check", "why", "end", "follow", "once", "format"],
        hide_short_help = true
    )]
    pub(crate) each: bool,
    /// With --check, the branch must be pushed too
    #[arg(long, requires = "check", hide_short_help = true)]
    pub(crate) pushed: bool,
    /// With --final, where the work went, like 'PR #7' (default: Local)
    #[arg(long, value_name = "TEXT", requires = "whole", hide_short_help = true)]
    pub(crate) mode: Option<String>,
    /// How it is printed
    #[arg(long, value_name = "FORM", value_enum, default_value = "text")]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) manners: Manners,
}

/// What is asked most; help shows it first, and the manual has it among its examples.
const MOST_USED: &str = concat!(
    "  run-report --follow PLAN.md                             look on while it runs\n",
    "  run-report --final PLAN.md                              what happened\n",
    "  run-report --final PLAN.md --format html > report.html  the same as a page"
);

/// How a report is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people, as the plan's own workflow prints it.
    Text,
    /// Markdown, as the plan's own workflow writes it.
    Md,
    /// One `report/1` document.
    Json,
    /// One page that stands alone.
    Html,
    /// The list that an agent's todo tool takes.
    Todowrite,
    /// Traces of the runs for a collector of OpenTelemetry, as OTLP-JSON.
    Otlp,
    /// With --follow or --once: one `event/1` line for each event.
    Ndjson,
}

impl Tool for Args {
    const ABOUT: About = About { name: "run-report", schemas: &[REPORT, EVENT], effects: Effects::None };

    fn manners(&self) -> &Manners {
        &self.manners
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
