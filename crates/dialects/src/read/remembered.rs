//! The plan that this process read last: equal bytes are an equal plan, and a tick changes no more than its boxes.
//!
//! Only for a plan whose text is one file: what stands in other files may change without it. Between two reads a stage of
//! ours ticks a task, so a text that differs in nothing but boxes that went from open to ticked is not parsed again: each
//! of them must be the box of a task without parts and not a part itself, or of a criterion of such a task, in a dialect
//! whose boxes are all there is. Any other difference is read as it is.

use crate::dialect::PLAIN;
use crate::states::boxes;
use crate::{Ask, Plan, row};
use repo::tree::OwnFiles;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use toolkit::files::sha;
use wire::State;
use wire::plan::Span;

/// A plan with everything that follows from its bytes.
#[derive(Debug, Clone)]
pub(crate) struct Remembered {
    /// The file and the root as they were named, and the dialect that was asked for.
    path: PathBuf,
    root: PathBuf,
    dialect: Option<String>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) plan: Arc<Plan>,
    pub(crate) ground: OwnFiles,
}

static LAST: Mutex<Option<Remembered>> = Mutex::new(None);

/// The most boxes of one step; more is not one tick.
const BOXES: usize = 64;

/// What is known of the plan in a file that has these bytes now.
pub(crate) fn recall(path: &Path, root: &Path, ask: &Ask, bytes: &[u8]) -> Option<Remembered> {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let known = last
        .as_mut()
        .filter(|known| known.path == path && known.root == root && known.dialect == ask.dialect)?;
    if known.bytes != bytes {
        tick(known, bytes)?;
    }
    Some(known.clone())
}

/// Remembers a plan, if its bytes alone decide what it is.
pub(crate) fn keep(path: &Path, root: &Path, ask: &Ask, bytes: &[u8], plan: &Arc<Plan>, ground: &OwnFiles) {
    let source = &plan.source;
    let is_alone = source.files.len() == 1 && row(&source.dialect).beside.is_none() && ask.session.is_none();
    let is_plain = root.join(&source.path) == path && !path.is_symlink() && !ask.prepared;
    let known = (is_alone && is_plain).then(|| Remembered {
        path: path.to_path_buf(),
        root: root.to_path_buf(),
        dialect: ask.dialect.clone(),
        bytes: bytes.to_vec(),
        plan: Arc::clone(plan),
        ground: ground.clone(),
    });
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = known;
}

/// Brings a plan to bytes that differ in ticked boxes alone; `None` if they differ in anything else.
fn tick(known: &mut Remembered, bytes: &[u8]) -> Option<()> {
    let decides = std::ptr::fn_addr_eq(row(&known.plan.source.dialect).edits, PLAIN.edits);
    let ticked = ticked(&known.bytes, bytes).filter(|_| decides)?;
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
    for (number, criteria) in done {
        let task = plan.tasks.get_mut(number)?;
        task.state = State::Completed;
        for criterion in criteria {
            task.criteria.get_mut(criterion)?.checked = true;
        }
    }
    let digest = sha::hex(bytes);
    plan.source.files.first_mut()?.sha256.clone_from(&digest);
    plan.source.sha256 = digest;
    bytes.clone_into(&mut known.bytes);
    Some(())
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
