//! The command line of `punch`.

use std::path::PathBuf;
use toolkit::clock::RunArgs;
use toolkit::config::ConfigArgs;
use toolkit::output::Output;
use toolkit::tool::{About, Effects, Manners, Tool};
use toolkit::{Exit, Fail};
use wire::schemas::{END, ORDER, PUNCH};

/// Say what was really done, from the record itself
///
/// `punch checkpoint` is a stage of the pipe: orders in, the same orders with `card` out.
#[derive(Debug, clap::Parser)]
#[command(name = "punch", version, max_term_width = 100, subcommand_required = false)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) manners: Manners,
}

/// What to ask of the record.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Hold each order against a card and record the result
    Checkpoint {
        /// Orders; '-' or none is standard input
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// The card (default: `[defaults] card` in plantools.toml; none means that no card is asked for)
        #[arg(long, value_name = "NAME")]
        card: Option<String>,
        #[command(flatten)]
        config: ConfigArgs,
    },
    /// Print records of the ledger, oldest first
    List {
        /// The folder whose ledger it is
        #[arg(value_name = "DIR", default_value = ".")]
        folder: PathBuf,
        /// Only records of this task
        #[arg(long, value_name = "ID")]
        task: Option<String>,
        /// Only records of this type
        #[arg(long = "type", value_name = "TYPE")]
        kind: Option<String>,
        /// Only records of this run
        #[arg(long = "of-run", value_name = "ID")]
        of_run: Option<String>,
        /// One line for people instead of JSON
        #[arg(long)]
        text: bool,
    },
    /// Walk the chain of the ledger: exit 0 whole, 1 with every broken line named
    Verify {
        /// The folder whose ledger it is
        #[arg(value_name = "DIR", default_value = ".")]
        folder: PathBuf,
    },
}

impl Tool for Args {
    const ABOUT: About = About { name: "punch", schemas: &[END, ORDER, PUNCH], effects: Effects::Some };

    fn manners(&self) -> &Manners {
        &self.manners
    }

    fn effects(&self) -> Effects {
        match self.command {
            Some(Command::Checkpoint { .. }) => Effects::Some,
            _ => Effects::None,
        }
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
