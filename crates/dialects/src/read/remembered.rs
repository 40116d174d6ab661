//! The plan that this process read last: equal bytes are an equal plan, and a tick changes no more than its boxes.
//!
//! Only for a plan whose text is one file: what stands in other files may change without it. Between two reads a stage of
//! ours ticks a task, so a text that differs in nothing but boxes that went from open to ticked is not parsed again: each
//! of them must be the box of a task without parts and not a part itself, or of a criterion of such a task, in a dialect
//! whose boxes are all there is. Any other difference is read as it is.

use crate::criteria::project_table;
use crate::dialect::PLAIN;
use crate::states::boxes;
use crate::{Ask, Plan, row};
use repo::tree::OwnFiles;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use toolkit::files::stamp::Stamp;
use toolkit::files::{fs, sha};
use wire::plan::Span;
use wire::plan::ticks::{self, Ticks};
use wire::{State, TaskId};

/// A plan with everything that follows from its bytes.
#[derive(Debug, Clone)]
pub(crate) struct Remembered {
    /// The file and the root as they were named, and the dialect that was asked for.
    path: PathBuf,
    root: PathBuf,
    dialect: Option<String>,
    pub(crate) bytes: Arc<Vec<u8>>,
    /// The file when these bytes were read.
    stamp: Option<Stamp>,
    pub(crate) plan: Arc<Plan>,
    pub(crate) ground: OwnFiles,
}

static LAST: Mutex<Option<Remembered>> = Mutex::new(None);

/// The most boxes of one step; more is not one tick.
const BOXES: usize = 64;

/// What is known of the plan in a file as it is now.
pub(crate) fn recall(path: &Path, root: &Path, ask: &Ask) -> Option<Remembered> {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let known = last
        .as_mut()
        .filter(|known| known.path == path && known.root == root && known.dialect == ask.dialect)?;
    if !known.stamp.is_some_and(|stamp| stamp.holds(path)) {
        let stamp = Stamp::settled(path);
        let bytes = if path.is_file() { fs::read_if_there(path).ok().flatten() } else { None }?;
        if *known.bytes != bytes {
            tick(known, bytes)?;
        }
        known.stamp = stamp;
    }
    Some(known.clone())
}

/// Remembers a plan, if its bytes alone decide what it is.
pub(crate) fn keep(
    path: &Path,
    root: &Path,
    ask: &Ask,
    bytes: &Arc<Vec<u8>>,
    plan: &Arc<Plan>,
    ground: &OwnFiles,
) {
    let known = Remembered::new(path, root, ask, bytes, plan, ground);
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = known;
}

impl Remembered {
    fn new(
        path: &Path,
        root: &Path,
        ask: &Ask,
        bytes: &Arc<Vec<u8>>,
        plan: &Arc<Plan>,
        ground: &OwnFiles,
    ) -> Option<Self> {
        let source = &plan.source;
        let is_alone =
            source.files.len() == 1 && row(&source.dialect).beside.is_none() && ask.session.is_none();
        let is_plain = root.join(&source.path) == path && !path.is_symlink() && !ask.prepared;
        (is_alone && is_plain).then(|| Self {
            path: path.to_path_buf(),
            root: root.to_path_buf(),
            dialect: ask.dialect.clone(),
            bytes: Arc::clone(bytes),
            stamp: None,
            plan: Arc::clone(plan),
            ground: ground.clone(),
        })
    }
}

/// A plan whose ticks are followed.
#[derive(Debug)]
pub struct Followed(Remembered);

impl Followed {
    /// Follows a plan that was just read with these options; `None` if more than its bytes decides what it is, or they
    /// have changed by now.
    pub fn of(plan: &Plan, ask: &Ask) -> Option<Self> {
        let root = Path::new(&plan.source.root);
        let path = root.join(&plan.source.path);
        let bytes = std::fs::read(&path).ok().filter(|bytes| sha::hex(bytes) == plan.source.sha256)?;
        let plan = Arc::new(plan.clone());
        Remembered::new(&path, root, ask, &Arc::new(bytes), &plan, &OwnFiles::default()).map(Self)
    }

    /// What was ticked since the last look; `None` if anything else has changed, so that the plan must be read again.
    pub fn ticks(&mut self) -> Option<Ticks> {
        project_table::load(&self.0.root).ok()?;
        let path = &self.0.path;
        let bytes = if path.is_symlink() { None } else { std::fs::read(path).ok() }?;
        let tasks = if bytes == *self.0.bytes { Vec::new() } else { tick(&mut self.0, bytes)? };
        Some(Ticks { schema: ticks::SCHEMA.to_owned(), sha256: sha::hex(&self.0.bytes), tasks })
    }
}

/// Brings a plan to bytes that differ in ticked boxes alone, and returns the tasks that they tick; `None` if the bytes
/// differ in anything else. The plan has no digests then: few stages need one, and [`super::plan_snapshot`] makes it for
/// them.
fn tick(known: &mut Remembered, bytes: Vec<u8>) -> Option<Vec<TaskId>> {
    let decides = std::ptr::fn_addr_eq(row(&known.plan.source.dialect).edits, PLAIN.edits);
    let ticked = ticked(&known.bytes, &bytes).filter(|_| decides)?;
    let is_at = |span: &Span, at: usize| {
        span.path == known.plan.source.path
            && boxes::extent(span, bytes.len()) == (markdown::Extent { start: at, end: at + 1 })
    };
    let mut done: Vec<(usize, Vec<usize>)> = Vec::new();
    let (mut left, tasks) = (ticked, &known.plan.tasks);
    left.retain(|at| {
        let found = tasks.iter().position(|task| task.mark.as_ref().is_some_and(|mark| is_at(mark, *at)));
        let found = found.filter(|task| tasks.get(*task).is_some_and(|task| task.state == State::Pending));
        done.extend(found.map(|task| (task, Vec::new())));
        found.is_none()
    });
    for (number, criteria) in &mut done {
        let task = tasks.get(*number)?;
        if task.parent.is_some() || tasks.iter().any(|part| part.parent.as_ref() == Some(&task.id)) {
            return None;
        }
        left.retain(|at| {
            let own = |criterion: &wire::plan::Criterion| criterion.boxed && is_at(&criterion.span, *at);
            let found = task.criteria.iter().position(own);
            criteria.extend(found);
            found.is_none()
        });
    }
    if !left.is_empty() {
        return None;
    }
    let plan = Arc::make_mut(&mut known.plan);
    let mut ids = Vec::new();
    for (number, criteria) in done {
        let task = plan.tasks.get_mut(number)?;
        task.state = State::Completed;
        ids.push(task.id.clone());
        for criterion in criteria {
            task.criteria.get_mut(criterion)?.checked = true;
        }
    }
    plan.source.files.first_mut()?.sha256.clear();
    plan.source.sha256.clear();
    known.bytes = Arc::new(bytes);
    Some(ids)
}

/// The places where an open box became a ticked one, if that is all that differs.
fn ticked(before: &[u8], now: &[u8]) -> Option<Vec<usize>> {
    const STEP: usize = 4096;
    if before.len() != now.len() {
        return None;
    }
    let mut found = Vec::new();
    for (number, (old, new)) in before.chunks(STEP).zip(now.chunks(STEP)).enumerate() {
        if old == new {
            continue;
        }
        for (at, (old, new)) in old.iter().zip(new).enumerate().filter(|(_, (old, new))| old != new) {
            if (*old, *new) != (b' ', b'x') || found.len() == BOXES {
                return None;
            }
            found.push(number * STEP + at);
        }
    }
    Some(found)
}
