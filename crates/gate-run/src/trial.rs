//! `gate-run try`: try suggested checks before they become part of a plan.
//!
//! A check is fit if it is legal in the grammar, ends within its budget, changes nothing, fails now, and still fails after
//! a placebo: an unrelated edit, an empty commit, and empty files at the paths that the task names. A check that only the
//! empty files make true is existence only. Nothing runs in the main tree: each check runs in two scratch worktrees, one as
//! the tree is now, and one with the placebo.

pub(crate) mod bench;
mod proposed;
mod rules;

use crate::args::Args;
use crate::run::budget::{Budget, BudgetArgs};
use crate::run::check::{Check, Wanted};
use crate::run::progress::Progress;
use crate::trial::bench::{Bench, Ran, Scene};
use checks::{Located, Reading, Synonyms};
use config::ConfigArgs;
use markdown::Extent;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toolkit::stream::input::Input;
use toolkit::stream::output::Output;
use toolkit::stream::suggestions::{Item, Suggestions};
use toolkit::{Exit, Fail};
use wire::gate::{Status, StopReason};
use wire::plan::suggestion::{Suggestion, Trial};
use wire::{Gate, Level};

/// How long a check may take where neither the command line nor the configuration says.
const TIMEOUT: Duration = Duration::from_secs(120);

/// The most lines of output that go into a trial.
const SHOWN: usize = 20;

/// Tries every suggestion of a stream and writes it with its trial.
pub(crate) fn run(
    args: &Args,
    file: Option<&Path>,
    budget: &BudgetArgs,
    config: &ConfigArgs,
    out: &mut Output,
) -> Result<Exit, Fail> {
    let watch = Progress::stage(args);
    let mut stream = Suggestions::new(Input::open(file)?);
    let mut bench: Option<(PathBuf, Bench<'_>)> = None;
    while let Some(item) = stream.read()? {
        let all = match item {
            Item::Suggestion(suggestion) => vec![*suggestion],
            Item::Order(order) => proposed::suggestions(&order)?,
            Item::End(end) => {
                out.document(&end, false)?;
                break;
            }
        };
        for mut suggestion in all {
            watch.next_order();
            let root = PathBuf::from(&suggestion.plan.root);
            if bench.as_ref().is_none_or(|(known, _)| *known != root) {
                // The old one goes first: both would have the same name.
                drop(bench.take());
                bench = Some((root.clone(), Bench::make(args, config, &root, &watch)?));
            }
            let Some((_, bench)) = &bench else { continue };
            suggestion.trial = Some(trial(bench, budget, &mut suggestion)?);
            if watch.is_over() {
                let message = "a signal ended the trial; run it again";
                return Err(Fail::new(Exit::Stopped, "interrupted", message));
            }
            out.document(&suggestion, false)?;
        }
    }
    Ok(Exit::Ok)
}

/// Tries one suggestion. Its command and clauses become those that its check is read as.
fn trial(bench: &Bench<'_>, typed: &BudgetArgs, suggestion: &mut Suggestion) -> Result<Trial, Fail> {
    let check = match legal(suggestion) {
        Ok(check) => check,
        Err(message) => return Ok(unfit("check-illegal", message)),
    };
    (suggestion.command, suggestion.clauses) = (check.command, check.clauses);
    if let Some((code, message)) = rules::refused(suggestion) {
        return Ok(unfit(code, message));
    }
    let check = Check {
        wanted: Wanted::Clauses(suggestion.clauses.clone()),
        ..Check::of_line(suggestion.task.to_string(), &suggestion.command, budget(bench, typed))
    };
    let now = bench.run(Scene::Now, suggestion, &check)?;
    let output = shown(&now.gate);
    let with_output = |trial: Trial| Trial { output: output.clone(), ..trial };
    if let Some(trial) = refused_now(suggestion, &now) {
        return Ok(with_output(trial));
    }
    let placebo = bench.run(Scene::Placebo, suggestion, &check)?;
    if !placebo.wrote.is_empty() {
        return Ok(with_output(writes(&placebo.wrote)));
    }
    let existence_only = placebo.gate.status == Status::Pass;
    if existence_only && bench.run(Scene::Unrelated, suggestion, &check)?.gate.status == Status::Pass {
        let message =
            "passes after an unrelated edit and an empty commit: it does not look at the work of this task";
        return Ok(with_output(unfit("placebo-passes", message.to_owned())));
    }
    let failed = now.gate.status == Status::Fail || rules::waits_for_tests(suggestion);
    let level = if failed && !existence_only { Level::Proved } else { Level::Passes };
    let said = now.gate.measured.unwrap_or_default();
    let message = match (existence_only, failed) {
        (true, _) => format!("fails now ({said}); existence only: it passes with empty files"),
        (false, true) => format!("fails now ({said})"),
        (false, false) => format!("gives no verdict now ({said})"),
    };
    let trial = Trial { fit: true, message, existence_only, level: Some(level), ..Trial::default() };
    Ok(with_output(trial))
}

/// The check of a suggestion as the grammar reads it, or why it is not legal.
fn legal(suggestion: &Suggestion) -> Result<checks::Check, String> {
    let text = suggestion.check.as_str();
    if text.contains('\n') || text.contains('\r') {
        return Err("a check is one line".to_owned());
    }
    let located = Located::text(text, Extent { start: 0, end: text.len() });
    match checks::read(&located, Synonyms::project()) {
        Reading::Check(check) if check.skip.is_none() => Ok(check),
        Reading::Check(_) | Reading::Skip(_) => Err("it is left out ('skip')".to_owned()),
        Reading::Checks(_) => Err("it has several commands; one command is one check".to_owned()),
        Reading::Unclear(unclear) => Err(unclear.message),
        Reading::Prose => Err("it has no command; write `COMMAND` → CLAUSE".to_owned()),
    }
}

/// Why the run on the tree as it is now speaks against a check.
fn refused_now(suggestion: &Suggestion, now: &Ran) -> Option<Trial> {
    let gate = &now.gate;
    let said = gate.measured.clone().unwrap_or_default();
    let text = gate.last_output_lines.join("\n");
    if matches!(gate.stop_reason, StopReason::Timeout | StopReason::Stall) {
        return Some(unfit("check-hangs", format!("{said}; it ran for {:.0} s", gate.elapsed_seconds)));
    }
    if !now.wrote.is_empty() {
        return Some(writes(&now.wrote));
    }
    if gate.status == Status::Pass {
        return Some(unfit("passes-already", format!("passes before the work ({said})")));
    }
    if let Some(line) = rules::network_in(&text) {
        return Some(unfit("needs-network", format!("needs the network: {line}")));
    }
    let is_missing = gate.stop_reason == StopReason::EnvMissing;
    if is_missing && !rules::is_to_be_made(suggestion, &format!("{said}\n{text}")) {
        return Some(unfit("program-missing", format!("a program, module or setting is missing: {said}")));
    }
    None
}

fn writes(paths: &[String]) -> Trial {
    unfit("check-writes", format!("changes the tree: {}", paths.join(", ")))
}

fn unfit(code: &str, message: String) -> Trial {
    Trial { fit: false, code: code.to_owned(), message, ..Trial::default() }
}

/// The budget of a check of the plan; the default is shorter.
fn budget(bench: &Bench<'_>, typed: &BudgetArgs) -> Budget {
    let config = bench.config();
    let own = Budget::of(typed, None, config, None);
    let stated = typed.timeout_seconds.is_some() || config.defaults.timeout_seconds.is_some();
    if stated { own } else { Budget { timeout: Some(TIMEOUT), ..own } }
}

fn shown(gate: &Gate) -> String {
    let lines = &gate.last_output_lines;
    lines[lines.len().saturating_sub(SHOWN)..].join("\n")
}
