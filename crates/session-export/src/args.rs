//! The command line of `session-export`.

use config::ConfigArgs;
use std::path::PathBuf;
use toolkit::cli::clock::RunArgs;
use toolkit::cli::format::FormatArgs;
use toolkit::cli::tool::{About, Effects, Manners, Tool};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::schemas::{CHAIN, END, INTERCHANGE, LINK, LIVE, ORDER, RESULT, RESUME, SESSION, VERIFY};

/// Keep the reasoning chain, whole and checked
///
/// Without a command it is a stage of the pipe: orders in, the same orders with `session` out.
#[derive(Debug, clap::Parser)]
#[command(override_usage = "session-export [OPTIONS] [FILE] | COMMAND", name = "session-export", version, before_help = MOST_USED, args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// Orders; '-' or none is standard input
    #[arg(value_name = "FILE", hide_short_help = true)]
    pub(crate) file: Option<PathBuf>,
    /// Halt an order whose task changed several files or a test and left no reasoning of its own
    #[arg(long, hide_short_help = true)]
    pub(crate) require_reasoning: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) manners: Manners,
}

/// What is asked most; help shows it first, and the manual has it among its examples.
const MOST_USED: &str = concat!(
    "  session-export verify --format text session.json               is it sound?\n",
    "  session-export resume --format text .kilocode/thinking core-1  where to go on\n",
    "  session-export serve                                           tools over MCP"
);

/// What to do with a session.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Say what a thinking session holds
    Summary {
        /// The session; '-' or none is standard input
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// The thinking server's own shape, with what it lacks
        #[arg(long, conflicts_with = "format")]
        source: bool,
        #[command(flatten)]
        form: Form,
    },
    /// Hold a session against every rule
    ///
    /// To be done before anything is carried out on it.
    Verify(Verify),
    /// Add one thought to the live session
    Think(Think),
    /// Make a session the base of the next thoughts
    Import {
        /// The session
        #[arg(value_name = "FILE")]
        file: PathBuf,
        #[command(flatten)]
        live: LiveArgs,
    },
    /// Write the live session under its name, whole or not at all
    Export(Export),
    /// Begin the live session anew; what stands there is kept aside
    Clear {
        #[command(flatten)]
        live: LiveArgs,
    },
    /// Show the chain of a task, with everything that is wrong with it
    Chain(ChainArgs),
    /// Say where to go on: the last whole link and what comes next
    Resume(ChainArgs),
    /// Make a handoff packet from a session, or check one
    Packet(Packet),
    /// Read what a child says in Markdown
    Result {
        /// The child's words; '-' or none is standard input
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// The model that was asked for
        #[arg(long, value_name = "NAME")]
        model: Option<String>,
        /// Indent the JSON for people
        #[arg(long)]
        pretty: bool,
    },
    /// Make an interchange document from an agent's own record
    Interchange {
        /// The record
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// The client that wrote it, where its shape does not tell
        #[arg(long, value_name = "NAME")]
        client: Option<String>,
        /// Which session, where the record holds several
        #[arg(long, value_name = "ID")]
        session: Option<String>,
    },
    /// Speak the Model Context Protocol on standard input and output
    Serve {
        #[command(flatten)]
        live: LiveArgs,
    },
}

/// How a document is printed.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct Form {
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// Indent the JSON for people
    #[arg(long)]
    pub(crate) pretty: bool,
}

/// Which live session.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct LiveArgs {
    /// The live session (default: .plantools/sessions/current.jsonl at the root)
    #[arg(long, value_name = "FILE")]
    pub(crate) live: Option<PathBuf>,
}

/// The rules that a session is checked by.
#[derive(Debug, clap::Args)]
pub(crate) struct Verify {
    /// The session; '-' or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// The rules to check it by (default: by its name, else 'prep')
    #[arg(long, value_name = "STAGE", value_enum)]
    pub(crate) stage: Option<Stage>,
    /// The task that it must be about (default: by its name)
    #[arg(long, value_name = "ID")]
    pub(crate) task: Option<String>,
    /// Ask for an Analysis and a Conclusion tagged 'subtask-N'
    #[arg(long, value_name = "N")]
    pub(crate) require_reasoning: Option<u32>,
    #[command(flatten)]
    pub(crate) form: Form,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
}

/// The rules that a session is checked by.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum Stage {
    /// A preparation
    Prep,
    /// A link that came after it
    Execution,
}

/// One thought.
#[derive(Debug, clap::Args)]
pub(crate) struct Think {
    /// The thought; '-' or none is standard input
    #[arg(value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// Its stage: problem-definition, research, analysis, synthesis or conclusion
    #[arg(long, value_name = "STAGE")]
    pub(crate) stage: String,
    /// A word to find it by; may be repeated
    #[arg(long = "tag", value_name = "WORD")]
    pub(crate) tags: Vec<String>,
    /// A principle that it rests on; may be repeated
    #[arg(long = "axiom", value_name = "TEXT")]
    pub(crate) axioms: Vec<String>,
    /// An assumption that it challenges; may be repeated
    #[arg(long = "challenges", value_name = "TEXT")]
    pub(crate) assumptions: Vec<String>,
    /// The thought that it revises
    #[arg(long, value_name = "N")]
    pub(crate) revises: Option<u64>,
    /// The thought that its branch leaves from
    #[arg(long, value_name = "N")]
    pub(crate) from: Option<u64>,
    /// The name of its branch
    #[arg(long, value_name = "ID")]
    pub(crate) branch: Option<String>,
    /// Its number (default: the next)
    #[arg(long, value_name = "N")]
    pub(crate) number: Option<u64>,
    /// How many are foreseen (default: its number)
    #[arg(long, value_name = "N")]
    pub(crate) total: Option<u64>,
    /// No other is to follow
    #[arg(long)]
    pub(crate) last: bool,
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

/// Where the live session goes.
#[derive(Debug, clap::Args)]
pub(crate) struct Export {
    /// The file; a name of the chain makes it a link
    #[arg(long, value_name = "FILE", conflicts_with_all = ["task", "link", "dir", "date"], required_unless_present = "task")]
    pub(crate) to: Option<PathBuf>,
    /// The task that it is a link of
    #[arg(long, value_name = "ID", requires = "link")]
    pub(crate) task: Option<String>,
    /// Its place in the chain: prep, subtask-N or tests
    #[arg(long = "as", value_name = "PLACE", requires = "task")]
    pub(crate) link: Option<String>,
    /// The folder of the chain
    #[arg(long, value_name = "DIR", default_value = ".kilocode/thinking")]
    pub(crate) dir: PathBuf,
    /// The day in its name (default: today)
    #[arg(long, value_name = "DATE")]
    pub(crate) date: Option<String>,
    /// Give up thoughts that only the file which is replaced holds
    #[arg(long)]
    pub(crate) replace: bool,
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

/// Whose chain.
#[derive(Debug, clap::Args)]
pub(crate) struct ChainArgs {
    /// The folder of the sessions
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// The task
    #[arg(value_name = "TASK")]
    pub(crate) task: String,
    #[command(flatten)]
    pub(crate) form: Form,
}

/// A packet.
#[derive(Debug, clap::Args)]
pub(crate) struct Packet {
    /// The session, or with --check the packet; '-' or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// The packet's schema (default: 'kit'; with --check by its fields)
    #[arg(long, value_name = "NAME", value_enum)]
    pub(crate) schema: Option<Schema>,
    /// Check a packet instead, alone or in a message
    #[arg(long)]
    pub(crate) check: bool,
    /// Which subtask, for the schema 'subtask'
    #[arg(long, value_name = "N")]
    pub(crate) subtask: Option<u64>,
    /// The task's id (default: by the session's name)
    #[arg(long, value_name = "ID")]
    pub(crate) task: Option<String>,
    /// What must not be touched; may be repeated
    #[arg(long = "constraint", value_name = "TEXT")]
    pub(crate) constraints: Vec<String>,
    /// What a child said, for the attestations; may be repeated
    #[arg(long = "result", value_name = "FILE")]
    pub(crate) results: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) form: Form,
}

/// The schema of a packet.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum Schema {
    /// The whole task for its orchestrator
    Kit,
    /// A child's task
    Composability,
    /// One subtask for its worker
    Subtask,
}

impl Tool for Args {
    const ABOUT: About = About {
        name: "session-export",
        schemas: &[END, ORDER, SESSION, VERIFY, CHAIN, RESUME, LINK, LIVE, RESULT, INTERCHANGE],
        effects: Effects::Some,
    };

    fn manners(&self) -> &Manners {
        &self.manners
    }

    fn effects(&self) -> Effects {
        match &self.command {
            None
            | Some(
                Command::Think(_)
                | Command::Import { .. }
                | Command::Export(_)
                | Command::Clear { .. }
                | Command::Serve { .. },
            ) => Effects::Some,
            Some(_) => Effects::None,
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
