//! The worker's own todo list at the end of its prompt: one action per line.

use crate::case::Case;
use crate::prompt::block::Block;
use crate::prompt::quote::{code, line};
use crate::prompt::slots::rank;
use crate::prompt::template::Slots;
use crate::roles::role::{self, Role};
use toolkit::Fail;
use wire::plan::Kind;

/// The maximum number of lines for the plan's own steps and checks.
const MOST: usize = 40;

/// Adds the list for the reader of the prompt; [`set`] replaces it for another.
pub(crate) fn add(case: &Case<'_>, slots: &mut Slots) -> Result<(), Fail> {
    set(slots, role::template(Role::Auto, case)?, case);
    Ok(())
}

/// Adds the list for one template.
pub(crate) fn set(slots: &mut Slots, template: &str, case: &Case<'_>) {
    let lines = match template {
        "subtask" => fixed(&SUBTASK),
        "preparation" => fixed(&PREPARATION),
        "tests" => fixed(&TESTS),
        "quality" => fixed(&QUALITY),
        "checkpoint" => fixed(&CHECKPOINT),
        "diagnostic" => fixed(&DIAGNOSTIC),
        "fitter" => fixed(&FITTER),
        "review" => fixed(&REVIEW),
        "check" => fixed(&CHECK),
        _ => around(case),
    };
    let lines = lines.into_iter().map(|text| format!("- [ ] {text}")).collect();
    slots.block(Block::parts("todo", rank::NEEDED, lines).in_file(case.packet_path()));
}

const SUBTASK: [&str; 9] = [
    "Import the session",
    "Reason before the edit, if it is not trivial",
    "Gather context",
    "Make the changes",
    "Find the impacts",
    "Update downstream",
    "Validate",
    "Export the session",
    "Answer with the JSON block",
];
const CHECK: [&str; 4] = [
    "Read the task and the files that it names",
    "Look for the test runner and the commands of the project",
    "Write one to three checks that fail now and that the work makes true",
    "Answer with the JSON block",
];
const REVIEW: [&str; 3] =
    ["Read the task and the change", "Look at the files that it touches", "Answer with the JSON block"];
const PREPARATION: [&str; 4] = [
    "Load the prep session",
    "Verify that it came to a Conclusion",
    "Review its decisions",
    "Answer with the JSON block",
];
const TESTS: [&str; 6] = [
    "Import the latest session",
    "Identify what needs a test",
    "Write the tests",
    "Run the tests",
    "Export the session",
    "Answer with the JSON block",
];
const QUALITY: [&str; 7] = [
    "Run the format check",
    "Run the lint check",
    "Run the type check",
    "Run the test suite",
    "Mend what they found",
    "Run all gates again",
    "Answer with the JSON block",
];
const CHECKPOINT: [&str; 7] = [
    "Run the checks and mend failures",
    "Read the design and the changed files",
    "Review tests, implementation, integration and design",
    "Mend every issue in scope",
    "Write the report",
    "Commit and see that the tree is clean",
    "Answer with the JSON block",
];
const DIAGNOSTIC: [&str; 6] = [
    "Read the error report and the step",
    "Find the cause",
    "Mend it and finish the step, or say what is needed",
    "Run the checks",
    "Write the diagnostic",
    "Answer with the JSON block",
];
const FITTER: [&str; 5] = [
    "Read the contract and the named files",
    "Find why the gate gave no verdict",
    "Fit budget, invocation or environment",
    "Run the gate once within the new budget",
    "Answer with the Restoration Contract",
];

fn fixed(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|text| (*text).to_owned()).collect()
}

/// The plan's own steps and checks between the lines of the profile.
fn around(case: &Case<'_>) -> Vec<String> {
    let task = &case.sheet.task;
    let mut lines = case.profile.todo_before.clone();
    if case.order.last_failure.is_some() {
        lines.push("Find out why the last attempt failed".to_owned());
    }
    let steps = task.steps.iter().map(|step| line(step.lines().next().unwrap_or_default()));
    let steps: Vec<String> = steps.filter(|step| !step.is_empty()).collect();
    if steps.is_empty() && task.kind != Kind::Verification {
        lines.push("Do the task".to_owned());
    }
    let checks = task.criteria.iter().filter(|c| c.runnable && c.skip.is_none());
    let checks = checks.filter_map(|c| c.command.as_deref()).map(|command| format!("Run {}", code(command)));
    let all: Vec<String> = steps.into_iter().chain(checks).collect();
    let more = all.len().saturating_sub(MOST);
    lines.extend(all.into_iter().take(MOST));
    if more > 0 {
        lines.push(format!("Do the {more} further steps and checks above"));
    }
    lines.extend(case.profile.todo_after.iter().cloned());
    lines.push("Answer with the JSON block".to_owned());
    lines
}
