//! `plantools.toml`.
//!
//! Every value has a flag and, where a default is safe, a default. Unknown keys are refused: a misspelt gate
//! that silently does not run would be the worst of defaults.

pub mod cards;
pub mod checks;
pub mod commits;
pub mod compat;
pub mod globs;
pub mod prices;
pub mod profile;
pub mod proof;
pub mod stop_words;
pub mod tokens;
pub mod workers;

pub use crate::cards::CardRule;
pub use crate::commits::{ByWorker, CommitConfig, CommitEach};
use crate::compat::commands_toml::{self, CommandsRule, Receipts};
use crate::compat::fitter_toml::{self, FitterRule};
use crate::workers::{Route, WorkerRule};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toolkit::Fail;
use toolkit::files::redact::RedactConfig;
use toolkit::files::{fs, sha};

/// The file's name at the root.
pub const NAME: &str = "plantools.toml";

/// The JSON Schema of the file, for `xtask` and the tests; no tool links this.
#[cfg(feature = "schema")]
pub fn schema() -> schemars::Schema {
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_deserialize();
    let mut schema = settings.into_generator().into_root_schema_for::<Config>();
    schema.insert("title".to_owned(), NAME.into());
    schema
}

/// The whole configuration.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Values for all.
    pub defaults: Defaults,
    /// Checks beyond the plan's own.
    pub gates: Vec<GateRule>,
    /// What the words of the plan's checks mean.
    pub checks: checks::ChecksRule,
    /// Named budgets.
    pub profiles: Vec<BudgetProfile>,
    /// What the project changes in the policy of a workflow.
    pub workflow: profile::Overrides,
    /// Workers by name.
    pub workers: BTreeMap<String, WorkerRule>,
    /// What tokens cost, by the name of a model or of a worker; these win over what a client says.
    pub prices: BTreeMap<String, prices::Price>,
    /// From an agent or model named in the plan to a worker.
    pub agents: BTreeMap<String, Route>,
    /// Which evidence ticks a box, and how it is taken.
    pub proof: proof::ProofRule,
    /// Punch cards by name.
    pub cards: BTreeMap<String, CardRule>,
    /// From the name of a tool to what kind of thing it does; these win over the built-in table.
    pub kinds: BTreeMap<String, String>,
    /// How commits are made.
    pub commit: CommitConfig,
    /// Worktrees of their own for tasks.
    pub worktree: WorktreeRule,
    /// More to mask.
    pub redact: RedactConfig,
    /// Values for `{{TOKEN}}` in invocations.
    pub tokens: BTreeMap<String, String>,
    /// What `no-new-suppressions` looks for.
    pub suppressions: SuppressionRule,
    /// How long logs are kept.
    pub logs: LogRule,
    /// Commands that run at the events of a run.
    pub hooks: HooksRule,
    /// What a preparation must hold before anything is carried out.
    pub sessions: SessionRule,
    /// The source workflow's own `fitter.toml`, whose gates and budgets are taken as they are.
    pub fitter: Option<FitterRule>,
    /// The source workflow's own `commands.toml`: agents, and rows of cards.
    pub commands: Option<CommandsRule>,
    /// The rows that it adds to a card.
    #[serde(skip)]
    pub receipts: Receipts,
    /// SHA-256 of the file; empty where there is none.
    #[serde(skip)]
    pub sha256: String,
}

/// Values for all.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Defaults {
    /// The worker that is used where no other is named.
    pub worker: Option<String>,
    /// Whether workers run in a sandbox.
    pub sandbox: bool,
    /// How often a task may be tried.
    pub max_attempts: Option<u32>,
    /// For how long a task is claimed at a time where several runs share a plan.
    pub lease_seconds: Option<u64>,
    /// The wall clock of a check.
    pub timeout_seconds: Option<u64>,
    /// How long a check may be silent.
    pub stall_seconds: Option<u64>,
    /// `worker-commands`: checks that a worker reports count.
    pub accept: Option<String>,
    /// Whether the checks of all ticked tasks are run once more before a plan is called complete; yes unless it says no.
    pub recheck: Option<bool>,
    /// The card that every attempt must meet.
    pub card: Option<String>,
    /// The Python that every gate must use.
    pub python_runner: Option<String>,
    /// More patterns of output that mean a missing program or setting.
    pub env_markers: Vec<String>,
    /// The largest wall clock that a restoration may ask for.
    pub max_timeout_seconds: Option<u64>,
    /// The longest silence that a restoration may ask for.
    pub max_stall_seconds: Option<u64>,
}

/// One check beyond the plan's own.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GateRule {
    /// Its name.
    pub id: String,
    /// What people call it.
    #[serde(default)]
    pub label: String,
    /// The command, run by `sh -c`.
    pub invocation: String,
    /// Run once on failure, then the gate again.
    pub fix: Option<String>,
    /// The wall clock.
    pub timeout_seconds: Option<u64>,
    /// How long it may be silent.
    pub stall_seconds: Option<u64>,
    /// How many lines are kept for people.
    pub tail_lines: Option<usize>,
    /// `task`, `test`, `phase`, `end`, `manual`.
    #[serde(default)]
    pub when: Vec<String>,
    /// Gates with the same word never run at the same time.
    pub lock: Option<String>,
}

impl GateRule {
    /// Whether the gate runs at the named moment; without a word it is at the end.
    pub fn runs_at(&self, moment: &str) -> bool {
        if self.when.is_empty() { moment == "end" } else { self.when.iter().any(|w| w == moment) }
    }

    /// Whether the gate runs at one of the named moments.
    pub fn runs_at_any(&self, moments: &[String]) -> bool {
        moments.iter().any(|moment| self.runs_at(moment))
    }
}

/// Named budgets.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BudgetProfile {
    /// Its name.
    pub name: String,
    /// What it is for.
    #[serde(default)]
    pub description: String,
    /// The wall clock.
    pub timeout_seconds: Option<u64>,
    /// How long it may be silent.
    pub stall_seconds: Option<u64>,
    /// How often it may be tried again.
    pub max_retries: Option<u32>,
}

/// Worktrees of their own for tasks.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct WorktreeRule {
    /// Run by `sh -c` in each new worktree before its worker starts.
    pub setup: Option<String>,
    /// How long that may take; 600 unless it says otherwise.
    pub setup_seconds: Option<u64>,
    /// How work comes into the main tree's branch.
    pub land: LandBy,
    /// Whether a task whose work conflicts is tried again in the same run, from the tree as it is then.
    pub retry_conflicts: bool,
}

/// How work comes into the main tree's branch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum LandBy {
    /// Commit by commit, in one line.
    #[default]
    Rebase,
    /// Closed by a commit that joins it.
    Merge,
    /// As one commit.
    Squash,
}

/// What `no-new-suppressions` looks for.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SuppressionRule {
    /// Regular expressions for added lines, instead of the built-in ones.
    pub patterns: Vec<String>,
}

/// How long logs are kept.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LogRule {
    /// Days after which a run's logs go (default: 30).
    pub days: Option<u64>,
    /// Megabytes of logs above which the oldest go (default: 1024).
    pub megabytes: Option<u64>,
    /// Megabytes of the output of one check that are kept (default: 64).
    pub file_megabytes: Option<u64>,
}

/// Commands that run at the events of a run, each by `sh -c` with the event on standard input.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct HooksRule {
    /// A worker has ended.
    pub attempt_end: Option<String>,
    /// A box was ticked.
    pub tick: Option<String>,
    /// A stage refused to go on with a task.
    pub halt: Option<String>,
    /// Something waits for a person.
    pub needs_person: Option<String>,
    /// The run has ended.
    pub end: Option<String>,
    /// How long one may take (default: 10).
    pub timeout_seconds: Option<u64>,
}

/// What a preparation must hold before anything is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SessionRule {
    /// The least number of thoughts.
    pub thoughts: u64,
    /// The least number of Problem Definition thoughts.
    pub problem_definitions: u64,
    /// The least number of Analysis thoughts.
    pub analyses: u64,
    /// The least number of interpretations, by branch or tag.
    pub interpretations: u64,
    /// The least number of approaches, by branch or tag.
    pub approaches: u64,
    /// Whether a task that changed more than one file or a test must have its reasoning in its link.
    pub require_reasoning: bool,
}

impl Default for SessionRule {
    fn default() -> Self {
        Self {
            thoughts: 1,
            problem_definitions: 2,
            analyses: 2,
            interpretations: 2,
            approaches: 2,
            require_reasoning: false,
        }
    }
}

/// `--config`, the same for every tool that reads it.
#[derive(Debug, Clone, Default, PartialEq, Eq, clap::Args)]
pub struct ConfigArgs {
    /// Configuration file (default: plantools.toml at the root, if there)
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = "Common")]
    pub config: Option<PathBuf>,
}

impl ConfigArgs {
    /// Whether a file is named.
    pub fn is_named(&self) -> bool {
        self.config.is_some()
    }

    /// Reads the configuration; a file that was named must be there.
    pub fn load(&self, root: &Path) -> Result<Config, Fail> {
        let path = self.config.clone().unwrap_or_else(|| root.join(NAME));
        let bytes = if self.config.is_some() { Some(fs::read(&path)?) } else { fs::read_if_there(&path)? };
        let Some(bytes) = bytes else { return Ok(Config::default()) };
        let mut config = parse(&bytes).map_err(|fail| fail.in_file(&path))?;
        fitter_toml::take(&mut config, root)?;
        commands_toml::take(&mut config, root)?;
        check(&config)?;
        Ok(config)
    }
}

impl Config {
    /// The tables of another file that decides as much as this one, whose digest is then that of both. An error shows its
    /// line.
    pub fn take_in(&mut self, path: &Path) -> Result<toml::Table, Fail> {
        let bytes = fs::read(path)?;
        let text = String::from_utf8_lossy(&bytes);
        let table = text.parse().map_err(|e: toml::de::Error| {
            let fail = Fail::config("bad-config", e.message().to_owned()).in_file(path);
            fail.within(&text, e.span().map(|span| span.start))
        })?;
        let both = sha::Hasher::new().with(self.sha256.as_bytes()).with(sha::hex(&bytes).as_bytes());
        self.sha256 = both.finish();
        Ok(table)
    }
}

/// Reads a configuration from its bytes.
pub fn parse(bytes: &[u8]) -> Result<Config, Fail> {
    let text =
        std::str::from_utf8(bytes).map_err(|e| Fail::config("bad-config", format!("no valid UTF-8: {e}")))?;
    let mut config: Config = toml::from_str(text).map_err(|e| {
        Fail::config("bad-config", e.message().to_owned()).within(text, e.span().map(|span| span.start))
    })?;
    config.sha256 = sha::hex(bytes);
    check(&config)?;
    Ok(config)
}

/// When a gate may run.
pub(crate) const MOMENTS: [&str; 5] = ["task", "test", "phase", "end", "manual"];

/// Whether what parsed also makes sense.
pub fn check(config: &Config) -> Result<(), Fail> {
    for (index, gate) in config.gates.iter().enumerate() {
        if config.gates[..index].iter().any(|other| other.id == gate.id) {
            return Err(Fail::config("duplicate-gate", format!("gate '{}' stands twice", gate.id)));
        }
        if let Some(word) = gate.when.iter().find(|w| !MOMENTS.contains(&w.as_str())) {
            let known = MOMENTS.join(", ");
            return Err(Fail::config(
                "bad-when",
                format!("gate '{}': '{word}' is not one of {known}", gate.id),
            ));
        }
    }
    profile::check(&config.workflow)?;
    config.workers.iter().try_for_each(|(name, rule)| rule.check(name))
}
