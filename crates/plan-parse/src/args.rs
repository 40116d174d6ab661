//! The command line of `plan-parse`.

use crate::expand::{Expand, Mode};
use config::ConfigArgs;
use std::path::PathBuf;
use toolkit::cli::tool::{About, Effects, Manners, Tool};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};

/// Read a plan of any dialect and say exactly what it holds, and where
#[derive(Debug, clap::Parser)]
#[command(name = "plan-parse", version, before_help = MOST_USED)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Args {
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
    /// With --suggest or --reconcile, print text for people; with --expand execute-task, the todo list itself
    #[arg(long, hide_short_help = true)]
    pub(crate) text: bool,
    /// List the dialects that can be read
    #[arg(long)]
    pub(crate) list_dialects: bool,
    /// With --list-dialects, print JSON: where tasks, states, dependencies and checks stand, and an example
    #[arg(long, requires = "list_dialects", hide_short_help = true)]
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
    /// Apply every rule that a program can decide; 1 when one warns
    #[arg(long)]
    pub(crate) lint: bool,
    /// Suggest a check for each open task that has none, one JSON line each
    ///
    /// A suggestion is false now and true when the task is done: it asks for what the task names and the repository
    /// lacks. Nothing is run; 'gate-run try' tries the suggestions, and 'checkbox adopt' writes them into the plan.
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
    /// Print the plan once for each line of standard input, until that ends
    #[arg(
        long,
        requires = "file",
        conflicts_with_all = ["reconcile", "lint", "explain", "expand", "pretty", "lock_file", "follow", "show", "suggest"],
        hide_short_help = true
    )]
    pub(crate) each: bool,
    /// Print the plan again whenever its files change
    ///
    /// One document a line, until nobody reads any more.
    #[arg(long, requires = "file", conflicts_with_all = ["reconcile", "lint", "explain", "expand", "pretty", "lock_file"])]
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
    #[arg(long)]
    pub(crate) pretty: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) manners: Manners,
}

/// What is asked most; help shows it first, and the manual has it among its examples.
const MOST_USED: &str = concat!(
    "  plan-parse PLAN.md | dag-next --status --text  what may run now\n",
    "  plan-parse --lint PLAN.md > /dev/null          what is wrong with it\n",
    "  plan-parse --explain PLAN.md                   what each line was taken as"
);

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
