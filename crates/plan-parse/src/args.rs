//! The command line of `plan-parse`.

use crate::expand::{Expand, Mode};
use std::path::PathBuf;
use toolkit::output::Output;
use toolkit::tool::{About, Effects, Manners, Tool};
use toolkit::{Exit, Fail};

/// Read a plan of any dialect and say exactly what it holds, and where
#[derive(Debug, clap::Parser)]
#[command(name = "plan-parse", version, max_term_width = 100)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Args {
    /// The plan; '-' or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Read it as this dialect instead of looking
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Option<String>,
    /// Read this one of several sessions
    #[arg(long, value_name = "ID", requires = "file")]
    pub(crate) session: Option<String>,
    /// Read this task's own file too; may be given again
    #[arg(long, value_name = "ID", requires = "file")]
    pub(crate) load: Vec<String>,
    /// Report where the files of a session disagree, and which rule decided; 1 where some do
    #[arg(long, requires = "file")]
    pub(crate) reconcile: bool,
    /// With --reconcile, print text for people; with --expand execute-task, the todo list itself
    #[arg(long)]
    pub(crate) text: bool,
    /// List the dialects that can be read
    #[arg(long)]
    pub(crate) list_dialects: bool,
    /// Print the file that a run of this plan locks, making its folder
    #[arg(long, requires = "file")]
    pub(crate) lock_file: bool,
    /// Print one fact about the plan instead, as a line of text
    #[arg(long, value_name = "WHAT", value_enum, requires = "file")]
    pub(crate) show: Option<Show>,
    /// Fail unless everything is there that a run of this plan needs
    #[arg(long, requires = "file")]
    pub(crate) prepared: bool,
    /// Apply every rule that a program can decide; exit 1 when one warns
    #[arg(long)]
    pub(crate) lint: bool,
    /// List the rules of --lint
    #[arg(long)]
    pub(crate) list_rules: bool,
    /// Say of each line that looks like a task what it was taken as, or why not
    #[arg(long, conflicts_with_all = ["lint", "expand"])]
    pub(crate) explain: bool,
    /// Print the plan in another shape
    #[arg(long, value_name = "SHAPE", value_enum)]
    pub(crate) expand: Option<Expand>,
    /// Where the work of an expanded plan goes
    #[arg(long, value_name = "MODE", value_enum, default_value = "local", requires = "expand")]
    pub(crate) mode: Mode,
    /// Print the plan again whenever its files change, one document a line, until nobody reads any more
    #[arg(long, requires = "file", conflicts_with_all = ["reconcile", "lint", "explain", "expand", "pretty", "lock_file"])]
    pub(crate) follow: bool,
    /// Treat warnings as errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// Put each task's own text into the output
    #[arg(long)]
    pub(crate) with_body: bool,
    /// Do not print warnings and hints
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Indent the JSON for people
    #[arg(long)]
    pub(crate) pretty: bool,
    #[command(flatten)]
    pub(crate) manners: Manners,
}

/// One fact about a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Show {
    /// The dialect that it is written in
    Dialect,
    /// The top folder of its repository
    Root,
    /// Where it is, as seen from there
    Path,
    /// The bead that it belongs to; nothing where it names none
    Bead,
    /// The type that it states, like `tdd`; an empty line where it states none
    Type,
}

impl Tool for Args {
    const ABOUT: About = About {
        name: "plan-parse",
        schemas: &[wire::schemas::PLAN, wire::schemas::RECONCILE],
        effects: Effects::None,
    };

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
