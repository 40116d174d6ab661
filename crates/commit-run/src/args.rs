//! The command line of `commit-run`.

use std::path::PathBuf;
use toolkit::clock::RunArgs;
use toolkit::config::ConfigArgs;
use toolkit::output::Output;
use toolkit::tool::{About, Effects, Manners, Tool};
use toolkit::{Exit, Fail};
use wire::schemas::{END, ORDER, TICK};

/// Commit exactly what the plan says
///
/// With orders on standard input it makes the commit that the plan names for each ticked task. With --pending,
/// --residual, --bookkeeping, --check-clean or --rebuild-state it works on the plan or folder that is named.
#[derive(Debug, clap::Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(name = "commit-run", version, before_help = MOST_USED)]
pub(crate) struct Args {
    /// Orders, or where something else is asked for the plan; '-' or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Bring the work of each order that has a worktree into the main tree, one at a time; the checks on the combined
    /// tree, the tick and the commit come behind it in the pipe
    #[arg(long, group = "deed", hide_short_help = true)]
    pub(crate) land: bool,
    /// Make the commits that are owed: tasks that are ticked on proof and not committed
    #[arg(long, requires = "file", group = "deed")]
    pub(crate) pending: bool,
    /// Commit what is left of the run: the plan, the context files, what workers changed
    #[arg(long, requires = "file", group = "deed")]
    pub(crate) residual: bool,
    /// Commit exactly the files that our own stages wrote: ticks, context, progress
    #[arg(long, requires = "file", group = "deed", hide_short_help = true)]
    pub(crate) bookkeeping: bool,
    /// Say whether the tree is clean: exit 0, or 1 with the list
    #[arg(long, group = "deed")]
    pub(crate) check_clean: bool,
    /// Print which tasks are done, from the trailers of the commits alone
    #[arg(long, group = "deed", hide_short_help = true)]
    pub(crate) rebuild_state: bool,
    /// Push the branch afterwards, if a commit was made
    #[arg(long, conflicts_with_all = ["land", "check_clean", "rebuild_state"])]
    pub(crate) push: bool,
    /// Indent the JSON of `tick/1` for people
    #[arg(long, requires = "rebuild_state", hide_short_help = true)]
    pub(crate) pretty: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) manners: Manners,
}

/// What is asked most; help shows it first, and the manual has it among its examples.
const MOST_USED: &str = concat!(
    "  commit-run --check-clean PLAN.md  is anything uncommitted?\n",
    "  commit-run --pending PLAN.md      make the commits that are owed\n",
    "  commit-run --residual PLAN.md     commit what else the run left"
);

impl Tool for Args {
    const ABOUT: About = About { name: "commit-run", schemas: &[END, ORDER, TICK], effects: Effects::Some };

    fn manners(&self) -> &Manners {
        &self.manners
    }

    fn effects(&self) -> Effects {
        if self.check_clean || self.rebuild_state { Effects::None } else { Effects::Some }
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
