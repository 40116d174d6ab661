//! A task without a check of its own is not ticked where nothing changed, whatever the gates and the worker say.

use pipeline_tests::{Bench, Got, Run, bench, until};
use serde_json::Value;

const CONFIG: &str = "[defaults]\nworker = \"w\"\n\n[agents]\nsonnet = \"w\"\ncode-developer = \"w\"\n\n[workers.w]\ncommand = [\"../home/w.sh\"]\n\n\
    [[gates]]\nid = \"test\"\ninvocation = \"true\"\nwhen = [\"task\"]\n\n[proof]\naccept = \"gates\"\n";

/// A worker that does nothing and claims all.
const IDLE: &str = r#"echo '{"status":"SUCCESS","summary":"done"}'"#;
const WORK: &str = "echo tidy > room.txt\n";

const LIST: &str = "# Todo\n\n- [ ] Tidy the room\n";

/// Plans of one open task, or of one at a time, that has no command anywhere: dialect, file, text.
const PLANS: &[(&str, &str, &str)] = &[
    ("checklist", "TODO.md", LIST),
    ("plan-md", "PLAN.md", "# Plan\n\n## TODOs\n\n### [ ] TODO 1: Tidy the room\n\n**Type**: work\n"),
    (
        "plan-md",
        "PLAN.md",
        "# Plan\n\n## TODOs\n\n### [ ] TODO 1: Look at the room\n\n**Type**: verification\n\n\
         **Acceptance Criteria**:\n- [ ] It is tidy\n",
    ),
    ("spec-kit", "tasks.md", "# Tasks: room\n\n## Phase 1: Setup\n\n- [ ] T001 Tidy room.txt\n"),
    ("kiro", "tasks.md", "# Implementation Plan\n\n- [ ] 1. Tidy the room\n  - _Requirements: 1.1, 2.3_\n"),
    (
        "kiro",
        "tasks.md",
        "# Implementation Plan\n\n- [ ] 1. Checkpoint - Ensure all tests pass\n  - _Requirements: 1.1_\n",
    ),
    (
        "cc-sdd",
        "tasks.md",
        "# Implementation Plan\n\n- [ ] 1. Base\n- [ ] 1.1 (P) Tidy the room\n  - _Requirements: 1.1_\n  - _Boundary: A_\n",
    ),
    ("openspec", "tasks.md", "## 1. Base\n\n- [ ] 1.1 Tidy the room\n"),
    (
        "superpowers",
        "plan.md",
        "# Plan\n\n### Task 1: Tidy the room\n\n**Files:**\n- Create: `room.txt`\n\n- [ ] **Step 1: Tidy it**\n",
    ),
    (
        "ralphex",
        "plan.md",
        "# Plan\n\n## Validation Commands\n\n- `true`\n\n### Task 1: Room\n\n- [ ] Tidy it\n",
    ),
    (
        "gsd",
        "01-01-PLAN.md",
        "---\nphase: 01-room\nplan: 01\n---\n\n<tasks>\n\n<task type=\"auto\">\n  <name>Task 1: Room</name>\n  \
         <action>Tidy it.</action>\n  <done>It is tidy</done>\n</task>\n\n</tasks>\n",
    ),
    (
        "taskmaster",
        "tasks.json",
        r#"{"tasks":[{"id":1,"title":"Tidy the room","status":"pending","dependencies":[]}]}"#,
    ),
    (
        "tracker",
        "tracker.md",
        "# Tracker\n\n| ID | Task | Status |\n|---|---|---|\n| A-1 | Tidy | ⬜ TODO |\n",
    ),
    ("handoff", "todo.md", "# Todo\n\n1. Add the room — status: pending\n2. Tidy it — status: pending\n"),
    (
        "workflow",
        ".workflow/active/WFS-a",
        "# Tasks: Room\n\n## Task Progress\n- [ ] **IMPL-001**: Tidy it → [📋](./.task/IMPL-001.json)\n",
    ),
    (
        "runbook",
        "runbook.md",
        "---\nname: room\nmodel: sonnet\n---\n\n# Runbook\n\n## Step 1: Tidy it\n\n**Objective**: a tidy room\n",
    ),
    ("boxes", "TODO.md", LIST),
    (
        "gsd-roadmap",
        ".planning/ROADMAP.md",
        "# Roadmap: Room\n\n- [x] **Phase 1: Door** - open\n- [ ] **Phase 2: Room** - tidy\n\n### Phase 2: Room\n\
         **Depends on**: Phase 1\n**Success Criteria**:\n  1. It is tidy\nPlans:\n- [ ] 02-01-PLAN.md — tidy it\n",
    ),
    (
        "humanlayer",
        "plan.md",
        "# Room Implementation Plan\n\n## Phase 1: Tidy\n\n### Changes Required:\n\nTidy it.\n\n### Success Criteria:\n\n\
         #### Automated Verification:\n- [ ] It is tidy\n\n#### Manual Verification:\n- [ ] It looks tidy\n",
    ),
    (
        "exec-plan",
        ".agent/plans/room.md",
        "# Tidy the room\n\n## Progress\n\n- [ ] Tidy it\n\n## Surprises & Discoveries\n\nNone yet.\n",
    ),
    (
        "bmad",
        "docs/stories/1.1.story.md",
        "# Story 1.1: Room\n\nStatus: in-progress\n\n## Acceptance Criteria\n1. It is tidy\n\n## Tasks / Subtasks\n\
         - [ ] Task 1: Tidy it (AC: 1)\n",
    ),
    (
        "conductor",
        "conductor/tracks.md",
        "# Project Tracks\n\n---\n\n- [ ] **Track: Tidy the room**\n*Link: [./tracks/room_20260102/](./tracks/room_20260102/)*\n",
    ),
    (
        "plans-md",
        "Plans.md",
        "# Plans\n\n## Phase 1: Room `cc:WIP`\n\n- [x] Open it `cc:完了`\n- [ ] Tidy it `cc:TODO`\n",
    ),
    (
        "task-plan",
        "task_plan.md",
        "# Task Plan: Room\n\n## Phases\n\n### Phase 1: Room\n- [ ] Tidy it\n- **Status:** in_progress\n",
    ),
    (
        "beads",
        ".beads/issues.jsonl",
        "{\"id\":\"r-1\",\"title\":\"Tidy the room\",\"status\":\"open\",\"issue_type\":\"task\"}\n",
    ),
    (
        "prd",
        "prd.json",
        r#"{"project":"Room","userStories":[{"id":"US-001","title":"Tidy","acceptanceCriteria":["It is tidy"],"priority":1,"passes":false}]}"#,
    ),
    (
        "feature-list",
        "feature_list.json",
        r#"[{"category":"functional","description":"Tidy the room","steps":["Take a broom"],"passes":false}]"#,
    ),
    (
        "shrimp",
        ".shrimp/tasks.json",
        r#"{"tasks":[{"id":"a-1","name":"Tidy","status":"pending","dependencies":[],"implementationGuide":"Take a broom","verificationCriteria":"It is tidy"}]}"#,
    ),
    (
        "sprint-status",
        "sprint-status.yaml",
        "project: room\ndevelopment_status:\n  epic-1: in-progress\n  1-1-tidy-the-room: ready-for-dev\n",
    ),
    (
        "cursor",
        ".cursor/plans/room.plan.md",
        "---\nname: Room\ntodos:\n  - id: tidy\n    content: Tidy the room\n    status: pending\n---\n# Room\n",
    ),
    (
        "taskmd",
        "backlog/tasks/task-1.md",
        "---\nid: task-1\ntitle: Tidy the room\nstatus: To Do\ndependencies: []\n---\n## Acceptance Criteria\n- [ ] #1 It is tidy\n",
    ),
    (
        "ccpm",
        ".claude/epics/room/001.md",
        "---\nname: Tidy the room\nstatus: open\ndepends_on: []\nparallel: true\n---\n## Acceptance Criteria\n- [ ] It is tidy\n",
    ),
    (
        "plan/v1",
        "plan.json",
        r#"{"schema":"plan/v1","meta":{"goal":"Room"},"contracts":{},"tasks":[{"id":"T1","action":"Tidy","type":"work","status":"pending","depends_on":[]}]}"#,
    ),
    (
        "spec.json",
        "spec.json",
        r#"{"meta":{"name":"room"},"requirements":[{"id":"R1","behavior":"It is tidy","scenarios":[]}],"tasks":[{"id":"T1","action":"Tidy","type":"work","status":"pending","depends_on":[]}]}"#,
    ),
    (
        "plan-content",
        "plan-content.json",
        r#"{"objectives":{"core":"Room"},"todos":[{"id":"todo-1","title":"Tidy","type":"work","status":"pending"}],"dependencyGraph":[]}"#,
    ),
    (
        "headings",
        "IMPLEMENTATION_PLAN.md",
        "# Implementation Plan\n\n## Phase 1: Open the door ✅\n\nTake a key.\n\n## Phase 2: Tidy the room ⏳\n\nTake a broom.\n",
    ),
    ("numbered", "PLAN.md", "# Room\n\n## Implementation Steps\n\n1. Sweep (done)\n2. Tidy the room\n"),
];

#[test]
fn every_dialect_has_a_plan_here() {
    let listed = bench!(bare).command("plan-parse").args(["--list-dialects"]).run().exits(0).out();
    let names: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 30, "{listed}");
    let lacks = |name: &&&str| !PLANS.iter().any(|(dialect, _, _)| dialect == *name);
    assert_eq!(names.iter().filter(lacks).collect::<Vec<_>>(), Vec::<&&str>::new());
}

#[test]
fn no_dialect_ticks_a_task_for_which_nothing_was_changed() {
    for (dialect, path, text) in PLANS {
        let bench = bench_in(&once(), path, text, IDLE);
        let show = plan_parse(&bench, dialect, path).args(["--show", "dialect"]).run();
        assert_eq!(show.exits(0).out().trim(), *dialect, "{path}");
        let done = completed(&bench, dialect, path);
        let got = carry_as(&bench, dialect, path);
        assert_eq!(got.status, if *dialect == "boxes" { 1 } else { 5 }, "{dialect}: {got:?}");
        assert_eq!((bench.count("tick"), completed(&bench, dialect, path)), (0, done), "{dialect}: {got:?}");
        assert!(!got.out().contains('✓'), "{dialect}: {got:?}");
        // Each attempt counts, and says what is lacking.
        assert!(bench.count("attempt_end") > 0, "{dialect}: {got:?}");
        let words =
            "has no check of its own, and the worker changed nothing: add \"Verify: `command`\" below it";
        let is_runbook = *dialect == "runbook";
        assert!(got.out().contains(if is_runbook { "no new commit" } else { words }), "{dialect}: {got:?}");
    }
}

/// Gates that pass at other moments, that fail, or none at all: each dialect has one of them.
#[test]
fn neither_do_other_gates_nor_none() {
    let gate = |invocation: &str, when: &str| {
        format!("[[gates]]\nid = \"test\"\ninvocation = \"{invocation}\"\nwhen = [\"{when}\"]\n")
    };
    let others = [String::new(), gate("true", "end"), gate("false", "task")];
    let config = once();
    let head = config.split("[[gates]]").next().unwrap_or_default();
    for ((dialect, path, text), gates) in PLANS.iter().zip(others.iter().cycle()) {
        let bench = bench_in(&format!("{head}{gates}[proof]\naccept = \"gates\"\n"), path, text, IDLE);
        let done = completed(&bench, dialect, path);
        let got = carry_as(&bench, dialect, path);
        assert_eq!(
            (bench.count("tick"), completed(&bench, dialect, path)),
            (0, done),
            "{dialect} {gates}: {got:?}"
        );
        assert!(bench.count("attempt_end") > 0, "{dialect} {gates}: {got:?}");
    }
}

#[test]
fn the_reports_do_not_call_it_proved() {
    let bench = bench_with("TODO.md", "# Todo\n\n- [ ] One\n- [ ] Two\n- [ ] Three\n", IDLE);
    let got = carry(&bench, "TODO.md");
    got.exits(5);
    assert!(
        got.out().contains("not done: TODO.md, 0 of 3 tasks\n") && !got.out().contains("proved"),
        "{got:?}"
    );
    assert!(got.out().contains("task 1 has no check of its own"), "{got:?}");
    let report = bench.command("run-report").args(["--final", "TODO.md"]).run();
    assert!(report.out().contains("Ticked at the first attempt: 0 of 3"), "{report:?}");
    assert!(bench.keys("halt").iter().all(|key| key.ends_with(" unchanged")), "{:?}", bench.keys("halt"));
    let report = bench.command("run-report").args(["--final", "--format", "json", "TODO.md"]).run().json();
    for task in report["tasks"].as_array().expect("tasks") {
        assert_eq!(
            (&task["proof"], &task["stand"]),
            (&Value::from("none"), &Value::from("failed")),
            "{task}"
        );
    }
    let page = bench.command("run-report").args(["--final", "--format", "html", "TODO.md"]).run().out();
    assert!(page.contains("has no check of its own"), "{page}");
}

#[test]
fn a_task_that_changed_something_is_ticked_on_its_gate() {
    // A task of kind verification may change nothing, and a step of a runbook commits by itself.
    let may_change =
        |(dialect, _, text): &&(&str, &str, &str)| *dialect != "runbook" && !text.contains(": verification");
    for (dialect, path, text) in PLANS.iter().filter(may_change) {
        let bench = bench_with(path, text, &format!("date +%N >> room.txt\n{IDLE}"));
        let got = carry_as(&bench, dialect, path);
        assert!(bench.count("tick") > 0, "{dialect}: {got:?}");
    }
}

#[test]
fn an_empty_commit_of_a_step_is_no_change() {
    let commit = "git -c user.name=W -c user.email=w@example.com commit --quiet --allow-empty -m 'Step 1'";
    let (_, path, text) = PLANS.iter().find(|(dialect, _, _)| *dialect == "runbook").expect("a runbook");
    let bench = bench_with(path, text, &format!("{commit}\n{IDLE}"));
    let got = carry(&bench, path);
    got.exits(5);
    assert_eq!((bench.count("tick"), bench.halts()[0].as_str()), (0, "gate-run unchanged"), "{got:?}");
    // One with the work in it is.
    let bench = bench_with(path, text, &format!("{WORK}git add room.txt\n{commit}\n{IDLE}"));
    carry(&bench, path).exits(0);
    assert_eq!(bench.count("tick"), 1);
}

#[test]
fn a_check_of_its_own_that_was_true_before_ticks_no_task_for_which_nothing_was_changed() {
    let bench = bench_with("TODO.md", &format!("{LIST}  Verify: `test -f TODO.md`\n"), IDLE);
    let got = carry(&bench, "TODO.md");
    got.exits(5);
    assert_eq!(
        (bench.count("tick"), bench.halts().last().map(String::as_str)),
        (0, Some("checkbox not-accepted"))
    );
    assert!(got.out().contains("evidence: waiting: 1 already true"), "{got:?}");
    assert!(
        got.out().contains("already true: check 1:1 passed before the work, and the worker changed nothing"),
        "{got:?}"
    );
    // It waits for a person and spends no attempt.
    carry(&bench, "TODO.md").exits(5);
    assert_eq!(bench.count("attempt_begin"), 1);
}

#[test]
fn work_of_an_attempt_that_was_refused_for_another_reason_counts_for_the_next() {
    let refused = "test -e ../home/once || { touch ../home/once; echo '{\"status\":\"ERROR\"}'; exit; }";
    let bench = bench_with("TODO.md", LIST, &format!("{WORK}{refused}\n{IDLE}"));
    let got = carry(&bench, "TODO.md");
    got.exits(0);
    assert_eq!((bench.count("attempt_end"), bench.count("tick")), (2, 1), "{got:?}");
}

#[test]
fn work_that_a_later_attempt_puts_back_does_not_count() {
    let script = "if test -e ../home/once; then rm -f room.txt; else\n touch ../home/once\n echo tidy > room.txt\n \
                  echo '{\"status\":\"ERROR\"}'; exit; fi";
    let bench = bench_with("TODO.md", LIST, &format!("{script}\n{IDLE}"));
    let got = carry(&bench, "TODO.md");
    got.exits(5);
    assert_eq!(bench.count("tick"), 0, "{got:?}");
}

#[test]
fn work_of_a_worker_that_was_killed_with_the_run_counts() {
    let script = "test -e ../home/begun || { echo tidy > room.txt; touch ../home/begun; sleep 600; }";
    let bench = bench_with("TODO.md", LIST, &format!("{script}\n{IDLE}"));
    let run = bench.command("orchestrate").args(["TODO.md"]).start();
    until(|| bench.outside().join("home/begun").exists());
    run.kill();
    until(|| bench.processes().is_empty());
    let got = carry(&bench, "TODO.md");
    assert_eq!((got.status, bench.count("attempt_begin"), bench.count("tick")), (0, 2, 1), "{got:?}");
}

#[test]
fn what_another_task_changed_is_not_the_work_of_this_one() {
    let script = "case $(head -n 1) in *Room*) echo tidy > room.txt ;; esac";
    let bench = bench_with("TODO.md", "# Todo\n\n- [ ] Idle\n- [ ] Room\n", &format!("{script}\n{IDLE}"));
    let got = carry(&bench, "TODO.md");
    got.exits(5);
    assert_eq!(bench.text("TODO.md"), "# Todo\n\n- [ ] Idle\n- [x] Room\n", "{got:?}");
}

#[test]
fn it_holds_in_trees_of_their_own() {
    let script = "case $(head -n 1) in *Room*) echo tidy > room.txt ;; esac";
    let bench = bench_with("TODO.md", "# Todo\n\n- [ ] Idle\n- [ ] Room\n", &format!("{script}\n{IDLE}"));
    bench.program("../bin/idle", &bench.text("../home/w.sh"));
    bench.write("plantools.toml", CONFIG.replace("../home/w.sh", "idle")).commit_all("worker");
    let got = bench.command("orchestrate").args(["--jobs", "2", "TODO.md"]).run();
    got.exits(5);
    assert_eq!(bench.text("TODO.md"), "# Todo\n\n- [ ] Idle\n- [x] Room\n", "{got:?}");
}

#[test]
fn a_reverted_task_without_a_check_of_its_own_is_worked_again() {
    let bench = bench_with("TODO.md", LIST, &format!("{WORK}{IDLE}"));
    carry(&bench, "TODO.md").exits(0);
    bench.git(&["revert", "--no-edit", "HEAD"]);
    carry(&bench, "TODO.md").exits(0);
    assert_eq!((bench.count("attempt_end"), bench.text("room.txt").as_str()), (2, "tidy\n"));
    // Only the box was cleared: the work is there as it was.
    bench.write("TODO.md", LIST).commit_all("clear the box");
    carry(&bench, "TODO.md").exits(0);
    assert_eq!((bench.count("attempt_end"), bench.count("tick")), (2, 3));
}

#[test]
fn an_order_that_was_edited_ticks_nothing() {
    let bench = bench_with("TODO.md", LIST, IDLE);
    let forged = "sed 's/,\"halt\":{[^}]*}//; s/\"status\":\"unproved\"/\"status\":\"verified\"/'";
    let pipe = format!(
        "plan-parse --quiet TODO.md | dag-next | handoff | worker-run | gate-run | {forged} | checkbox"
    );
    let got = bench.sh(&pipe).env("PLANTOOLS_RUN", "r1").run();
    assert_eq!((bench.count("tick"), bench.text("TODO.md").as_str()), (0, LIST), "{got:?}");
    assert_eq!(bench.halts(), ["gate-run unchanged", "checkbox no-proof"], "{got:?}");
}

#[test]
fn a_person_may_accept_it_on_record() {
    let bench = bench_with("TODO.md", LIST, IDLE);
    let pipe = "plan-parse --quiet TODO.md | dag-next | handoff | worker-run | gate-run --accept-unproved 'I looked' | checkbox | run-report";
    let got = bench.sh(pipe).env("PLANTOOLS_RUN", "r1").run();
    assert_eq!((bench.count("tick"), bench.count("override")), (1, 1), "{got:?}");
    assert!(got.out().contains("accepted without proof"), "{got:?}");
}

/// The configuration with one attempt at each task.
fn once() -> String {
    CONFIG.replacen("[defaults]\n", "[defaults]\nmax_attempts = 1\n", 1)
}

fn bench_with(path: &str, text: &str, worker: &str) -> Bench {
    bench_in(CONFIG, path, text, worker)
}

fn bench_in(config: &str, path: &str, text: &str, worker: &str) -> Bench {
    let bench = bench!(empty);
    bench.write("plantools.toml", config);
    if path.starts_with(".workflow/") {
        bench.write(&format!("{path}/TODO_LIST.md"), text);
        let task = r#"{"id":"IMPL-001","title":"Tidy it","status":"pending","meta":{"type":"feature","agent":"@code-developer"},"context":{"requirements":["a tidy room"],"focus_paths":["."],"acceptance":["it is tidy"],"depends_on":[]},"flow_control":{}}"#;
        bench.write(".workflow/active/WFS-a/.task/IMPL-001.json", task);
        bench.write(".workflow/active/WFS-a/IMPL_PLAN.md", "# Plan\n\n**Execution Model**: Sequential\n");
        bench.write(
            ".workflow/active/WFS-a/workflow-session.json",
            "{\"session_id\":\"WFS-a\",\"status\":\"active\"}",
        );
    } else {
        bench.write(path, text);
    }
    bench.commit_all("plan");
    bench.set_worker(worker);
    bench
}

#[track_caller]
fn carry(bench: &Bench, path: &str) -> Got {
    // A list of the prepared workflow needs its packet, unless it is carried out as a checklist.
    let profile = if path == "todo.md" { &["--profile", "checklist"][..] } else { &[] };
    bench.command("orchestrate").args(profile).args([path]).run()
}

/// The same for a dialect that only a pipe can be told.
#[track_caller]
fn carry_as(bench: &Bench, dialect: &str, path: &str) -> Got {
    if dialect != "boxes" {
        return carry(bench, path);
    }
    let pipe = "plan-parse --quiet --dialect boxes \"$0\" | dag-next | handoff | checkbox begin | gate-run --before | worker-run \
                | gate-run | punch checkpoint | checkbox | commit-run | run-report";
    bench.command("bash").args(["-c", pipe, path]).run()
}

fn plan_parse(bench: &Bench, dialect: &str, path: &str) -> Run {
    let told: &[&str] = if dialect == "boxes" { &["--dialect", "boxes"] } else { &[] };
    bench.command("plan-parse").args(["--quiet"]).args(told.iter().copied()).args([path])
}

/// How many tasks of the plan are completed.
#[track_caller]
fn completed(bench: &Bench, dialect: &str, path: &str) -> usize {
    let plan = plan_parse(bench, dialect, path).run().exits(0).json();
    let tasks = plan["tasks"].as_array().into_iter().flatten();
    tasks.filter(|task| task["state"] == "completed").count()
}
