//! Groups of a list: sections that name a unit of work, with dependencies and criteria for the tasks in them.

#![expect(clippy::unwrap_used, reason = "a text that does not parse fails the test")]

use dialects::{errors, read};
use markdown::Text;
use wire::plan::{Kind, Plan};
use wire::{State, Task};

fn plan(text: &str) -> Plan {
    read(&Text { path: "tasks.md", bytes: text.as_bytes() }, None).unwrap()
}

fn edges(plan: &Plan) -> Vec<String> {
    let line = |task: &Task| {
        let on: Vec<&str> = task.depends_on.iter().map(wire::TaskId::as_str).collect();
        (!on.is_empty()).then(|| format!("{} < {}", task.id, on.join(" ")))
    };
    plan.tasks.iter().filter_map(line).collect()
}

#[test]
fn a_group_waits_for_the_groups_that_it_names() {
    let text = "# Tasks\n\n### Data\n\n#### Task Group 1: Models\n**Dependencies:** None\n\n- [x] 1.0 Complete models\n  - [x] 1.1 Test\n\n\
                **Acceptance Criteria:**\n- The tests pass\n- `make models` exits 0\n\n### API\n\n#### Task Group 2: Routes\n\
                **Dependencies:** Task Group 1\n\n- [ ] 2.0 Complete routes\n  - [ ] 2.1 Test\n\n#### Task Group 3: Docs\n\
                **Dependencies:** None (can be done in parallel with Task Group 2)\n\n- [ ] 3.0 Write\n\n#### Task Group 4: Release\n\
                **Dependencies:** Task Groups 1-3\n\n- [ ] 4.0 Release\n- [ ] 4.9 Announce\n\n#### Task Group 5: Rest\n\
                **Dependencies:** Task Groups 4, 9\n\n- [ ] 5.0 Rest\n";
    let plan = plan(text);
    assert_eq!(edges(&plan), ["2.0 < 1.0", "4.0 < 1.0 2.0 3.0", "4.9 < 1.0 2.0 3.0", "5.0 < 4.0 4.9"]);
    let models = &plan.tasks[0];
    assert_eq!((models.kind, models.criteria.len()), (Kind::Container, 2));
    assert_eq!(models.criteria[1].command.as_deref(), Some("make models"));
    let hints: Vec<_> =
        plan.diagnostics.iter().filter(|found| found.code == "unresolved-requirement").collect();
    assert!(hints.len() == 1 && hints[0].message.contains("'9'"), "{hints:?}");
    assert!(errors(&plan).is_none());
}

#[test]
fn steps_and_phases_are_groups_too() {
    let text = "# Plan\n\n## Phase 1: A\n\n- [ ] a\n- [ ] b\n\n## Phase 2: B\n\n**Prerequisites**: Phase 1 must be complete\n\n- [ ] c\n\n\
                ## Phase 3: C\n\n**Depends on:** All previous phases\n\n- [ ] d\n\n## Phase 4: D\n\n**Prerequisites**: Node 18\n\n- [ ] e\n";
    assert_eq!(edges(&plan(text)), ["3 < 1 2", "4 < 1 2 3"]);
}

#[test]
fn a_title_goes_on_where_the_page_ends() {
    let text = "- [ ] Write down what the walls of the shed are made of, so that the\n  next one knows it\n  Depends on: 2\n\
                - [ ] Paint the whole of the shed in a colour that everyone likes.\n  Take care of the door.\n- [ ] Short\n  text below\n";
    let titles: Vec<String> = plan(text).tasks.into_iter().map(|task| task.title).collect();
    assert_eq!(
        titles,
        [
            "Write down what the walls of the shed are made of, so that the next one knows it",
            "Paint the whole of the shed in a colour that everyone likes.",
            "Short"
        ]
    );
}

#[test]
fn labels_bold_marks_and_commits_are_no_part_of_a_title() {
    let text = "- [x] Task: Dig the pit [1a2b3c4]\n- [x] **Task: Level it** 0badc0de\n- [ ] **Build**\n\
                - [ ] Task: Conductor - User Manual Verification 'Ground' (Protocol in workflow.md)\n";
    let plan = plan(text);
    let titles: Vec<&str> = plan.tasks.iter().map(|task| task.title.as_str()).collect();
    assert_eq!(titles[..3], ["Dig the pit", "Level it", "Build"]);
    let kinds: Vec<Kind> = plan.tasks.iter().map(|task| task.kind).collect();
    assert_eq!(kinds, [Kind::Work, Kind::Work, Kind::Work, Kind::Human]);
    assert_eq!(plan.tasks[3].state, State::Pending);
}

#[test]
fn a_loud_word_below_a_task_says_that_it_is_left_out() {
    let text = "- [ ] Dig\n  - **IGNORED: no tests by order**\n- [ ] Level\n  - ⚠️ Blocking issue: no shovel\n- [x] Build\n  - SKIPPED: the roof\n\
                - [ ] Paint\n  - Skipped: the door\n- [ ] Plant *(deferred)*\n- [SKIPPED — no need] Water\n";
    let states: Vec<State> = plan(text).tasks.iter().map(|task| task.state).collect();
    let (open, blocked, skipped) = (State::Pending, State::Blocked, State::Skipped);
    assert_eq!(states, [skipped, blocked, State::Completed, open, blocked, skipped]);
}

#[test]
fn steps_have_the_ids_that_they_are_written_with() {
    let text = "- [completed] **Step 1.1** — Dig\n- [pending] **Step 1.2** — Level\n";
    let ids: Vec<String> =
        plan(text).tasks.iter().map(|task| format!("{} {}", task.id, task.title)).collect();
    assert_eq!(ids, ["1.1 Dig", "1.2 Level"]);
}

#[test]
fn headings_wait_for_the_headings_that_they_name() {
    let text = "# Plan\n\n## Phase 1: A\n\n## Phase 1.1: B\n\n## Phase 2: C\n\n**Depends on**: Phase 1 and Phase 1.1\n\n\
                ## Phase 3: D\n\n- Dependencies: All previous phases\n";
    let plan = read(&Text { path: "PLAN.md", bytes: text.as_bytes() }, None).unwrap();
    assert_eq!(plan.source.dialect, "headings");
    assert_eq!(edges(&plan), ["2 < 1 1.1", "3 < 1 1.1 2"]);
    assert_eq!((plan.tasks[0].kind, plan.tasks[1].parent.as_ref().unwrap().as_str()), (Kind::Container, "1"));
}

#[test]
fn each_criterion_of_a_heading_is_read_once_with_its_own_text() {
    let text = "# Plan\n\n## Phase 1: Dig\n\n### Verification\n\n- The pit is deep\n- `make pit` exits 0\n\n## Phase 2: Build\n\n\
                ### Done Criteria\n\n- It stands\n";
    let plan = read(&Text { path: "PLAN.md", bytes: text.as_bytes() }, None).unwrap();
    let texts = |task: &Task| task.criteria.iter().map(|c| c.text.clone()).collect::<Vec<_>>();
    assert_eq!(texts(&plan.tasks[0]), ["The pit is deep", "`make pit` exits 0"]);
    assert_eq!(texts(&plan.tasks[1]), ["It stands"]);
}
