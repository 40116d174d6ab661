//! Checks that we do ourselves: what changed since a commit, held against a rule.
//!
//! A gate whose invocation is the name of one of these starts no program.

use crate::outcome::Outcome;
use crate::{dependencies, suppressions};
use toolkit::Fail;
use toolkit::config::SuppressionRule;
use toolkit::git::{Call, Git};
use toolkit::root::{self, Home};
use wire::gate::{Status, StopReason};

/// A check of our own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Builtin {
    name: &'static str,
    find: fn(&Base) -> Result<Vec<String>, Fail>,
    /// What it finds, for one or many.
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

/// What changes are looked for in.
pub(crate) struct Base {
    pub(crate) git: Git,
    /// The commit to compare with.
    pub(crate) commit: String,
    /// Files that the task declares.
    pub(crate) declared: Vec<String>,
    pub(crate) rule: SuppressionRule,
}

/// The tree of no files, for a repository without a commit.
const NO_COMMIT: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

impl Builtin {
    /// The one of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        ALL.into_iter().find(|builtin| builtin.name == name.trim())
    }

    pub(crate) fn name(self) -> &'static str {
        self.name
    }

    /// The verdict, with a line for each thing found.
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
    /// What to compare with in a root; `None` where git does not keep it.
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
        Ok(Some(Self { git, commit, declared, rule: rule.clone() }))
    }

    /// Files that git does not know yet.
    pub(crate) fn untracked(&self) -> Result<Vec<String>, Fail> {
        self.paths(&["ls-files", "-z", "-o", "--exclude-standard"])
    }

    /// The paths that a git command lists with a NUL behind each.
    pub(crate) fn paths(&self, args: &[&str]) -> Result<Vec<String>, Fail> {
        let listed = self.git.run(&Call::of(args))?.out;
        let paths = listed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(paths.map(|path| String::from_utf8_lossy(path).into_owned()).collect())
    }
}
