//! What a change of state may write over: a mark or a word of state, and no other text of a plan.
#![expect(clippy::disallowed_methods, reason = "a test makes its own files")]

use dialects::write::{self, Change};
use dialects::{PlanSnapshot, guide, table};
use std::fs;
use std::path::Path;
use wire::State;

const STATES: [State; 5] =
    [State::Completed, State::InProgress, State::Pending, State::Skipped, State::Blocked];

/// Every change of every task of a plan: what it removes reads as a state.
fn holds(root: &Path, file: &Path, dialect: Option<&str>) {
    let Ok(before) = PlanSnapshot::at(file, root, dialect) else { return };
    for task in &before.plan.tasks {
        for state in STATES {
            let below = if task.mark.is_none() { write::boxes_below(task) } else { Vec::new() };
            let change =
                Change { task, state, criteria: &below, now: "2026-01-02T00:00:00Z", reason: "error: why" };
            let Ok(edits) = write::edits(&before, &change) else { continue };
            for edit in edits {
                let Some((_, bytes)) = before.files.iter().find(|(path, _)| *path == edit.path) else {
                    continue;
                };
                assert!(edit.start <= edit.end && edit.end <= bytes.len(), "{}: {edit:?}", file.display());
                let removed = String::from_utf8_lossy(&bytes[edit.start..edit.end]).into_owned();
                let signed = removed.starts_with([' ', '(']) || removed.contains(|c: char| !c.is_ascii());
                let short = removed.split_whitespace().count() <= 3 && !removed.contains(['`', '\n']);
                assert!(
                    short || signed && !removed.contains('\n'),
                    "{} task '{}' {}: '{removed}' is written over",
                    file.display(),
                    task.id,
                    state.word()
                );
            }
        }
    }
}

#[test]
fn a_change_of_state_writes_over_nothing_but_a_state() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/plans");
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            holds(&folder, &path, None);
        }
    }
    for dialect in table() {
        let guide = guide(dialect).unwrap();
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join(guide.path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, guide.example).unwrap();
        holds(root.path(), &file, Some(dialect.name));
    }
    for (name, text) in TABLES {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join(name);
        fs::write(&file, text).unwrap();
        holds(root.path(), &file, None);
    }
}

/// Tables whose columns are named like a state and hold something else.
const TABLES: &[(&str, &str)] = &[
    (
        "PLAN.md",
        "# Plan\n\n| # | Task | Done when |\n|---|---|---|\n| 1 | Dig | `test -d hole` passes |\n| 2 | Level | the ground is flat |\n",
    ),
    (
        "PLAN.md",
        "# Plan\n\n| # | Task | Done when | Status |\n|---|---|---|---|\n| 1 | Dig | the hole is deep enough | todo |\n| 2 | Level | it is flat | done |\n",
    ),
    (
        "PLAN.md",
        "# Plan\n\n| Task | Owner | Done-when |\n|---|---|---|\n| Dig | me | the hole is deep enough |\n| Level | me | the ground is flat |\n",
    ),
    (
        "PLAN.md",
        "# Plan\n\n| # | Task | Done by |\n|---|---|---|\n| 1 | Dig | the people of the north |\n| 2 | Level | the people of the south |\n",
    ),
    (
        "PLAN.md",
        "# Plan\n\n| # | Task | Status |\n|---|---|---|\n| 1 | Dig | waiting until the frost has gone |\n| 2 | Level | ✅ Done (2026-01-02, by the people of the north) |\n",
    ),
    (
        "TASKS.md",
        "# Tasks\n\n| ID | Task | State of the art |\n|---|---|---|\n| T1 | Dig | nobody digs so deep today |\n| T2 | Level | nobody levels so well today |\n",
    ),
];

#[test]
fn a_remark_behind_a_state_stays() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("PLAN.md");
    let text = "# Plan\n\n| # | Task | Status |\n|---|---|---|\n| 1 | Dig | 🔄 In progress — half of it (see #12) |\n";
    fs::write(&file, text).unwrap();
    let before = PlanSnapshot::at(&file, root.path(), None).unwrap();
    let task = &before.plan.tasks[0];
    assert_eq!(task.state, State::InProgress);
    let change =
        Change { task, state: State::Completed, criteria: &[], now: "2026-01-02T00:00:00Z", reason: "" };
    let edits = write::edits(&before, &change).unwrap();
    let changed = write::applied(text.as_bytes(), &edits.iter().collect::<Vec<_>>());
    assert_eq!(String::from_utf8(changed).unwrap(), text.replace("🔄 In progress — half", "✅ Done — half"));
}
