//! The Task Execution Complete report of a task that was handed off.

use super::figures::{bullets, false_claims, figures, is_complete, sign, verdict, words};
use super::overview::code;
use crate::plain_text::plain;
use std::fmt::Write;
use wire::Plan;
use wire::history::Came;
use wire::report::{Change, Line, Report};

/// The steps around the subtasks, which have no summary of their own.
const AROUND: [&str; 4] = ["runtime-report", "pre-execution-gate", "quality-gates", "complete"];

/// The report of a whole task.
pub(crate) fn write(plan: &Plan, report: &Report) -> String {
    let word = |key: &str| plan.extra.get(key).and_then(|value| value.as_str()).map(plain);
    let name = word("task_id").or_else(|| word("bead_id")).unwrap_or_else(|| plain(&plan.title));
    let state = if is_complete(report) { "Complete" } else { "Stopped" };
    let mut out = format!("# Task Execution {state}: {name}\n\n## Implementation Summary\n");
    for line in report.tasks.iter().filter(|line| !AROUND.contains(&line.id.as_str())) {
        let _ = writeln!(out, "- {}", summary(report, line));
    }
    out.push_str("\n## Test Summary\n");
    tests(&mut out, report);
    out.push_str("\n## Quality Gates\n");
    let gates: Vec<String> = report
        .gates
        .iter()
        .filter(|ran| ran.id.starts_with(GATE))
        .map(|ran| format!("{}: {}", capital(&ran.id[GATE.len()..]), verdict(ran)))
        .collect();
    bullets(&mut out, &gates);
    out.push_str("\n## Files Modified\n");
    let files: Vec<String> = match report.changes.as_slice() {
        [] => report.files.iter().map(|file| code(file)).collect(),
        changes => changes.iter().map(changed).collect(),
    };
    bullets(&mut out, &files);
    out.push_str("\n## Session Exports\n");
    bullets(&mut out, &report.sessions.iter().map(|path| exported(path)).collect::<Vec<_>>());
    out.push_str("\n## Runtime Attestations\n");
    bullets(&mut out, &attested(report));
    out.push_str("\n## Success Criteria Met\n");
    for goal in &report.goals {
        let _ = writeln!(out, "- [{}] {}", if goal.checked { 'x' } else { ' ' }, plain(&goal.text));
    }
    if report.goals.is_empty() {
        out.push_str("- (none stated)\n");
    }
    let claims = false_claims(report);
    if !claims.is_empty() {
        out.push_str("\n## Claimed And Not True\n");
        bullets(&mut out, &claims);
    }
    out.push_str("\n## Figures\n");
    bullets(&mut out, &figures(report));
    if !report.open.is_empty() {
        out.push_str("\n## Still Open\n");
        bullets(&mut out, &report.open);
    }
    next_steps(&mut out, plan, &name);
    out
}

/// Model and mode of the orchestrator and of each worker, as they report them; the orchestrator is a program and
/// has no model.
fn attested(report: &Report) -> Vec<String> {
    let own =
        "parent: runtime_model_reported: none, runtime_mode_reported: orchestrate/execute-task".to_owned();
    let children = report.tasks.iter().filter_map(|line| {
        let attempt = line.history.last()?;
        let word = |text: &Option<String>| text.as_deref().map_or_else(|| "none".to_owned(), plain);
        let (model, mode) = (word(&attempt.model), word(&attempt.mode));
        Some(format!(
            "{}: runtime_model_reported: {model}, runtime_mode_reported: {mode}",
            plain(line.id.as_str())
        ))
    });
    std::iter::once(own).chain(children).collect()
}

/// The prefix of keys of configured gates.
const GATE: &str = "gate:";

/// A subtask with its worker's summary of the attempt that was ticked, and the measured results.
fn summary(report: &Report, line: &Line) -> String {
    let ticked = line.history.iter().rev().find(|attempt| attempt.result == Came::Ticked);
    let said = ticked.map(|attempt| plain(&attempt.summary)).filter(|text| !text.trim().is_empty());
    let said = said.unwrap_or_else(|| plain(&line.title));
    let id = plain(line.id.as_str());
    let id = id.strip_prefix("subtask-").unwrap_or(&id);
    let name = if id.parse::<u32>().is_ok() { format!("Subtask {id}") } else { id.to_owned() };
    format!("{} {name}: {said} ({})", sign(line.stand), words(report, line))
}

fn tests(out: &mut String, report: &Report) {
    let of = |action: &str| {
        report.changes.iter().filter(|change| change.action == action && is_test(&change.path)).count()
    };
    let _ = writeln!(out, "- Test files added: {}\n- Test files modified: {}", of("added"), of("modified"));
    let ran = report.gates.iter().filter(|ran| ran.id.contains("test"));
    let passing = match ran.map(|ran| ran.status == "pass").reduce(|a, b| a && b) {
        Some(true) => "YES",
        Some(false) => "NO",
        None => "not measured",
    };
    let _ = writeln!(out, "- All tests passing: {passing}");
}

/// Whether a path is a test, by the naming conventions of most languages.
fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let folder = path.split('/').any(|part| matches!(part, "test" | "tests" | "__tests__" | "spec"));
    let stem = name.split('.').next().unwrap_or(name);
    folder
        || stem.starts_with("test_")
        || stem == "test"
        || stem.ends_with("_test")
        || name.contains(".test.")
        || name.contains(".spec.")
}

fn changed(change: &Change) -> String {
    let lines = match (change.added, change.removed) {
        (Some(added), Some(removed)) => format!(", +{added} -{removed}"),
        _ => String::new(),
    };
    format!("{} - {}{lines}", code(&change.path), change.action)
}

/// `Prep`, `Subtask 1`, `Tests`, and the path.
fn exported(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let named =
        ::sessions::Name::parse(name).map(|name| capital(&name.position.to_string().replace('-', " ")));
    format!("{}: {}", named.unwrap_or_else(|| "Session".to_owned()), code(path))
}

fn next_steps(out: &mut String, plan: &Plan, name: &str) {
    let message = plan.tasks.iter().rev().find_map(|task| task.commit.as_ref()).map(|rule| &rule.message);
    let commit = match message {
        Some(message) => format!("Commit with message: \"{}\"", plain(message)),
        None => "Commit the changes".to_owned(),
    };
    let _ = write!(
        out,
        "\n## Next Steps\n1. Review changes\n2. {commit}\n3. Update beads: `bd close {}`\n4. Push if approved: `git push`\n",
        name.replace('`', "'")
    );
}

fn capital(word: &str) -> String {
    let word = plain(word);
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::is_test;

    #[test]
    fn tests_are_known_by_their_names() {
        for path in ["tests/a.py", "src/test_a.py", "a_test.go", "src/a.test.ts", "src/a.spec.js", "test.sh"]
        {
            assert!(is_test(path), "{path}");
        }
        for path in ["src/latest.rs", "contest/a.py", "attest.c", "src/protest_a.py"] {
            assert!(!is_test(path), "{path}");
        }
    }
}
