//! The command line of `session-export`.

use std::path::PathBuf;
use toolkit::clock::RunArgs;
use toolkit::output::Output;
use toolkit::tool::{About, Effects, Manners, Tool};
use toolkit::{Exit, Fail};
use wire::schemas::{END, ORDER, SESSION};

/// Keep the reasoning chain, whole and checked
///
/// Without a command it is a stage of the pipe: orders in, the same orders with `session` out.
#[derive(Debug, clap::Parser)]
#[command(name = "session-export", version, max_term_width = 100, args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// Orders; '-' or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) manners: Manners,
}

/// What to do with a session.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Say what a thinking session holds
    Summary {
        /// The session: an export of version 1 or 2, or the live JSON lines; '-' or none is standard input
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// Indent the JSON for people
        #[arg(long)]
        pretty: bool,
    },
}

impl Tool for Args {
    const ABOUT: About =
        About { name: "session-export", schemas: &[END, ORDER, SESSION], effects: Effects::Some };

    fn manners(&self) -> &Manners {
        &self.manners
    }

    fn effects(&self) -> Effects {
        if self.command.is_some() { Effects::None } else { Effects::Some }
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
