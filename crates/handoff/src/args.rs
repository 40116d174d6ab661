//! The command line of `handoff`.

use crate::roles::role::Role;
use config::ConfigArgs;
use config::tokens::pair;
use std::path::PathBuf;
use toolkit::cli::clock::RunArgs;
use toolkit::cli::tool::{About, Effects, Manners, Tool};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::schemas::{END, ORDER};

/// Compose everything the worker needs to know
#[derive(Debug, clap::Parser)]
#[command(name = "handoff", version, before_help = MOST_USED)]
pub(crate) struct Args {
    /// Orders; '-' or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Print the prompts alone and write nothing
    #[arg(long)]
    pub(crate) prompt: bool,
    /// Whom the prompt is for
    #[arg(long = "for", value_name = "WHOM", value_enum, default_value_t = Role::Auto, hide_short_help = true)]
    pub(crate) role: Role,
    /// Largest prompt; what is left out is said and given as a path
    #[arg(long, value_name = "BYTES", default_value_t = 98_304, value_parser = clap::value_parser!(u64).range(SMALLEST..))]
    pub(crate) max_bytes: u64,
    /// Handoff packet that the todo list was made from (default: looked for by the task's name)
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) packet: Option<PathBuf>,
    /// Value for a {{TOKEN}} in the plan; may be given more than once
    #[arg(long, value_name = "TOKEN=VALUE", value_parser = pair)]
    pub(crate) set: Vec<(String, String)>,
    /// Go on although plan, configuration or hooks changed since the first attempt; recorded
    #[arg(long, value_name = "REASON", value_parser = toolkit::files::redact::typed)]
    pub(crate) accept_change: Option<String>,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) manners: Manners,
}

/// What is asked most; help shows it first, and the manual has it among its examples.
const MOST_USED: &str = concat!(
    "  plan-parse PLAN.md | dag-next | handoff --prompt  read what a worker is told\n",
    "  handoff orders.ndjson > ready.ndjson              write it down for worker-run\n",
    "  handoff --accept-change 'a typo' orders.ndjson    go on after the plan changed"
);

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
