//! The command line of `dag-export`.

use std::path::PathBuf;
use toolkit::output::Output;
use toolkit::tool::{About, Effects, Manners, Tool};
use toolkit::{Exit, Fail};

/// Draw the task graph for eyes and for other engines
#[derive(Debug, clap::Parser)]
#[command(name = "dag-export", version, max_term_width = 100)]
pub(crate) struct Args {
    /// The plan as `plan/1`; '-' or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// What to write: text, dot, mermaid, svg, json, make or ninja
    #[arg(long, value_name = "TARGET", default_value = "text")]
    pub(crate) to: String,
    /// List what can be written
    #[arg(long)]
    pub(crate) list_targets: bool,
    #[command(flatten)]
    pub(crate) manners: Manners,
}

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
