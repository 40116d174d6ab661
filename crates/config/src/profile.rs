//! The policy of a workflow as data: one file in `profiles/` for each, embedded, and overridden in `plantools.toml`.
//!
//! A tool asks [`Config::profile`](crate::Config::profile) with the plan's dialect and never compares the dialect's name
//! itself. Every profile states every key, so that a reader sees the whole policy of a workflow on one page; only
//! `strategy` and `accept` may be missing: then the dialect decides, and an own check that passes ticks.

use crate::Config;
use crate::proof::{Accept, DEFAULT_ACCEPT};
use crate::stop_words::StopWord;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use toolkit::Fail;
use wire::plan::Model;

/// Declares the profiles by their files, each with its text.
macro_rules! files {
    ($($file:literal,)*) => { [$(($file, include_str!(concat!("../profiles/", $file))),)*] };
}

/// Every profile. Its name is that of its file without `.toml`.
const FILES: [(&str, &str); 5] = files![
    "execute.toml",
    "execute-task.toml",
    "workflow-execute.toml",
    "orchestrate-runbook.toml",
    "checklist.toml",
];

/// Declares the keys once, for a profile and for what overrides it.
macro_rules! policy {
    ($($(#[$about:meta])* $key:ident: $type:ty,)*) => {
        /// What a workflow does.
        #[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Profile {
            /// Its name.
            #[serde(skip)]
            pub name: String,
            /// What it carries out, in a line.
            pub about: String,
            /// The dialects whose plans it carries out.
            pub dialects: Vec<String>,
            $($(#[$about])* pub $key: $type,)*
        }

        /// The keys of a profile that a project sets for itself: the table `[workflow.NAME]`.
        #[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(default, deny_unknown_fields)]
        pub struct ProfileOverride {
            $($(#[$about])* pub $key: Option<$type>,)*
        }

        impl ProfileOverride {
            fn apply(&self, profile: &mut Profile) {
                $(if let Some(value) = &self.$key {
                    profile.$key = value.clone();
                })*
            }
        }
    };
}

/// Every workflow asks for reviews in the same way; the work is then checked, landed and ticked by a round as before.
const REVIEW: &str = r#"
plan-parse --quiet ${prepared:+--prepared} "$plan" |
dag-next --review ${only:+--only "$only"} $limits |
handoff --for review |
worker-run ${sandbox:+--sandbox} |
gate-run |
run-report
"#;

policy! {
    /// How often a worker may try a task.
    attempts: u32,
    /// The same for a task that only inspects.
    inspection_attempts: u32,
    /// Whether one more order follows to fix the code once the attempts are used up.
    fix_order: bool,
    /// Whether the same error twice in one run stops the run.
    same_error_stops: bool,
    /// Whether a worker that hangs is not tried again.
    hang_is_final: bool,
    /// Whether words that are no JSON are an answer, where the task has checks of its own.
    #[serde(default)]
    plain_answers: bool,
    /// Which tasks may run together where the plan states nothing; without it the dialect decides.
    strategy: Option<Model>,
    /// Whether neither the plan nor the command line can choose another strategy.
    strategy_is_fixed: bool,
    /// Whether a failed task stops the tasks behind it, dependent or not.
    failure_stops_list: bool,
    /// Whether a task that the plan marks as failed is open again once it has attempts.
    #[serde(default)]
    reopens_failed: bool,
    /// Whether a checkpoint that the plan marks as done counts only with a tick on record.
    #[serde(default)]
    checkpoints_on_record: bool,
    /// How many tasks may run at once; 0 sets no limit.
    max_jobs: u32,
    /// Prints the plan that is carried out, if it is not the one that was named.
    #[serde(default)]
    plan_file: String,
    /// Runs before the first round.
    #[serde(default)]
    prepare: String,
    /// The pipe of one round, one stage a line.
    round: String,
    /// The pipe that follows the plan and gives each task a tree of its own; empty if the workflow has none.
    #[serde(default)]
    follow: String,
    /// Whether the pipe `restore` runs after a round that halted a task.
    #[serde(default)]
    restore_if: String,
    /// The pipe that restores a gate that gave no verdict.
    #[serde(default)]
    restore: String,
    /// The pipe in which other workers review what waits for that, where it is not the usual one.
    #[serde(default)]
    review: String,
    /// Runs after each round.
    #[serde(default)]
    between: String,
    /// Runs after a round that halted a task: makes the commits of what a hook has formatted.
    #[serde(default)]
    settle: String,
    /// Runs where a round cannot read the plan; the round is tried again if something was restored.
    #[serde(default)]
    repair: String,
    /// Whether a run on a terminal asks a person about unclear checks and tasks that are given up.
    asks: bool,
    /// Runs for each task that is given up; 1 stops the run.
    #[serde(default)]
    halted: String,
    /// Prints a further plan that is carried out when every task is done.
    #[serde(default)]
    reviews: String,
    /// Runs when every task is done.
    finish: String,
    /// Runs at the end of a run that leaves tasks open.
    unfinished: String,
    /// Runs on every way out of a run.
    #[serde(default)]
    ended: String,
    /// The weakest level of evidence that ticks; without it [`DEFAULT_ACCEPT`].
    accept: Option<Accept>,
    /// Whether a person approves the report before the work is committed and closed.
    approval: bool,
    /// The task that is the approval: `finish` runs when only this one is open. Empty if the workflow has none.
    #[serde(default)]
    approval_task: String,
    /// The moments of `[[gates]]` that every task must pass.
    task_gates: Vec<String>,
    /// The moments that a checkpoint must pass as well.
    checkpoint_gates: Vec<String>,
    /// Whether the worker commits, and must.
    worker_commits: bool,
    /// Whether a run ends only with a clean tree, also if a person changed the files.
    clean_tree: bool,
    /// Whether the work keeps a chain of thinking sessions.
    sessions: bool,
    /// The shape of the packet, and of what the prompt quotes from it.
    packet: Packet,
    /// The models that a failed task goes to, one after the other, where neither `[agents]` nor the plan names others;
    /// `user` is a person.
    escalation: Vec<String>,
    /// The same for work with quality warnings, where `[agents]` has no row `refactor`. Empty where warnings are only noted.
    refactoring: Vec<String>,
    /// The modes of children that the default worker plays without a row in `[agents]`.
    modes: Vec<String>,
    /// The template of the prompt.
    prompt: String,
    /// The template after a failed attempt.
    retry_prompt: String,
    /// Whether the prompt shrinks to required fields and paths after a failure of the agent itself.
    simplify_retry: bool,
    /// The lines of the worker's own todo list before the task's steps.
    todo_before: Vec<String>,
    /// The lines behind them.
    todo_after: Vec<String>,
    /// The values that the answer's field `verdict` may have; empty where the answer needs no such field.
    verdict_choices: String,
    /// The shape of the final report.
    report: ReportShape,
    /// The label before a worker's verdict on the preparation; empty where there is no preparation.
    validity_label: String,
    /// The words that stop a task for a person.
    stop_words: Vec<StopWord>,
}

/// The shape of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Packet {
    /// The general handoff packet alone.
    General,
    /// With the fields of the preparation that the subtask comes from.
    Subtask,
    /// With the Agent Context Package.
    ContextPackage,
    /// With what a step of a runbook needs.
    Step,
}

/// The shape of a final report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ReportShape {
    /// Tasks, checks, commits and what is left.
    Orchestration,
    /// A prepared task with its gates, offered for approval.
    Execution,
    /// Steps with their reports.
    Steps,
    /// A session with its tasks.
    Session,
}

impl Profile {
    /// The pipe in which other workers review what waits for that.
    pub fn review_pipe(&self) -> &str {
        if self.review.is_empty() { REVIEW } else { &self.review }
    }

    /// The weakest level of evidence that ticks.
    pub fn accepts(&self) -> Accept {
        self.accept.unwrap_or(DEFAULT_ACCEPT)
    }

    /// The profile that carries out plans of a dialect: the one that names it, else the one that names none.
    pub fn of_dialect(dialect: &str) -> Result<&'static Self, Fail> {
        let all = all()?;
        let named = all.iter().find(|profile| profile.dialects.iter().any(|name| name == dialect));
        let others = || all.iter().find(|profile| profile.dialects.is_empty());
        named.or_else(others).ok_or_else(|| Fail::config("bad-profile", "no profile is for other dialects"))
    }

    /// The profile of that name.
    pub fn by_name(name: &str) -> Result<&'static Self, Fail> {
        all()?.iter().find(|profile| profile.name == name).ok_or_else(|| {
            Fail::usage(format!("there is no profile '{name}'; profiles are {}", names().join(", ")))
        })
    }
}

impl Config {
    /// The policy for plans of a dialect in this project.
    pub fn profile(&self, dialect: &str) -> Result<Profile, Fail> {
        Profile::of_dialect(dialect).map(|profile| self.overridden(profile))
    }

    /// The policy of a profile that was named instead of following from the dialect.
    pub fn profile_named(&self, name: &str) -> Result<Profile, Fail> {
        Profile::by_name(name).map(|profile| self.overridden(profile))
    }

    fn overridden(&self, profile: &Profile) -> Profile {
        let mut profile = profile.clone();
        // `[defaults]` is about all workflows, so that a word about this one comes after it.
        profile.attempts = self.defaults.max_attempts.unwrap_or(profile.attempts);
        profile.accept = self.proof.accept.or(profile.accept);
        let own = self.workflow.get(profile.name.as_str());
        // A number that a project sets is the number of calls of a worker, so that no fix order follows them.
        if self.defaults.max_attempts.or(own.and_then(|own| own.attempts)).is_some() {
            profile.fix_order = false;
        }
        if let Some(own) = own {
            own.apply(&mut profile);
        }
        profile
    }
}

/// The name of a profile, as the key of a table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "String")]
pub struct ProfileName(String);

impl TryFrom<String> for ProfileName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        if names().contains(&name.as_str()) {
            return Ok(Self(name));
        }
        Err(format!("unknown workflow '{name}', expected one of {}", names().join(", ")))
    }
}

impl std::borrow::Borrow<str> for ProfileName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// The tables `[workflow.NAME]`.
pub type Overrides = BTreeMap<ProfileName, ProfileOverride>;

/// Whether what a project overrides makes sense.
pub(crate) fn check(overrides: &Overrides) -> Result<(), Fail> {
    for (ProfileName(name), own) in overrides {
        let bad =
            |message: String| Err(Fail::config("bad-workflow", format!("[workflow.{name}]: {message}")));
        if own.attempts == Some(0) || own.inspection_attempts == Some(0) {
            return bad("a task needs at least one attempt".to_owned());
        }
        for pipe in [&own.round, &own.follow, &own.restore].into_iter().flatten() {
            if stages(pipe).is_none() {
                return bad("a pipe has one stage a line, and each but the last ends with '|'".to_owned());
            }
        }
        let moments = own.task_gates.iter().chain(&own.checkpoint_gates).flatten();
        if let Some(word) = moments.into_iter().find(|word| !crate::MOMENTS.contains(&word.as_str())) {
            return bad(format!("'{word}' is not one of {}", crate::MOMENTS.join(", ")));
        }
    }
    Ok(())
}

/// The stages of a pipe: one a line, with `|` at the end of each but the last. `None` for any other text.
pub fn stages(pipe: &str) -> Option<Vec<&str>> {
    let mut lines: Vec<&str> = pipe.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines.pop().filter(|line| !line.ends_with('|'))?;
    let before = lines.into_iter().map(|line| line.strip_suffix('|').map(str::trim_end));
    before.chain([Some(last)]).collect()
}

fn names() -> [&'static str; FILES.len()] {
    FILES.map(|(file, _)| file.trim_end_matches(".toml"))
}

/// Every profile, parsed once.
fn all() -> Result<&'static [Profile], Fail> {
    static ALL: OnceLock<Result<Vec<Profile>, String>> = OnceLock::new();
    let parsed =
        ALL.get_or_init(|| names().iter().zip(FILES).map(|(name, (_, text))| parse(name, text)).collect());
    parsed.as_deref().map_err(|message| Fail::config("bad-profile", message.clone()))
}

fn parse(name: &str, text: &str) -> Result<Profile, String> {
    let profile: Profile = toml::from_str(text).map_err(|e| format!("profile '{name}': {}", e.message()))?;
    Ok(Profile { name: name.to_owned(), ..profile })
}

#[cfg(test)]
mod tests {
    use super::{FILES, Packet, Profile, all, parse, stages};
    use wire::plan::Model;

    #[test]
    fn every_profile_parses_and_no_dialect_has_two() {
        let all = all().unwrap();
        assert_eq!(all.len(), FILES.len());
        let mut dialects: Vec<&String> = all.iter().flat_map(|profile| &profile.dialects).collect();
        let count = dialects.len();
        dialects.sort();
        dialects.dedup();
        assert_eq!(dialects.len(), count, "{dialects:?}");
    }

    #[test]
    fn every_pipe_is_one_stage_a_line() {
        for profile in all().unwrap() {
            for pipe in [&profile.round, &profile.follow, &profile.restore] {
                assert!(
                    pipe.is_empty() || stages(pipe).is_some_and(|s| s.len() > 3),
                    "{}: {pipe}",
                    profile.name
                );
            }
            assert!(stages(&profile.round).unwrap()[0].starts_with("plan-parse "));
        }
        assert_eq!(stages("a 'b'|\n c |\nd"), Some(vec!["a 'b'", "c", "d"]));
        assert_eq!((stages("a\nb"), stages("a |"), stages("")), (None, None, None));
    }

    #[test]
    fn a_dialect_without_a_workflow_is_a_checklist() {
        assert_eq!(Profile::of_dialect("handoff").unwrap().name, "execute-task");
        assert_eq!(Profile::of_dialect("plan/v1").unwrap().name, "execute");
        for dialect in ["spec-kit", "", "unheard-of"] {
            assert_eq!(Profile::of_dialect(dialect).unwrap().name, "checklist", "{dialect}");
        }
        let fail = Profile::by_name("nope").unwrap_err();
        assert!(fail.message.starts_with("there is no profile 'nope'; profiles are execute, "), "{fail}");
    }

    #[test]
    fn a_profile_states_every_key_and_no_other() {
        let (name, text) = FILES[0];
        assert!(parse(name, &format!("{text}\nretries = 3\n")).unwrap_err().contains("unknown field"));
        assert!(parse(name, &text.replace("attempts = 4", "")).unwrap_err().contains("missing field"));
        assert_eq!(Profile::by_name("checklist").unwrap().strategy, None);
    }

    #[test]
    fn a_project_overrides_what_it_names_and_nothing_else() {
        let text =
            b"[workflow.orchestrate-runbook]\nattempts = 2\nstrategy = \"tdd\"\npacket = \"general\"\n";
        let config = crate::parse(text).unwrap();
        let own = config.profile("runbook").unwrap();
        let expected = Profile {
            attempts: 2,
            strategy: Some(Model::Tdd),
            packet: Packet::General,
            ..Profile::by_name("orchestrate-runbook").unwrap().clone()
        };
        assert_eq!(own, expected);
        assert_eq!(config.profile("handoff").unwrap(), *Profile::of_dialect("handoff").unwrap());
    }

    #[test]
    fn attempts_of_one_workflow_win_over_those_of_all() {
        let text = b"[defaults]\nmax_attempts = 7\n[workflow.execute]\nattempts = 5\n";
        let config = crate::parse(text).unwrap();
        let attempts = |dialect| config.profile(dialect).unwrap().attempts;
        assert_eq!((attempts("plan-md"), attempts("handoff")), (5, 7));
    }

    #[test]
    fn a_wrong_override_is_an_error_with_its_place() {
        for (text, message, line) in [
            ("[workflow.execute]\nattemps = 2\n", "unknown field `attemps`", Some(2)),
            ("[workflow.execute]\ndialects = []\n", "unknown field `dialects`", Some(2)),
            ("[workflow.exceute]\nattempts = 2\n", "unknown workflow 'exceute'", Some(1)),
            ("[workflow.execute]\nstages = []\n", "unknown field `stages`", Some(2)),
            ("[workflow.execute]\nround = \"plan-parse\\ndag-next\"\n", "one stage a line", None),
            ("[workflow.execute]\nattempts = 0\n", "at least one attempt", None),
            ("[workflow.execute]\ntask_gates = [\"tasks\"]\n", "'tasks' is not one of", None),
        ] {
            let fail = crate::parse(text.as_bytes()).unwrap_err();
            assert!(fail.message.contains(message), "{text}: {fail}");
            assert_eq!(fail.line, line, "{text}: {fail}");
        }
    }
}
