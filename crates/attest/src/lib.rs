//! Statements of evidence: what was proved about each ticked task, kept with the history instead of in the ledger.
//!
//! A ledger stays where the work was done; a clone has none. [`state`] says of each ticked task which of its checks passed on
//! the tree as it is, as in-toto statements; [`notes`] keeps them as git notes; [`fit`] says in any clone, without running
//! anything, which of them still fit. Invariants: a statement comes from records that `gate-run` observed on this very tree; a
//! check that is not stated, or that changed, has no evidence; what a check depends on is never guessed to be less than what is
//! known. Nothing is signed: who can write the notes can write any statement.

mod depends;
pub mod fit;
pub mod notes;
pub mod state;
pub mod ticked;

use crate::ticked::Ticked;
use config::profile::Profile;
use config::{Config, ConfigArgs};
use ledger::proof::{self, Check, ProofContext};
use repo::git::Git;
use repo::tree::{OwnFiles, Tree};
use std::path::Path;
use toolkit::Fail;
use toolkit::files::root::{self, Home};
use wire::{Task, TreeHash};

/// A plan with the tree and the records that its evidence must fit.
pub struct Ground {
    /// The ticked tasks with their records, if there are some.
    pub ticked: Ticked,
    /// The tree as it is.
    pub tree: Tree,
    /// The same with the plan's own marks, which gates outside of a task are bound to; only where there are gates.
    with_marks: Option<TreeHash>,
    git: Git,
    config: Config,
    profile: Profile,
}

impl Ground {
    /// Reads a plan and the tree that it is in.
    pub fn read(path: &Path, config: &ConfigArgs) -> Result<Self, Fail> {
        let root = root::find(path)?;
        let home = Home::of(&root)?;
        let ticked = Ticked::read(path, &home)?;
        let tree = Tree::now(&home, &ticked.field.ground)?.ok_or_else(|| {
            Fail::data("no-repository", "evidence is attested in git: run 'git init' first").in_file(&root)
        })?;
        let config = config.load(&root)?;
        let profile = config.profile(&ticked.field.plan.source.dialect)?;
        let has_gates = !config.gates.is_empty();
        let with_marks = if has_gates { Tree::now(&home, &OwnFiles::default())? } else { None };
        let with_marks = with_marks.map(|tree| tree.hash);
        Ok(Self { ticked, tree, with_marks, git: Git::new(home), config, profile })
    }

    /// Git at the root.
    pub fn git(&self) -> &Git {
        &self.git
    }

    /// The plan's path as seen from the root.
    pub fn plan(&self) -> &str {
        &self.ticked.field.plan.source.path
    }

    /// The checks of a task that a tree decides, its own and the gates for tasks, and whether a person decided each instead.
    fn checks(&self, task: &Task) -> Vec<(Check, bool)> {
        let context = ProofContext { config: &self.config, profile: &self.profile, steps: false };
        let decided = |check: &Check| {
            let own = task.criteria.iter().find(|criterion| criterion.id == check.key);
            own.is_some_and(|criterion| self.ticked.is_decided(task, criterion))
        };
        let checks = proof::checks(task, context).into_iter().filter(|check| check.key != proof::ANSWER);
        checks.map(|check| (decided(&check), check)).map(|(decided, check)| (check, decided)).collect()
    }
}
