//! The command line of `context-save`.

use std::path::PathBuf;
use toolkit::clock::RunArgs;
use toolkit::output::Output;
use toolkit::tool::{About, Effects, Manners, Tool};
use toolkit::{Exit, Fail};
use wire::schemas::{END, INHERIT, ORDER};

/// Save what the next tasks must know
///
/// With orders on standard input it saves what each worker left. With --show it prints what a task would inherit; with
/// --snapshot, --repair or --complete it looks after a session.
#[derive(Debug, clap::Parser)]
#[command(name = "context-save", version, before_help = MOST_USED)]
pub(crate) struct Args {
    /// Orders, or with --show and --snapshot the plan; '-' or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Print what this task would inherit from those it waits for
    #[arg(long, value_name = "TASK", requires = "file", group = "deed")]
    pub(crate) show: Option<String>,
    /// Copy the list, the task files and the session file to '.plantools/snapshots'
    #[arg(long, requires = "file", group = "deed")]
    pub(crate) snapshot: bool,
    /// Write a missing session file, and restore files that are no JSON from a snapshot
    #[arg(long, value_name = "SESSION", group = "deed", conflicts_with = "file")]
    pub(crate) repair: Option<PathBuf>,
    /// Complete a session: its own status, the archive, the manifest
    #[arg(long, value_name = "SESSION", group = "deed", conflicts_with = "file")]
    pub(crate) complete: Option<PathBuf>,
    /// Indent the JSON of `inherit/1` for people
    #[arg(long, requires = "show", hide_short_help = true)]
    pub(crate) pretty: bool,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) manners: Manners,
}

/// What is asked most; help shows it first, and the manual has it among its examples.
const MOST_USED: &str = concat!(
    "  context-save checked.ndjson > saved.ndjson  save what these orders left\n",
    "  context-save --show 2 PLAN.md               what task 2 would inherit\n",
    "  context-save --snapshot PLAN.md             a copy of a session's files"
);

impl Tool for Args {
    const ABOUT: About =
        About { name: "context-save", schemas: &[END, INHERIT, ORDER], effects: Effects::Some };

    fn manners(&self) -> &Manners {
        &self.manners
    }

    fn effects(&self) -> Effects {
        if self.show.is_some() { Effects::None } else { Effects::Some }
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
