//! The command line of `gate-run`.

use std::ffi::OsString;
use std::path::PathBuf;
use toolkit::clock::RunArgs;
use toolkit::config::ConfigArgs;
use toolkit::output::Output;
use toolkit::tool::{About, Effects, Manners, Tool};
use toolkit::{Exit, Fail};
use wire::schemas::{END, GATE, ORDER};

/// Run the plan's checks and say whether they are true
///
/// With orders on standard input it runs the criteria of the plan for each. With `-- COMMAND` it runs one
/// command and prints one `gate/1`: exit 0 pass, 1 fail, 3 no verdict.
#[derive(Debug, clap::Parser)]
#[command(name = "gate-run", version, max_term_width = 100)]
pub(crate) struct Args {
    /// Orders; '-' or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Run the gates that plantools.toml sets for this moment: task, phase, end or manual
    #[arg(long, value_name = "MOMENT", value_parser = ["task", "phase", "end", "manual"], conflicts_with = "file")]
    pub(crate) when: Option<String>,
    /// Name of the gate, with `-- COMMAND`
    #[arg(long, value_name = "ID", default_value = "adhoc")]
    pub(crate) gate_id: String,
    /// Name of the bead or task, with `-- COMMAND`
    #[arg(long, value_name = "ID", default_value = "adhoc")]
    pub(crate) bead_id: String,
    /// How long a check may take (default: 600, or as configured)
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout_seconds: Option<u64>,
    /// How long a check may be silent (default: as configured, else as long as it may take)
    #[arg(long, value_name = "SECONDS")]
    pub(crate) stall_seconds: Option<u64>,
    /// How long a check has to end after it was asked to
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub(crate) grace_seconds: u64,
    /// How many last lines of output to keep
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) tail_lines: usize,
    /// Where to run the command
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) cwd: PathBuf,
    /// Let a task pass that has nothing to run; recorded with the reason
    #[arg(long, value_name = "REASON")]
    pub(crate) accept_unproved: Option<String>,
    /// Indent the JSON of `gate/1` for people
    #[arg(long)]
    pub(crate) pretty: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) manners: Manners,
    /// One command to run, with its arguments
    #[arg(last = true, value_name = "COMMAND", conflicts_with_all = ["file", "when"])]
    pub(crate) command: Vec<OsString>,
}

impl Tool for Args {
    const ABOUT: About = About { name: "gate-run", schemas: &[ORDER, END, GATE], effects: Effects::Some };

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
