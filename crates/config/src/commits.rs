//! How commits are made: `[commit]`, and the commit that is due for a task.

use crate::Config;
use serde::Deserialize;
use toolkit::Fail;
use wire::Task;
use wire::plan::{CommitRule, Plan};

/// How commits are made.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CommitConfig {
    /// When a commit is made; without it the plan's own strategy decides, or else one follows each ticked task.
    pub each: Option<CommitEach>,
    /// Whether the plan's ticks and the context files go with each task's commit.
    pub with_plan: bool,
    /// What becomes of commits that a worker made.
    pub by_worker: ByWorker,
}

/// What becomes of commits that a worker made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ByWorker {
    /// They are taken back into the tree, and their files are judged like any work.
    #[default]
    TakeBack,
    /// They are taken back, and the attempt is refused.
    Refuse,
}

/// When a commit is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CommitEach {
    /// After each ticked task.
    Task,
    /// Once, when every task is done.
    Plan,
    /// Never: a person commits.
    None,
}

/// The commits of a plan's tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Commits {
    each: CommitEach,
    /// Whether a task without a commit of its own gets one.
    fills: bool,
}

impl Config {
    /// When the tasks of a plan are committed: as the configuration says, else as the plan's own strategy does, else one
    /// by one. A workflow whose worker commits, or that waits for an approval, has only the commits that the plan names.
    pub fn commits(&self, plan: &Plan) -> Result<Commits, Fail> {
        let fills = if let Some(each) = self.commit.each {
            each == CommitEach::Task
        } else {
            let profile = self.profile(&plan.source.dialect)?;
            let stated = plan.tasks.iter().filter_map(|task| task.commit.as_ref());
            let has_strategy = stated.into_iter().any(|rule| !rule.own);
            // A pipe without the stage that commits leaves the commit to the end of the run.
            let has_stage = profile.round.contains("commit-run");
            has_stage && !(profile.worker_commits || profile.approval || has_strategy)
        };
        Ok(Commits { each: self.commit.each.unwrap_or(CommitEach::Task), fills })
    }
}

impl Commits {
    /// The commit that is due after a task.
    pub fn of(&self, task: &Task) -> Option<CommitRule> {
        if self.each != CommitEach::Task {
            return None;
        }
        let stated = task.commit.as_deref().cloned();
        let mut rule = match (stated, self.fills) {
            (Some(rule), fills) if fills || !rule.own => rule,
            (None, true) => CommitRule { own: true, ..CommitRule::default() },
            _ => return None,
        };
        if rule.message.trim().is_empty() {
            rule.message = subject(task);
        }
        Some(rule)
    }

    /// Whether nothing is ever committed.
    pub fn never(&self) -> bool {
        self.each == CommitEach::None
    }
}

/// `ID: title`, without the emphasis and code marks of Markdown.
fn subject(task: &Task) -> String {
    let title = task.title.replace("**", "").replace('`', "");
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{}: {title}", task.id)
}

#[cfg(test)]
mod tests {
    use crate::Config;
    use wire::Task;
    use wire::plan::{CommitRule, Plan};

    fn plan(dialect: &str, rules: &[Option<CommitRule>]) -> Plan {
        let task = |(number, rule): (usize, &Option<CommitRule>)| Task {
            id: (number + 1).to_string().as_str().into(),
            title: "**Write** `a.txt`".to_owned(),
            commit: rule.clone().map(Box::new),
            ..Task::default()
        };
        let mut plan = Plan { tasks: rules.iter().enumerate().map(task).collect(), ..Plan::default() };
        dialect.clone_into(&mut plan.source.dialect);
        plan
    }

    /// The subjects of the commits of a plan.
    fn subjects(config: &str, plan: &Plan) -> Vec<Option<String>> {
        let config: Config = toml::from_str(config).unwrap();
        let commits = config.commits(plan).unwrap();
        plan.tasks.iter().map(|task| commits.of(task).map(|rule| rule.message)).collect()
    }

    #[test]
    fn a_strategy_decides_and_else_each_task_has_a_commit() {
        let stated = |own| Some(CommitRule { message: "feat: a".to_owned(), own, ..CommitRule::default() });
        let (row, line, title) =
            (Some("feat: a".to_owned()), Some("feat: a".to_owned()), Some("2: Write a.txt".to_owned()));
        let (strategy, lines) =
            (plan("plan-md", &[stated(false), None]), plan("checklist", &[stated(true), None]));
        assert_eq!(subjects("", &strategy), [row.clone(), None]);
        assert_eq!(subjects("", &lines), [line, title.clone()]);
        assert_eq!(subjects("commit.each = \"task\"", &strategy), [row, title]);
        for each in ["plan", "none"] {
            assert_eq!(subjects(&format!("commit.each = \"{each}\""), &lines), [None, None]);
        }
        assert_eq!(subjects("", &plan("workflow", &[None])), [Some("1: Write a.txt".to_owned())]);
        // The worker commits, or a person approves.
        for dialect in ["runbook", "handoff"] {
            assert_eq!(subjects("", &plan(dialect, &[None])), [None], "{dialect}");
        }
    }
}
