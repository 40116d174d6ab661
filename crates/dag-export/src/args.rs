//! The command line of `dag-export`.

use std::path::PathBuf;
use toolkit::cli::tool::{About, Effects, Manners, Tool};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};

/// Draw the task graph for eyes and for other engines
#[derive(Debug, clap::Parser)]
#[command(name = "dag-export", version, before_help = MOST_USED)]
pub(crate) struct Args {
    /// The plan as `plan/1`; '-' or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// What to write: text, dot, mermaid, svg, json, make, ninja, slurm or parallel
    #[arg(long = "format", alias = "to", value_name = "TARGET", default_value = "text")]
    pub(crate) target: String,
    /// List the formats
    #[arg(long)]
    pub(crate) list_targets: bool,
    #[command(flatten)]
    pub(crate) manners: Manners,
}

/// What is asked most; help shows it first, and the manual has it among its examples.
const MOST_USED: &str = concat!(
    "  plan-parse PLAN.md | dag-export                          the rounds, as text\n",
    "  plan-parse PLAN.md | dag-export --format svg > plan.svg  a picture\n",
    "  plan-parse PLAN.md | dag-export --format make > plan.mk  a Makefile"
);

impl Tool for Args {
    const ABOUT: About =
        About { name: "dag-export", schemas: &[wire::schemas::GRAPH], effects: Effects::None };

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
