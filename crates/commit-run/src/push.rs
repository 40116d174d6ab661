//! `--push`: pushes the branch if commits were made, and never otherwise.

use crate::job::PlanCommit;
use repo::git::{Call, Git};
use std::path::Path;
use toolkit::files::root::{self, Home};
use toolkit::{Exit, Fail};

/// The repository that may need a push, and its HEAD before.
pub(crate) struct Push {
    place: Option<(Git, Option<String>)>,
}

impl Push {
    /// For a plan; pushes nothing unless that was asked for.
    pub(crate) fn of(args: &PlanCommit) -> Result<Self, Fail> {
        if args.push && args.plan != Path::new("-") {
            Self::at(&root::find(&args.plan)?)
        } else {
            Ok(Self { place: None })
        }
    }

    /// For a root.
    pub(crate) fn at(root: &Path) -> Result<Self, Fail> {
        if !root::has_git(root) {
            return Ok(Self { place: None });
        }
        let git = Git::new(Home::of(root)?);
        let head = git.head()?;
        Ok(Self { place: Some((git, head)) })
    }

    /// Pushes if HEAD has moved, and says whether it did. Passes on the remote's message; the commits stay in any case.
    pub(crate) fn after(&self) -> Result<bool, Fail> {
        let Some((git, before)) = &self.place else { return Ok(false) };
        if git.head()? == *before {
            return Ok(false);
        }
        let answer = git.ask(&Call::of(&["push", "--quiet"]).with_hooks())?;
        if answer.status.success() {
            return Ok(true);
        }
        let said: Vec<&str> = answer.err.lines().filter(|l| !l.trim().is_empty()).take(3).collect();
        Err(Fail::new(
            Exit::Io,
            "push-failed",
            format!("the commits are made, but not pushed: {}", said.join("; ")),
        ))
    }
}
