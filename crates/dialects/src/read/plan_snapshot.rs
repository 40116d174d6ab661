//! The plan as a stage reads it again from its files, and the files of the tree that belong to us or to the plan.

use crate::criteria::project_table;
use crate::read::open_with_text;
use crate::read::remembered::{self, Remembered};
use crate::{Ask, blanked, body, find, mark_at};
use repo::tree::OwnFiles;
use std::path::Path;
use std::sync::Arc;
use toolkit::files::root::inside;
use toolkit::files::{fs, sha};
use toolkit::{Exit, Fail};
use wire::order::PlanRef;
use wire::plan::{Criterion, Span};
use wire::{Fingerprint, Order, Plan, State, Task, TaskId};

/// How often a plan is read that changes while it is read.
const TRIES: u32 = 10;

/// A plan as read again.
pub struct PlanSnapshot {
    /// The current plan.
    pub plan: Arc<Plan>,
    /// Its files with their bytes, by path relative to the root.
    pub files: Vec<(String, Arc<Vec<u8>>)>,
    /// The files of the tree that belong to us or to the plan.
    pub ground: OwnFiles,
}

impl PlanSnapshot {
    /// Reads the plan that an order names.
    pub fn of(reference: &PlanRef) -> Result<Self, Fail> {
        Self::named(reference, &Ask::dialect(Some(&reference.dialect)))
    }

    /// The same, including the file of one task, if the dialect has task files.
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
        if let Some(Remembered { bytes, plan, ground, .. }) = remembered::recall(path, root, ask) {
            // The configuration may have become one that cannot be read.
            project_table::load(root)?;
            return Ok(Self { files: vec![(plan.source.path.clone(), bytes)], plan, ground });
        }
        for _ in 0..TRIES {
            let (plan, text) = open_with_text(path, root, ask)?;
            if let Some(read) = Self::with_files(plan, text, root)? {
                if let [(_, bytes)] = read.files.as_slice() {
                    remembered::keep(path, root, ask, bytes, &read.plan, &read.ground);
                }
                return Ok(read);
            }
        }
        Err(Fail::new(Exit::Busy, "file-changed", "it changed each time it was read; try again")
            .in_file(path))
    }

    /// A plan with the bytes that it was read from; `None` if they are no longer in its files. Other bytes would make
    /// every span point at something else.
    fn with_files(plan: Plan, mut text: Option<Vec<u8>>, root: &Path) -> Result<Option<Self>, Fail> {
        let mut own = find(&plan.source.dialect).map(|d| (d.own)(&plan.source.path)).unwrap_or_default();
        own.extend(sessions(&plan));
        let mut files = Vec::new();
        let mut digests = Vec::new();
        for file in &plan.source.files {
            let known = text.take_if(|_| file.path == plan.source.path);
            let bytes = match known {
                Some(bytes) => bytes,
                None => match fs::read_if_there(&root.join(&file.path))? {
                    Some(bytes) if sha::hex(&bytes) == file.sha256 => bytes,
                    _ => return Ok(None),
                },
            };
            let bytes = Arc::new(bytes);
            files.push((file.path.clone(), Arc::clone(&bytes)));
            // Files that our own stages write beside the plan are left out of the tree.
            if (OwnFiles { own: own.clone(), plan: Vec::new() }).is_own(&file.path) {
                continue;
            }
            let digest = sha::hex(&blanked(&plan, &file.path, &bytes));
            // A tick of a plan that is a link also changes the link's target.
            digests.extend(target(&root.join(&file.path), root).map(|path| (path, digest.clone())));
            digests.push((file.path.clone(), digest));
        }
        Ok(Some(Self { plan: Arc::new(plan), files, ground: OwnFiles { own, plan: digests } }))
    }

    /// The digest of the plan as it is.
    pub fn sha256(&self) -> String {
        match (self.plan.source.sha256.as_str(), self.files.as_slice()) {
            ("", [(_, bytes)]) => sha::hex(bytes),
            (known, _) => known.to_owned(),
        }
    }

    /// One digest of the whole plan with its marks blanked.
    pub fn blanked(&self) -> String {
        let all =
            self.ground.plan.iter().fold(sha::Hasher::new(), |h, (_, digest)| h.with(digest.as_bytes()));
        all.finish()
    }

    /// The same digest for a plan of one file, computed from these bytes.
    pub fn blanked_with(&self, plan: &Plan, bytes: &[u8]) -> String {
        let digest = sha::hex(&blanked(plan, &plan.source.path, bytes));
        self.ground.plan.iter().fold(sha::Hasher::new(), |h, _| h.with(digest.as_bytes())).finish()
    }

    /// The text of a task's section.
    pub fn body(&self, task: &Task) -> &[u8] {
        let file = self.files.iter().find(|(path, _)| *path == task.span.path);
        file.map_or(&[], |(_, bytes)| body(bytes.as_slice(), &task.span))
    }

    /// The same without the steps that are the task's commit: what its worker does.
    pub fn work(&self, task: &Task) -> Vec<u8> {
        let own = |span: &&Span| span.path == task.span.path;
        let steps = task.commit.iter().flat_map(|rule| &rule.steps).filter(own);
        let within = |at: u64| usize::try_from(at.saturating_sub(task.span.start)).unwrap_or(usize::MAX);
        let (body, mut out, mut from) = (self.body(task), Vec::new(), 0);
        for step in steps {
            out.extend_from_slice(body.get(from..within(step.start)).unwrap_or_default());
            from = within(step.end);
        }
        out.extend_from_slice(body.get(from..).unwrap_or_default());
        out
    }

    /// The text that a box of this plan holds for a state: one character, or the dialect's own word.
    pub fn word(&self, span: &Span, state: State) -> &'static str {
        let file = self.files.iter().find(|(path, _)| *path == span.path);
        let bytes = file.map_or(&[][..], |(_, bytes)| bytes.as_slice());
        mark_at(&self.plan.source.dialect, bytes, span, state)
    }

    /// The task of an order, including its own file, if its fingerprint still matches. The fingerprint may be the one
    /// with or without the file; the result carries the order's, and the checks of other tasks that it has to mend.
    pub fn handed_out(&self, order: &Order) -> Option<Task> {
        let mut task = self.as_handed_out(order)?;
        let all =
            self.plan.tasks.iter().filter(|other| other.id != task.id).flat_map(|other| &other.criteria);
        let broken = all.filter(|check| order.mend.contains(&check.id));
        // The boxes of another task are its own.
        task.criteria.extend(broken.map(|check| Criterion { boxed: false, ..check.clone() }));
        Some(task)
    }

    fn as_handed_out(&self, order: &Order) -> Option<Task> {
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

    /// The task with this id, if its fingerprint still matches.
    pub fn task(&self, id: &TaskId, fingerprint: &Fingerprint) -> Option<&Task> {
        self.plan.tasks.iter().find(|t| t.id == *id && t.fingerprint == *fingerprint)
    }
}

/// The folder of the sessions, if the plan names one; only under its usual name, so that a plan cannot exclude its
/// sources from the tree.
fn sessions(plan: &Plan) -> Option<String> {
    let named =
        ["session_export", "session_export_path"].iter().find_map(|key| plan.extra.get(*key)?.as_str());
    let (folder, _) = named?.rsplit_once('/')?;
    folder.ends_with("/thinking").then(|| format!("{folder}/"))
}

/// The target of a link inside the root, relative to the root.
fn target(path: &Path, root: &Path) -> Option<String> {
    let (real, real_root) = (path.canonicalize().ok()?, root.canonicalize().ok()?);
    let seen = real.strip_prefix(&real_root).ok()?;
    (path.strip_prefix(root).ok()? != seen).then(|| seen.to_string_lossy().into_owned())
}
