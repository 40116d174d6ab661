//! `--push`: the branch goes out when commits were made, and never otherwise.

use crate::args::Args;
use std::path::Path;
use toolkit::git::{Call, Git};
use toolkit::root::{self, Home};
use toolkit::{Exit, Fail};

/// Where a push may be due, and what HEAD was before.
pub(crate) struct Push {
    place: Option<(Git, Option<String>)>,
}

impl Push {
    /// For the plan that is named; nothing where no push is asked for.
    pub(crate) fn new(args: &Args) -> Result<Self, Fail> {
        match &args.file {
            Some(path) if args.push && path != Path::new("-") && has_deed(args) => {
                Self::at(&root::find(path)?)
            }
            _ => Ok(Self { place: None }),
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

    /// Whether it is about this root.
    pub(crate) fn is_at(&self, root: &Path) -> bool {
        self.place.as_ref().is_some_and(|(git, _)| git.home().root() == root)
    }

    /// Pushes, if HEAD has moved. What the remote said is passed on; the commits stay whatever it says.
    pub(crate) fn after(&self) -> Result<(), Fail> {
        let Some((git, before)) = &self.place else { return Ok(()) };
        if git.head()? == *before {
            return Ok(());
        }
        let answer = git.ask(&Call::of(&["push", "--quiet"]).with_hooks())?;
        if answer.status.success() {
            return Ok(());
        }
        let said: Vec<&str> = answer.err.lines().filter(|l| !l.trim().is_empty()).take(3).collect();
        Err(Fail::new(
            Exit::Io,
            "push-failed",
            format!("the commits are made, but not pushed: {}", said.join("; ")),
        ))
    }
}

fn has_deed(args: &Args) -> bool {
    args.pending || args.residual || args.bookkeeping
}
