//! The command line of `plan-parse`.

use crate::expand::{Expand, Mode};
use config::ConfigArgs;
use std::path::PathBuf;
use toolkit::cli::format::FormatArgs;
use toolkit::cli::tool::{About, Effects, Manners, Tool};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};

/// Read a plan of any dialect and say exactly what it holds, and where
#[derive(Debug, clap::Parser)]
#[command(name = "plan-parse", version, before_help = MOST_USED, subcommand_required = false)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) question: Option<Question>,
    /// The plan; '-' or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Read it as this dialect instead of looking
    #[arg(long, value_name = "NAME", visible_alias = "as")]
    pub(crate) dialect: Option<String>,
    /// Read this one of several sessions
    #[arg(long, value_name = "ID", requires = "file", hide_short_help = true)]
    pub(crate) session: Option<String>,
    /// Read this task's own file too; may be given again
    #[arg(long, value_name = "ID", requires = "file", hide_short_help = true)]
    pub(crate) load: Vec<String>,
    /// Read the agent that the own file of each open task names, and nothing else of it
    #[arg(long, requires = "file", hide_short_help = true)]
    pub(crate) agents: bool,
    /// Report where the files of a session disagree, and which rule decided; 1 where some do
    #[arg(long, requires = "file", hide_short_help = true)]
    pub(crate) reconcile: bool,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// List the dialects that can be read
    ///
    /// With --format json also where tasks, states and checks stand, and an example.
    #[arg(long)]
    pub(crate) list_dialects: bool,
    /// The older name of '--format json'
    #[arg(long, requires = "list_dialects", hide = true)]
    pub(crate) json: bool,
    /// Print the file that a run of this plan locks, making its folder
    #[arg(long, requires = "file", hide_short_help = true)]
    pub(crate) lock_file: bool,
    /// Print one fact about the plan instead, as a line of text
    #[arg(long, value_name = "WHAT", value_enum, requires = "file", hide_short_help = true)]
    pub(crate) show: Option<Show>,
    /// With --show, the workflow whose policy is asked for (default: by the plan's dialect)
    #[arg(long, value_name = "NAME", requires = "show", hide_short_help = true)]
    pub(crate) profile: Option<String>,
    /// Fail unless everything is there that a run of this plan needs [default: always]
    #[arg(
        long,
        value_name = "WHEN",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "always",
        requires = "file",
        hide_short_help = true
    )]
    pub(crate) prepared: Option<Prepared>,
    /// Apply every rule that a program can decide
    ///
    /// The findings are on standard error, and the exit is 1 when one warns. The plan is not printed with '--format text',
    /// nor on a terminal.
    #[arg(long)]
    pub(crate) lint: bool,
    /// Suggest a check for each open task that has none
    ///
    /// Each is one JSON line. A suggestion is false now and true when the task is done: it asks for what the task names
    /// and the repository lacks. Nothing is run; 'gate-run try' tries the suggestions, and 'checkbox adopt' writes them into the plan.
    #[arg(long, conflicts_with_all = ["lint", "explain", "expand", "reconcile", "follow", "pretty"])]
    pub(crate) suggest: bool,
    /// List the rules of --lint
    #[arg(long, hide_short_help = true)]
    pub(crate) list_rules: bool,
    /// Say what each line was taken as, or why not as a task
    ///
    /// It is about every line that looks like a task.
    #[arg(long, conflicts_with_all = ["lint", "expand"])]
    pub(crate) explain: bool,
    /// Print the plan in another shape
    #[arg(long, value_name = "SHAPE", value_enum, hide_short_help = true)]
    pub(crate) expand: Option<Expand>,
    /// Where the work of an expanded plan goes
    #[arg(
        long,
        value_name = "MODE",
        value_enum,
        default_value = "local",
        requires = "expand",
        hide_short_help = true
    )]
    pub(crate) mode: Mode,
    /// Print the plan for each line of standard input, until that ends
    ///
    /// Where nothing but boxes was ticked since the last time, a `ticks/1` line names their tasks instead.
    #[arg(
        long,
        requires = "file",
        conflicts_with_all = ["reconcile", "lint", "explain", "expand", "pretty", "lock_file", "follow", "show", "suggest"],
        hide_short_help = true
    )]
    pub(crate) each: bool,
    /// Print the plan again whenever its files change
    ///
    /// One document a line, until the reader closes the pipe; a `ticks/1` line where nothing but boxes was ticked.
    #[arg(long, requires = "file", conflicts_with_all = ["reconcile", "lint", "explain", "expand", "pretty", "lock_file"], hide_short_help = true)]
    pub(crate) follow: bool,
    /// Treat warnings as errors
    #[arg(long, hide_short_help = true)]
    pub(crate) strict: bool,
    /// Put each task's own text into the output
    #[arg(long, hide_short_help = true)]
    pub(crate) with_body: bool,
    /// Do not print warnings and hints
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Indent the JSON for people
    #[arg(long, hide_short_help = true)]
    pub(crate) pretty: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) manners: Manners,
}

/// What is asked most; help shows it first, and the manual has it among its examples.
const MOST_USED: &str = concat!(
    "  plan-parse PLAN.md | dag-next --status --format text  what may run now\n",
    "  plan-parse --lint --format text PLAN.md               what is wrong with it\n",
    "  plan-parse --explain PLAN.md                          how each line was read"
);

/// What to do instead of reading a plan.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Question {
    /// Merge three versions of a plan, as git's merge driver
    ///
    /// The result takes the place of OURS; exit 0 clean, 1 with conflicts. 'orchestrate init --merge-driver' sets it up.
    Merge(MergeArgs),
}

/// The versions to merge, as git names them.
#[derive(Debug, clap::Args)]
pub(crate) struct MergeArgs {
    /// The version that both sides began with: git's %O
    #[arg(value_name = "BASE")]
    pub(crate) base: PathBuf,
    /// The current version, which the result replaces: git's %A
    #[arg(value_name = "OURS")]
    pub(crate) ours: PathBuf,
    /// The other version: git's %B
    #[arg(value_name = "THEIRS")]
    pub(crate) theirs: PathBuf,
    /// Where the file is in the repository: git's %P
    #[arg(value_name = "PATH")]
    pub(crate) path: String,
    /// The length of conflict markers: git's %L
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) marker_size: u16,
    /// The name of the current version in conflict markers: git's %X
    #[arg(long, value_name = "NAME", default_value = "ours")]
    pub(crate) ours_label: String,
    /// The name of the other version: git's %Y
    #[arg(long, value_name = "NAME", default_value = "theirs")]
    pub(crate) theirs_label: String,
}

/// When a preparation is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Prepared {
    /// Whatever the plan has
    Always,
    /// If the plan has step files
    IfSteps,
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
    /// Where it is, from anywhere
    Location,
    /// What a program that conducts a run needs to know, as `facts/1`
    Facts,
    /// The bead that it belongs to; nothing where it names none
    Bead,
    /// The prepared files of a runbook with order, models and escalation, as the first lines of its run; nothing for a
    /// plan without them
    Artifacts,
    /// The type that it states, like `tdd`; an empty line where it states none
    Type,
    /// The profile that carries it out
    Profile,
    /// How often a worker may try a task
    Attempts,
    /// How many tasks may run at once; 0 sets no limit
    MaxJobs,
    /// Whether a person approves the report before the work is committed: `yes` or `no`
    Approval,
    /// The task that is the approval
    ApprovalTask,
    /// The command lines of the profile: what prints the plan that is carried out
    PlanFile,
    /// What runs before the first round
    Prepare,
    /// The pipe of one round
    Round,
    /// The pipe that follows the plan, for several tasks at once
    Follow,
    /// The pipe in which other workers review what waits for that
    Review,
    /// Whether `restore` runs after a round
    RestoreIf,
    /// The pipe that restores a gate
    Restore,
    /// What runs after each round
    Between,
    /// The command lines behind a round that halted a task
    Settle,
    /// What runs where a round cannot read the plan
    Repair,
    /// What runs for each task that is given up
    Halted,
    /// What prints a further plan when every task is done
    Reviews,
    /// What runs when every task is done
    Finish,
    /// What runs at the end of a run that leaves tasks open
    Unfinished,
    /// What runs on every way out of a run
    Ended,
}

impl Tool for Args {
    const ABOUT: About = About {
        name: "plan-parse",
        schemas: &[
            wire::schemas::PLAN,
            wire::schemas::FACTS,
            wire::schemas::RECONCILE,
            wire::schemas::SUGGESTION,
        ],
        effects: Effects::None,
    };

    fn manners(&self) -> &Manners {
        &self.manners
    }

    fn effects(&self) -> Effects {
        if self.question.is_some() { Effects::Some } else { Effects::None }
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
