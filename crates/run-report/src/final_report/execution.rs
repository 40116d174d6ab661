//! The Task Execution Complete report of a task that was handed off.

use super::figures::{bullets, failing, false_claims, figures, is_complete, sign, verdict, words};
use super::overview::code;
use crate::plain_text::plain;
use config::ConfigArgs;
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;
use wire::Plan;
use wire::history::{Came, Ran};
use wire::order::FITTER_RED;
use wire::report::{Change, Line, Report};

/// The steps around the subtasks, which have no summary of their own.
const AROUND: [&str; 4] = ["runtime-report", "pre-execution-gate", "quality-gates", "complete"];

/// The report of a whole task.
pub(crate) fn write(plan: &Plan, report: &Report) -> String {
    let word = |key: &str| plan.extra.get(key).and_then(|value| value.as_str()).map(plain);
    let name = word("task_id").or_else(|| word("bead_id")).unwrap_or_else(|| plain(&plan.title));
    let stage = Stage::of(report);
    let (word_of_state, waits) = match stage {
        Stage::Approved => ("Complete", ""),
        Stage::Waits => ("Complete", " waits for approval"),
        Stage::Stopped => ("Stopped", ""),
    };
    let mut out = format!("# Task Execution {word_of_state}: {name}{waits}\n\n## Implementation Summary\n");
    for line in report.tasks.iter().filter(|line| !AROUND.contains(&line.id.as_str())) {
        let _ = writeln!(out, "- {}", summary(report, line));
    }
    out.push_str("\n## Test Summary\n");
    tests(&mut out, report);
    out.push_str("\n## Quality Gates\n");
    bullets(&mut out, &gates(plan, report));
    let health = health(report);
    if !health.is_empty() {
        out.push_str("\n## Line Health\n");
        bullets(&mut out, &health);
    }
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
        let (mark, why) = match &goal.deferred {
            Some(reason) if !goal.checked => ('-', format!(" (deferred: {})", plain(reason))),
            _ => (if goal.checked { 'x' } else { ' ' }, String::new()),
        };
        let _ = writeln!(out, "- [{mark}] {}{why}", plain(&goal.text));
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
    next_steps(&mut out, plan, report, stage, &name);
    out
}

/// How far the task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Everything is done and approved.
    Approved,
    /// Nothing is left but the approval.
    Waits,
    /// Something failed or is open.
    Stopped,
}

impl Stage {
    fn of(report: &Report) -> Self {
        let mut work = report.tasks.iter().filter(|line| line.id.as_str() != LAST);
        match () {
            () if is_complete(report) && failing(report).next().is_none() => Self::Approved,
            () if work.all(|line| line.stand.is_settled()) && failing(report).next().is_none() => Self::Waits,
            () => Self::Stopped,
        }
    }
}

/// The line that a person's approval ticks.
const LAST: &str = "complete";

/// The gates in the order and with the labels of the configuration, each with its last verdict.
fn gates(plan: &Plan, report: &Report) -> Vec<String> {
    let config = ConfigArgs::default().load(Path::new(&plan.source.root)).unwrap_or_default();
    let place = |ran: &Ran| config.gates.iter().position(|gate| gate.id == ran.id[GATE.len()..]);
    let mut ran: Vec<&Ran> = report.gates.iter().filter(|ran| ran.id.starts_with(GATE)).collect();
    ran.sort_by_key(|ran| place(ran).unwrap_or(usize::MAX));
    let label = |ran: &Ran| {
        let label = place(ran).and_then(|at| config.gates.get(at)).map(|gate| plain(&gate.label));
        label.filter(|label| !label.is_empty()).unwrap_or_else(|| capital(&ran.id[GATE.len()..]))
    };
    ran.into_iter().map(|ran| format!("{}: {}", label(ran), verdict(ran))).collect()
}

/// The faults of gates, and what became of each: restored is GREEN, not restored YELLOW; what is missing, a secret or a
/// program, and what the Fitter calls so are RED.
fn health(report: &Report) -> Vec<String> {
    let mut out = Vec::new();
    for line in &report.tasks {
        for attempt in &line.history {
            let Some(halt) = &attempt.halt else { continue };
            let id = plain(line.id.as_str());
            let message = plain(&halt.message);
            if halt.code == "secret-missing" {
                out.push(format!(
                    "RED: {id}, attempt {}: {message}; no Fitter can restore it",
                    attempt.number
                ));
            } else if halt.code == FITTER_RED {
                out.push(format!("RED: {id}, attempt {}: {message}", attempt.number));
            } else if halt.code == "checks-fault" && line.stand.is_settled() {
                out.push(format!(
                    "GREEN: {id}, attempt {}: line fault ({message}), restored by the Fitter",
                    attempt.number
                ));
            } else if halt.code == "checks-fault" && attempt.gates.iter().any(|ran| ran.env_missing) {
                out.push(format!(
                    "RED: {id}, attempt {}: line fault ({message}), not restored: something is missing that the gate needs",
                    attempt.number
                ));
            } else if halt.code == "checks-fault" {
                out.push(format!(
                    "YELLOW: {id}, attempt {}: line fault ({message}), not restored",
                    attempt.number
                ));
            }
        }
    }
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
        let matches = attempt.model_match.as_deref().map(|word| format!(", model_match: {}", plain(word)));
        Some(format!(
            "{}: runtime_model_reported: {model}{}, runtime_mode_reported: {mode}",
            plain(line.id.as_str()),
            matches.unwrap_or_default()
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
    let id = plain(line.id.as_str());
    let id = id.strip_prefix("subtask-").unwrap_or(&id);
    let name = if id.parse::<u32>().is_ok() { format!("Subtask {id}") } else { id.to_owned() };
    let title = plain(&line.title);
    let title = title.strip_prefix(&format!("{name}: ")).map_or(title.clone(), str::to_owned);
    let said = said.unwrap_or(title);
    // What is done has no mark, as in the source's report.
    let mark = if line.stand.is_settled() { String::new() } else { format!("{} ", sign(line.stand)) };
    format!("{mark}{name}: {said} ({})", words(report, line))
}

fn tests(out: &mut String, report: &Report) {
    let of = |action: &str| {
        report.changes.iter().filter(|change| change.action == action && is_test(&change.path)).count()
    };
    let proved = report.tasks.iter().filter_map(|line| line.history.last());
    let said: Vec<&Value> = proved.map(|attempt| &attempt.tests).filter(|tests| !tests.is_null()).collect();
    let sum = |name: &str| {
        let all: Vec<u64> = said.iter().filter_map(|tests| tests.get(name)?.as_u64()).collect();
        if all.is_empty() { "not reported".to_owned() } else { all.iter().sum::<u64>().to_string() }
    };
    let _ = writeln!(
        out,
        "- Tests added: {} (test files added: {})\n- Tests modified: {} (test files modified: {})",
        sum("added"),
        of("added"),
        sum("modified"),
        of("modified")
    );
    let coverage = said.iter().rev().find_map(|tests| tests.get("coverage"));
    if let Some(coverage) = coverage {
        let text = coverage.as_str().map_or_else(|| coverage.to_string(), str::to_owned);
        let _ = writeln!(out, "- Test coverage: {}", plain(&text));
    }
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

fn next_steps(out: &mut String, plan: &Plan, report: &Report, stage: Stage, name: &str) {
    let text = |key: &str| plan.extra.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let quoted = |text: &str| plain(text).replace('`', "'");
    out.push_str("\n## Next Steps\n");
    if stage == Stage::Stopped {
        let stopped = report.tasks.iter().find(|line| line.halt.is_some() && !line.stand.is_settled());
        let check = failing(report).next().map(|ran| {
            let measured = plain(ran.measured.as_deref().unwrap_or("no result"));
            if report.goals.iter().any(|goal| goal.id == ran.id) {
                format!(
                    "Settle {0} ({measured}): `checkbox criterion {0} {1} --reason WHY`",
                    plain(&ran.id),
                    quoted(&plan.source.path)
                )
            } else {
                format!("Mend what the check {} found: {measured}", plain(&ran.id))
            }
        });
        let first = stopped.map_or_else(
            || check.unwrap_or_else(|| "See what is still open".to_owned()),
            |line| {
                let why = line.halt.as_ref().map(|halt| plain(&halt.message)).unwrap_or_default();
                format!("Mend what stopped {}: {why}", plain(line.id.as_str()))
            },
        );
        let again = if name.is_empty() { &plan.source.path } else { name };
        let _ = write!(out, "1. {first}\n2. Run it again: `orchestrate {}`\n", quoted(again));
        return;
    }
    if stage == Stage::Approved {
        match report.open.first() {
            None => out.push_str("1. Nothing is left; push if that was not done: `git push`\n"),
            Some(open) => drop(writeln!(out, "1. Settle what is still open: {}", plain(open))),
        }
        return;
    }
    let rule = plan.tasks.iter().rev().find_map(|task| task.commit.as_ref()).map(|rule| rule.message.clone());
    let approach = plan.extra.get("decision").and_then(|it| it.get("approach").or(Some(it))?.as_str());
    let message = rule.or_else(|| Some(format!("{name}: {}", approach?.lines().next()?.trim())));
    let commit = message.map_or_else(
        || "Commit the changes".to_owned(),
        |message| format!("Commit with message: \"{}\"", plain(&message)),
    );
    let bead = text("bead_id").map_or_else(
        || "Update beads: the packet names no bead".to_owned(),
        |bead| format!("Update beads: `bd close {}`", quoted(bead)),
    );
    let _ = write!(
        out,
        "1. Review changes\n2. {commit}\n3. {bead}\n4. Push if approved: `git push`\n\n`orchestrate --approve {}` does 2 and 3, with `--push` also 4.\n",
        quoted(name)
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
