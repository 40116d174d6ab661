//! Built-in checks: compare the changes since a commit with a rule.
//!
//! A gate whose invocation is the name of a built-in check starts no program.

pub(crate) mod dependencies;
pub(crate) mod suppressions;

use crate::run::outcome::Outcome;

use config::SuppressionRule;
use ledger::Ledger;
use repo::git::{Call, Git};
use repo::prior_changes;
use std::collections::HashSet;
use toolkit::Fail;
use toolkit::files::root::{self, Home};
use wire::gate::{Status, StopReason};

/// A built-in check.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Builtin {
    name: &'static str,
    find: fn(&Base) -> Result<Vec<String>, Fail>,
    /// The name of its findings, singular and plural.
    found: &'static str,
}

const ALL: [Builtin; 2] = [
    Builtin { name: "no-new-suppressions", find: suppressions::added, found: "new suppressions" },
    Builtin {
        name: "no-new-dependencies",
        find: dependencies::undeclared,
        found: "undeclared manifests changed",
    },
];

/// The base for finding changes.
pub(crate) struct Base {
    pub(crate) git: Git,
    /// The commit to compare with.
    pub(crate) commit: String,
    /// Files that the task declares.
    pub(crate) declared: Vec<String>,
    pub(crate) rule: SuppressionRule,
    /// The plan being executed, and the home of its ledger.
    plan: Option<(Home, String)>,
}

/// The empty tree, for a repository without a commit.
const NO_COMMIT: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

impl Builtin {
    /// The built-in check with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        ALL.into_iter().find(|builtin| builtin.name == name.trim())
    }

    pub(crate) fn name(self) -> &'static str {
        self.name
    }

    /// The verdict, with a line for each finding.
    pub(crate) fn run(self, base: Option<&Base>) -> Result<(Outcome, Vec<String>), Fail> {
        let outcome =
            |status, stop_reason, measured| Outcome { status, stop_reason, measured, needs_secret: false };
        let Some(base) = base else {
            let measured = "there is no git repository to compare with".to_owned();
            return Ok((outcome(Status::Fault, StopReason::EnvMissing, measured), Vec::new()));
        };
        let found = (self.find)(base)?;
        let status = if found.is_empty() { Status::Pass } else { Status::Fail };
        let measured = format!("{} {}", found.len(), self.found);
        Ok((outcome(status, StopReason::Exited, measured), found))
    }
}

impl Base {
    /// The base of a root; `None` outside of git.
    pub(crate) fn of(
        home: &Home,
        commit: &str,
        declared: Vec<String>,
        rule: &SuppressionRule,
    ) -> Result<Option<Self>, Fail> {
        if !root::has_git(home.root()) {
            return Ok(None);
        }
        let git = Git::new(home.clone());
        let none_yet = commit == "HEAD" && git.head()?.is_none();
        let commit = if none_yet { NO_COMMIT } else { commit }.to_owned();
        Ok(Some(Self { git, commit, declared, rule: rule.clone(), plan: None }))
    }

    /// For a plan: skips files that a person had changed before its run and that no work has changed since.
    pub(crate) fn for_plan(self, home: &Home, plan: &str) -> Self {
        Self { plan: Some((home.clone(), plan.to_owned())), ..self }
    }

    /// The skipped files.
    pub(crate) fn left_alone(&self) -> Result<HashSet<String>, Fail> {
        let Some((home, plan)) = &self.plan else { return Ok(HashSet::new()) };
        let found = prior_changes::worked_on(&Ledger::new(home.clone()).read_of(plan)?, plan);
        Ok(found.into_iter().filter(|(_, task)| task.is_none()).map(|(path, _)| path).collect())
    }

    /// Files unknown to git.
    pub(crate) fn untracked(&self) -> Result<Vec<String>, Fail> {
        self.paths(&["ls-files", "-z", "-o", "--exclude-standard"])
    }

    /// The NUL-terminated paths that a git command lists.
    pub(crate) fn paths(&self, args: &[&str]) -> Result<Vec<String>, Fail> {
        let listed = self.git.run(&Call::of(args))?.out;
        let paths = listed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(paths.map(|path| String::from_utf8_lossy(path).into_owned()).collect())
    }
}
