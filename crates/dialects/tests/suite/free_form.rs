//! What the tasks of a plan in free form are: boxes, headings, rows, items or signs, whichever carries the work.

#![expect(clippy::unwrap_used, reason = "a text that does not parse fails the test")]

use dialects::read;
use markdown::Text;
use wire::Task;
use wire::plan::Plan;

fn plan(path: &str, text: &str) -> Plan {
    read(&Text { path, bytes: text.as_bytes() }, None).unwrap()
}

/// `dialect: id state title` of each task.
fn told(path: &str, text: &str) -> Vec<String> {
    let plan = plan(path, text);
    let line = |task: &Task| format!("{} {} {}", task.id, task.state.word(), task.title);
    std::iter::once(plan.source.dialect.clone()).chain(plan.tasks.iter().map(line)).collect()
}

#[test]
fn a_checklist_after_all_phases_is_about_the_plan() {
    let text = "# Shed plan\n\n## Phase 1: Ground\n\nDig.\n\n## Phase 2: Walls\n\nBuild.\n\n## Phase 3: Roof\n\nCover.\n\n\
                ## Before we hand it over\n\n- [ ] keys are copied\n- [ ] the path is swept\n- [ ] the bin is empty\n\
                - [ ] lamps work\n";
    assert_eq!(told("PLAN.md", text), ["headings", "1 pending Ground", "2 pending Walls", "3 pending Roof"]);
    // Boxes before the phases, or in most of them, are the work.
    let text = "# Shed plan\n\n## Now\n\n- [ ] Measure\n\n## Phase 1: Ground\n\nDig.\n\n## Phase 2: Walls\n\nBuild.\n";
    assert_eq!(told("PLAN.md", text), ["checklist", "1 pending Measure"]);
    let text = "# Shed plan\n\n## Phase 1: Ground\n\n- [ ] Dig\n\n## Phase 2: Walls\n\n- [x] Buy wood\n\n## Phase 3: Roof\n\n\
                Later.\n";
    assert_eq!(told("PLAN.md", text), ["checklist", "1 pending Dig", "2 completed Buy wood"]);
}

#[test]
fn an_order_of_the_work_is_the_plan_where_nothing_else_is() {
    let order = "## Implementation Order\n\n1. **Ground**: dig it\n   - *Review*: is it flat\n2. **Walls**: build them\n";
    let text = format!("# Shed\n\n## Parts\n\n1. Door\n2. Window\n\n{order}");
    assert_eq!(
        told("PLAN.md", &text),
        ["numbered", "1 pending **Ground**: dig it", "2 pending **Walls**: build them"]
    );
    let text = format!("# Shed\n\n## Todo\n\n- [ ] Dig\n\n{order}");
    assert_eq!(told("PLAN.md", &text), ["checklist", "1 pending Dig"]);
}

#[test]
fn a_phase_may_have_a_number_before_it_and_an_id_behind_it() {
    let text = "# Shed plan\n\n## 1. Goal\n\nDry.\n\n## 2. Phase 1 — Ground\n\n## 3. Phase 2 — Walls\n\n## 4. Phase 9 hints\n";
    assert_eq!(told("PLAN.md", text), ["headings", "1 pending Ground", "2 pending Walls"]);
    let text = "# Log\n\n## Phase 1: Ground\n\n### Task p01-t01: Dig\n\n**Status:** completed\n\n### Task p01-t02: Level\n\n\
                **Status:** pending\n";
    assert_eq!(
        told("implementation.md", text),
        ["ralphex", "p01-t01 completed Dig", "p01-t02 pending Level"]
    );
}

#[test]
fn headings_with_ids_are_tasks_and_chapters_with_letters_are_not() {
    let text = "# Plan\n\n## S1 — Ground\n\n### S1-P1 — Dig\n\nDepends: none\n\n### S1-P2 — Level\n\nDepends: S1-P1\n";
    assert_eq!(told("PLAN.md", text), ["headings", "S1-P1 pending Dig", "S1-P2 pending Level"]);
    let text = "# Plan\n\n## A1. Now\n\ntext\n\n## A2. Then\n\ntext\n";
    assert!(read(&Text { path: "PLAN.md", bytes: text.as_bytes() }, None).is_err());
}

#[test]
fn headings_of_one_form_are_tasks_if_they_have_the_fields_of_one() {
    let lane = |number: u8, field: &str| {
        format!("### Lane L{number}: Part {number}\n\n- Goal: dry\n- {field}: it is dry\n\n")
    };
    let lanes =
        |field: &str| format!("# Plan\n\n## Lanes\n\n{}{}{}", lane(0, field), lane(1, field), lane(2, field));
    assert_eq!(
        told("PLAN.md", &lanes("Pass criteria")),
        ["headings", "L0 pending Part 0", "L1 pending Part 1", "L2 pending Part 2"]
    );
    let text = lanes("Opinion");
    assert!(read(&Text { path: "PLAN.md", bytes: text.as_bytes() }, None).is_err());
    let text = "# Shed\n\n## Backlog\n\n### Dig the pit\n\nDeep.\n\n### Build ✅\n\n## Notes\n\n### Why\n";
    assert_eq!(told("PLAN.md", text), ["headings", "1 pending Dig the pit", "2 completed Build"]);
}

#[test]
fn milestones_and_phases_with_criteria_need_no_name_of_a_plan() {
    let text = "# Shed\n\n## Milestone 1: Ground\n\nDig.\n\n## Milestone 2: Walls\n\nBuild.\n";
    assert_eq!(told("SCOPE.md", text), ["headings", "1 pending Ground", "2 pending Walls"]);
    let text = "# Shed\n\n## Stage 1: Ground\n\nDone when: it is flat\n\n## Stage 2: Walls\n\n**Exit criteria:**\n\n- straight\n";
    assert_eq!(told("SHED.md", text), ["headings", "1 pending Ground", "2 pending Walls"]);
    let text = "# Shed\n\n## Stage 1: Ground\n\nDig.\n\n## Stage 2: Walls\n\nBuild.\n";
    assert!(read(&Text { path: "SHED.md", bytes: text.as_bytes() }, None).is_err());
}

#[test]
fn a_label_a_quote_or_the_section_around_may_give_the_state_of_a_phase() {
    let text = "# Plan\n\n**Completed so far:**\n- Phase 1: Ground\n\n**Open:**\n- Doors\n\n## Phase 1: Ground\n\n## Phase 2: Walls\n";
    assert_eq!(told("PLAN.md", text), ["headings", "1 completed Ground", "2 pending Walls"]);
    let text = "# Plan\n\n> - ✅ Phase 1 — dug\n> - 🔲 Phase 2 — later\n\n## Phase 1 — Ground\n\n## Phase 2 — Walls\n";
    assert_eq!(told("PLAN.md", text), ["headings", "1 completed Ground", "2 pending Walls"]);
    let text =
        "# Plan\n\n## Completed Phases\n\n### Phase 1: Ground\n\n## Remaining Phases\n\n### Phase 2: Walls\n";
    assert_eq!(told("PLAN.md", text), ["headings", "1 completed Ground", "2 pending Walls"]);
}

#[test]
fn tables_of_one_form_go_on_without_a_column_of_states() {
    let text = "# Plan\n\n### Tier 1 — shipped ✅\n\n| # | Item | Status |\n|--|--|--|\n| T1.1 | Dig | ✅ |\n\n### Tier 2\n\n\
                | # | Item | Why |\n|--|--|--|\n| T2.1 | Build | rain |\n| T2.2 | Paint | rust |\n\n### Tier 3\n\n\
                | Part | Why |\n|--|--|\n| Door | in |\n";
    assert_eq!(
        told("PLAN.md", text),
        ["tracker", "T1.1 completed Dig", "T2.1 pending Build", "T2.2 pending Paint"]
    );
}

#[test]
fn rows_are_tasks_of_last_resort_if_steps_count_them_or_phases_name_them() {
    let text = "# Shed\n\n## Steps\n\n| Nr | File | What |\n|--|--|--|\n| 1 | `a.rs` | Dig |\n| 2 | `b.rs` | Build |\n";
    assert_eq!(told("PLAN.md", text), ["tracker", "1 pending `a.rs`", "2 pending `b.rs`"]);
    let text =
        "# Shed plan\n\n| Phase | Content | Time |\n|--|--|--|\n| P1 | Dig | 1 d |\n| P2 | Build | 2 d |\n";
    assert_eq!(told("PLAN.md", text), ["tracker", "P1 pending Dig", "P2 pending Build"]);
    let text = "# Shed plan\n\n| Room | Status |\n|--|--|\n| Cellar | done |\n| Attic | open |\n";
    assert_eq!(told("PLAN.md", text), ["tracker", "1 completed Cellar", "2 pending Attic"]);
    // What was wanted and what came of it is a history, and a table in no plan is a report.
    for (path, text) in [
        (
            "PLAN.md",
            "# Shed plan\n\n| Phase | Goal | Outcome |\n|--|--|--|\n| 0 | Dig | wet |\n| 1 | Drain | dry |\n",
        ),
        ("REPORT.md", "# Shed\n\n| Room | Status |\n|--|--|\n| Cellar | done |\n| Attic | open |\n"),
    ] {
        assert!(read(&Text { path, bytes: text.as_bytes() }, None).is_err(), "{text}");
    }
}

#[test]
fn bullets_are_tasks_in_a_list_of_things_to_do() {
    let text = "- fix the door\n  - with screws\n- paint\n\n## Garden\n\n- mow\n\n## Done\n\n- sow\n";
    assert_eq!(
        told("TODO.md", text),
        ["numbered", "1 pending fix the door", "2 pending paint", "3 pending mow", "4 completed sow"]
    );
    let text = "# Shed\n\n## Design\n\n- round\n- red\n\n## Tasks\n\n- Dig\n- Build\n";
    assert_eq!(told("SHED.md", text), ["numbered", "1 pending Dig", "2 pending Build"]);
    let text = "# Shed\n\n## Roadmap (in phases)\n\n- **v0.1 — Ground. ✅ done.** Dig.\n- **v0.2 — Walls.** Build.\n\n## Risks\n\n- rain\n";
    let plan = plan("PLAN.md", text);
    let states: Vec<&str> = plan.tasks.iter().map(|task| task.state.word()).collect();
    assert_eq!(states, ["completed", "pending"]);
    assert!(
        read(&Text { path: "SHED.md", bytes: b"# Shed\n\n## Design\n\n- round\n- red\n" }, None).is_err()
    );
}

#[test]
fn a_word_before_the_text_says_more_than_an_open_box_and_an_empty_box_is_not_lost() {
    let text = "- [ ] **IN PROGRESS** — Dig\n- [ ] BLOCKED: build\n- [ ] **TODO** — paint\n- [x] **DONE** — measure\n- [ ] \n";
    let plan = plan("TODO.md", text);
    let states: Vec<&str> = plan.tasks.iter().map(|task| task.state.word()).collect();
    assert_eq!(states, ["in_progress", "blocked", "pending", "completed", "pending"]);
}

#[test]
fn a_box_may_stand_at_the_end_of_an_item() {
    let text = "# Shed\n\n## Todo\n\n1. Dig [x]\n2. Build [ ]\n";
    assert_eq!(told("PLAN.md", text), ["checklist", "1 completed Dig", "2 pending Build"]);
}

#[test]
fn a_list_below_scope_describes_the_work_and_a_label_of_criteria_is_no_title() {
    let text = "# Plan\n\n## Phase 1: Ground\n\n**Scope:**\n1. Run `pytest -q`\n2. Run `cargo test`\n\n\
                **Done when:** `npm test` passes\n\n## Phase 2: Walls\n\n**Exit criteria:** `npm run lint` passes\n";
    let plan = plan("PLAN.md", text);
    let commands = |task: &Task| -> Vec<String> {
        let runnable = task.criteria.iter().filter(|criterion| criterion.runnable);
        runnable.filter_map(|criterion| criterion.command.clone()).collect()
    };
    assert_eq!(commands(&plan.tasks[0]), ["npm test"]);
    assert_eq!(commands(&plan.tasks[1]), ["npm run lint"]);
}

#[test]
fn a_list_of_boxes_in_a_fence_is_no_plan_beside_phases() {
    let text = "# Task Plan\n\n### Phase 1: Ground\n- **Status:** in_progress\n\n### Phase 2: Walls\n- **Status:** todo\n\n\
                ## Gate of each phase\n\n```\n[ ] dug\n[ ] flat\n[ ] dry\n```\n";
    assert_eq!(told("task_plan.md", text), ["headings", "1 in_progress Ground", "2 pending Walls"]);
}

#[test]
fn a_box_without_a_blank_before_it_is_a_box() {
    let text = "# Shed\n\n-[ ] Dig\n  -[x] deep\n  -[ ] wide\n    enough\n-[x] Build\n\ntext -[ ] no\n";
    let plan = plan("TODO.md", text);
    let lines: Vec<(u64, &str, bool)> =
        plan.tasks.iter().map(|task| (task.span.line, task.state.word(), task.parent.is_some())).collect();
    assert_eq!(
        lines,
        [(3, "pending", false), (4, "completed", true), (5, "pending", true), (7, "completed", false)]
    );
}

#[test]
fn parts_of_a_phase_with_criteria_are_tasks_and_a_box_in_a_design_is_one() {
    let text = "# Plan\n\n## Phase 1: Ground\n\n### 1.1 Dig\n\n- **Definition of Done:** deep\n\n### 1.2 Level\n\n\
                - **Definition of Done:** flat\n\n## Phase 2: Walls\n\n### 2.1 Build\n\n- **Definition of Done:** straight\n";
    assert_eq!(
        told("PLAN.md", text),
        ["headings", "1.1 pending Dig", "1.2 pending Level", "2.1 pending Build"]
    );
    let text =
        "# Shed\n\n**Features**\n- [ ] Door\n\n**Design**\n- [x] Red\n\n**Open Questions**\n- [ ] Who?\n";
    assert_eq!(told("PLAN.md", text), ["checklist", "1 pending Door", "2 completed Red"]);
}

#[test]
fn workstreams_with_criteria_and_milestones_in_a_table_are_tasks() {
    let text = "# Plan\n\n## WS1 — Ground\n\n### Acceptance\n\n- flat\n\n## WS2 — Walls\n\n- **Acceptance:** straight\n\n\
                ## WS3 — Roof\n\nLater.\n";
    assert_eq!(
        told("PLAN.md", text),
        ["headings", "WS1 pending Ground", "WS2 pending Walls", "WS3 pending Roof"]
    );
    let text = "# Shed plan\n\n| Milestone | Delivery |\n|--|--|\n| **M0 Ground** ✅ 2026-01-02 | pit |\n| **M1 Walls** | house |\n";
    let plan = plan("PLAN.md", text);
    let states: Vec<&str> = plan.tasks.iter().map(|task| task.state.word()).collect();
    assert_eq!(states, ["completed", "pending"]);
}

#[test]
fn a_list_may_say_behind_a_name_that_a_task_is_done() {
    let text = "# Plan\n\n### T1.1: Dig\n\n### T1.2: Level\n\n### T1.3: Build\n\n## Progress update\n\n\
                - T1.1 the pit: completed in `a.rs`.\n- T1.2 the ground: pending.\n- T1.3: the house: complete it\n";
    let plan = plan("PLAN.md", text);
    let states: Vec<&str> = plan.tasks.iter().map(|task| task.state.word()).collect();
    assert_eq!(states, ["completed", "pending", "pending"]);
}

#[test]
fn a_remark_behind_a_status_is_no_part_of_it() {
    let text = "# Plan\n\n## Phase 1: Dig\n\nStatus: not started — 2026-01-02 — waits for rain.\n\n## Phase 2: Build\n";
    let plan = plan("PLAN.md", text);
    let mark = plan.tasks[0].mark.as_ref().unwrap();
    let at = usize::try_from(mark.start).unwrap()..usize::try_from(mark.end).unwrap();
    assert_eq!(&text[at], "not started");
}

#[test]
fn numbers_that_go_on_from_section_to_section_are_the_work() {
    let text = "# TODO: ship it\n\n## Phase 1 — Ground\n\n1. **Dig**\n   ```bash\n   dig --deep\n   ```\n   - Status: ✅ Completed\n\n\
                2. **Level**\n   - with a rake\n   - Status: ✅ Completed — flat since May\n\n## Phase 2 — Walls\n\n3. **Build**\n\
                \n4. **Paint**\n   - [ ] white\n";
    let wanted = [
        "numbered",
        "1 completed **Dig**",
        "2 completed **Level**",
        "3 pending **Build**",
        "4 pending **Paint**",
    ];
    assert_eq!(told("TODO.md", text), wanted);
    // Numbers that begin anew are parts of each phase.
    let text =
        "# Shed plan\n\n## Phase 1: Ground\n\n1. Dig\n2. Level\n\n## Phase 2: Walls\n\n1. Build\n2. Paint\n";
    assert_eq!(told("PLAN.md", text), ["headings", "1 pending Ground", "2 pending Walls"]);
}

#[test]
fn next_steps_are_the_work_of_a_plan_without_any_other() {
    let text = "# Shed, current plan\n\n## Goal\n\nA shed.\n\n## What is there\n\n- ground\n\n## Next Steps\n\n1. Dig\n2. Level\n3. Build\n";
    assert_eq!(told("PLAN.md", text), ["numbered", "1 pending Dig", "2 pending Level", "3 pending Build"]);
}

#[test]
fn boxes_with_ids_below_a_checklist_are_the_work() {
    let text = "# Tasks\n\n## Phase 1: Ground ✅\n\n- all of it\n\n## Phase 2: Walls\n\n### Walls\n\n| Task ID | Name | Est. |\n|---|---|---|\n\
                | P2.1 | bricks | 1h |\n| P2.2 | paint | 1h |\n\n**Checklist:**\n- [x] P2.1: bricks\n- [ ] P2.2: paint\n\n\
                ### Roof\n\n**Checklist:**\n- [ ] P2.3: tiles\n";
    assert_eq!(
        told("docs/TASKS.md", text),
        ["checklist", "P2.1 completed bricks", "P2.2 pending paint", "P2.3 pending tiles"]
    );
    let text = "# Plan\n\n## Phase 1: Ground\n\nDig.\n\n## Phase 2: Walls\n\nBuild.\n\n**Checklist:**\n- [ ] the path is swept\n";
    assert_eq!(told("PLAN.md", text), ["headings", "1 pending Ground", "2 pending Walls"]);
}

#[test]
fn a_state_in_brackets_behind_a_heading_may_be_in_other_languages() {
    let text = "# Feuille de route\n\n## Phase 1 — Socle (terminée)\n\nA.\n\n## Phase 2 — Cœur (en cours : 15 / 22)\n\nB.\n\n## Phase 3 — Web\n\nC.\n";
    assert_eq!(
        told("ROADMAP.md", text),
        ["headings", "1 completed Socle", "2 in_progress Cœur", "3 pending Web"]
    );
}

#[test]
fn boxes_without_bullets_below_several_headings_are_one_list() {
    let text = "# Tasks\n\n## 1) Hooks\n[x] install: `hooks install`\n[x] run them\n\n## 2) Search\n[ ] filter\n[ ] add tests\n";
    let titles: Vec<String> = told("TASKS.md", text).into_iter().skip(1).collect();
    assert_eq!(
        titles,
        [
            "1 completed install: `hooks install`",
            "2 completed run them",
            "3 pending filter",
            "4 pending add tests"
        ]
    );
}

#[test]
fn headings_with_the_number_of_their_group_are_the_work() {
    let text = "# Shed – Roadmap\n\n## P1 – Ground\n\nFirst.\n\n### 1.1 Dig — **M**\n- Stav: none\n\n### 1.2 Level — **S**\nFlat.\n\n\
                ## P2 – Walls\n\n### 2.1 Build — **L**\nHigh.\n\n## Questions\n- which colour?\n";
    assert_eq!(
        told("ROADMAP.md", text),
        ["headings", "1.1 pending Dig — M", "1.2 pending Level — S", "2.1 pending Build — L"]
    );
    // The chapters of a text have no letter before their number.
    let text = "# Shed plan\n\n## 1. Goals\n\n### 1.1 Size\n\nBig.\n\n### 1.2 Colour\n\nRed.\n\n## 2. Limits\n\n### 2.1 Cost\n\nLow.\n";
    assert!(read(&Text { path: "PLAN.md", bytes: text.as_bytes() }, None).is_err());
}

#[test]
fn bullets_below_headings_that_are_states_are_the_work() {
    let text = "# TASKS — Shed\n\n## En progreso\n- Cavar: falta poco\n\n## Pendiente\n- Nivelar\n- Pintar\n\n## Hecho (esta semana)\n- Medir\n";
    assert_eq!(
        told("docs/TASKS.md", text),
        [
            "numbered",
            "1 in_progress Cavar: falta poco",
            "2 pending Nivelar",
            "3 pending Pintar",
            "4 completed Medir"
        ]
    );
}

#[test]
fn tickets_with_a_status_are_the_work_whatever_boxes_stand_between_them() {
    let ticket = |id: &str, state: &str, on: &str| {
        format!(
            "## {id} — Name of {id}\n\n**Status:** {state}\n\n**Acceptance criteria:**\n- [ ] good\n\n**Dependencies:** {on}\n\n"
        )
    };
    let text = format!(
        "# Tickets\n\n{}{}## Checkpoint A\n\n- [x] all of it runs\n\n{}",
        ticket("M1-001", "DONE", "None"),
        ticket("M1-002", "DONE", "M1-001"),
        ticket("M1-003", "TODO", "M1-001–M1-002")
    );
    assert_eq!(
        told("tasks/todo.md", &text),
        [
            "headings",
            "M1-001 completed Name of M1-001",
            "M1-002 completed Name of M1-002",
            "M1-003 pending Name of M1-003"
        ]
    );
    let plan = plan("tasks/todo.md", &text);
    assert_eq!(plan.tasks[2].depends_on, [wire::TaskId::from("M1-001"), wire::TaskId::from("M1-002")]);
}

#[test]
fn ids_of_several_kinds_are_one_list() {
    let text = "# Backlog\n\n## BUG-003 — Fix\n\n- **Abhängigkeiten:** keine\n\n## BUILD-001 — Ship\n\n- **Abhängigkeiten:** gut nach BUG-003\n\n\
                ## BUILD-002 — Sign\n\n- **Abhängigkeiten:** BUILD-001 (vorher)\n";
    assert_eq!(
        told("BACKLOG.md", text),
        ["headings", "BUG-003 pending Fix", "BUILD-001 pending Ship", "BUILD-002 pending Sign"]
    );
    let plan = plan("BACKLOG.md", text);
    let on: Vec<usize> = plan.tasks.iter().map(|task| task.depends_on.len()).collect();
    assert_eq!(on, [0, 0, 1]);
    let text = "# Backlog\n\n## Epic O — Oracles 🔴\n\n### O-01 🔴 Capture\n\nA.\n\n### O-02 🟢 Compare\n\nB.\n\n## Epic 0 — Base 🔴\n\n### F-01 🟡 Skeleton\n\nC.\n";
    let ids: Vec<String> = plan_ids(text);
    assert_eq!(ids, ["O-01", "O-02", "F-01"]);
}

fn plan_ids(text: &str) -> Vec<String> {
    plan("BACKLOG.md", text).tasks.iter().map(|task| task.id.to_string()).collect()
}

#[test]
fn headings_whose_numbers_go_on_below_any_headings_are_the_work() {
    let text = "# Backlog\n\n## Security\n\n### 1. Limit\n\nA.\n\n### 2. Validate\n\nB.\n\n## Tests\n\n### 3. Units\n\nC.\n\n### 4. Whole\n\nD.\n\n\
                ## Order\n\n### Sprint 1\n1. Limit\n2. Units\n\n### Sprint 2\n3. Validate\n4. Whole\n";
    assert_eq!(
        told("BACKLOG.md", text),
        ["headings", "1 pending Limit", "2 pending Validate", "3 pending Units", "4 pending Whole"]
    );
}

#[test]
fn a_tick_behind_a_heading_is_its_state() {
    let text = "# Project backlog\n\n### Phase 1: Board ✓\n- there\n\n### Phase 2: Pieces ✓\n- there\n\n### Phase 3: Clock ⏳\n- not there\n";
    assert_eq!(
        told("BACKLOG.md", text),
        ["headings", "1 completed Board", "2 completed Pieces", "3 pending Clock"]
    );
}
