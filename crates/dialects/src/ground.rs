//! The plan as a stage meets it: read again from its file, with what of the tree is ours or the plan's.

use crate::{blanked, find, open};
use std::path::Path;
use toolkit::root::inside;
use toolkit::tree::Ground;
use toolkit::{Fail, fs, sha};
use wire::order::PlanRef;
use wire::{Fingerprint, Plan, Task, TaskId};

/// A plan that was read again.
pub struct Field {
    /// The plan as it is now.
    pub plan: Plan,
    /// Its main file's bytes.
    pub bytes: Vec<u8>,
    /// What of the tree is ours or the plan's.
    pub ground: Ground,
}

impl Field {
    /// Reads the plan that an order names.
    pub fn of(reference: &PlanRef) -> Result<Self, Fail> {
        if reference.path == "-" {
            let message = "the plan came from standard input; name its file instead";
            return Err(Fail::data("no-plan-file", message));
        }
        let root = Path::new(&reference.root);
        let path = inside(root, &reference.path)?;
        Self::at(&path, root, Some(&reference.dialect))
    }

    /// Reads a plan file.
    pub fn at(path: &Path, root: &Path, dialect: Option<&str>) -> Result<Self, Fail> {
        let bytes = fs::read(path)?;
        let plan = open(path, root, dialect)?;
        let own = find(&plan.source.dialect).map(|d| (d.own)(&plan.source.path)).unwrap_or_default();
        let digest = sha::hex(&blanked(&plan, &bytes));
        let ground = Ground { own, plan: vec![(plan.source.path.clone(), digest)] };
        Ok(Self { plan, bytes, ground })
    }

    /// The digest of the plan with its marks blanked.
    pub fn blanked(&self) -> &str {
        self.ground.plan.first().map_or("", |(_, digest)| digest)
    }

    /// The task of this id, if it still asks for the same.
    pub fn task(&self, id: &TaskId, fingerprint: &Fingerprint) -> Option<&Task> {
        self.plan.tasks.iter().find(|t| t.id == *id && t.fingerprint == *fingerprint)
    }
}
