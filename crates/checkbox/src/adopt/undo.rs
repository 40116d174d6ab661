//! `checkbox adopt --undo`: takes adopted checks out of a plan again, the last first, byte for byte.

use crate::adopt::read_back::Written;
use crate::args::PlanArgs;
use crate::plan_file::PlanFile;
use dialects::write::Edit;
use ledger::pins::{ADOPT, ADOPT_UNDO, PLAN_AFTER, PLAN_BEFORE};
use ledger::{Entry, Ledger};
use serde_json::json;
use std::collections::HashSet;
use toolkit::cli::clock::RunArgs;
use toolkit::cli::tool::note;
use toolkit::files::root::{self, Home};
use toolkit::{Exit, Fail};
use wire::punch::{Punch, SourceKind, Trust, Type};

/// Takes every adopted check of a plan out again.
pub(crate) fn undo(args: &PlanArgs, run: &RunArgs) -> Result<Exit, Fail> {
    super::refuse_inside_attempt()?;
    let path = args.path()?;
    let home = Home::of(&root::find(path)?)?;
    let ledger = Ledger::new(home.clone());
    let mut count = 0;
    let mut left: Vec<(u64, Fail)> = Vec::new();
    loop {
        let mut file = PlanFile::lock(&home, path, args.dialect.as_deref())?;
        let plan = file.field.plan.source.path.clone();
        let records = ledger.read_of(&plan)?;
        let Some(adoption) = last_adoption(&records, &left) else { break };
        let before = file.field.blanked();
        let edits = match edits(&file, adoption) {
            Ok(edits) => edits,
            Err(fail) if fail.code != CANNOT_UNDO => return Err(fail),
            // Somebody has taken it out.
            Err(_) if !is_there(&file, adoption)? => Vec::new(),
            Err(fail) => {
                left.push((adoption.seq, fail));
                continue;
            }
        };
        file.set(&edits)?;
        drop(file);
        let now = dialects::PlanSnapshot::at(path, home.root(), args.dialect.as_deref())?;
        let task = now.plan.tasks.iter().find(|task| Some(&task.id) == adoption.task.as_ref());
        let clock = run.clock()?;
        ledger.append(Entry {
            plan,
            task: adoption.task.clone(),
            fingerprint: task.map(|task| task.fingerprint.clone()),
            source: SourceKind::Human,
            trust: Trust::Typed,
            data: json!({ "of": adoption.seq, PLAN_BEFORE: before, PLAN_AFTER: now.blanked() }),
            ..Entry::new(run.run_id(&clock)?, Type::Override, ADOPT_UNDO.to_owned(), clock.now())
        })?;
        count += 1;
    }
    note(&format!("checkbox: took the adopted checks of {count} tasks out of the plan"));
    let mut left = left.into_iter().map(|(_, fail)| fail);
    let Some(first) = left.next() else { return Ok(Exit::Ok) };
    left.for_each(|fail| note(&format!("checkbox: {}", fail.message)));
    Err(first)
}

/// The code word for a check that was edited after it was adopted.
const CANNOT_UNDO: &str = "cannot-undo";

/// Whether a check of an adoption still stands in the plan, as it was or edited.
fn is_there(file: &PlanFile, adoption: &Punch) -> Result<bool, Fail> {
    let task = file.field.plan.tasks.iter().find(|task| Some(&task.id) == adoption.task.as_ref());
    if task.is_some_and(|task| task.criteria.iter().any(|one| one.runnable || one.unclear.is_some())) {
        return Ok(true);
    }
    let list = |name: &str| adoption.data.get(name).and_then(|all| all.as_array()).into_iter().flatten();
    let word =
        |of: &serde_json::Value, name: &str| of.get(name).and_then(|word| word.as_str()).map(str::to_owned);
    for path in list("edits").filter_map(|edit| word(edit, "path")) {
        let text = String::from_utf8_lossy(&file.bytes(&path)?).into_owned();
        if list("checks").filter_map(|check| word(check, "command")).any(|command| text.contains(&command)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The last adoption that was not taken back.
fn last_adoption<'a>(records: &'a [Punch], left: &[(u64, Fail)]) -> Option<&'a Punch> {
    let of = |key: &'static str| records.iter().filter(move |p| p.kind == Type::Override && p.key == key);
    let undone: HashSet<u64> = of(ADOPT_UNDO).filter_map(|p| p.data.get("of")?.as_u64()).collect();
    let open = |p: &&Punch| !undone.contains(&p.seq) && !left.iter().any(|(seq, _)| *seq == p.seq);
    of(ADOPT).filter(open).max_by_key(|p| p.seq)
}

/// The edits that put the old bytes in the place of the new ones. They stand where they were written; where the text before
/// them has another length now, they are looked for, and must be found once. A cell of a new column ends its row.
fn edits(file: &PlanFile, adoption: &Punch) -> Result<Vec<Edit>, Fail> {
    let data = adoption.data.get("edits").cloned().unwrap_or_default();
    let mut written: Vec<Written> = serde_json::from_value(data)
        .map_err(|e| Fail::data("bad-record", format!("line {} of the ledger: {e}", adoption.seq)))?;
    written.sort_by_key(|one| one.start);
    let mut edits = Vec::new();
    let mut shift: usize = 0;
    let mut last = String::new();
    for one in written {
        if last != one.path {
            (shift, last) = (0, one.path.clone());
        }
        let bytes = file.bytes(&one.path)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let wanted = one.start + shift;
        let cell = one.new.ends_with('|').then(|| at_end_of_row(&text, wanted, &one.new)).flatten();
        let at = cell.or_else(|| is_at(&text, wanted, &one.new).then_some(wanted));
        let Some(start) = at.or_else(|| only(&text, &one.new)) else {
            let task = adoption.task.as_ref().map(ToString::to_string).unwrap_or_default();
            let message = format!(
                "the adopted check of task '{task}' was changed since: take it out by hand; it was written as: {}",
                one.new.trim()
            );
            return Err(Fail::data(CANNOT_UNDO, message).in_file(std::path::Path::new(&one.path)));
        };
        edits.push(Edit { path: one.path.clone(), start, end: start + one.new.len(), text: one.old.clone() });
        // A sign of state before it may have moved it.
        shift = (start + one.new.len()).saturating_sub(one.start + one.old.len());
    }
    Ok(edits)
}

/// Where a cell stands that ends the row at an offset.
fn at_end_of_row(text: &str, offset: usize, cell: &str) -> Option<usize> {
    let rest = text.as_bytes().get(offset..)?;
    let end = offset + rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
    let start = end.checked_sub(cell.len())?;
    (text.get(start..end) == Some(cell)).then_some(start)
}

/// Whether a text stands at an offset, whatever its boxes say.
fn is_at(text: &str, start: usize, wanted: &str) -> bool {
    text.get(start..start + wanted.len()).is_some_and(|found| open(found) == open(wanted))
        && ends_line(text, start, wanted)
}

/// Whether lines that were added end where they ended: behind them is the next line. Data goes on with a sign.
fn ends_line(text: &str, start: usize, added: &str) -> bool {
    let after = text.get(start + added.len()..).unwrap_or_default();
    let is_line = added.starts_with(['\n', '\r']) && !added.ends_with(['"', ']', '}', '>', ',', '\n']);
    !is_line || after.is_empty() || after.starts_with(['\n', '\r'])
}

/// Where a text stands, if it does once.
fn only(text: &str, wanted: &str) -> Option<usize> {
    let (text, wanted) = (open(text), open(wanted));
    let mut found = text.match_indices(&wanted).map(|(at, _)| at).filter(|at| ends_line(&text, *at, &wanted));
    found.next().filter(|_| found.next().is_none())
}

fn open(text: &str) -> String {
    text.replace("- [x] ", "- [ ] ").replace("- [X] ", "- [ ] ")
}
