//! Whether a plan with new checks is read as the same plan with exactly these checks more.

use crate::plan_file::PlanFile;
use checks::{Located, Reading, Synonyms};
use dialects::PlanSnapshot;
use dialects::write::Edit;
use markdown::Extent;
use serde::{Deserialize, Serialize};
use toolkit::Fail;
use wire::order::PlanRef;
use wire::plan::suggestion::{Kind, Suggestion};
use wire::plan::{Clause, Criterion};
use wire::{Fingerprint, Plan, Task};

/// A change on record: the bytes before and after it, at an offset of the file before this change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Written {
    pub(crate) path: String,
    pub(crate) start: usize,
    pub(crate) old: String,
    pub(crate) new: String,
}

/// The plan after the change.
pub(crate) struct After {
    pub(crate) fingerprint: Fingerprint,
    /// Other tasks whose fingerprints changed with it, as the rows of a table do: before and after.
    pub(crate) moved: Vec<(Fingerprint, Fingerprint)>,
    pub(crate) blanked: String,
}

/// Writes the first of several ways that holds.
pub(crate) fn first_that_holds(
    file: &mut PlanFile,
    task: &Task,
    chosen: &[&Suggestion],
    ways: Vec<Vec<Edit>>,
) -> Result<Option<(Vec<Written>, After)>, Fail> {
    for edits in ways {
        let record = on_record(file, &edits)?;
        if file.is_one_file() {
            let Some((plan, blanked)) = file.alone_after(&edits)? else { continue };
            let Some(fingerprint) = holds(&file.field.plan, &plan, task, chosen) else { continue };
            file.set(&edits)?;
            let moved = moved(&file.field.plan, &plan);
            return Ok(Some((record, After { fingerprint, moved, blanked })));
        }
        // A plan of several files is read as a whole only from its folder: write, read, and take back what does not hold.
        let before = file.field.files.clone();
        let beside = file.bytes_beside(&edits)?;
        file.set(&edits)?;
        let read = reread(file, task);
        let found = read.as_ref().ok().and_then(|now| holds(&file.field.plan, &now.plan, task, chosen));
        if let (Ok(now), Some(fingerprint)) = (read, found) {
            // Orders name a task whose own file is not read yet.
            let (now, fingerprint) = match &task.detail {
                Some(_) => unread(file, task)?,
                None => (now, fingerprint),
            };
            let moved = moved(&file.field.plan, &now.plan);
            return Ok(Some((record, After { fingerprint, moved, blanked: now.blanked() })));
        }
        file.put_back(&before, &beside)?;
    }
    Ok(None)
}

/// The fingerprints that differ.
fn moved(before: &Plan, after: &Plan) -> Vec<(Fingerprint, Fingerprint)> {
    let pairs = before.tasks.iter().zip(&after.tasks).map(|(old, new)| (&old.fingerprint, &new.fingerprint));
    pairs.filter(|(old, new)| old != new).map(|(old, new)| (old.clone(), new.clone())).collect()
}

/// The plan without the task's own file, and the task's fingerprint in it.
fn unread(file: &PlanFile, task: &Task) -> Result<(PlanSnapshot, Fingerprint), Fail> {
    let now = PlanSnapshot::of(&reference(file))?;
    let found = now.plan.tasks.iter().find(|one| one.id == task.id);
    let fingerprint = found.map_or_else(|| task.fingerprint.clone(), |one| one.fingerprint.clone());
    Ok((now, fingerprint))
}

/// The plan with the task's own file.
fn reread(file: &PlanFile, task: &Task) -> Result<PlanSnapshot, Fail> {
    PlanSnapshot::with_task(&reference(file), &task.id)
}

fn reference(file: &PlanFile) -> PlanRef {
    let source = &file.field.plan.source;
    PlanRef {
        path: source.path.clone(),
        dialect: source.dialect.clone(),
        root: source.root.clone(),
        sha256: file.field.sha256(),
    }
}

/// The edits with the bytes that they replace. Those of one file are carried out from its end to its beginning, so that
/// every offset is one of the old file.
fn on_record(file: &PlanFile, edits: &[Edit]) -> Result<Vec<Written>, Fail> {
    let mut written = Vec::new();
    for edit in edits {
        let bytes = file.bytes(&edit.path)?;
        let old = bytes.get(edit.start..edit.end).unwrap_or_default();
        written.push(Written {
            path: edit.path.clone(),
            start: edit.start,
            old: String::from_utf8_lossy(old).into_owned(),
            new: edit.text.clone(),
        });
    }
    Ok(written)
}

/// The task's new fingerprint, if the plan has exactly the chosen checks more and everything else as it was.
fn holds(before: &Plan, after: &Plan, task: &Task, chosen: &[&Suggestion]) -> Option<Fingerprint> {
    let others_same = before.tasks.len() == after.tasks.len()
        && before.notes.len() == after.notes.len()
        && asked(&before.gates) == asked(&after.gates)
        && before.tasks.iter().zip(&after.tasks).all(|(old, new)| {
            let same = old.id == new.id
                && old.state == new.state
                && old.title == new.title
                && old.kind == new.kind
                && old.depends_on == new.depends_on;
            same && (old.id == task.id || asked(&old.criteria) == asked(&new.criteria))
        });
    let old = before.tasks.iter().find(|one| one.id == task.id)?;
    let new = after.tasks.iter().find(|one| one.id == task.id)?;
    let rewritten = chosen.iter().filter(|one| one.kind == Kind::Rewrite).count();
    let unclear = |task: &Task| task.criteria.iter().filter(|one| one.unclear.is_some()).count();
    let mut wanted = asked(&own(before, old));
    wanted.extend(chosen.iter().map(|one| (one.command.clone(), plain(&one.clauses))));
    let mut found = asked(&own(after, new));
    wanted.sort();
    found.sort();
    let holds = others_same && wanted == found && unclear(old) == unclear(new) + rewritten;
    holds.then(|| new.fingerprint.clone())
}

/// The criteria of a task that are not the plan's: some dialects check every task that has none with those.
fn own(plan: &Plan, task: &Task) -> Vec<Criterion> {
    let is_own = |one: &&Criterion| !plan.gates.iter().any(|gate| gate.span == one.span);
    task.criteria.iter().filter(is_own).cloned().collect()
}

/// What the runnable checks ask for.
fn asked(criteria: &[Criterion]) -> Vec<(String, String)> {
    let runnable = criteria.iter().filter(|one| one.runnable);
    runnable.filter_map(|one| Some((one.command.clone()?, plain(&one.clauses)))).collect()
}

/// Clauses as a text; exit 0 is part of every check.
fn plain(clauses: &[Clause]) -> String {
    let stated: Vec<Clause> =
        clauses.iter().filter(|clause| !matches!(clause, Clause::Exit { code: 0 })).cloned().collect();
    wire::plan::clause::text(&stated)
}

/// The command and the clauses of a check that is legal in the grammar.
pub(crate) fn read_check(text: &str) -> Option<(String, Vec<Clause>)> {
    let located = Located::text(text, Extent { start: 0, end: text.len() });
    match checks::read(&located, Synonyms::project()) {
        Reading::Check(check) if check.skip.is_none() => Some((check.command, check.clauses)),
        _ => None,
    }
}
