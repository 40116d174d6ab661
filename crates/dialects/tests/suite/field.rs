//! Plans that people have today: each trait in a small plan of its own.

#![expect(clippy::unwrap_used, reason = "a text that does not parse fails the test")]
#![expect(clippy::disallowed_methods, reason = "a test makes its own files")]

use dialects::write::{self, Change};
use dialects::{PlanSnapshot, errors, guide, open, read, row, table};
use markdown::Text;
use std::fs;
use wire::plan::{Kind, Plan};
use wire::{State, Task};

fn plan(path: &str, text: &str) -> Plan {
    read(&Text { path, bytes: text.as_bytes() }, None).unwrap()
}

/// `dialect: id state title <dependencies>` of each task.
fn told(plan: &Plan) -> Vec<String> {
    let line = |task: &Task| {
        let on: Vec<&str> = task.depends_on.iter().map(wire::TaskId::as_str).collect();
        let on = if on.is_empty() { String::new() } else { format!(" < {}", on.join(" ")) };
        format!("{} {} {}{on}", task.id, task.state.word(), task.title)
    };
    std::iter::once(plan.source.dialect.clone()).chain(plan.tasks.iter().map(line)).collect()
}

fn sections(plan: &Plan) -> Vec<&str> {
    plan.notes.iter().map(|note| note.section.as_str()).collect()
}

#[test]
fn every_format_is_ticked_begun_and_opened_again_in_its_own_form() {
    // These keep the state in other files or leave it to another program.
    let others = ["workflow", "runbook", "beads", "plan-content"];
    for dialect in table().iter().filter(|dialect| !others.contains(&dialect.name)) {
        let guide = guide(dialect).unwrap();
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join(guide.path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, guide.example).unwrap();
        let count = PlanSnapshot::at(&file, root.path(), Some(dialect.name)).unwrap().plan.tasks.len();
        for index in 0..count {
            for state in [State::Completed, State::Pending, State::InProgress, State::Completed] {
                set(&file, root.path(), dialect.name, index, state);
            }
        }
    }
}

/// Sets one task of a file, and holds that nothing else changes.
fn set(file: &std::path::Path, root: &std::path::Path, dialect: &str, index: usize, state: State) {
    let before = PlanSnapshot::at(file, root, Some(dialect)).unwrap();
    let task = &before.plan.tasks[index];
    if task.kind == Kind::Container || task.state == state {
        return;
    }
    let below = if task.mark.is_none() { write::boxes_below(task) } else { Vec::new() };
    let change = Change { task, state, criteria: &below, now: "2026-01-02T00:00:00Z", reason: "why" };
    let edits = match write::edits(&before, &change) {
        Ok(edits) => edits,
        Err(fail) => {
            let begins = state == State::InProgress && !row(dialect).begins;
            assert!(begins && fail.code == "no-mark", "{dialect} {}: {fail}", task.id);
            return;
        }
    };
    let bytes = fs::read(file).unwrap();
    let changed = write::applied(&bytes, &edits.iter().collect::<Vec<_>>());
    fs::write(file, &changed).unwrap();
    let after = PlanSnapshot::at(file, root, Some(dialect)).unwrap();
    assert_eq!(before.plan.tasks.len(), after.plan.tasks.len(), "{dialect}");
    for (old, new) in before.plan.tasks.iter().zip(&after.plan.tasks) {
        let name = format!("{dialect} {} after {} {}", old.id, task.id, state.word());
        assert_eq!(
            (&old.id, &old.title, &old.fingerprint),
            (&new.id, &new.title, &new.fingerprint),
            "{name}"
        );
        if old.id == task.id {
            assert_eq!(new.state, state, "{name}\n{}", String::from_utf8_lossy(&changed));
        } else if old.kind != Kind::Container {
            assert_eq!(new.state, old.state, "{name}");
        }
    }
    assert_eq!(before.blanked(), after.blanked(), "{dialect} {}", task.id);
}

#[test]
fn a_legend_of_tags_is_no_task() {
    let text = "# Tasks\n\n## Phase 1: A\n\n- [ ] T001 [P] Dig\n- [x] T002 Build\n\n## Notes\n\n\
                - [P] tasks = different files, no dependencies\n- [Story] label maps a task\n";
    assert_eq!(told(&plan("tasks.md", text)), ["spec-kit", "T001 pending Dig", "T002 completed Build"]);
    let text = "- [ ] Pending\n- [x] Done\n- [~] In progress\n\n## Work\n\n- [ ] Dig\n";
    assert_eq!(told(&plan("TODO.md", text)), ["checklist", "1 pending Dig"]);
}

#[test]
fn boxes_of_criteria_are_no_tasks_whatever_announces_them() {
    let text = "# Work\n\n## Build\n\n- [ ] Dig\n\n**Acceptance Criteria:**\n\n- [ ] Deep\n\n## Release Criteria\n\n\
                - [ ] Dry\n\n## 验收标准\n\n- [ ] 好\n\n## Validation\n\n- [ ] Looks good\n\n## Notes\n\n- [ ] Ask\n";
    let plan = plan("TODO.md", text);
    assert_eq!(told(&plan), ["checklist", "1 pending Dig"]);
    assert_eq!(sections(&plan).len(), 5);
    let text = "- [ ] Dig\n  - Acceptance criteria:\n    - [ ] Deep\n";
    let nested = self::plan("TODO.md", text);
    assert_eq!((nested.tasks.len(), nested.tasks[0].criteria.len()), (1, 1));
    // Groups of tasks may have such names.
    let text = "## 1. Build\n\n- [ ] Dig\n\n## 2. Validation\n\n- [ ] Test\n\n## Phase 3: Verification\n\n- [ ] Look\n";
    assert_eq!(self::plan("TODO.md", text).tasks.len(), 3);
}

#[test]
fn boxes_may_be_words() {
    let text = "# Task Plan\n\n## Phases\n- [completed] Phase 1: Dig\n- [in_progress] Phase 2: Level\n- [pending] Phase 3: Build\n\
                - [MODIFY] a.rs\n- [link](there)\n";
    let plan = plan("task_plan.md", text);
    let wanted =
        ["checklist", "1 completed Phase 1: Dig", "2 in_progress Phase 2: Level", "3 pending Phase 3: Build"];
    assert_eq!(told(&plan), wanted);
}

#[test]
fn words_beside_a_box_tell_abandoned_and_begun_work() {
    let text = "- [ ] ~~Old~~ ABANDONED\n- [-] Gone (Skipped: no need)\n- [ ] Now (in progress)\n- [~] Half\n- [ ] ~~old~~ New\n\
                - [ ]\\* Perhaps\n";
    let states: Vec<State> = plan("TODO.md", text).tasks.iter().map(|task| task.state).collect();
    let (skipped, begun, open) = (State::Skipped, State::InProgress, State::Pending);
    assert_eq!(states, [skipped, skipped, begun, begun, open, open]);
}

#[test]
fn headings_without_boxes_are_tasks() {
    let text = "# Implementation Plan\n\n## Phase 1: Ground ✅\n\n## Phase 2: House ⏳\n\n### Files\n\n## Phase 3: Roof\n\n\
                **Status**: In Progress\n\n## Timeline\n\n### Week 1: Ground\n";
    let plan = plan("IMPLEMENTATION_PLAN.md", text);
    assert_eq!(told(&plan), ["headings", "1 completed Ground", "2 pending House", "3 in_progress Roof"]);
    let text = "# Plan\n\n## Design\n\n### Phase 1: Idea\n\n## Implementation Phases\n\n### Phase 1: Ground\n\n#### Task 1.1: Dig\n\n\
                #### Task 1.2: Level\n\n### Phase 2: House\n\n#### Task 2.1: Build\n\n## Rollout Strategy\n\n### Stage 1: All\n";
    let nested = self::plan("PLAN.md", text);
    assert_eq!(told(&nested), ["headings", "1.1 pending Dig", "1.2 pending Level", "2.1 pending Build"]);
    assert_eq!(nested.tasks[2].phase.as_deref(), Some("2"));
}

#[test]
fn states_of_headings_may_stand_in_a_table_or_a_list() {
    let text = "# Plan\n\n| Phase | Status |\n|---|---|\n| Phase 1: Ground | ✅ Done |\n| Phase 2: House | 🔄 In progress |\n\n\
                ## Phase 1: Ground\n\n## Phase 2: House\n";
    assert_eq!(told(&plan("PLAN.md", text)), ["headings", "1 completed Ground", "2 in_progress House"]);
    let text = "# Plan\n\n- ✅ **Phase 1 Complete**: the pit\n- ⏳ **Phase 2 Pending**: the walls\n\n## Phase 2: House\n\n## Phase 3: Roof\n";
    assert_eq!(
        told(&plan("PLAN.md", text)),
        ["headings", "1 completed the pit", "2 pending House", "3 pending Roof"]
    );
    let text = "# Roadmap\n\n| Phase | Status |\n|---|---|\n| Phase 1: Ground | Done |\n| Phase 2: House | Pending |\n";
    assert_eq!(told(&plan("ROADMAP.md", text)), ["tracker", "1 completed Ground", "2 pending House"]);
}

#[test]
fn numbered_items_are_tasks_below_a_heading_that_says_so() {
    let text = "# Shed\n\n## Goals\n\n1. Dry\n2. Warm\n\n## Tasks\n\n1. ✅ Dig\n2. Level (done)\n3. ⏳ Build\n4. Paint\n";
    let plan = plan("PLAN.md", text);
    assert_eq!(
        told(&plan),
        ["numbered", "1 completed Dig", "2 completed Level", "3 pending Build", "4 pending Paint"]
    );
}

#[test]
fn a_task_in_a_task_with_a_suffix_is_a_task() {
    let text = "# P\n\n### Task 9: A\n\n- [x] **Step 1: a**\n\n### Task 10: B\n\n#### Task 10a: C\n\n- [ ] **Step 1: c**\n\n\
                #### Task 10b: D\n\n- [x] **Step 1: d**\n";
    let plan = plan("docs/plans/p.md", text);
    assert_eq!(
        told(&plan),
        ["superpowers", "9 completed A", "10 pending B", "10a pending C", "10b completed D"]
    );
    assert_eq!(
        (plan.tasks[1].kind, plan.tasks[2].parent.as_ref().unwrap().as_str()),
        (Kind::Container, "10")
    );
}

#[test]
fn a_dependency_on_no_task_blocks_one_task_and_names_it() {
    let text = "| ID | Task | Status | Depends on |\n|--|--|--|--|\n| A-1 | Dig | todo | |\n| A-2 | Build | todo | A-9 |\n\
                | A-3 | Paint | todo | a-1 |\n";
    let plan = plan("T.md", text);
    assert_eq!(told(&plan), ["tracker", "A-1 pending Dig", "A-2 blocked Build", "A-3 pending Paint < A-1"]);
    assert!(errors(&plan).is_none());
    assert_eq!(plan.diagnostics[0].code, "dangling-dependency");
}

#[test]
fn a_task_file_alone_waits_for_the_files_beside_it() {
    let root = tempfile::tempdir().unwrap();
    let card = |id: &str, status: &str, on: &str| {
        format!(
            "---\nid: {id}\ntitle: Do {id}\nstatus: {status}\ndependencies: {on}\n---\n\n## Acceptance Criteria\n- [ ] #1 done\n"
        )
    };
    fs::write(root.path().join("task-1.md"), card("TASK-1", "Done", "[]")).unwrap();
    fs::write(root.path().join("task-2.md"), card("TASK-2", "To Do", "[task-1]")).unwrap();
    fs::write(root.path().join("task-3.md"), card("TASK-3", "To Do", "[task-2]")).unwrap();
    let free = open(&root.path().join("task-2.md"), root.path(), None).unwrap();
    assert_eq!(told(&free), ["taskmd", "TASK-2 pending Do TASK-2"]);
    let held = open(&root.path().join("task-3.md"), root.path(), None).unwrap();
    assert_eq!(told(&held), ["taskmd", "TASK-3 blocked Do TASK-3"]);
    let all = open(root.path(), root.path(), None).unwrap();
    assert_eq!(all.tasks[2].depends_on[0].as_str(), "TASK-2");
    assert!(errors(&all).is_none());
}

#[test]
fn stories_and_features_have_commands_and_flags() {
    let text = r#"{"project": "P", "userStories": [
        {"id": "US-1", "title": "A", "passes": false, "status": "in_progress", "dependsOn": ["US-2"],
         "acceptanceCriteria": [{"text": "It runs", "testCommand": "make test"}, "nice"]},
        {"id": "US-2", "title": "B", "passes": true, "verifyCommands": ["make lint"]}]}"#;
    let plan = plan("prd.json", text);
    assert_eq!(told(&plan), ["prd", "US-1 in_progress A < US-2", "US-2 completed B"]);
    let commands = |task: &Task| task.criteria.iter().filter_map(|c| c.command.clone()).collect::<Vec<_>>();
    assert_eq!(commands(&plan.tasks[0]), ["make test"]);
    assert_eq!(commands(&plan.tasks[1]), ["make lint"]);
    let text = r#"{"feature_template": {"id": "x"}, "features": [
        {"id": "f-1", "name": "A", "status": "passing", "subTasks": [{"name": "a", "status": "done"}]},
        {"id": "f-2", "name": "B", "status": "not_started", "depends_on": ["f-1"], "verification_command": "make"}]}"#;
    let plan = self::plan("feature_list.json", text);
    assert_eq!(told(&plan), ["feature-list", "f-1 completed A", "f-1.1 completed a", "f-2 pending B < f-1"]);
    assert_eq!(commands(&plan.tasks[2]), ["make"]);
}

#[test]
fn a_phase_is_done_with_its_automated_verification() {
    let text = "# Plan\n\n## Phase 1: Dig\n\n### Success Criteria:\n\n#### Automated Verification:\n- [x] Tests pass: `make test`\n\n\
                #### Manual Verification:\n- [ ] Run `make look` and look\n\n## Phase 2: Build\n\n#### Automated Verification:\n\
                - [ ] Builds: `make`\n- [x] Lints: `make lint`\n";
    let plan = plan("thoughts/shared/plans/p.md", text);
    assert_eq!(told(&plan), ["humanlayer", "1 completed Dig", "2 in_progress Build"]);
    let runs: Vec<bool> = plan.tasks[0].criteria.iter().map(|c| c.runnable).collect();
    assert_eq!((runs.as_slice(), plan.tasks[0].criteria[1].category.as_str()), (&[true, false][..], "human"));
}

#[test]
fn a_roadmap_says_which_phase_waits_for_which() {
    let text = "# Roadmap\n\n## Phases\n\n- [x] **Phase 1: A** - a\n- [ ] **Phase 1.1: B** - b\n- [ ] **Phase 2: C** - c\n\n## Phase Details\n\n\
                ### Phase 01.1: B (INSERTED)\n**Depends on:** Phase 1\nPlans:\n- [ ] 01.1-01: b\n\n### Phase 2: C\n**Depends on**: Phase 1, Phase 1.1 (why)\n\
                **Success Criteria** (what must be TRUE):\n  1. c\n**Plans**: 1 plan\n- [ ] 02-01: c\n";
    let plan = plan("ROADMAP.md", text);
    let edges: Vec<String> = told(&plan).into_iter().filter(|line| line.contains(" < ")).collect();
    assert_eq!((plan.tasks.len(), edges.len()), (5, 2), "{:?}", told(&plan));
    assert!(edges[1].ends_with("< 1 1.1"), "{edges:?}");
}

#[test]
fn a_text_that_is_no_plan_names_what_comes_nearest() {
    let fail =
        |text: &str| read(&Text { path: "notes.md", bytes: text.as_bytes() }, None).unwrap_err().to_string();
    let found = fail("# Notes\n\n## Phase 1: Dig\n\n## Phase 2: Build\n");
    assert!(found.contains(":3") && found.contains("--dialect headings"), "{found}");
    let found = fail("# Notes\n\n1. Dig\n2. Build\n");
    assert!(found.contains("## Tasks") && found.contains("- [ ] Dig"), "{found}");
    let found = fail("# Notes\n\n- a shed\n  -[ ] Dig\n");
    assert!(found.contains("blank"), "{found}");
    let found = fail("# Notes\n\n## Acceptance Criteria\n\n- [ ] Deep\n");
    assert!(found.contains("--dialect boxes"), "{found}");
}

#[test]
fn a_word_of_state_at_the_end_of_a_line_is_a_box() {
    let text = "# Task Plan\n\n## Tasks\n\n- Task A: Dig [COMPLETED]\n- Task B: Level [PENDING]\n  Deep.\n- Move it to [done]\n";
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("task_plan.md");
    fs::write(&file, text).unwrap();
    let read = PlanSnapshot::at(&file, root.path(), None).unwrap().plan;
    assert_eq!(told(&read), ["checklist", "1 completed Task A: Dig", "2 pending Task B: Level"]);
    for state in [State::InProgress, State::Completed, State::Pending] {
        set(&file, root.path(), "checklist", 1, state);
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

#[test]
fn a_checklist_beside_the_units_hides_none() {
    let text = "# Implementation Plan\n\n## ✅ Step 1: Dig\n\n- [x] Hole\n\n## Step 2: Level\n\n## Step 3: Build\n\n\
                ## General checklist\n\n### House\n\n- [ ] 4 walls\n- [ ] 1 roof\n- [ ] 2 doors\n- [ ] 3 windows\n";
    let plan = plan("IMPLEMENTATION_PLAN.md", text);
    assert_eq!(told(&plan), ["headings", "1 completed Dig", "2 pending Level", "3 pending Build"]);
    assert_eq!(plan.notes.len(), 4);
    // Boxes of a section of their own are the work.
    let other = text.replace("General checklist", "Work to do");
    assert_eq!(self::plan("IMPLEMENTATION_PLAN.md", &other).source.dialect, "checklist");
}

#[test]
fn lines_in_bold_are_units_below_a_heading_of_phases() {
    let text = "# The house\n\n## Phases\n\n**Phase 1: Ground (4 weeks)**\n- Dig\n\n**Phase 2: House** (2 weeks)\n- Build\n\n\
                ## Costs\n\n**Phase 3: Money**\n";
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("PLAN.md");
    fs::write(&file, text).unwrap();
    let read = PlanSnapshot::at(&file, root.path(), None).unwrap().plan;
    assert_eq!(told(&read), ["headings", "1 pending Ground (4 weeks)", "2 pending House (2 weeks)"]);
    set(&file, root.path(), "headings", 0, State::Completed);
    assert!(fs::read_to_string(&file).unwrap().contains("(4 weeks)** ✅\n"));
    set(&file, root.path(), "headings", 0, State::Pending);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

#[test]
fn commands_of_a_text_are_no_checks() {
    let text = "# Plan\n\n## Phase 1: CI\n\n### Scope\n\n- Drift:\n  - Run `./gradlew test`.\n\n| Command | Source |\n|---|---|\n\
                | `make test` | a.go |\n\n### Proof\n\n- T: `grep -q a f` → exit 0\n\n### Steps\n\n- Run `npm run codegen`\n- Run `npm test`\n\n\
                ### Done Criteria\n\n- `make check` passes\n\n## Phase 2: CD\n";
    let plan = plan("PLAN.md", text);
    let commands: Vec<&str> = plan.tasks[0].criteria.iter().filter_map(|c| c.command.as_deref()).collect();
    assert_eq!(commands, ["grep -q a f", "npm test", "make check"]);
}

#[test]
fn a_bold_line_of_criteria_needs_no_colon() {
    let text = "# Plan\n\n## Phase 1: A\n\n**Completion Criteria**\n\n- [ ] Deep\n\n**Steps**\n\n- [ ] Dig\n\n## Phase 2: B\n\n\
                **Completion Criteria**\n\n- [ ] High\n";
    let plan = read(&Text { path: "PLAN.md", bytes: text.as_bytes() }, Some("headings")).unwrap();
    let categories: Vec<&str> = plan.tasks[0].criteria.iter().map(|c| c.category.as_str()).collect();
    assert_eq!(categories, ["acceptance", "step"]);
}

#[test]
fn boxes_with_commands_below_a_heading_of_checks_are_goals() {
    let text = "# Plan\n\n## Tasks\n\n- [ ] Dig\n\n## Verification Criteria\n\n**Automated Verification:**\n\n- [ ] `make test`\n\n\
                **Manual Verification:**\n\n- [ ] It starts: `make run`\n";
    let goals: Vec<(String, bool)> =
        plan("TODO.md", text).notes.into_iter().map(|note| (note.text, note.goal)).collect();
    assert_eq!(goals, [("`make test`".to_owned(), true), ("It starts: `make run`".to_owned(), false)]);
}

#[test]
fn a_text_that_is_no_plan_names_headings_in_code_and_tables_without_states() {
    let refused = |text: &str| {
        let fail = read(&Text { path: "PLAN.md", bytes: text.as_bytes() }, None).unwrap_err();
        fail.to_string()
    };
    let text = refused("# A\n\n## Phase 1: Dig\n\n```\nx\n\n## Phase 2: Level\n");
    assert!(text.contains("the heading 'Phase 2: Level' stands in the code block of line 5"), "{text}");
    let text = refused("# A\n\n| ID | Summary | Depends |\n|---|---|---|\n| A-1 | Dig | - |\n");
    assert!(text.contains("no column for their states"), "{text}");
}

#[test]
fn a_table_of_ids_and_tasks_needs_no_states() {
    let text = "# Plan\n\n## Phase 1 — Ground\n\n| # | Task | Files |\n|---|---|---|\n| 1.1 | Dig | `a.rs` |\n| 1.2 | ✅ Level | - |\n\n\
                ## Phase 2 — House\n\n| # | Task | Files |\n|---|---|---|\n| 2.1 | Build | `b.rs` |\n\n\
                ## Risks\n\n| ID | Task | Impact |\n|---|---|---|\n| R1 | Flood | high |\n";
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("PLAN.md");
    fs::write(&file, text).unwrap();
    let read = PlanSnapshot::at(&file, root.path(), None).unwrap().plan;
    assert_eq!(told(&read), ["tracker", "1.1 pending Dig", "1.2 completed Level", "2.1 pending Build"]);
    for index in 0..3 {
        for state in [State::InProgress, State::Completed, State::Pending] {
            set(&file, root.path(), "tracker", index, state);
        }
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), text.replace("✅ Level", "⬜ Level"));
    // Tasks beside it decide.
    let boxed = format!("{text}\n## Tasks\n\n- [ ] Dig\n");
    assert_eq!(plan("PLAN.md", &boxed).source.dialect, "checklist");
}

#[test]
fn numbers_that_go_on_over_units_are_tasks() {
    let text = "# Implementation Plan\n\n## Stage 1: Ground\n\n### 1. Dig\n\n### 2. Level\n\n## Stage 2: House\n\n### 3. Build\n";
    let on = plan("IMPLEMENTATION_PLAN.md", text);
    assert_eq!(told(&on), ["headings", "1 pending Dig", "2 pending Level", "3 pending Build"]);
    let anew = plan("IMPLEMENTATION_PLAN.md", &text.replace("### 3.", "### 1."));
    assert_eq!(told(&anew), ["headings", "1 pending Ground", "2 pending House"]);
}

#[test]
fn steps_of_one_phase_beside_other_phases_have_its_number() {
    let text = "# Plan\n\n## Phase 1: Ground\n\n### Step 1: Dig\n\n### Step 2: Level\n\n## Phase 2: House\n\n## Stage 3\n";
    let plan = plan("PLAN.md", text);
    assert_eq!(told(&plan), ["headings", "1.1 pending Dig", "1.2 pending Level", "2 pending House"]);
}

#[test]
fn items_with_ids_and_sentences_about_dependencies_are_read() {
    let text = "# Plan\n\n## Milestones\n\n### Ground\n\n- M1.1 Dig the\n  hole. Depends on: none.\n- M1.2 Level it.\n  Depends on: M1.1.\n\n\
                ## Next steps\n\n- M9 Rest\n";
    assert_eq!(
        told(&plan("PLAN.md", text)),
        ["numbered", "M1.1 pending Dig the", "M1.2 pending Level it. < M1.1"]
    );
    let text = "## Proposed Work Plan\n\n1. Dig (done)\n2. Level (partial)\n3. Build; blocked by: 1, 2\n";
    let wanted =
        ["numbered", "1 completed Dig", "2 in_progress Level", "3 pending Build; blocked by: 1, 2 < 1 2"];
    assert_eq!(told(&plan("PLAN.md", text)), wanted);
}
