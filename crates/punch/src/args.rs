//! The command line of `punch`.

use crate::cards::card::{Card, Cards};
use config::ConfigArgs;
use std::path::PathBuf;
use toolkit::cli::clock::RunArgs;
use toolkit::cli::format::FormatArgs;
use toolkit::cli::tool::{About, Effects, Manners, Tool};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::schemas::{ATTESTATION, CARD, END, FIT, LINT, ORDER, PUNCH};

/// Say what was really done, from the record itself
///
/// `punch checkpoint` is a stage of the pipe: orders in, the same orders with `card` out.
#[derive(Debug, clap::Parser)]
#[command(name = "punch", version, before_help = MOST_USED, subcommand_required = false)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// Answer an agent's hook: refuse what the card forbids
    ///
    /// The JSON of a hook of Claude Code, Codex or Gemini is on standard input.
    #[arg(long)]
    pub(crate) hook: bool,
    /// With --hook: the card
    ///
    /// The default is `[defaults] card` in plantools.toml.
    #[arg(long, value_name = "NAME", requires = "hook")]
    pub(crate) card: Option<String>,
    /// With --hook: a file of cards
    #[arg(long = "cards", value_name = "FILE", requires = "hook", hide_short_help = true)]
    pub(crate) cards: Vec<PathBuf>,
    /// With --hook: configuration file (default: plantools.toml at the root, if there)
    #[arg(long, value_name = "FILE", requires = "hook", hide_short_help = true)]
    pub(crate) config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) manners: Manners,
}

/// What is asked most; help shows it first, and the manual has it among its examples.
const MOST_USED: &str = concat!(
    "  punch list --format text                            what happened\n",
    "  punch verify                                        was the ledger edited?\n",
    "  punch evaluate 1 process-orchestrate --format text  does it meet the card?"
);

/// What to ask of the record.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Hold each order, or one task, against a card, on record
    ///
    /// As a stage of the pipe it reads orders and writes the same orders with `card`.
    Checkpoint {
        /// Orders ('-' or none is standard input); or a task, a card and transcripts
        #[arg(value_name = "FILE | TASK CARD [TRANSCRIPT]", num_args = 0..)]
        what: Vec<String>,
        /// For orders: the card (default: `[defaults] card` in plantools.toml; none means that no card is asked for)
        #[arg(long, value_name = "NAME")]
        card: Option<String>,
        /// For one task: hold it also against the card of the receipts that commands.toml asks for, if any
        #[arg(long)]
        receipts: bool,
        /// For orders: compare only tasks whose id is like this with the card
        #[arg(long, value_name = "GLOB")]
        tasks: Option<String>,
        #[command(flatten)]
        held: Held,
        #[command(flatten)]
        asking: Asking,
        #[command(flatten)]
        show: Show,
    },
    /// Hold one task against a card and record nothing
    ///
    /// Exit 0 met, 1 not met, 3 no evidence.
    Evaluate {
        /// The task
        #[arg(value_name = "TASK")]
        task: String,
        /// The card
        #[arg(value_name = "CARD")]
        name: String,
        /// Agents' own records (default: what was minted and sealed before)
        #[arg(value_name = "TRANSCRIPT")]
        transcripts: Vec<String>,
        #[command(flatten)]
        held: Held,
        #[command(flatten)]
        asking: Asking,
        #[command(flatten)]
        show: Show,
    },
    /// Mint punches from agents' own records and seal them
    Mint {
        /// The task
        #[arg(long, value_name = "ID")]
        task: String,
        /// Agents' own records: a path, `path#session` where a file holds several, or `session:ID`
        #[arg(value_name = "TRANSCRIPT", required = true)]
        transcripts: Vec<String>,
        #[command(flatten)]
        config: ConfigArgs,
        #[command(flatten)]
        asking: Asking,
    },
    /// Print records of the ledger, oldest first
    List(ListArgs),
    /// Walk the chain of the ledger and its seals
    ///
    /// Exit 0 whole, 1 with every broken line named.
    Verify {
        /// The folder whose ledger it is
        #[arg(value_name = "DIR", default_value = ".")]
        folder: PathBuf,
    },
    /// Keep the evidence of ticked tasks in git notes, or verify it
    ///
    /// Each statement is an in-toto statement in `refs/notes/plantools`: plan section, checks, tree, ledger. With --verify, in
    /// any clone and without running anything: exit 0 everything fits, 1 not. Nothing is signed.
    Attest(AttestArgs),
    /// Add a record of your own; no card and no tick accepts it
    ///
    /// It is kept as `typed`.
    Append(AppendArgs),
    /// Print the cards that come with the tool, each with a note
    Cards,
    /// Turn SQL seeds or JSON cards into cards for plantools.toml
    ImportCards {
        /// Files of cards
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },
    /// Look for cards with rows that can never match or be met
    ///
    /// And for what else is wrong with them. Exit 1 when there is an error.
    Lint(LintArgs),
}

/// The cards, and how the record is compared with them.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Held {
    /// More cards, from a file in TOML, JSON or SQL
    #[arg(long, value_name = "FILE")]
    pub(crate) cards: Vec<PathBuf>,
    /// The worker has not ended yet: rows about its end are only shown
    #[arg(long)]
    pub(crate) pre_exit: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
}

impl Held {
    /// The card of this name as it is to be held.
    pub(crate) fn card_of(&self, cards: &Cards, name: &str) -> Result<Card, Fail> {
        let card = cards.find(name)?;
        Ok(if self.pre_exit { card.before_exit() } else { card })
    }
}

/// Which attempt is meant, and how its record is read.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Asking {
    /// The plan, where several have a task of this name
    #[arg(long, value_name = "PATH")]
    pub(crate) plan: Option<String>,
    /// The session, where a transcript holds several
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// The client, where it is not told by the record's shape
    #[arg(long, value_name = "NAME")]
    pub(crate) client: Option<String>,
    /// The batch of a log in `gate_run.v1` (default: the newest of the task)
    #[arg(long, value_name = "TIME")]
    pub(crate) run_timestamp: Option<String>,
    /// The task that this one is a child of
    #[arg(long, value_name = "ID")]
    pub(crate) parent: Option<String>,
    /// The folder whose ledger it is
    #[arg(long = "in", value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,
}

/// How an answer looks.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct Show {
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// JSON over several lines
    #[arg(long)]
    pub(crate) pretty: bool,
}

/// Which records are listed.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ListArgs {
    /// The folder whose ledger it is
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) folder: PathBuf,
    /// Only records of this task
    #[arg(long, value_name = "ID")]
    pub(crate) task: Option<String>,
    /// Only records of this plan
    #[arg(long, value_name = "PATH")]
    pub(crate) plan: Option<String>,
    /// Only records of this type
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,
    /// Only records with this key
    #[arg(long, value_name = "TEXT")]
    pub(crate) key: Option<String>,
    /// Only the last record; with --key, only if the last one has that key
    #[arg(long)]
    pub(crate) last: bool,
    /// Only records of this run; the same as --run
    #[arg(long = "of-run", value_name = "ID")]
    pub(crate) of_run: Option<String>,
    /// What was minted from transcripts too, behind the record that seals it
    #[arg(long)]
    pub(crate) minted: bool,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// Whose evidence is stated or verified.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct AttestArgs {
    /// The plan
    #[arg(value_name = "PLAN")]
    pub(crate) plan: PathBuf,
    /// Only this task; may be given again
    #[arg(long, value_name = "ID")]
    pub(crate) task: Vec<String>,
    /// Say which evidence still fits the tree and the plan; run and write nothing
    #[arg(long)]
    pub(crate) verify: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) show: Show,
}

/// A record that a person adds.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct AppendArgs {
    /// The type of the record
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: String,
    /// What it is about
    #[arg(long, value_name = "TEXT")]
    pub(crate) key: String,
    /// The task
    #[arg(long, value_name = "ID")]
    pub(crate) task: Option<String>,
    /// The plan's path as seen from the root
    #[arg(long, value_name = "PATH")]
    pub(crate) plan: Option<String>,
    /// The rest, as JSON
    #[arg(long, value_name = "JSON")]
    pub(crate) data: Option<String>,
    /// The folder whose ledger it is
    #[arg(long = "in", value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,
}

/// What is looked at.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct LintArgs {
    /// Names of cards; files of cards (.toml, .json, .sql); workflows that name cards (.md); commands.toml
    #[arg(value_name = "CARD | FILE", required = true)]
    pub(crate) what: Vec<String>,
    /// Real records that rows must be able to match
    #[arg(long, value_name = "TRANSCRIPT", num_args = 1..)]
    pub(crate) against: Vec<String>,
    /// The client whose words count (default: all of them)
    #[arg(long, value_name = "NAME")]
    pub(crate) vocabulary: Option<String>,
    /// More cards, from a file in TOML, JSON or SQL
    #[arg(long, value_name = "FILE")]
    pub(crate) cards: Vec<PathBuf>,
    /// A gate that there is, besides those of plantools.toml
    #[arg(long, value_name = "ID")]
    pub(crate) gate: Vec<String>,
    /// The folder that plantools.toml is looked for in
    #[arg(long = "in", value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) show: Show,
}

impl Tool for Args {
    const ABOUT: About = About {
        name: "punch",
        schemas: &[END, ORDER, PUNCH, CARD, LINT, ATTESTATION, FIT],
        effects: Effects::Some,
    };

    fn manners(&self) -> &Manners {
        &self.manners
    }

    fn effects(&self) -> Effects {
        match self.command {
            Some(
                Command::Checkpoint { .. }
                | Command::Mint { .. }
                | Command::Append(_)
                | Command::Attest(AttestArgs { verify: false, .. }),
            ) => Effects::Some,
            _ => Effects::None,
        }
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
