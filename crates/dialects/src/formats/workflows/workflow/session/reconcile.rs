//! All contradictions between list, task files, summaries, session and manifest, with the rule that decides each.
//!
//! Unlike an ordinary read this opens every file of the session. It changes nothing, and the rules are those of an
//! ordinary read.

use super::compare;
use crate::formats::workflows::workflow::DIALECT;
use crate::{Ask, Folder, Plan, open_with};
use std::path::Path;
use toolkit::Fail;
use wire::Seen;
use wire::plan::{Diagnostic, Place, Severity};
use wire::reconcile::{Conflict, Reconcile, SCHEMA, Saying};

/// Reads a session with all its files and compares them.
pub fn reconcile(file: &Path, root: &Path, ask: &Ask) -> Result<Reconcile, Fail> {
    let ask = Ask { dialect: Some(DIALECT.name.to_owned()), load: Vec::new(), ..ask.clone() };
    let plan = open_with(file, root, &ask)?;
    let load = plan.tasks.iter().map(|task| task.id.0.clone()).collect();
    let plan = open_with(file, root, &Ask { load, ..ask })?;
    let seen = if plan.source.path == "." { "" } else { &plan.source.path };
    let session = Folder::new(&root.join(seen), seen);
    let mut conflicts: Vec<Conflict> =
        plan.diagnostics.iter().filter_map(|found| known(&plan, found)).collect();
    // A session without any task files does not miss each of them.
    if session.names(".task").is_empty() {
        conflicts.retain(|found| found.code != "missing-task-file");
    }
    compare::summaries(&session, &plan, &mut conflicts);
    compare::session(&session, &plan, &mut conflicts);
    compare::plan_file(&session, &plan, &mut conflicts)?;
    compare::counters(&session, &plan, &mut conflicts)?;
    let real = root.join(&plan.source.path);
    let real = std::fs::canonicalize(&real).unwrap_or(real);
    compare::archived(&real, &session, &plan, &mut conflicts);
    if let Some(home) = home(&real, root) {
        compare::manifest(&home, &real, &session, &plan, &mut conflicts)?;
    }
    let done = plan.tasks.iter().filter(|task| task.state.is_settled()).count() as u64;
    Ok(Reconcile {
        schema: SCHEMA.to_owned(),
        path: plan.source.path.clone(),
        tasks: plan.tasks.len() as u64,
        done,
        conflicts,
    })
}

/// One conflict.
pub(crate) fn conflict(code: &str, says: Vec<Saying>, decided: &str) -> Conflict {
    Conflict { code: code.to_owned(), task: None, says, decided: decided.to_owned() }
}

/// The statement of one place.
pub(crate) fn saying(path: impl Into<Seen>, line: u64, what: impl Into<String>) -> Saying {
    Saying { place: Place { path: path.into(), line }, what: what.into() }
}

/// The conflict behind a diagnostic about two contradicting places.
fn known(plan: &Plan, found: &Diagnostic) -> Option<Conflict> {
    let decided = match found.code.as_str() {
        "status-conflict" => "the list decides the state",
        "failed-before" => "the box decides: not done",
        "dependency-conflict" => "both count: an edge more is safe",
        "dangling-dependency" | "unclear-dependency" => "nothing: the dependency must be named",
        "duplicate-id" => "nothing: the plan is refused until one line is left",
        "repeated-id" => "the first line decides",
        "id-mismatch" => "the list's id stands",
        "task-not-in-list" | "unknown-reference" => "the list decides which tasks there are",
        "missing-task-file" => "the task has its line in the list and nothing else",
        "broken-json" => "the file is not read",
        "parallel-contradiction" | "order-contradiction" => "the declared dependencies stand",
        _ => return None,
    };
    let mut says = Vec::new();
    let task = found.task.as_ref().and_then(|id| plan.tasks.iter().find(|task| task.id == *id));
    let list = task.filter(|task| found.code == "status-conflict" && task.span.path != found.path);
    if let Some(place) = list.and_then(|task| task.state_from.clone()) {
        let what = list.map_or("", |task| task.state.word());
        says.push(saying(place.path, place.line, what));
    }
    says.push(saying(found.path.clone(), found.line, found.message.clone()));
    let refused = found.severity == Severity::Error && found.code == "broken-json";
    let decided = if refused { "nothing: what the task waits for is not known" } else { decided };
    Some(Conflict { code: found.code.clone(), task: found.task.clone(), says, decided: decided.to_owned() })
}

/// The `.workflow` folder of a session.
fn home(session: &Path, root: &Path) -> Option<Folder> {
    let above = session.parent()?;
    let place = above.file_name()?.to_str()?;
    let home = if matches!(place, "active" | "archives" | "sessions") { above.parent()? } else { above };
    let root = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
    let seen = home.strip_prefix(&root).unwrap_or(home);
    Some(Folder::new(home, &seen.to_string_lossy()))
}
