//! `plan/1`: the content of a plan, with exact positions.
//!
//! All byte ranges count from the start of the file on disk, including a byte order mark.

pub mod clause;
pub mod facts;
pub mod ids;
pub mod lint;
pub mod reconcile;
pub mod seen;
pub mod suggestion;
pub mod ticks;

use crate::{Extra, Fingerprint, Seen, TaskId, is_false};
pub use clause::Clause;
use serde::{Deserialize, Serialize};

/// The name of this contract.
pub const SCHEMA: &str = "plan/1";

/// A whole plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Plan {
    /// Always `plan/1`.
    pub schema: String,
    /// Where the plan came from.
    pub source: Source,
    /// The plan's own title.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// How the plan wants its tasks to be ordered, beyond their dependencies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Strategy>,
    /// The plan's phases, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<Phase>,
    /// Fields of the dialect that belong to the whole plan.
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    pub extra: Extra,
    /// The tasks, in the order of the document.
    pub tasks: Vec<Task>,
    /// Checks that the plan sets for the whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<Criterion>,
    /// Boxes that are not tasks: definition of done, success criteria.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// Everything about the text that a reader should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Diagnostic>,
}

/// Where a plan came from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Source {
    /// The plan file or folder as seen from the root; `-` for standard input.
    pub path: String,
    /// The dialect it was read as.
    pub dialect: String,
    /// SHA-256 of the plan's main file.
    pub sha256: String,
    /// The main worktree's top folder, or the plan's own folder where there is no git.
    pub root: String,
    /// Every file that was opened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<SourceFile>,
}

/// One file that was opened while reading the plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceFile {
    /// The file as seen from the root.
    pub path: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
}

/// How the plan wants its tasks to be ordered; it may add edges, never remove one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Strategy {
    /// The execution model.
    pub model: Model,
    /// Whether the plan itself says so; otherwise it is the dialect's default.
    pub stated: bool,
    /// Where or why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Groups that the plan allows to run together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parallel: Vec<Vec<TaskId>>,
    /// Chains that the plan wants in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub serial: Vec<Vec<TaskId>>,
    /// The critical path as the plan states it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub critical_path: Vec<TaskId>,
}

/// An execution model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Model {
    /// One task at a time, in the order of the list.
    Sequential,
    /// Everything that is ready.
    Parallel,
    /// One phase after the other.
    Phased,
    /// RED before GREEN before REFACTOR.
    Tdd,
    /// The rule-based fallback.
    Auto,
}

/// A phase of the plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Phase {
    /// The phase's id as in the plan.
    pub id: String,
    /// Its title.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Its type where the dialect has one.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The model that the phase names for its workers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The phase's own strategy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// What is in and out of scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

/// One task.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Task {
    /// Exactly as in the plan, unique within it.
    pub id: TaskId,
    /// The id made safe as a file name.
    pub key: String,
    /// What the task is called.
    pub title: String,
    /// What sort of task it is.
    #[serde(default)]
    pub kind: Kind,
    /// Where it stands.
    pub state: State,
    /// The place that decided the state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_from: Option<Place>,
    /// The tasks that must be completed before.
    #[serde(default)]
    pub depends_on: Vec<TaskId>,
    /// The phase it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// Tasks of one group may run together; a hint, never a licence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The container it is part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<TaskId>,
    /// Never handed to a worker unless asked for.
    #[serde(default, skip_serializing_if = "is_false")]
    pub optional: bool,
    /// Named things of which only so many may be in use at once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<String>,
    /// The agent that the plan names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The model that the plan names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How many turns the worker may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    /// How long the worker may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
    /// What to do, in the plan's own words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<String>,
    /// What not to do, in the plan's own words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub must_not: Vec<String>,
    /// What to look at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
    /// Values the task needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Input>,
    /// Values the task must give.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<Output>,
    /// Files the task declares.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileUse>,
    /// What must be true when it is done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<Criterion>,
    /// The commit that the plan wants after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<Box<CommitRule>>,
    /// The report that the worker must write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report_path: Option<String>,
    /// A task file that is read only when the task is handed out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Detail>,
    /// Whatever the dialect has beyond this, untouched.
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    pub extra: Extra,
    /// The task's section.
    pub span: Span,
    /// The box itself: the bytes between the brackets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<Span>,
    /// What the task asks for, as a digest that a tick does not change.
    pub fingerprint: Fingerprint,
    /// The section's text, only where it was asked for or the plan came from standard input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

/// The extra field of a task that must pass more gates than those for tasks: its value is the moment, or
/// [`NO_GATES`].
pub const GATES: &str = "gates";
/// The value of [`GATES`] for a task that only inspects, see [`Task::is_inspection`].
pub const NO_GATES: &str = "none";
/// How the reason begins for which a criterion is skipped that must fail before the work, and then only.
pub const BEFORE_ONLY: &str = "expected before the change only";
/// The extra field of a todo list that names the handoff packet that it was made from.
pub const PACKET: &str = "packet";

impl Task {
    /// Whether the task only inspects, as the pre-execution gate of a handoff does: its evidence is the worker's answer, it
    /// changes no file, no gate of the project runs for it, and it gets one attempt.
    pub fn is_inspection(&self) -> bool {
        self.extra.get(GATES).and_then(|moment| moment.as_str()) == Some(NO_GATES)
    }
}

/// What sort of task it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Something is to be made or changed.
    #[default]
    Work,
    /// Something is to be checked; nothing may be changed.
    Verification,
    /// Done when its children are.
    Container,
    /// A barrier at the end of a phase.
    Checkpoint,
    /// For a person.
    Human,
}

/// Where a task stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Not done.
    #[default]
    Pending,
    /// Begun.
    InProgress,
    /// Done.
    Completed,
    /// Cannot go on.
    Blocked,
    /// Tried and given up.
    Failed,
    /// Left out on purpose.
    Skipped,
}

impl State {
    /// The word used in JSON and in text.
    pub fn word(self) -> &'static str {
        match self {
            State::Pending => "pending",
            State::InProgress => "in_progress",
            State::Completed => "completed",
            State::Blocked => "blocked",
            State::Failed => "failed",
            State::Skipped => "skipped",
        }
    }

    /// Whether a task that depends on this one may go on.
    pub fn is_settled(self) -> bool {
        matches!(self, State::Completed | State::Skipped)
    }
}

/// A line of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Place {
    /// The file as seen from the root.
    pub path: Seen,
    /// Counted from 1.
    pub line: u64,
}

/// A range of bytes in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Span {
    /// The file as seen from the root.
    pub path: Seen,
    /// The line of the first byte, counted from 1.
    pub line: u64,
    /// The first byte.
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
}

/// A value that a task needs: a reference to another task's output, or the value itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Input {
    /// Its name.
    pub name: String,
    /// Its type as written.
    #[serde(default, rename = "type", skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// A reference such as `${todo-1.outputs.config_path}`.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// A literal value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// A value that a task must give.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Its type as written.
    #[serde(default, rename = "type", skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The value that the plan expects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

impl Output {
    /// Whether it is a file or a folder.
    pub fn is_file(&self) -> bool {
        let kind = self.kind.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        matches!(kind.as_str(), "file" | "path" | "directory" | "dir" | "folder")
    }

    /// The path that the plan expects, if it is a file and the plan names exactly one.
    pub fn planned_path(&self) -> Option<&str> {
        self.value.as_deref().filter(|_| self.is_file()).and_then(exact_path)
    }
}

/// The path in a text, without a line number; `None` for a pattern, a placeholder, an address or prose.
pub fn exact_path(text: &str) -> Option<&str> {
    let text = text.trim();
    let is_line = |tail: &str| !tail.is_empty() && tail.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    let path = text.rsplit_once(':').filter(|(_, tail)| is_line(tail)).map_or(text, |(path, _)| path);
    let is_exact = |c: char| !c.is_whitespace() && !c.is_control() && !"*?[]{}<>$~\"'`|():;,".contains(c);
    (!path.is_empty() && path.chars().all(is_exact)).then_some(path)
}

/// A file that a task declares.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileUse {
    /// The path or pattern as written.
    pub path: String,
    /// `create`, `modify`, `delete`, `read` or `write` where nothing more is known.
    pub action: String,
}

/// One thing that must be true.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Criterion {
    /// `TASK:N`, counted from 1 in the order of the section.
    pub id: String,
    /// `functional`, `static`, `runtime`, `cleanup`, `verify` or whatever the plan calls it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub category: String,
    /// The criterion as written, without box and bullet.
    pub text: String,
    /// The command to run, exactly as the plan has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The results that the command must have; none means exit 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clauses: Vec<Clause>,
    /// Why the check cannot be judged as it is written, and the form that can; it holds the task's box.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unclear: Option<Box<Unclear>>,
    /// Whether `command` can be run and judged by a program: there is one, and nothing about it is unclear.
    pub runnable: bool,
    /// Why a criterion is to be left out, where the plan says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip: Option<String>,
    /// Whether its own box is ticked.
    #[serde(default, skip_serializing_if = "is_false")]
    pub checked: bool,
    /// The box's own bytes, or the item's where it has no box.
    pub span: Span,
    /// Whether `span` is a box that may be ticked.
    #[serde(default, skip_serializing_if = "is_false")]
    pub boxed: bool,
}

impl Criterion {
    /// The required result in the grammar of plantools-checks(7).
    pub fn required(&self) -> String {
        clause::text(&self.clauses)
    }

    /// Why it holds its task's box: it is unclear, and neither the plan leaves it out nor a person has ticked it.
    pub fn holds(&self) -> Option<&Unclear> {
        self.unclear.as_deref().filter(|_| self.skip.is_none() && !self.checked)
    }
}

/// Why a check cannot be judged as it is written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unclear {
    /// A stable kebab-case word.
    pub code: String,
    /// The fact, and what is not understood.
    pub message: String,
    /// The text that would be understood, in place of the bytes of `span`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewrite: Option<String>,
    /// Checks of one group need the same answer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// Whether the rewrite means the same by the table of synonyms; otherwise it is a guess that a person confirms.
    #[serde(default, skip_serializing_if = "is_false")]
    pub equal: bool,
    /// The bytes that are not understood.
    pub span: Span,
}

/// The category of a criterion that is the box of a task's own commit step.
pub const COMMIT: &str = "commit";

/// The commit that the plan wants after a task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommitRule {
    /// The message, verbatim.
    pub message: String,
    /// Files, folders or patterns; empty means that the row names none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// `always` or whatever the plan says.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub condition: String,
    /// Other tasks that go into the same commit, which is made when the last of them is done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<TaskId>,
    /// Whether the task's own text states it, and no strategy of the whole plan.
    #[serde(default, skip_serializing_if = "is_false")]
    pub own: bool,
    /// The steps of the task that are this commit; no worker gets to see them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Span>,
}

/// A task file that is read only when the task is handed out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Detail {
    /// The file as seen from the root.
    pub path: String,
}

/// A box that is not a task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Note {
    /// The heading it stands under.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub section: String,
    /// Its text.
    pub text: String,
    /// Whether it is ticked.
    #[serde(default, skip_serializing_if = "is_false")]
    pub checked: bool,
    /// Whether it says what must hold before the plan is done: its definition of done, its success criteria.
    #[serde(default, skip_serializing_if = "is_false")]
    pub goal: bool,
    /// The box's own bytes.
    pub span: Span,
    /// What it asks for as checks, if it is a goal that names a command.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Criterion>,
}

/// How bad a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The plan cannot be carried out as it is.
    Error,
    /// Something was decided that the author may not have meant.
    Warning,
    /// Good to know.
    Hint,
}

/// Something about the text that a reader should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A stable kebab-case word.
    pub code: String,
    /// The fact, and what was decided.
    pub message: String,
    /// The file as seen from the root.
    pub path: Seen,
    /// The line, counted from 1.
    pub line: u64,
    /// The column in bytes, counted from 1, where one is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
    /// The task concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// The change that would settle it, where one is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<Box<Offer>>,
}

/// A change of the plan that would settle a diagnostic.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Offer {
    /// The criterion concerned.
    pub criterion: String,
    /// The text to write in place of the bytes of `span`; absent where only a person knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewrite: Option<String>,
    /// Diagnostics of one group need the same answer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// Whether the rewrite means the same by the table of synonyms.
    #[serde(default, skip_serializing_if = "is_false")]
    pub equal: bool,
    /// The bytes concerned.
    pub span: Span,
}
