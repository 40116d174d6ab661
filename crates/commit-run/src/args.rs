//! The command line of `commit-run`: arguments as typed, and how they become a [`Job`].

use crate::job::{Job, PlanCommit, RevertArgs};
use crate::residual::Kind;
use config::ConfigArgs;
use std::path::PathBuf;
use toolkit::cli::clock::RunArgs;
use toolkit::cli::old_spellings::OldSpelling;
use toolkit::cli::tool::{About, Effects, Manners, Tool};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::schemas::{END, ORDER, TICK};

/// Commit exactly what the plan says
///
/// Without a command it is a stage of the pipe: it reads orders and makes the commit that the plan names for each
/// ticked task.
#[derive(Debug, clap::Parser)]
#[command(override_usage = "commit-run [OPTIONS] [FILE] | COMMAND", name = "commit-run", version, before_help = MOST_USED)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Orders; '-' or none is standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    push: PushArgs,
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    manners: Manners,
}

/// The lines used most; help shows them first, and the manual has them among its examples.
const MOST_USED: &str = concat!(
    "  commit-run check-clean PLAN.md  is anything uncommitted?\n",
    "  commit-run pending PLAN.md      make the commits that are owed\n",
    "  commit-run residual PLAN.md     commit what else the run left"
);

/// What `commit-run` does besides committing for orders.
#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Make the commits that are owed
    ///
    /// A commit is owed if its task is ticked on proof and not committed.
    Pending(PlanArgs),
    /// Commit the rest of a run: plan, context files, workers' changes
    Residual {
        #[command(flatten)]
        plan: PlanArgs,
        /// Commit workers' files as they are now, since a person has approved them so
        #[arg(long)]
        approved: bool,
    },
    /// Commit only what the tools wrote: ticks, context, progress
    Bookkeeping(PlanArgs),
    /// Exit 0 if the tree is clean, else list the changes and exit 1
    CheckClean {
        /// The plan, or any path in the repository (default: the current folder)
        #[arg(value_name = "PLAN")]
        path: Option<PathBuf>,
        /// Leave out what the last attempt on record changed, if its task is not done: a run goes on with that
        #[arg(long)]
        resume: bool,
    },
    /// Print the commit that the first run of a plan began at
    ///
    /// The first call needs a clean tree, and keeps the commit; otherwise it lists the changes and exits with 1.
    Start {
        /// The plan
        #[arg(value_name = "PLAN")]
        plan: PathBuf,
    },
    /// Revert the commits of tasks, the latest first
    ///
    /// It prints a `tick/1` for each task. A conflict, or a file with changes that are in no commit, changes nothing and
    /// ends with 1. The boxes are for checkbox to clear: the revert takes what is changed in the plan with it. Run again
    /// after a crash, it goes on.
    Revert {
        /// The plan
        #[arg(value_name = "PLAN")]
        plan: PathBuf,
        /// The tasks
        #[arg(value_name = "ID", required = true)]
        ids: Vec<String>,
        /// Revert what depends on them as well
        #[arg(long)]
        dependents: bool,
        /// Only list the tasks in the order in which they are undone
        #[arg(long)]
        list: bool,
        /// Try it, and change nothing
        #[arg(long, conflicts_with = "list")]
        dry_run: bool,
        /// Why; it stands in the commit message
        #[arg(long, value_name = "TEXT", default_value = "", value_parser = toolkit::files::redact::typed)]
        reason: String,
        #[command(flatten)]
        config: ConfigArgs,
    },
    /// Print which tasks are done, read from commit trailers alone
    RebuildState {
        /// The plan (default: every plan of the repository); the file may be gone
        #[arg(value_name = "PLAN")]
        plan: Option<PathBuf>,
        /// Indent the JSON of `tick/1`
        #[arg(long, hide_short_help = true)]
        pretty: bool,
    },
    /// Bring the work of orders with a worktree into the main tree
    ///
    /// One order at a time. The checks on the combined tree, the tick and the commit follow in the pipe.
    Land {
        /// Orders; '-' or none is standard input
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        #[command(flatten)]
        config: ConfigArgs,
    },
}

/// A plan to commit for.
#[derive(Debug, clap::Args)]
struct PlanArgs {
    /// The plan
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    #[command(flatten)]
    push: PushArgs,
    #[command(flatten)]
    config: ConfigArgs,
}

/// Whether the branch goes out.
#[derive(Debug, Clone, Copy, clap::Args)]
struct PushArgs {
    /// Push the branch afterwards, if a commit was made
    #[arg(long)]
    push: bool,
}

impl From<PlanArgs> for PlanCommit {
    fn from(PlanArgs { plan, push, config }: PlanArgs) -> Self {
        Self { plan, push: push.push, config }
    }
}

impl Command {
    fn meant(self) -> Job {
        match self {
            Self::Pending(plan) => Job::Pending(plan.into()),
            Self::Residual { plan, approved } => Job::LeftOver(Kind::Residual { approved }, plan.into()),
            Self::Bookkeeping(plan) => Job::LeftOver(Kind::Bookkeeping, plan.into()),
            Self::CheckClean { path, resume } => Job::CheckClean { path, resume },
            Self::Start { plan } => Job::Start { plan },
            Self::Revert { plan, ids, dependents, list, dry_run, reason, config } => {
                Job::Revert(RevertArgs { plan, ids, dependents, list, dry_run, reason, config })
            }
            Self::RebuildState { plan, pretty } => Job::RebuildState { plan, pretty },
            Self::Land { file, config } => Job::Land { file, config },
        }
    }
}

impl Args {
    /// The arguments as meant.
    fn meant(self) -> (Job, RunArgs) {
        let Self { command, file, push, config, run, .. } = self;
        let push = push.push;
        (command.map_or(Job::Orders { file, push, config }, Command::meant), run)
    }
}

impl Tool for Args {
    const ABOUT: About = About { name: "commit-run", schemas: &[END, ORDER, TICK], effects: Effects::Some };

    const OLD_SPELLINGS: &'static [OldSpelling] = &[
        OldSpelling::flag("--land", "land"),
        OldSpelling::flag("--pending", "pending"),
        OldSpelling::flag("--residual", "residual"),
        OldSpelling::flag("--bookkeeping", "bookkeeping"),
        OldSpelling::flag("--check-clean", "check-clean"),
        OldSpelling::flag("--rebuild-state", "rebuild-state"),
    ];

    fn manners(&self) -> &Manners {
        &self.manners
    }

    fn effects(&self) -> Effects {
        match self.command {
            Some(
                Command::CheckClean { .. }
                | Command::RebuildState { .. }
                | Command::Revert { list: true, .. }
                | Command::Revert { dry_run: true, .. },
            ) => Effects::None,
            _ => Effects::Some,
        }
    }

    fn run(self, out: &mut Output) -> Result<Exit, Fail> {
        let (job, run) = self.meant();
        crate::run(&job, &run, out)
    }
}

#[cfg(test)]
mod tests {
    use super::Args;
    use crate::job::Job;
    use clap::Parser;
    use toolkit::cli::old_spellings::rewrite;
    use toolkit::cli::tool::Tool;

    #[test]
    fn the_command_line_is_well_formed() {
        crate::command().debug_assert();
    }

    #[test]
    fn an_old_spelling_means_what_the_new_one_means() {
        let table = [
            ("--land", "land"),
            ("--land orders --config c", "land orders --config c"),
            ("--pending --push P", "pending P --push"),
            ("--push --residual --config c P", "residual P --push --config c"),
            ("--bookkeeping P", "bookkeeping P"),
            ("--check-clean", "check-clean"),
            ("--check-clean P", "check-clean P"),
            ("--rebuild-state", "rebuild-state"),
            ("--rebuild-state --pretty P", "rebuild-state P --pretty"),
            ("--push orders", "--push orders"),
        ];
        for (old, new) in table {
            assert_eq!(meant(old), meant(new), "{old}");
        }
    }

    fn meant(line: &str) -> Job {
        let words = ["commit-run"].into_iter().chain(line.split(' ')).map(Into::into).collect();
        Args::try_parse_from(rewrite(Args::OLD_SPELLINGS, words)).unwrap().meant().0
    }
}
