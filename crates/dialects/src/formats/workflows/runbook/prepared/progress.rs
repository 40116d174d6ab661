//! The state of each step: its line in `progress.md` beside the runbook.
//!
//! `- ✓ Step 1.2: title - Completed at …` is done, `- ✗ Step 1.2: …` failed, no line is pending. The last of several
//! lines about one step counts. A line about an unknown step is reported.

use crate::formats::workflows::runbook::model;
use crate::{Folder, Plan};
use markdown::{Extent, Outline, Text};
use std::collections::HashMap;
use toolkit::Fail;
use wire::plan::{Place, Severity};
use wire::{State, TaskId};

/// The name of the file.
pub(crate) const FILE: &str = "progress.md";

/// Reads the states from the folder's progress file, if there is one.
pub(crate) fn take(plan: &mut Plan, folder: &Folder) -> Result<(), Fail> {
    let Some(bytes) = folder.read(FILE)? else { return Ok(()) };
    let path = folder.seen(FILE);
    apply(plan, &Outline::new(&Text { path: &path, bytes: &bytes }));
    Ok(())
}

fn apply(plan: &mut Plan, outline: &Outline) {
    let whole = Extent { start: 0, end: outline.bytes.len() };
    let places: HashMap<String, usize> =
        plan.tasks.iter().enumerate().map(|(index, task)| (task.id.0.clone(), index)).collect();
    for line in outline.lines_in(whole).filter(|line| line.veil.is_none()) {
        let Some((state, id)) = noted(outline.str(line.at)) else { continue };
        let place = outline.place(line.at.start);
        match places.get(&id).and_then(|index| plan.tasks.get_mut(*index)) {
            Some(task) => {
                task.state = state;
                task.state_from = Some(place);
            }
            None => plan.diagnostics.push(unknown(id, &place)),
        }
    }
}

fn unknown(id: String, place: &Place) -> wire::plan::Diagnostic {
    let message = format!("progress is noted for '{id}', which is no step");
    model::at(Severity::Warning, "unknown-progress", message, place, &TaskId(id))
}

/// The state and the id of a line.
pub(crate) fn noted(line: &str) -> Option<(State, String)> {
    let text = line.trim_start().trim_start_matches(['-', '*', '+']).trim_start();
    let (state, rest) =
        [('✓', State::Completed), ('✔', State::Completed), ('✗', State::Failed), ('✘', State::Failed)]
            .into_iter()
            .find_map(|(mark, state)| Some((state, text.strip_prefix(mark)?.trim_start())))?;
    let name = rest.split(": ").next().unwrap_or(rest).trim_end_matches(':').trim().trim_matches('*');
    let mut words = name.split_whitespace();
    let first = words.next()?;
    let second = words.next();
    // `Phase 2 checkpoint` is the checkpoint, `Phase 2` a phase that is a single task.
    let id = match (first.to_lowercase().as_str(), second) {
        ("phase", Some(phase)) => {
            let end = words.next().is_some_and(|word| word.eq_ignore_ascii_case("checkpoint"));
            format!("{}-{phase}", if end { "checkpoint" } else { "phase" })
        }
        ("checkpoint", Some(phase)) => format!("checkpoint-{phase}"),
        ("step" | "cycle" | "item" | "slice", Some(id)) => id.to_owned(),
        _ => first.to_owned(),
    };
    Some((state, id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_a_step_and_its_state() {
        for (line, found) in [
            ("- ✓ Step 1: name - Completed at noon", Some((State::Completed, "1"))),
            ("✗ Cycle 1.2: name - failed: reason", Some((State::Failed, "1.2"))),
            ("- ✓ Step 1.1-test: x", Some((State::Completed, "1.1-test"))),
            (
                "- ✓ Phase 2 checkpoint - Completed at 2026-01-31T12:00:00Z",
                Some((State::Completed, "checkpoint-2")),
            ),
            ("- ✓ Phase 2 checkpoint: x", Some((State::Completed, "checkpoint-2"))),
            ("- ✓ checkpoint-2: x", Some((State::Completed, "checkpoint-2"))),
            ("- ✓ Phase 3: inline", Some((State::Completed, "phase-3"))),
            ("  - Report: plans/x/reports/step-1.md", None),
            ("Steps completed: 2/5", None),
        ] {
            assert_eq!(noted(line), found.map(|(state, id)| (state, id.to_owned())), "{line}");
        }
    }
}
