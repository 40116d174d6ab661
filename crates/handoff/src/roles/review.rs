//! Prompts at the boundary of a phase and after a failed step: the reviewer's and the diagnostician's.

use crate::case::Case;
use crate::packet::earlier_attempts;
use crate::packet::inputs::shown;
use crate::prompt::block::{Block, Keep};
use crate::prompt::failure;
use crate::prompt::quote::{code, line};
use crate::prompt::slots::rank;
use crate::prompt::template::Slots;
use ledger::verdict::{self, Scope};
use repo::git::{Call, Git};
use repo::{snapshot, worktree};
use serde_json::Value;
use toolkit::Fail;
use toolkit::files::root::{Home, has_git};
use wire::plan::Kind;
use wire::punch::{Punch, Type};
use wire::{Task, TaskId};

/// Adds scope, design, changed files and report of a checkpoint.
pub(crate) fn checkpoint(case: &Case<'_>, slots: &mut Slots) -> Result<(), Fail> {
    let task = &case.sheet.task;
    let phase = phase(task);
    slots.word("phase", line(&phase));
    if case.sheet.section.trim().lines().count() < 2 {
        // The heading of the phase alone says nothing.
        slots.block(Block::parts("section", rank::SECTION, Vec::new()));
    }
    let (inside, outside) = scope(case, &phase);
    let name = |task: &&Task| format!("- {}: {}", code(task.id.as_str()), line(&task.title));
    let packet = case.packet_path();
    slots.block(
        Block::parts("scope_in", rank::NEEDED, inside.iter().map(name).collect()).in_file(packet.clone()),
    );
    slots.block(
        Block::parts("scope_out", rank::LISTS, outside.iter().map(name).collect()).in_file(packet.clone()),
    );
    let said = case.sheet.plan.phases.iter().find(|p| p.id == phase).and_then(|p| p.scope.as_deref());
    slots.block(Block::fence("scope_said", rank::SHARED, "text", said.unwrap_or_default(), Keep::Head));
    let design = case.beside("design.md");
    slots.word("design", if case.is_there(&design) { code(&design) } else { "none".to_owned() });
    let report = task
        .report_path
        .clone()
        .unwrap_or_else(|| case.beside(&format!("reports/checkpoint-{phase}-vet.md")));
    slots.word("report", code(&report));
    let ids: Vec<&TaskId> = inside.iter().map(|task| &task.id).collect();
    let (since, changed) = changed(case, &ids)?;
    slots.word("changed_since", since);
    let changed = changed.iter().map(|path| format!("- {}", code(path))).collect();
    slots.block(Block::parts("changed", rank::LISTS, changed).in_file(packet));
    Ok(())
}

/// The phase that a checkpoint ends.
pub(crate) fn phase(task: &Task) -> String {
    let named = task.id.as_str().strip_prefix("checkpoint-").map(str::to_owned);
    task.phase.clone().or(named).unwrap_or_else(|| task.id.0.clone())
}

/// The tasks of the phase, and the tasks left for later phases.
pub(crate) fn scope<'c>(case: &'c Case<'_>, phase: &str) -> (Vec<&'c Task>, Vec<&'c Task>) {
    let tasks = || case.sheet.plan.tasks.iter().filter(|task| task.kind != Kind::Checkpoint);
    let is_in = |task: &&Task| task.phase.as_deref() == Some(phase);
    let mut inside: Vec<&Task> = tasks().filter(is_in).collect();
    if inside.is_empty() {
        inside = tasks().filter(|task| case.sheet.task.depends_on.contains(&task.id)).collect();
    }
    let last = inside.iter().map(|task| task.span.line).max().unwrap_or_default();
    let known = |task: &&Task| inside.iter().any(|other| other.id == task.id);
    let behind =
        |task: &&Task| !known(task) && (task.span.path != case.sheet.task.span.path || task.span.line > last);
    let outside = tasks().filter(|task| !task.state.is_settled()).filter(behind).collect();
    (inside, outside)
}

/// The files changed since the phase began: since the commit that its first attempt started from.
fn changed(case: &Case<'_>, ids: &[&TaskId]) -> Result<(String, Vec<String>), Fail> {
    let begun = case.records.iter().find(|record| {
        record.kind == Type::AttemptBegin && record.task.as_ref().is_some_and(|task| ids.contains(&task))
    });
    let start = begun.and_then(|record| record.data.get("commit")?.as_str());
    let Some(start) =
        start.filter(|commit| commit.bytes().all(|b| b.is_ascii_hexdigit()) && has_git(case.root))
    else {
        let tasks = case.sheet.plan.tasks.iter().filter(|task| ids.contains(&&task.id));
        let mut files: Vec<String> =
            tasks.flat_map(|task| task.files.iter().map(|file| file.path.clone())).collect();
        files.sort_unstable();
        files.dedup();
        return Ok((
            "(as the steps declare them; the phase's first commit is not on record)".to_owned(),
            files,
        ));
    };
    let git = Git::new(Home::of(case.root)?);
    let answer = git.ask(&Call::of(&["diff", "--name-only", "-z", "--no-renames", start]))?;
    let text = String::from_utf8_lossy(&answer.out).into_owned();
    let files = text.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    Ok((format!("(`git diff --name-only {start}`)"), files))
}

/// Adds the change that a task made and the results of its gates; refuses a task without one.
pub(crate) fn change(case: &Case<'_>, slots: &mut Slots) -> Result<(), Fail> {
    let scope = Scope::of_task(&case.order.plan.path, &case.sheet.task);
    let mine = |record: &&Punch| {
        record.task.as_ref() == Some(&case.order.task.id)
            && record.fingerprint.as_ref() == Some(&case.order.task.fingerprint)
    };
    let begun = case.records.iter().filter(mine).find(|record| record.kind == Type::AttemptBegin);
    let ends = case.records.iter().filter(mine).filter(|record| record.kind == Type::AttemptEnd);
    let files = ends.filter_map(|record| record.data.get("changed_files")?.as_array()).flatten();
    let mut files: Vec<String> = files.filter_map(|file| file.as_str().map(str::to_owned)).collect();
    files.sort_unstable();
    files.dedup();
    let apart = worktree::of_last_attempt(&case.records, case.order)?;
    let in_main = begun.filter(|record| record.data.get("worktree").is_none());
    let start = match &apart {
        Some(tree) => Some(tree.base.as_str()),
        None => in_main.and_then(|record| record.data.get("commit")?.as_str()),
    };
    let Some(start) = start.filter(|_| !files.is_empty() && has_git(case.root)) else {
        let message = format!("task '{}' has no change to review", case.order.task.id);
        return Err(Fail::data("no-change", message));
    };
    let place =
        apart.as_ref().map_or(Ok(case.root.to_path_buf()), |tree| worktree::path_of(case.root, tree))?;
    let git = Git::new(Home::of(&place)?);
    let now = snapshot::take(&git, git.head()?.as_deref())?;
    let mut args = vec!["diff", "--no-color", "--no-ext-diff", start, now.as_str(), "--"];
    args.extend(files.iter().map(String::as_str));
    let diff = git.run(&Call::of(&args))?.out;
    let diff = String::from_utf8_lossy(&diff).into_owned();
    slots.block(Block::fence("diff", rank::SECTION, "diff", &diff, Keep::Head).in_file(case.packet_path()));
    let told = |key: &str| {
        let last = verdict::latest(case.records.iter(), &Scope { key: Some(key), ..scope })?;
        let measured = last.data.pointer("/gate/measured").map(shown).unwrap_or_default();
        Some(format!("- {}: {}, {}", code(key), last.kind.word(), line(&measured)))
    };
    let keys: std::collections::BTreeSet<&str> = case
        .records
        .iter()
        .filter(|record| verdict::is_verdict(record.kind) && scope.holds(record))
        .map(|record| record.key.as_str())
        .collect();
    slots.block(Block::parts("gate_results", rank::NEEDED, keys.into_iter().filter_map(told).collect()));
    let example = serde_json::json!({
        "status": "SUCCESS",
        "summary": "what the change does, in one sentence",
        "outputs": { "agree": true, "reasons": ["it does what the task asks for"], "places": ["src/a.rs:12"] },
    });
    let example = serde_json::to_string_pretty(&example).unwrap_or_default();
    slots.block(Block::fence("review_answer", rank::NEEDED, "json", &example, Keep::Head));
    Ok(())
}

/// Adds the failure, the expected and observed results, and where to read and write.
pub(crate) fn diagnostic(case: &Case<'_>, slots: &mut Slots) -> Result<(), Fail> {
    let task = &case.sheet.task;
    let failure = case.order.last_failure.clone().unwrap_or(Value::Null);
    let text = |at: &str| failure.pointer(at).map(shown).unwrap_or_default();
    let rows = failure::rows(&failure, "/detail/failed");
    let column = |name: &str| {
        let texts = rows.iter().filter_map(|row| row.get(name)).filter(|value| !value.is_null());
        texts.map(|value| line(&shown(value))).collect::<Vec<_>>().join("; ")
    };
    let or = |text: String, other: &str| if text.is_empty() { other.to_owned() } else { text };
    slots.word("error", or(line(&text("/halt/message")), "no reason is on record"));
    slots.word(
        "objective",
        line(&labelled(case, &["objective", "goal"]).unwrap_or_else(|| task.title.clone())),
    );
    let wanted = rows.iter().filter_map(|row| {
        Some(format!("{}: {}", code(row.get("command")?.as_str()?), line(&shown(row.get("expect")?))))
    });
    let stated = labelled(case, &["expected outcome", "expected result", "expected"]).map(|text| line(&text));
    let stated = stated.unwrap_or_else(|| "the step done as it is defined".to_owned());
    slots.word("expected", or(wanted.collect::<Vec<_>>().join("; "), &stated));
    let said = earlier_attempts::own(case)?.and_then(|own| own.words());
    let ended = text("/detail/tail").lines().rev().find(|l| !l.trim().is_empty()).map(line);
    let observed = or(column("reason"), &said.map(|said| line(&said)).or(ended).unwrap_or_default());
    slots.word("observed", or(observed, "nothing is on record"));
    let log = rows.iter().find_map(|row| row.get("log")?.as_str().map(str::to_owned));
    let report = task.report_path.clone().filter(|path| case.is_there(path)).or(log);
    slots.word("error_report", report.map_or_else(|| "none was written".to_owned(), |path| code(&path)));
    slots.word("diagnostic", code(&diagnostic_path(case)));
    slots.word(
        "same_error",
        if ledger::same_error::twice(case.records.iter()).is_some() { "yes" } else { "" },
    );
    Ok(())
}

/// What the step's own section says behind one of these labels.
fn labelled(case: &Case<'_>, labels: &[&str]) -> Option<String> {
    let text = case.sheet.section.lines().find_map(|line| {
        let line = line.trim().trim_start_matches(['-', '*', ' ']);
        let (label, value) = line.split_once(':')?;
        let label = label.trim_end_matches('*').trim().to_lowercase();
        labels.contains(&label.as_str()).then(|| value.trim_start_matches('*').trim().to_owned())
    });
    text.filter(|text| !text.is_empty())
}

/// The path of a step's diagnostic.
pub(crate) fn diagnostic_path(case: &Case<'_>) -> String {
    case.beside(&format!("reports/step-{}-diagnostic.md", case.sheet.task.key.replace('.', "-")))
}
