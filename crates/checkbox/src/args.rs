//! The command line of `checkbox`.

use std::path::PathBuf;
use toolkit::clock::RunArgs;
use toolkit::config::ConfigArgs;
use toolkit::output::Output;
use toolkit::tool::{About, Effects, Manners, Tool};
use toolkit::{Exit, Fail};
use wire::schemas::{END, ORDER, TICK};

/// Tick the box, on proof, changing nothing else
///
/// With orders on standard input it ticks each task that the ledger proves. With --tick, --untick or --list it works
/// on the plan file that is named.
#[derive(Debug, clap::Parser)]
#[command(name = "checkbox", version, max_term_width = 100)]
pub(crate) struct Args {
    /// Orders, or with --tick, --untick and --list the plan; '-' or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Tick this task by hand; recorded with the reason
    #[arg(long, value_name = "ID", requires = "reason", requires = "file", conflicts_with = "untick")]
    pub(crate) tick: Option<String>,
    /// Clear the box of this task; recorded with the reason
    #[arg(long, value_name = "ID", requires = "reason", requires = "file")]
    pub(crate) untick: Option<String>,
    /// Why the box is ticked or cleared by hand
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// List the tasks of the plan with their boxes
    #[arg(long, conflicts_with_all = ["tick", "untick"])]
    pub(crate) list: bool,
    /// Read the plan as this dialect instead of looking
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Option<String>,
    /// Indent the JSON of `tick/1` for people
    #[arg(long)]
    pub(crate) pretty: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) manners: Manners,
}

impl Tool for Args {
    const ABOUT: About = About { name: "checkbox", schemas: &[END, ORDER, TICK], effects: Effects::Some };

    fn manners(&self) -> &Manners {
        &self.manners
    }

    fn effects(&self) -> Effects {
        if self.list { Effects::None } else { Effects::Some }
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
