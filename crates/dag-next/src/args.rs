//! The command line of `dag-next`.

use std::path::PathBuf;
use toolkit::clock::RunArgs;
use toolkit::output::Output;
use toolkit::tool::{About, Effects, Manners, Tool};
use toolkit::{Exit, Fail};
use wire::schemas::{END, ORDER, STATUS};

/// Say which tasks of a plan may run now, and why
#[derive(Debug, clap::Parser)]
#[command(name = "dag-next", version, max_term_width = 100)]
pub(crate) struct Args {
    /// The plan as `plan/1`; '-' or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// How many tasks to hand out at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) jobs: u32,
    /// Only this task
    #[arg(long, value_name = "ID")]
    pub(crate) only: Option<String>,
    /// How often a task may be tried (default: as the plan's dialect sets it)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_attempts: Option<u32>,
    /// Print where the plan stands instead, and answer by exit code: 0 ready, 4 done, 5 stuck, 6 wait
    #[arg(long)]
    pub(crate) status: bool,
    /// Indent the JSON of --status for people
    #[arg(long)]
    pub(crate) pretty: bool,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) manners: Manners,
}

impl Tool for Args {
    const ABOUT: About = About { name: "dag-next", schemas: &[ORDER, END, STATUS], effects: Effects::None };

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
