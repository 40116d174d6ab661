//! The command line of `context-save`.

use std::path::PathBuf;
use toolkit::clock::RunArgs;
use toolkit::output::Output;
use toolkit::tool::{About, Effects, Manners, Tool};
use toolkit::{Exit, Fail};
use wire::schemas::{END, ORDER};

/// Save what the next tasks must know
#[derive(Debug, clap::Parser)]
#[command(name = "context-save", version, max_term_width = 100)]
pub(crate) struct Args {
    /// Orders; '-' or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) manners: Manners,
}

impl Tool for Args {
    const ABOUT: About = About { name: "context-save", schemas: &[END, ORDER], effects: Effects::Some };

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
