//! Every line that looks like a task is accounted for, even if it is not one, and documents about steps are not
//! plans.

#![expect(clippy::unwrap_used, reason = "a text that does not parse fails the test")]
#![expect(clippy::disallowed_methods, reason = "a test makes its own files")]

use dialects::{Taken, explain, open, read};
use markdown::{Outline, Text};
use std::fs;
use std::path::Path;
use wire::Plan;

fn taken(path: &str, text: &str, plan: &Plan) -> Vec<(u64, Taken)> {
    let outline = Outline::new(&Text { path, bytes: text.as_bytes() });
    explain(&outline, plan).into_iter().map(|account| (account.line, account.taken)).collect()
}

fn is_as(taken: &Taken, words: &str) -> bool {
    matches!(taken, Taken::As(what) if what == words)
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

fn opened(root: &Path, path: &str) -> Plan {
    open(&root.join(path), root, None).unwrap()
}

const RUNBOOK: &str = "# X\n\n## Before\n\n- [ ] a key\n- [x] a lock\n\n### Phase 1: Doors\n\n## Step 1.1: Hang\n\n\
                       - [ ] it swings\n\n## Step 1.2: Paint\n\nText.\n\n### Phase 1 Step Detail\n\nMore.\n";

#[test]
fn boxes_outside_the_steps_of_a_runbook_are_notes() {
    let path = "runbook.md";
    let plan = read(&Text { path, bytes: RUNBOOK.as_bytes() }, None).unwrap();
    let notes: Vec<_> =
        plan.notes.iter().map(|note| (note.section.as_str(), note.text.as_str(), note.checked)).collect();
    assert_eq!(notes, [("Before", "a key", false), ("Before", "a lock", true)]);
    let taken = taken(path, RUNBOOK, &plan);
    assert!(taken.iter().all(|(_, taken)| *taken != Taken::Unknown), "{taken:?}");
    assert!(taken.iter().any(|(line, taken)| *line == 5 && is_as(taken, "note below 'Before'")));
    assert!(taken.iter().any(|(line, taken)| *line == 18 && is_as(taken, "phase '1'")), "{taken:?}");
}

#[test]
fn a_prepared_step_is_known_in_the_runbook_too() {
    let step = "# Step 1.1\n\n**Plan**: `x/runbook.md`\n\n---\n\n## Step 1.1: Hang\n\n- [ ] it swings\n";
    let root = folder(&[
        ("x/runbook.md", RUNBOOK),
        ("x/orchestrator-plan.md", "# Orchestrator Plan: x\n"),
        ("x/steps/step-1-1.md", step),
    ]);
    let plan = opened(root.path(), "x");
    let task = plan.tasks.iter().find(|task| task.id.as_str() == "1.1").unwrap();
    assert_eq!(task.span.path, "x/steps/step-1-1.md");
    let taken = taken("x/runbook.md", RUNBOOK, &plan);
    let words = "task '1.1', pending, prepared in x/steps/step-1-1.md";
    assert!(taken.iter().any(|(line, taken)| *line == 10 && is_as(taken, words)), "{taken:?}");
    assert!(
        taken.iter().any(|(line, taken)| *line == 12 && is_as(taken, "a step of task '1.1'")),
        "{taken:?}"
    );
    assert!(taken.iter().all(|(_, taken)| *taken != Taken::Unknown), "{taken:?}");

    let alone = opened(root.path(), "x/steps/step-1-1.md");
    assert_eq!((alone.source.dialect.as_str(), alone.tasks.len()), ("runbook", 1));
    assert!(alone.diagnostics.iter().any(|found| found.code == "one-step"));
}

#[test]
fn definitions_and_reports_with_steps_are_no_plans() {
    for text in [
        "---\nname: a\ndescription: does\ntools: [\"Read\"]\n---\n# A\n\n## Common Context\n\n### Step 1: Look\n\nx\n",
        "---\ndescription: does\nauto_execution_mode: 3\n---\n# A\n\n## Phase 1: x\n\n### Step 1.1: Look\n\nx\n",
        "# Execution Report: x\n\n## Phase 1: A\n\n### Cycle 1.1: Done\n\n- Status: GREEN\n",
        "# Cycle 1.1: Done\n\n## Status: GREEN\n\nText.\n",
    ] {
        let fail = read(&Text { path: "notes.md", bytes: text.as_bytes() }, None).unwrap_err();
        assert_eq!(fail.code, "not-a-plan", "{text}");
    }
}

#[test]
fn steps_outside_the_tasks_of_a_superpowers_plan_are_named() {
    let text = "# X Plan\n\n### Task 1: A\n\n- [ ] **Step 1: Write**\n\n## Step 2: Other\n\nText.\n";
    let plan = read(&Text { path: "x.md", bytes: text.as_bytes() }, None).unwrap();
    assert_eq!((plan.source.dialect.as_str(), plan.tasks.len()), ("superpowers", 1));
    let taken = taken("x.md", text, &plan);
    assert!(matches!(taken.last(), Some((7, Taken::Not(why))) if why.contains("step-outside")), "{taken:?}");
}

#[test]
fn only_task_files_are_what_a_folder_of_them_is_made_from() {
    let card = |id: &str| format!("---\nid: \"{id}\"\ntitle: T\nstatus: pending\n---\n\n- [ ] c\n");
    let (one, two) = (card("1"), card("2"));
    let root = folder(&[("t/1.md", &one), ("t/2.md", &two), ("t/list.md", "# L\n\n- [ ] other\n")]);
    let plan = opened(root.path(), "t");
    let files: Vec<_> = plan.source.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(files, ["t/1.md", "t/2.md"]);
    let found: Vec<_> = plan.diagnostics.iter().map(|found| (found.code.as_str(), found.line)).collect();
    assert_eq!(found, [("no-task-file", 3)]);
}

#[test]
fn a_folder_of_many_things_is_not_judged_by_its_first_files() {
    let card = "---\nid: \"1\"\ntitle: T\nstatus: pending\n---\n";
    let mut files: Vec<(String, &str)> = (0..13).map(|at| (format!("t/a/{at:02}.md"), card)).collect();
    files.extend((0..60).map(|at| (format!("t/b/{at:02}.md"), "# Text\n")));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let root = folder(&files);
    assert_eq!(open(&root.path().join("t"), root.path(), None).unwrap_err().code, "not-a-plan");
}

#[test]
fn dependencies_under_another_name_are_dependencies() {
    let text = r#"{"tasks": [{"id": "T-1", "title": "A", "status": "pending"},
        {"id": "T-2", "title": "B", "status": "pending", "depends": ["T-1"]}]}"#;
    let plan = read(&Text { path: "plan.json", bytes: text.as_bytes() }, None).unwrap();
    let last = plan.tasks.last().unwrap();
    assert_eq!(last.depends_on.iter().map(wire::TaskId::as_str).collect::<Vec<_>>(), ["T-1"]);
}

#[test]
fn a_task_that_only_the_text_of_another_holds_is_no_part_of_it() {
    let text = "# P\n\n## TODOs\n\n### [ ] TODO 1: A\n\n**Depends on**: nothing\n\n- [ ] TODO 7: lost\n\
                - [ ] TODO 1: itself\n- [ ] Step 1: a step\n";
    let plan = read(&Text { path: "PLAN.md", bytes: text.as_bytes() }, Some("plan-md")).unwrap();
    let taken = taken("PLAN.md", text, &plan);
    let of = |line: u64| taken.iter().find(|(at, _)| *at == line).map(|(_, taken)| taken.clone()).unwrap();
    assert!(matches!(of(9), Taken::Not(why) if why.contains("item-not-taken")), "{taken:?}");
    assert!(is_as(&of(10), "a step of task '1'"), "{taken:?}");
    assert!(is_as(&of(11), "a step of task '1'"), "{taken:?}");
}

#[test]
fn a_heading_without_a_box_among_boxed_ones_is_text() {
    let text = "# - [ ] Step 1.3\n\n## Step 1.3: x\n### Step 1.2: y\n\nText.\n";
    let plan = read(&Text { path: "PLAN.md", bytes: text.as_bytes() }, Some("plan-md")).unwrap();
    let taken = taken("PLAN.md", text, &plan);
    assert!(taken.iter().all(|(_, taken)| *taken != Taken::Unknown), "{taken:?}");
}

#[test]
fn a_summary_and_the_title_are_no_lost_tasks() {
    let text = "# Phase 6: All of it\n\n## Phase 1: Dig\n\n## Phase 2: Build\n\n## Summary\n\n### ✅ Phase 1: Dig\n\nDone.\n";
    let source = Text { path: "PLAN.md", bytes: text.as_bytes() };
    let plan = read(&source, None).unwrap();
    let lost =
        explain(&Outline::new(&source), &plan).into_iter().filter(|account| account.taken == Taken::Unknown);
    assert_eq!((plan.tasks.len(), lost.count()), (2, 0));
}
