//! `status/1`: the state of a plan, and the reason why each waiting task waits.

use crate::{Answer, TaskId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name of this contract.
pub const SCHEMA: &str = "status/1";

/// Why a task is not handed out: a word for programs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// It is handed out now.
    #[default]
    Ready,
    /// It waits for others, or the strategy or the number of jobs allows no more in this round.
    Later,
    /// A live process works on it.
    Running,
    /// It must wait for a time.
    NotBefore,
    /// The commit of a task that it depends on is being made.
    CommitPending,
    /// The commit of a task that it depends on could not be made.
    CommitOwed,
    /// All its attempts are used up.
    AttemptsUsed,
    /// Its last two attempts ended with the same tree and the same failed checks.
    SameFailure,
    /// The same error came twice in this run, in this task.
    SameError,
    /// The same error came twice in this run, in another task.
    RunStopped,
    /// A stage or a worker refused it, and another attempt cannot mend that.
    Refused,
    /// An earlier run gave it up, and nothing has changed since.
    GivenUp,
    /// Two rounds in this run refused it before a worker started.
    NoProgress,
    /// The run has used up its budget.
    Budget,
    /// It is for a person.
    Human,
    /// It is optional, and was not asked for.
    Optional,
    /// A check of it is unclear.
    #[serde(rename = "unclear-check")]
    Unclear,
    /// The plan calls it failed.
    Failed,
    /// It is a container whose own box is open, and nothing is in it or its parts are not done.
    Container,
}

impl Code {
    /// Every code.
    pub const ALL: [Code; 19] = [
        Code::Ready,
        Code::Later,
        Code::Running,
        Code::NotBefore,
        Code::CommitPending,
        Code::CommitOwed,
        Code::AttemptsUsed,
        Code::SameFailure,
        Code::SameError,
        Code::RunStopped,
        Code::Refused,
        Code::GivenUp,
        Code::NoProgress,
        Code::Budget,
        Code::Human,
        Code::Optional,
        Code::Unclear,
        Code::Failed,
        Code::Container,
    ];

    /// The word used in JSON and in text.
    pub fn word(self) -> &'static str {
        match self {
            Code::Ready => "ready",
            Code::Later => "later",
            Code::Running => "running",
            Code::NotBefore => "not-before",
            Code::CommitPending => "commit-pending",
            Code::CommitOwed => "commit-owed",
            Code::AttemptsUsed => "attempts-used",
            Code::SameFailure => "same-failure",
            Code::SameError => "same-error",
            Code::RunStopped => "run-stopped",
            Code::Refused => "refused",
            Code::GivenUp => "given-up",
            Code::NoProgress => "no-progress",
            Code::Budget => "budget",
            Code::Human => "human",
            Code::Optional => "optional",
            Code::Unclear => "unclear-check",
            Code::Failed => "failed",
            Code::Container => "container",
        }
    }

    /// Whether it passes without anyone's help.
    pub fn passes(self) -> bool {
        matches!(self, Code::Running | Code::NotBefore | Code::CommitPending)
    }

    /// Whether the task has used up its attempts.
    pub fn is_exhausted(self) -> bool {
        matches!(self, Code::AttemptsUsed | Code::SameFailure | Code::SameError | Code::GivenUp)
    }

    /// Whether a person must look before another attempt makes sense.
    pub fn needs_a_person(self) -> bool {
        matches!(self, Code::Refused | Code::NoProgress)
    }

    /// Whether the task is not tried again in this run.
    pub fn is_given_up(self) -> bool {
        self.is_exhausted() || self.needs_a_person()
    }
}

/// Where a plan stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StatusDoc {
    /// Always `status/1`.
    pub schema: String,
    /// The plan's path as seen from the root.
    pub plan: String,
    /// What comes next.
    pub answer: Answer,
    /// The strategy that decided, and where it comes from.
    pub strategy: String,
    /// How many tasks there are.
    pub total: u64,
    /// How many are in which state; they add up to the total.
    pub states: BTreeMap<String, u64>,
    /// How many ticks stand on which level of evidence.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub levels: BTreeMap<String, u64>,
    /// What would be handed out now.
    pub ready: Vec<TaskId>,
    /// What a live process is working on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub running: Vec<TaskId>,
    /// What is for a person.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub human: Vec<TaskId>,
    /// What has used up its attempts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exhausted: Vec<TaskId>,
    /// What was refused for a reason that only a person can mend, whether or not a worker started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs_you: Vec<TaskId>,
    /// What is not tried again in this run: the tasks of `exhausted` and `needs_you`, each with its reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given_up: Vec<GivenUp>,
    /// What was done and asks for something else now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reopened: Vec<TaskId>,
    /// Every task that is neither done nor handed out.
    pub waiting: Vec<Waiting>,
}

/// A task that waits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Waiting {
    /// The task.
    pub id: TaskId,
    /// What it is called.
    pub title: String,
    /// The tasks that it waits for, with nothing in between.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<TaskId>,
    /// From a task that it waits for down to the one that is at the root of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<TaskId>,
    /// What is the matter with the last of that chain, or with the task itself.
    pub cause: String,
    /// The same as a word.
    #[serde(default)]
    pub code: Code,
    /// The command that helps; absent where there is nothing to do but wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A task that is not tried again in this run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GivenUp {
    /// The task.
    pub id: TaskId,
    /// What it is called.
    pub title: String,
    /// Why, as a word.
    pub code: Code,
    /// Why, as a sentence.
    pub message: String,
    /// The code word of the last halt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halt: Option<String>,
    /// How many attempts have failed since the task last got fresh ones.
    pub attempts: u32,
    /// How many it may have.
    pub max_attempts: u32,
    /// Whether the Fix Task was one of them.
    #[serde(default, skip_serializing_if = "crate::is_false")]
    pub fix: bool,
    /// The command that helps once the cause is mended.
    pub next: String,
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn the_word_is_the_one_in_json() {
        for code in Code::ALL {
            assert_eq!(serde_json::to_value(code).expect("JSON"), code.word());
        }
    }
}
