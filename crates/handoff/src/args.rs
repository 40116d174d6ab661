//! The command line of `handoff`.

use crate::role::Role;
use std::path::PathBuf;
use toolkit::clock::RunArgs;
use toolkit::config::ConfigArgs;
use toolkit::output::Output;
use toolkit::tokens::pair;
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
    /// Whom the prompt is for
    #[arg(long = "for", value_name = "WHOM", value_enum, default_value_t = Role::Auto)]
    pub(crate) role: Role,
    /// Largest prompt; what is left out is said and given as a path
    #[arg(long, value_name = "BYTES", default_value_t = 98_304, value_parser = clap::value_parser!(u64).range(SMALLEST..))]
    pub(crate) max_bytes: u64,
    /// Handoff packet that the todo list was made from (default: looked for by the task's name)
    #[arg(long, value_name = "FILE")]
    pub(crate) packet: Option<PathBuf>,
    /// Value for a {{TOKEN}} in the plan; may be given more than once
    #[arg(long, value_name = "TOKEN=VALUE", value_parser = pair)]
    pub(crate) set: Vec<(String, String)>,
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

/// Below this there is no room for what every prompt says.
const SMALLEST: u64 = 16_384;

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
