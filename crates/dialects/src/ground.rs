//! The plan as a stage meets it: read again from its files, with what of the tree is ours or the plan's.

use crate::{Ask, blanked, body, find, mark_at, open_with};
use std::path::Path;
use toolkit::root::inside;
use toolkit::tree::Ground;
use toolkit::{Fail, fs, sha};
use wire::order::PlanRef;
use wire::plan::Span;
use wire::{Fingerprint, Order, Plan, State, Task, TaskId};

/// A plan that was read again.
pub struct Field {
    /// The plan as it is now.
    pub plan: Plan,
    /// Its files with their bytes, as seen from the root.
    pub files: Vec<(String, Vec<u8>)>,
    /// What of the tree is ours or the plan's.
    pub ground: Ground,
}

impl Field {
    /// Reads the plan that an order names.
    pub fn of(reference: &PlanRef) -> Result<Self, Fail> {
        Self::named(reference, &Ask::dialect(Some(&reference.dialect)))
    }

    /// The same with what the file of one task says, where the dialect has such files.
    pub fn with_task(reference: &PlanRef, task: &TaskId) -> Result<Self, Fail> {
        let mut ask = Ask::dialect(Some(&reference.dialect));
        ask.load.push(task.0.clone());
        Self::named(reference, &ask)
    }

    fn named(reference: &PlanRef, ask: &Ask) -> Result<Self, Fail> {
        if reference.path == "-" {
            let message = "the plan came from standard input; name its file instead";
            return Err(Fail::data("no-plan-file", message));
        }
        let root = Path::new(&reference.root);
        Self::read(&inside(root, &reference.path)?, root, ask)
    }

    /// Reads a plan file or folder.
    pub fn at(path: &Path, root: &Path, dialect: Option<&str>) -> Result<Self, Fail> {
        Self::read(path, root, &Ask::dialect(dialect))
    }

    fn read(path: &Path, root: &Path, ask: &Ask) -> Result<Self, Fail> {
        let plan = open_with(path, root, ask)?;
        let mut own = find(&plan.source.dialect).map(|d| (d.own)(&plan.source.path)).unwrap_or_default();
        own.extend(sessions(&plan));
        let mut files = Vec::new();
        let mut digests = Vec::new();
        for file in &plan.source.files {
            let bytes = fs::read(&root.join(&file.path))?;
            files.push((file.path.clone(), bytes.clone()));
            // What our own stages write beside the plan is left out of the tree whole.
            if (Ground { own: own.clone(), plan: Vec::new() }).is_own(&file.path) {
                continue;
            }
            let digest = sha::hex(&blanked(&plan, &file.path, &bytes));
            // A plan that is a link is ticked under the name of its target too.
            digests.extend(target(&root.join(&file.path), root).map(|path| (path, digest.clone())));
            digests.push((file.path.clone(), digest));
        }
        Ok(Self { plan, files, ground: Ground { own, plan: digests } })
    }

    /// One digest of the whole plan with its marks blanked.
    pub fn blanked(&self) -> String {
        let all =
            self.ground.plan.iter().fold(sha::Hasher::new(), |h, (_, digest)| h.with(digest.as_bytes()));
        all.finish()
    }

    /// The same digest for the plan's one file, were these its bytes.
    pub fn blanked_with(&self, plan: &Plan, bytes: &[u8]) -> String {
        let digest = sha::hex(&blanked(plan, &plan.source.path, bytes));
        self.ground.plan.iter().fold(sha::Hasher::new(), |h, _| h.with(digest.as_bytes())).finish()
    }

    /// The text of a task's section.
    pub fn body(&self, task: &Task) -> &[u8] {
        let file = self.files.iter().find(|(path, _)| *path == task.span.path);
        file.map_or(&[], |(_, bytes)| body(bytes, &task.span))
    }

    /// What a box of this plan has to say for a state: one character, or the dialect's own word.
    pub fn word(&self, span: &Span, state: State) -> &'static str {
        let file = self.files.iter().find(|(path, _)| *path == span.path);
        let bytes = file.map_or(&[][..], |(_, bytes)| bytes);
        mark_at(&self.plan.source.dialect, bytes, span, state)
    }

    /// The task that an order names, if it still asks for the same, with what its own file says. Its fingerprint is the
    /// order's, whichever of the two it was handed out with.
    pub fn handed_out(&self, order: &Order) -> Option<Task> {
        let (id, fingerprint) = (&order.task.id, &order.task.fingerprint);
        let own = self.task(id, fingerprint);
        if own.is_some_and(|task| task.detail.is_none()) {
            return own.cloned();
        }
        self.plan.tasks.iter().find(|task| task.id == *id)?.detail.as_ref()?;
        let whole = Self::with_task(&order.plan, id).ok()?;
        let found = whole.plan.tasks.iter().find(|task| task.id == *id)?;
        let same = own.is_some() || found.fingerprint == *fingerprint;
        same.then(|| Task { fingerprint: fingerprint.clone(), ..found.clone() })
    }

    /// The task of this id, if it still asks for the same.
    pub fn task(&self, id: &TaskId, fingerprint: &Fingerprint) -> Option<&Task> {
        self.plan.tasks.iter().find(|t| t.id == *id && t.fingerprint == *fingerprint)
    }
}

/// The folder of the sessions, where the plan names one; only by its usual name, so that a plan cannot take its
/// sources out of the tree.
fn sessions(plan: &Plan) -> Option<String> {
    let named =
        ["session_export", "session_export_path"].iter().find_map(|key| plan.extra.get(*key)?.as_str());
    let (folder, _) = named?.rsplit_once('/')?;
    folder.ends_with("/thinking").then(|| format!("{folder}/"))
}

/// What a link inside the root leads to, as seen from the root.
fn target(path: &Path, root: &Path) -> Option<String> {
    let (real, real_root) = (path.canonicalize().ok()?, root.canonicalize().ok()?);
    let seen = real.strip_prefix(&real_root).ok()?;
    (path.strip_prefix(root).ok()? != seen).then(|| seen.to_string_lossy().into_owned())
}
