//! The command line of `handoff`.

use std::path::PathBuf;
use toolkit::clock::RunArgs;
use toolkit::config::ConfigArgs;
use toolkit::output::Output;
use toolkit::tool::{About, Effects, Manners, Tool};
use toolkit::{Exit, Fail};
use wire::schemas::{END, ORDER};

/// Compose everything the worker needs to know
#[derive(Debug, clap::Parser)]
#[command(name = "handoff", version, max_term_width = 100)]
pub(crate) struct Args {
    /// Orders; '-' or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Print the prompts alone and write nothing
    #[arg(long)]
    pub(crate) prompt: bool,
    /// Go on although plan, configuration or hooks changed since the first attempt; recorded
    #[arg(long, value_name = "REASON")]
    pub(crate) accept_change: Option<String>,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) manners: Manners,
}

impl Tool for Args {
    const ABOUT: About = About { name: "handoff", schemas: &[ORDER, END], effects: Effects::Some };

    fn manners(&self) -> &Manners {
        &self.manners
    }

    fn effects(&self) -> Effects {
        if self.prompt { Effects::None } else { Effects::Some }
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
