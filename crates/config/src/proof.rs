//! The table `[proof]` of `plantools.toml`: which evidence ticks a box, and how it is taken.

use serde::Deserialize;
use wire::Level;

/// Which evidence ticks a box, and how it is taken.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ProofRule {
    /// The weakest level that ticks; without it the profile of the workflow decides.
    pub accept: Option<Accept>,
    /// Which checks run before the first attempt at a task.
    pub before: BeforeRule,
    /// Whether checks that act (deploy, publish, migrate, …) run.
    pub acts: Acts,
    /// Whether a gate that was red before the plan began may stay red.
    pub known_failures: KnownFailures,
    /// What becomes of criteria that only a person can judge.
    pub prose: Prose,
    /// Whether the reviewer of a change may be the worker and model that made it.
    pub same_reviewer: bool,
}

/// The weakest level that ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Accept {
    /// Only checks that the work made true.
    Proved,
    /// Checks that pass.
    Passes,
    /// A change that another worker reviewed.
    Reviewed,
    /// Checks that passed before the work as well.
    AlreadyTrue,
    /// Gates that pass for all tasks, and a change.
    Gates,
}

impl Accept {
    /// Every value, the strictest first.
    pub const ALL: [Accept; 5] =
        [Accept::Proved, Accept::Passes, Accept::Reviewed, Accept::AlreadyTrue, Accept::Gates];

    /// The word in the configuration.
    pub fn word(self) -> &'static str {
        match self {
            Accept::Gates => "gates",
            other => other.level().word(),
        }
    }

    /// The value that a word stands for.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|accept| accept.word() == word)
    }

    /// The weakest level that it takes.
    pub fn level(self) -> Level {
        match self {
            Accept::Proved => Level::Proved,
            Accept::Passes => Level::Passes,
            Accept::Reviewed => Level::Reviewed,
            Accept::AlreadyTrue => Level::AlreadyTrue,
            Accept::Gates => Level::GatesOnly,
        }
    }

    /// The value that takes a level; `None` for those that no configuration accepts.
    pub fn of(level: Level) -> Option<Self> {
        Self::ALL.into_iter().find(|accept| accept.level() == level)
    }
}

/// Where neither project nor profile says which level ticks: all checks of its own pass.
pub const DEFAULT_ACCEPT: Accept = Accept::Passes;

/// Which checks run before the first attempt at a task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum BeforeRule {
    /// None.
    Off,
    /// The task's own.
    #[default]
    Own,
    /// Those and the gates.
    All,
}

/// Whether checks that act run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Acts {
    /// Only with a person's yes on record.
    #[default]
    Ask,
    /// Once, after the work.
    Allow,
}

/// Whether a gate that was red before the plan began may stay red.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum KnownFailures {
    /// It must be green.
    #[default]
    Block,
    /// While no test fails that did not fail before.
    Allow,
}

/// What becomes of criteria that only a person can judge.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Prose {
    /// They are counted, and do not hold the box.
    #[default]
    Leave,
    /// They hold the box until a person decides.
    Hold,
}
