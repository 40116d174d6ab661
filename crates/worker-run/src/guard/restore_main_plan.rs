//! Rebuilds the plan in the main tree from its earlier content and the records since.
//!
//! Other stages tick there while a worker runs in its own worktree, so the old bytes alone are not enough: the
//! recorded ticks are applied to them again. Only a plan of one file is restored.

use dialects::PlanSnapshot;
use dialects::write::ticked::Ticked;
use dialects::write::{self, Change};
use markdown::Text;
use repo::tree::OwnFiles;
use toolkit::Fail;
use toolkit::files::fs;
use wire::State;
use wire::plan::Kind;
use wire::punch::{Punch, Type};

/// The bytes that the plan should have, given its earlier content, its current content (if readable) and the whole
/// ledger; `None` if that cannot be determined.
pub(crate) fn wanted(
    base: &PlanSnapshot,
    now: Option<&PlanSnapshot>,
    records: &[Punch],
) -> Result<Option<Vec<u8>>, Fail> {
    let [(path, bytes)] = base.files.as_slice() else { return Ok(None) };
    if !write::stands_alone(base) {
        return Ok(None);
    }
    let mut field = of_bytes(base, path, bytes.to_vec())?;
    for task in base.plan.tasks.iter().filter(|task| task.kind != Kind::Container) {
        let later = now.and_then(|now| now.plan.tasks.iter().find(|later| later.id == task.id));
        let is_heard = is_heard(records, path, task.id.as_str());
        let state = match later {
            Some(later) if !later.state.is_settled() || is_heard => later.state,
            None if is_heard => State::Completed,
            _ => task.state,
        };
        if state == task.state {
            continue;
        }
        let is_new = |id: &str| {
            later.is_none_or(|later| later.criteria.iter().any(|later| later.id == id && later.checked))
        };
        let Some(task) = field.plan.tasks.iter().find(|known| known.id == task.id) else { continue };
        let criteria: Vec<_> = task.criteria.iter().filter(|c| !c.checked && is_new(&c.id)).collect();
        let change = Change { task, state, criteria: &criteria, now: "", reason: "" };
        let edits = write::edits(&field, &change)?;
        if edits.iter().any(|edit| edit.path != *path) {
            return Ok(None);
        }
        field = applied(base, &field, path, &edits)?;
    }
    for at in 0..base.plan.notes.len() {
        let is_ticked = now.is_none_or(|now| now.plan.notes.get(at).is_some_and(|note| note.checked));
        let note = field.plan.notes.get(at).filter(|note| !note.checked && is_ticked);
        let Some(note) = note.filter(|_| is_heard(records, path, &format!("note:{}", at + 1))) else {
            continue;
        };
        let edit = write::tick_box(&field, &note.span);
        field = applied(base, &field, path, &[edit])?;
    }
    let is_whole = field.plan.tasks.len() == base.plan.tasks.len()
        && Ticked::of(&base.plan).unheard(&field, records).is_empty();
    Ok(field.files.pop().filter(|_| is_whole).map(|(_, bytes)| bytes.to_vec()))
}

/// Writes these bytes to the plan's path.
pub(crate) fn put(base: &PlanSnapshot, bytes: &[u8], scratch: &std::path::Path) -> Result<(), Fail> {
    let path = std::path::Path::new(&base.plan.source.root).join(&base.plan.source.path);
    // A link or a folder at its path was not there when the work began.
    let was_link = base.ground.plan.len() > base.files.len();
    if !was_link && path.is_symlink() {
        fs::remove(&path)?;
    }
    fs::replace(&path, bytes, scratch)
}

fn applied(
    base: &PlanSnapshot,
    field: &PlanSnapshot,
    path: &str,
    edits: &[write::Edit],
) -> Result<PlanSnapshot, Fail> {
    let bytes = field.files.first().map(|(_, bytes)| bytes.as_slice()).unwrap_or_default();
    of_bytes(base, path, write::applied(bytes, &edits.iter().collect::<Vec<_>>()))
}

/// The plan as read from these bytes.
fn of_bytes(base: &PlanSnapshot, path: &str, bytes: Vec<u8>) -> Result<PlanSnapshot, Fail> {
    let source = &base.plan.source;
    let mut plan = dialects::read(&Text { path, bytes: &bytes }, Some(&source.dialect))?;
    plan.source.root.clone_from(&source.root);
    plan.source.path.clone_from(&source.path);
    Ok(PlanSnapshot {
        plan: plan.into(),
        files: vec![(path.to_owned(), bytes.into())],
        ground: OwnFiles::default(),
    })
}

/// Whether a stage, or a person using a tool, settled this box.
fn is_heard(records: &[Punch], plan: &str, id: &str) -> bool {
    records.iter().filter(|record| record.plan == plan).any(|record| {
        let is_kind = matches!(record.kind, Type::Tick | Type::Override | Type::Skip);
        is_kind && (record.key == id || record.task.as_ref().is_some_and(|task| task.as_str() == id))
    })
}
