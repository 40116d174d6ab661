//! Roadmaps: phases and their plans, what the places that state a phase's progress mean, and what waits for what.

#![expect(clippy::unwrap_used, reason = "a text that does not parse fails the test")]
#![expect(clippy::disallowed_methods, reason = "a test makes its own files")]

use dialects::write::{self, Change};
use dialects::{PlanSnapshot, read};
use markdown::Text;
use std::fs;
use wire::plan::{Kind, Plan, Severity};
use wire::{State, Task};

fn plan(text: &str) -> Plan {
    let plan = read(&Text { path: "ROADMAP.md", bytes: text.as_bytes() }, None).unwrap();
    assert_eq!(plan.source.dialect, "gsd-roadmap");
    plan
}

/// `id parent state < dependencies` of each task.
fn told(plan: &Plan) -> Vec<String> {
    let line = |task: &Task| {
        let parent = task.parent.as_ref().map_or("-", wire::TaskId::as_str);
        let on: Vec<&str> = task.depends_on.iter().map(wire::TaskId::as_str).collect();
        let on = if on.is_empty() { String::new() } else { format!(" < {}", on.join(" ")) };
        format!("{} {parent} {}{on}", task.id, task.state.word())
    };
    plan.tasks.iter().map(line).collect()
}

fn conflicts(plan: &Plan) -> Vec<&str> {
    let found = plan.diagnostics.iter().filter(|found| found.code == "status-conflict");
    found.map(|found| found.message.as_str()).collect()
}

const SHED: &str = "# Roadmap: Shed\n\n## Phases\n\n- [x] **Phase 1: Ground** - the pit\n- [ ] **Phase 2: House** - walls\n\
                    - [ ] **Phase 3: Garden** - later\n\n## Phase Details\n\n### Phase 1: Ground\n**Goal**: A pit\n\
                    **Depends on**: Nothing (first phase)\nPlans:\n- [x] 01-01-PLAN.md — Dig\n- [x] 01-02-PLAN.md — Level\n\n\
                    ### Phase 2: House\n**Depends on**: Phase 1\n**Success Criteria** (what must be TRUE):\n  1. It stands\n\
                    \u{20} 2. `make test` exits 0\n**Plans**: 2 plans\n\nPlans:\n- [x] 02-01: Walls\n- [ ] 02-02: Roof\n\n\
                    ### Phase 2.1: Paint (INSERTED)\n**Goal**: Colour\n**Depends on:** Phase 02\n**Plans:** 1 plan\n\n\
                    - [ ] 02.1-01-PLAN.md — Paint\n\n### Phase 3: Garden\n**Depends on**: All previous phases\n**Plans**: TBD\n\n\
                    Plans:\n- [ ] TBD (run plan-phase 3 to break down)\n";

#[test]
fn a_phase_holds_the_plans_of_its_section() {
    let plan = plan(SHED);
    assert_eq!(
        told(&plan),
        [
            "1 - completed",
            "2 - in_progress < 1",
            "3 - pending < 1 2 2.1",
            "01-01 1 completed",
            "01-02 1 completed",
            "02-01 2 completed",
            "02-02 2 pending",
            "2.1 - pending < 2",
            "02.1-01 2.1 pending",
        ]
    );
    let kinds: Vec<Kind> = plan.tasks.iter().map(|task| task.kind).collect();
    let (holds, work) = (Kind::Container, Kind::Work);
    assert_eq!(kinds, [holds, holds, work, work, work, work, work, holds, work]);
    assert_eq!(
        (plan.tasks[0].title.as_str(), plan.tasks[7].title.as_str()),
        ("Ground - the pit", "Paint (INSERTED)")
    );
    let house = &plan.tasks[1].criteria;
    assert_eq!(
        (house.len(), house[0].text.as_str(), house[1].command.as_deref()),
        (2, "It stands", Some("make test"))
    );
    assert!(conflicts(&plan).is_empty());
    // The placeholder is no task.
    assert_eq!(plan.notes.len(), 1);
}

#[test]
fn a_phase_may_say_that_its_unticked_plans_are_done() {
    let roadmap = |mark: &str, status: &str, plans: &str, row: &str| {
        format!(
            "# Roadmap\n\n- [{mark}] **Phase 1: Ground** - pit\n- [ ] **Phase 2: House** - walls\n\n### Phase 1: Ground\n\
             **Depends on**: Nothing\n{status}**Plans**: {plans}\n- [ ] 01-01: Dig\n- [ ] 01-02: Level\n\n\
             ### Phase 2: House\n**Depends on**: Phase 1\n\n## Progress\n\n| Phase | Plans Complete | Status | Completed |\n\
             |---|---|---|---|\n| 1. Ground | {row} | - |\n| 2. House | 0/0 | Not started | - |\n"
        )
    };
    for (text, state) in [
        (roadmap("x", "", "2 plans", "0/2 | Not started"), State::Completed),
        (roadmap(" ", "**Status**: Complete (2026-01-02)\n", "TBD", "0/2 | Not started"), State::Completed),
        (roadmap(" ", "", "2/2 plans complete", "0/2 | Not started"), State::Completed),
        (roadmap(" ", "", "2 plans", "2/2 | ✓ Complete"), State::Completed),
        (roadmap(" ", "", "2/2 plans written", "0/2 | Planning complete"), State::Pending),
        (roadmap(" ", "", "2 plans", "0/2 | Ready to execute"), State::Pending),
    ] {
        let plan = plan(&text);
        let states: Vec<State> = plan.tasks.iter().map(|task| task.state).collect();
        assert_eq!(states, [state, State::Pending, state, state], "{text}");
        assert_eq!(conflicts(&plan).len(), usize::from(state == State::Completed), "{text}");
        assert!(plan.diagnostics.iter().all(|found| found.severity != Severity::Error));
    }
    let begun = plan(&roadmap(" ", "", "1/2 plans executed", "1/2 | In Progress"));
    assert_eq!(begun.tasks[0].state, State::InProgress);
    assert_eq!(begun.tasks[2].state, State::Pending);
}

#[test]
fn ticked_plans_outweigh_a_phase_that_says_it_is_complete() {
    let text = "- [x] **Phase 1: Ground** - pit\n- [ ] **Phase 2: House** - walls\n\n### Phase 1: Ground\n**Depends on**: Nothing\n\
                - [x] 01-01: Dig\n- [ ] 01-02: Level\n\n### Phase 2: House\n**Depends on**: Phase 1\n- [x] 02-01: Build\n";
    let plan = plan(text);
    assert_eq!(
        told(&plan),
        ["1 - in_progress", "2 - completed < 1", "01-01 1 completed", "01-02 1 pending", "02-01 2 completed"]
    );
    assert_eq!(conflicts(&plan).len(), 1);
}

#[test]
fn statements_of_waiting_are_read_in_all_their_forms() {
    let text = "- [ ] **Phase 1: A** - a\n- [ ] **Phase 2: B** - b\n- [ ] **Phase 3: C** - c\n- [ ] **Phase 4: D** - d\n\n\
                ### Phase 1: A\n**Depends on**: Phase 9 (gone)\n\n### Phase 2: B\n**Depends on**: Phase 1 recommended first\n\n\
                ### Phase 3: C\n**Depends on**: Phases 1-2; must complete before Phase 4 ships\n\n\
                ### Phase 4: D\n**Depends on**: Phase 1 (all of it); can overlap with 2\n";
    let plan = plan(text);
    assert_eq!(told(&plan), ["1 - pending", "2 - pending", "3 - pending < 1 2", "4 - pending < 3 1"]);
    let hints = plan.diagnostics.iter().filter(|found| found.code == "unresolved-requirement");
    assert_eq!(hints.count(), 3, "{:?}", plan.diagnostics);
}

#[test]
fn an_id_used_twice_stays_with_its_first_plan() {
    let text = "- [ ] **Phase 1: A** - a\n\n### Phase 1: A\n**Depends on**: Nothing\n- [ ] 01-01-PLAN.md — One\n- [ ] 01-01-PLAN.md — Two\n";
    let plan = plan(text);
    assert_eq!((plan.tasks[1].id.as_str(), plan.tasks[1].title.as_str()), ("01-01", "One"));
    assert_eq!((plan.tasks[2].id.as_str(), plan.tasks[2].title.as_str()), ("3", "01-01-PLAN.md — Two"));
    assert!(plan.diagnostics.iter().any(|found| found.code == "repeated-id"), "{:?}", plan.diagnostics);
}

#[test]
fn a_phase_without_a_box_is_ticked_at_its_status_or_heading() {
    let text = "- [x] **Phase 1: A** - a\n\n### Phase 1: A\n**Depends on**: Nothing\n\n### Phase 2: B\n**Depends on**: Phase 1\n\n\
                ### Phase 3: C\n**Depends on**: Phase 2\n**Status**: Not started\n";
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("ROADMAP.md");
    fs::write(&file, text).unwrap();
    for (index, state) in [
        (1, State::Completed),
        (2, State::InProgress),
        (2, State::Completed),
        (1, State::Pending),
        (2, State::Pending),
    ] {
        let before = PlanSnapshot::at(&file, root.path(), None).unwrap();
        let task = &before.plan.tasks[index];
        let change = Change { task, state, criteria: &[], now: "", reason: "" };
        let edits = write::edits(&before, &change).unwrap();
        let bytes = fs::read(&file).unwrap();
        fs::write(&file, write::applied(&bytes, &edits.iter().collect::<Vec<_>>())).unwrap();
        let after = PlanSnapshot::at(&file, root.path(), None).unwrap();
        assert_eq!(after.plan.tasks[index].state, state, "{}", fs::read_to_string(&file).unwrap());
        for (old, new) in before.plan.tasks.iter().zip(&after.plan.tasks) {
            assert_eq!((&old.id, &old.fingerprint), (&new.id, &new.fingerprint));
        }
        assert_eq!(before.blanked(), after.blanked());
    }
    let last = fs::read_to_string(&file).unwrap();
    assert!(last.contains("### Phase 2: B\n") && last.contains("**Status**: "), "{last}");
}

#[test]
fn the_last_plan_ticks_its_phase_and_an_open_plan_opens_it() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("ROADMAP.md");
    fs::write(&file, SHED).unwrap();
    let set = |id: &str, state: State| {
        let before = PlanSnapshot::at(&file, root.path(), None).unwrap();
        let task = before.plan.tasks.iter().find(|task| task.id.as_str() == id).unwrap();
        let change = Change { task, state, criteria: &[], now: "", reason: "" };
        let edits = write::edits(&before, &change).unwrap();
        let bytes = fs::read(&file).unwrap();
        fs::write(&file, write::applied(&bytes, &edits.iter().collect::<Vec<_>>())).unwrap();
        fs::read_to_string(&file).unwrap()
    };
    // Phase 1 has no checks of its own; phase 2 has one that is still to be run.
    let opened = set("01-02", State::Pending);
    assert_eq!(
        opened,
        SHED.replace("- [x] 01-02", "- [ ] 01-02").replace("- [x] **Phase 1", "- [ ] **Phase 1")
    );
    assert_eq!(set("01-02", State::Completed), SHED);
    assert_eq!(set("02-02", State::Completed), SHED.replace("- [ ] 02-02", "- [x] 02-02"));
}
