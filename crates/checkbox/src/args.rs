//! The command line of `checkbox`.

use clap::ArgGroup;
use std::path::PathBuf;
use toolkit::clock::RunArgs;
use toolkit::config::ConfigArgs;
use toolkit::output::Output;
use toolkit::tool::{About, Effects, Manners, Tool};
use toolkit::{Exit, Fail};
use wire::State;
use wire::schemas::{END, ORDER, TICK};

/// Tick the box, on proof, changing nothing else
///
/// With orders on standard input it ticks each task that the ledger proves. With --tick, --untick, --state,
/// --criterion, --add, --goals, --untick-on-fail or --list it works on the plan file that is named.
#[derive(Debug, clap::Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(name = "checkbox", version, before_help = MOST_USED)]
#[command(group = ArgGroup::new("deed").args(
    ["tick", "untick", "state", "criterion", "add", "goals", "list", "begin", "untick_on_fail"]))]
#[command(group = ArgGroup::new("by_hand").args(["tick", "untick", "state", "criterion", "add"]).conflicts_with("begin"))]
pub(crate) struct Args {
    /// Orders, or where something is done by hand the plan; '-' or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Tick this task by hand; recorded with the reason
    #[arg(long, value_name = "ID", requires = "reason", requires = "file")]
    pub(crate) tick: Option<String>,
    /// Clear the box of this task; recorded with the reason
    #[arg(long, value_name = "ID", requires = "reason", requires = "file")]
    pub(crate) untick: Option<String>,
    /// Say that this task is `in_progress`, `blocked`, `skipped` or `failed`; recorded with the reason
    #[arg(long, value_name = "ID=STATE", value_parser = state, requires = "reason", requires = "file")]
    pub(crate) state: Option<(String, State)>,
    /// Tick the box of this criterion by hand, named like '3:2', or 'note:1' where it belongs to no task; recorded with the
    /// reason
    #[arg(long, value_name = "ID:N", requires = "reason", requires = "file", hide_short_help = true)]
    pub(crate) criterion: Option<String>,
    /// Leave the box of the criterion open for later instead; what waits for it goes on
    #[arg(long, requires = "criterion", hide_short_help = true)]
    pub(crate) defer: bool,
    /// Add a task behind this one; recorded with the reason
    #[arg(
        long,
        value_name = "ID",
        requires = "reason",
        requires = "file",
        requires = "title",
        hide_short_help = true
    )]
    pub(crate) add: Option<String>,
    /// The title of the added task
    #[arg(long, value_name = "TEXT", requires = "add", hide_short_help = true)]
    pub(crate) title: Option<String>,
    /// A file with the text of the added task, below its heading
    #[arg(long, value_name = "FILE", requires = "add", hide_short_help = true)]
    pub(crate) body: Option<PathBuf>,
    /// Why it is done by hand
    #[arg(long, value_name = "TEXT", requires = "by_hand", value_parser = toolkit::redact::typed)]
    pub(crate) reason: Option<String>,
    /// Print what would change as a unified diff; nothing is written
    #[arg(long, requires = "by_hand")]
    pub(crate) dry_run: bool,
    /// Add the task that the worker of a halted order found missing, one level deep and at most three for each task
    #[arg(long, conflicts_with_all = ["tick", "untick", "state", "criterion", "add", "goals", "list", "begin", "untick_on_fail"], hide_short_help = true)]
    pub(crate) adapt: bool,
    /// Mark the tasks of the orders as begun, where the plan has a mark for it; goes before worker-run
    #[arg(long, hide_short_help = true)]
    pub(crate) begin: bool,
    /// Open each ticked task again of which a check has failed since
    #[arg(long, requires = "file", hide_short_help = true)]
    pub(crate) untick_on_fail: bool,
    /// Tick what the plan calls done beside its tasks, each box whose command has passed; exit 5 where one is left open
    #[arg(long, requires = "file", hide_short_help = true)]
    pub(crate) goals: bool,
    /// List the tasks of the plan with their boxes
    #[arg(long)]
    pub(crate) list: bool,
    /// List for people: state, id and title
    #[arg(long, requires = "list")]
    pub(crate) text: bool,
    /// Read the plan as this dialect instead of looking
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub(crate) dialect: Option<String>,
    /// Indent the JSON of `tick/1` for people
    #[arg(long, hide_short_help = true)]
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
    "  checkbox --list --text PLAN.md                     the tasks and their boxes\n",
    "  checkbox --tick 1 --reason 'done by hand' PLAN.md  tick one yourself\n",
    "  checkbox checked.ndjson | run-report               tick what is proved"
);

/// `ID=STATE`, split at the last `=`: an id may hold one.
fn state(text: &str) -> Result<(String, State), String> {
    let (id, word) = text.rsplit_once('=').ok_or("write ID=STATE")?;
    let states = [State::InProgress, State::Blocked, State::Skipped, State::Failed];
    let found = states.into_iter().find(|state| state.word() == word);
    let state = found.ok_or("the state is one of in_progress, blocked, skipped, failed")?;
    Ok((id.to_owned(), state))
}

impl Tool for Args {
    const ABOUT: About = About { name: "checkbox", schemas: &[END, ORDER, TICK], effects: Effects::Some };

    fn manners(&self) -> &Manners {
        &self.manners
    }

    fn effects(&self) -> Effects {
        if self.list || self.dry_run { Effects::None } else { Effects::Some }
    }

    fn run(self, out: &mut Output) -> Result<Exit, Fail> {
        crate::run(&self, out)
    }
}

#[cfg(test)]
mod tests {
    use super::state;
    use wire::State;

    #[test]
    fn the_command_line_is_well_formed() {
        crate::command().debug_assert();
    }

    #[test]
    fn a_state_is_split_from_its_id() {
        assert_eq!(state("P0-2b=blocked"), Ok(("P0-2b".to_owned(), State::Blocked)));
        assert_eq!(state("a=b=failed"), Ok(("a=b".to_owned(), State::Failed)));
        assert!(state("1=completed").is_err() && state("1").is_err());
    }
}
