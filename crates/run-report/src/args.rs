//! The command line of `run-report`.

use std::path::PathBuf;
use toolkit::clock::RunArgs;
use toolkit::output::Output;
use toolkit::tool::{About, Effects, Manners, Tool};
use toolkit::{Exit, Fail};
use wire::schemas::REPORT;

/// Show where the plan stands and what happened
///
/// As the last stage of the pipe it prints a line for each order and turns the round into an exit code: 0 more to do,
/// 1 some order was halted, 4 done, 5 stuck, 6 wait.
#[derive(Debug, clap::Parser)]
#[command(name = "run-report", version, max_term_width = 100)]
pub(crate) struct Args {
    /// Orders, or with --final and --check the plan; '-' or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Print the final report of a plan
    #[arg(long = "final", requires = "file")]
    pub(crate) whole: bool,
    /// Answer whether everything is done: exit 0, or 1 with each open item named
    #[arg(long, requires = "file", conflicts_with = "whole")]
    pub(crate) check: bool,
    /// How it is printed
    #[arg(long, value_name = "FORM", value_enum, default_value = "text")]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) manners: Manners,
}

/// How a report is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// One `report/1` document.
    Json,
}

impl Tool for Args {
    const ABOUT: About = About { name: "run-report", schemas: &[REPORT], effects: Effects::None };

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
