//! Tables of tasks: which tables count, how their rows are read, and that ticking changes only the status.

#![expect(clippy::unwrap_used, reason = "a text that does not parse fails the test")]

use dialects::{blanked, body, explain, mark_for, read, set_mark};
use markdown::Text;
use wire::plan::{Model, Plan, Severity};
use wire::{State, Task};

fn plan(text: &str) -> Plan {
    read(&Text { path: "TASKS.md", bytes: text.as_bytes() }, None).unwrap()
}

fn told(plan: &Plan) -> Vec<String> {
    let one = |task: &Task| {
        let depends = task.depends_on.iter().map(wire::TaskId::as_str);
        [task.id.as_str(), task.state.word()].into_iter().chain(depends).collect::<Vec<_>>().join(" ")
    };
    plan.tasks.iter().map(one).collect()
}

fn codes(plan: &Plan) -> Vec<&str> {
    plan.diagnostics.iter().map(|found| found.code.as_str()).collect()
}

const TABLE: &str = "\
# Tracker

- `[~]` In progress

## Phase 2: Walls

| ID | Task | Status | Depends on | Acceptance criteria | Evidence | Notes |
|---|---|:---:|---|---|---|---|
| `W-1` | Dig | ✅ Done (monday) | — | `test -d hole` → exit 0 | a photo | wet |
| W-2 | [Build](./w2.md) | ⬜ TODO | W-1 (the hole) | it stands | | |
| W-3 | Paint | **IN PROGRESS** | W-1, W-2 | | | |
| W-4 | Look | [~] | Task W-2 and W-3 | | | |
| W-5 | Rest | ⚠️ Partial | Stage 4 | | | |
| **Roof** | | | | | | |
| W-6 | Roof | | all | | | |

## Legend

- [ ] nothing

## Definition of Done

- [ ] dry inside
";

#[test]
fn a_row_is_a_task() {
    let plan = plan(TABLE);
    assert_eq!(plan.source.dialect, "tracker");
    assert_eq!(
        told(&plan),
        [
            "W-1 completed",
            "W-2 pending W-1",
            "W-3 in_progress W-1 W-2",
            "W-4 in_progress W-2 W-3",
            "W-5 pending",
            "W-6 pending W-1 W-2 W-3 W-4 W-5",
        ]
    );
    let first = &plan.tasks[0];
    assert_eq!(first.criteria.len(), 1, "evidence is no criterion");
    assert_eq!(first.criteria[0].command.as_deref(), Some("test -d hole"));
    assert_eq!(first.phase.as_deref(), Some("2"));
    assert_eq!(plan.tasks[1].title, "Build");
    assert_eq!(plan.tasks[1].references, ["./w2.md"]);
    assert_eq!(plan.strategy.as_ref().unwrap().model, Model::Parallel);
    assert_eq!(codes(&plan), ["unknown-status", "unresolved-requirement"]);
    assert_eq!(plan.notes.len(), 2);
}

#[test]
fn a_dependency_that_is_written_like_an_id_must_be_one() {
    let text = "| ID | Task | Status | Depends on |\n|---|---|---|---|\n| A-1 | a | todo | A-9 |\n";
    let plan = plan(text);
    let found = &plan.diagnostics[0];
    assert_eq!((found.code.as_str(), found.severity), ("dangling-dependency", Severity::Warning));
    assert_eq!(plan.tasks[0].state, State::Blocked);
}

#[test]
fn only_the_status_changes_and_it_is_read_back() {
    let before = plan(TABLE);
    for task in &before.tasks {
        let mark = task.mark.as_ref().unwrap();
        for state in [State::Completed, State::Pending, State::InProgress, State::Blocked] {
            let said = String::from_utf8_lossy(body(TABLE.as_bytes(), mark)).into_owned();
            let changed = set_mark(TABLE.as_bytes(), mark, mark_for("tracker", &said, state));
            let after = read(&Text { path: "TASKS.md", bytes: &changed }, None).unwrap();
            let found = after.tasks.iter().find(|other| other.id == task.id).unwrap();
            assert_eq!(found.state, state, "{} from '{said}'", task.id);
            assert_eq!(found.fingerprint, task.fingerprint, "{}", task.id);
            assert_eq!(
                blanked(&after, "TASKS.md", &changed),
                blanked(&before, "TASKS.md", TABLE.as_bytes()),
                "{} from '{said}' to {state:?}",
                task.id
            );
        }
    }
}

#[test]
fn numbers_that_begin_anew_in_each_table_are_no_names() {
    let plan = plan(
        "## A\n\n| # | Task | Status | Deps |\n|---|---|---|---|\n| 1 | a | ✅ | |\n| 2 | b | ⬜ | 1 |\n\n\
         ## B\n\n| # | Task | Status | Deps |\n|---|---|---|---|\n| 1 | c | ⬜ | |\n| 2 | d | 🔄 | 1 |\n",
    );
    assert_eq!(told(&plan), ["i1 completed", "i2 pending i1", "3 pending", "4 in_progress 3"]);
}

#[test]
fn a_table_beside_a_list_is_said_not_to_be_read() {
    let plan = plan("| # | Task | Status |\n|---|---|---|\n| 1 | a | done |\n\n- [ ] b\n- [ ] c\n");
    assert_eq!(plan.source.dialect, "checklist");
    assert_eq!(codes(&plan), ["table-not-read"]);
}

#[test]
fn tables_of_other_things_are_no_plans() {
    for text in [
        "| Feature | Status |\n|---|---|\n| a | done |\n",
        "| Field | Value |\n|---|---|\n| Status | ✅ |\n",
        "| State | Description |\n|---|---|\n| open | a |\n",
    ] {
        assert!(read(&Text { path: "README.md", bytes: text.as_bytes() }, None).is_err(), "{text}");
    }
    let both = "| # | Phase | Status |\n|---|---|---|\n| 1 | x | done |\n\n| # | Task | Status |\n|---|---|---|\n| 1.1 | a | todo |\n";
    assert_eq!(told(&plan(both)), ["1.1 pending"], "where tasks are named, phases are none");
}

#[test]
fn a_heading_may_have_a_status_in_the_place_of_boxes() {
    let text = "\
# Plan

## Task 1: Dig
- **Status**: `completed`
- **Depends On**: None
- **Test Requirements**:
  - `make hole` exits 0
- **Notes**:
  - mind the cat

## Task 2: Build
- **Status**: `pending`
- **Depends On**: T1 (T1 digs; T2 builds)

## Task 3: Rest
- **Status**: ⏳ waiting
- **Depends On**: T1 + T2
";
    let before = plan(text);
    assert_eq!(before.source.dialect, "ralphex");
    assert_eq!(told(&before), ["1 completed", "2 pending 1", "3 blocked 1 2"]);
    assert_eq!(before.tasks[0].criteria.len(), 1);
    assert_eq!(before.tasks[0].criteria[0].command.as_deref(), Some("make hole"));
    assert!(codes(&before).is_empty(), "{:?}", before.diagnostics);
    let mark = before.tasks[1].mark.as_ref().unwrap();
    let changed = set_mark(text.as_bytes(), mark, mark_for("ralphex", "pending", State::Completed));
    let after = read(&Text { path: "TASKS.md", bytes: &changed }, None).unwrap();
    assert_eq!(after.tasks[1].state, State::Completed);
    assert_eq!(after.tasks[1].fingerprint, before.tasks[1].fingerprint);
    let outline = markdown::Outline::new(&Text { path: "TASKS.md", bytes: text.as_bytes() });
    for account in explain(&outline, &before) {
        assert!(matches!(account.taken, dialects::Taken::As(_)), "{account:?}");
    }
}

#[test]
fn where_boxes_and_status_differ_the_boxes_decide() {
    let plan = plan("## Task 1: Dig\n\n**Status**: done\n\n- [ ] dig\n\n## Task 2: Fill\n\n- [x] fill\n");
    assert_eq!(told(&plan), ["1 pending", "2 completed"]);
    assert_eq!(codes(&plan), ["status-conflict"]);
}

#[test]
fn items_with_signs_are_tasks_where_nothing_else_is() {
    let text = "## Phase 1\n\n- ✅ Dig\n- 🔄 Build\n- ⬜ T3: Paint\n- ☑️ Measure\n- ❌ Sell\n\n## Notes\n\n- a plain one\n";
    let before = plan(text);
    assert_eq!(before.source.dialect, "tracker");
    assert_eq!(told(&before), ["1 completed", "2 in_progress", "T3 pending", "4 completed", "5 pending"]);
    assert_eq!(codes(&before), ["unknown-status"]);
    assert_eq!(before.tasks[2].title, "Paint");
    for task in &before.tasks {
        let mark = task.mark.as_ref().unwrap();
        let said = String::from_utf8_lossy(body(text.as_bytes(), mark)).into_owned();
        let changed = set_mark(text.as_bytes(), mark, mark_for("tracker", &said, State::Completed));
        let after = read(&Text { path: "TASKS.md", bytes: &changed }, Some("tracker")).unwrap();
        let found = after.tasks.iter().find(|other| other.id == task.id).unwrap();
        assert_eq!((found.state, &found.fingerprint), (State::Completed, &task.fingerprint));
    }
    for text in ["- ✅ fast\n- ✅ small\n- 🟡 cheap\n", "- ⬜ only one\n"] {
        assert!(read(&Text { path: "README.md", bytes: text.as_bytes() }, None).is_err(), "{text}");
    }
    assert_eq!(plan("- [ ] a\n- ⬜ b\n- ⬜ c\n").source.dialect, "checklist");
}

#[test]
fn a_row_may_wait_for_every_task_of_an_earlier_part() {
    let table = "| Task | What | Depends | Status |\n|---|---|---|---|\n";
    let text = format!(
        "# Plans\n\n## Phase 1: Ground\n\n{table}| 1.1 | Dig | - | cc:完了 |\n| 1.2 | Level | 1.1 | cc:TODO |\n\n\
         ## Phase 2: Walls\n\n{table}| 2.1 | Build | Phase 1 | cc:TODO |\n"
    );
    assert_eq!(told(&plan(&text)), ["1.1 completed", "1.2 pending 1.1", "2.1 pending 1.1 1.2"]);
}

#[test]
fn a_column_of_states_is_known_by_its_words() {
    for text in [
        "# Plan\n\n| Session | Focus | Status |\n|---|---|---|\n| 1 | Dig | Done |\n| 2 | Build | Not started |\n",
        "# 計画 plan\n\n| セッション | 内容 | 状態 |\n|---|---|---|\n| 1 | Dig | 完了 |\n| 2 | Build | 未着手 |\n",
        "# 计划\n\n| 会话 | 任务内容 | 当前状态 |\n|---|---|---|\n| 1 | Dig | 已完成 |\n| 2 | Build | 未开始 |\n",
        "# Sitzungsplan\n\n| Sitzung | Ziel | Stand |\n|---|---|---|\n| 1 | Dig | erledigt |\n| 2 | Build | offen |\n",
        "# Plan de sessions\n\n| Session | Objectif | Avancement |\n|---|---|---|\n| 1 | Dig | fait |\n| 2 | Build | à faire |\n",
    ] {
        let plan = plan(text);
        assert_eq!(told(&plan), ["1 completed", "2 pending"], "{text}");
        let titles: Vec<&str> = plan.tasks.iter().map(|task| task.title.as_str()).collect();
        assert_eq!(titles, ["Dig", "Build"], "{text}");
    }
    // What is supported and what is not is no state of work.
    let text = "# Plan\n\n| Browser | Supported |\n|---|---|\n| A | yes |\n| B | no |\n";
    assert!(read(&Text { path: "PLAN.md", bytes: text.as_bytes() }, None).is_err());
}
