//! The command line of `context-save`: arguments as typed, and how they become a [`Job`].

use crate::job::Job;
use std::path::PathBuf;
use toolkit::cli::clock::RunArgs;
use toolkit::cli::old_spellings::OldSpelling;
use toolkit::cli::tool::{About, Effects, Manners, Tool};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::schemas::{END, INHERIT, ORDER};

/// Save what the next tasks must know
///
/// Without a command it is a stage of the pipe: it reads orders and saves what each worker left.
#[derive(Debug, clap::Parser)]
#[command(override_usage = "context-save [OPTIONS] [FILE] | COMMAND", name = "context-save", version, before_help = MOST_USED)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Orders; '-' or none is standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    manners: Manners,
}

/// The lines used most; help shows them first, and the manual has them among its examples.
const MOST_USED: &str = concat!(
    "  context-save checked.ndjson > saved.ndjson  save what these orders left\n",
    "  context-save inherit 2 PLAN.md              what task 2 would inherit\n",
    "  context-save snapshot PLAN.md               copy the files of a session"
);

/// What `context-save` does besides saving what orders left.
#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print what a task would inherit from the tasks that it depends on
    Inherit {
        /// The task
        #[arg(value_name = "TASK")]
        task: String,
        /// The plan
        #[arg(value_name = "PLAN")]
        plan: PathBuf,
        /// Indent the JSON of `inherit/1`
        #[arg(long, hide_short_help = true)]
        pretty: bool,
    },
    /// Copy the files of a session to '.plantools/snapshots'
    ///
    /// These are its list, its task files and the session file.
    Snapshot {
        /// The session's folder, or its plan
        #[arg(value_name = "PLAN")]
        plan: PathBuf,
    },
    /// Write a missing session file; restore broken JSON from a snapshot
    Repair {
        /// Look at the session's own file alone, and leave the files of its tasks closed
        #[arg(long)]
        session_file: bool,
        /// The session: its folder or its name
        #[arg(value_name = "SESSION")]
        session: PathBuf,
    },
    /// Complete a session: status, archive and manifest
    Complete {
        /// The session: its folder or its name
        #[arg(value_name = "SESSION")]
        session: PathBuf,
    },
}

impl Command {
    fn meant(self) -> Job {
        match self {
            Self::Inherit { task, plan, pretty } => Job::Inherit { task, plan, pretty },
            Self::Snapshot { plan } => Job::Snapshot { plan },
            Self::Repair { session_file, session } => Job::Repair { session_file, session },
            Self::Complete { session } => Job::Complete { session },
        }
    }
}

impl Args {
    /// The arguments as meant.
    fn meant(self) -> (Job, RunArgs) {
        let Self { command, file, run, .. } = self;
        (command.map_or(Job::Orders { file }, Command::meant), run)
    }
}

impl Tool for Args {
    const ABOUT: About =
        About { name: "context-save", schemas: &[END, INHERIT, ORDER], effects: Effects::Some };

    const OLD_SPELLINGS: &'static [OldSpelling] = &[
        OldSpelling::with_value("--show", "inherit"),
        OldSpelling::flag("--snapshot", "snapshot"),
        OldSpelling::with_value("--repair", "repair"),
        OldSpelling::with_value("--complete", "complete"),
    ];

    fn manners(&self) -> &Manners {
        &self.manners
    }

    fn effects(&self) -> Effects {
        match self.command {
            Some(Command::Inherit { .. }) => Effects::None,
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
            ("--show 2 P", "inherit 2 P"),
            ("--pretty --show=2 P", "inherit 2 P --pretty"),
            ("--snapshot P", "snapshot P"),
            ("--repair S", "repair S"),
            ("--complete S", "complete S"),
        ];
        for (old, new) in table {
            assert_eq!(meant(old), meant(new), "{old}");
        }
    }

    fn meant(line: &str) -> Job {
        let words = ["context-save"].into_iter().chain(line.split(' ')).map(Into::into).collect();
        Args::try_parse_from(rewrite(Args::OLD_SPELLINGS, words)).unwrap().meant().0
    }
}
