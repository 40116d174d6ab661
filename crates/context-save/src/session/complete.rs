//! `context-save complete`: the session's own status, the archive, the manifest; no task is changed.
//!
//! The move of the folder is the step that counts, and it is one rename. A crash before it leaves an active session, one
//! after it an archived one without its entry in the manifest; running it again goes on from either.

use crate::STAGE;
use crate::session::Session;
use crate::session::snapshot;
use dialects::context::files::Shelf;
use dialects::context::journal;
use serde_json::{Map, Value, json};
use std::path::Path;
use toolkit::cli::clock::{RunArgs, millis};
use toolkit::files::fs;
use toolkit::files::lock::{Lock, PATIENCE};
use toolkit::files::root::inside;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::Plan;
use wire::order::PlanRef;

/// Completes a session; exit 1 where a task is not done.
pub(crate) fn command(named: &Path, run: &RunArgs, out: &mut Output) -> Result<Exit, Fail> {
    let mut session = Session::find(named)?;
    let _lock = Lock::take(&session.home.folder("locks")?.join("session"), PATIENCE, STAGE)?;
    let clock = run.clock()?;
    let now = clock.now();
    let plan = dialects::open_session(&session.folder, session.home.root())?;
    let open: Vec<_> =
        plan.tasks.iter().filter(|task| !task.state.is_settled()).map(|t| t.id.as_str()).collect();
    if !open.is_empty() {
        let message = format!("session '{}' has tasks that are not done: {}", session.name, open.join(", "));
        return Err(Fail::new(Exit::No, "not-done", message));
    }
    let entry = entry(&session, &plan, &now)?;
    let archives = session.workflow().join("archives");
    for path in [archives.join(&session.name), archives.join("manifest.json")] {
        inside(session.home.root(), &session.home.relative(&path))?;
    }
    // What cannot be entered is not moved either.
    manifest(&archives.join("manifest.json"))?;
    if !session.is_archived() {
        snapshot::take(&session, &format!("{}-end", run.run_id(&clock)?))?;
        let mut own = session.read()?.unwrap_or_else(|| session.fresh());
        own.insert("status".to_owned(), json!("completed"));
        own.entry("completed_at").or_insert_with(|| json!(now));
        session.write(own)?;
        fs::folder(&archives)?;
        let place = archives.join(&session.name);
        fs::move_folder(&session.folder, &place)?;
        session.folder = place;
    }
    enter(&session, entry)?;
    out.line(&session.home.relative(&session.folder))?;
    Ok(Exit::Ok)
}

/// Appends the entry to the manifest, a list or an object with one, unless the session has one.
fn enter(session: &Session, entry: Value) -> Result<(), Fail> {
    let path = session.workflow().join("archives/manifest.json");
    let bad = |message: String| Fail::data("broken-json", message).in_file(&path);
    let mut value = manifest(&path)?;
    let list = if value.is_array() { Some(&mut value) } else { value.get_mut("sessions") };
    let Some(list) = list.and_then(Value::as_array_mut) else { return Ok(()) };
    if list.iter().any(|known| known.get("session_id") == entry.get("session_id")) {
        return Ok(());
    }
    list.push(entry);
    let text = serde_json::to_string_pretty(&value).map_err(|e| bad(e.to_string()))? + "\n";
    fs::replace(&path, text.as_bytes(), &session.home.folder("tmp")?)
}

/// The manifest: a list, or an object with one.
fn manifest(path: &Path) -> Result<Value, Fail> {
    let bytes = fs::read_if_there(path)?.unwrap_or_else(|| b"[]".to_vec());
    let bad = |message: String| Fail::data("broken-json", message).in_file(path);
    let value: Value = serde_json::from_slice(&bytes).map_err(|e| bad(format!("no valid JSON: {e}")))?;
    let holds = value.is_array() || value.get("sessions").is_some_and(Value::is_array);
    if holds { Ok(value) } else { Err(bad("holds no list of sessions".to_owned())) }
}

fn entry(session: &Session, plan: &Plan, now: &str) -> Result<Value, Fail> {
    let own = session.read()?.unwrap_or_default();
    let text = |key: &str| own.get(key).and_then(Value::as_str);
    let description = text("description").or_else(|| text("project")).unwrap_or(&plan.title).to_owned();
    let summaries = std::fs::read_dir(session.folder.join(".summaries")).into_iter().flatten().count();
    let mut metrics = Map::new();
    metrics.insert("tasks_completed".to_owned(), json!(plan.tasks.len()));
    metrics.insert("summaries_generated".to_owned(), json!(summaries));
    if let Some(hours) = hours(&own, now) {
        metrics.insert("duration_hours".to_owned(), json!(hours));
    }
    let (learned, issues) = lessons(plan)?;
    Ok(json!({
        "session_id": session.name,
        "description": description,
        "archived_at": now,
        "archive_path": session.home.relative(&session.workflow().join("archives").join(&session.name)),
        "metrics": metrics,
        "tags": [],
        "lessons": { "successes": learned, "challenges": issues, "watch_patterns": [] },
    }))
}

/// From the session's beginning to now, to a tenth.
fn hours(own: &Map<String, Value>, now: &str) -> Option<f64> {
    let began = ["execution_started_at", "created_at", "initialized_at"]
        .iter()
        .find_map(|key| own.get(*key)?.as_str())?;
    let spent = millis(now)?.checked_sub(millis(began)?)?;
    let tenths = u32::try_from(spent / 360_000).ok()?;
    Some(f64::from(tenths) / 10.0)
}

/// What the tasks' workers learned, and the issues that they left.
fn lessons(plan: &Plan) -> Result<(Vec<String>, Vec<String>), Fail> {
    let source = &plan.source;
    let shelf = Shelf::at(&PlanRef {
        path: source.path.clone(),
        dialect: source.dialect.clone(),
        root: source.root.clone(),
        sha256: String::new(),
    })?;
    let all = |name: &str| -> Result<Vec<String>, Fail> {
        let text = shelf.text(name)?;
        let of_all = plan.tasks.iter().flat_map(|task| journal::items(&text, &task.id));
        Ok(of_all.map(|item| item.trim_start_matches("[ ] ").to_owned()).collect())
    };
    Ok((all("learnings.md")?, all("issues.md")?))
}
