//! Plans without checks: suggested, proposed by a scripted agent, tried, adopted, and carried out to the end.

use pipeline_tests::{Bench, bench};
use serde_json::Value;

/// Stands for a model. Asked for checks, it proposes a name in a file of the task; asked for the work, it makes what the
/// checks of the task ask for.
const AGENT: &str = r##"#!/bin/sh
set -eu
prompt=$(cat)
case $prompt in
"# Checks for task"*)
  id=$(sed -n '1s/^# Checks for task `\{0,1\}\([^`:]*\).*/\1/p' "$PLANTOOLS_PROMPT")
  key=$(printf %s "$id" | tr -c 'A-Za-z0-9' -)
  [ -z "${STRAY:-}" ] || echo stray >stray.txt
  printf '```json\n{"status":"SUCCESS","summary":"s","outputs":{"checks":[{"check":"`grep -qw made-%s out/%s.txt`","reason":"r"}]}}\n```\n' "$key" "$key"
  exit ;;
esac
mkdir -p out
packet=$(tr -d '\n' <"$PLANTOOLS_PACKET")
for key in $(printf %s "$packet" | grep -o 'made-[A-Za-z0-9-]* out' | sed 's/^made-//; s/ out$//'); do
  printf 'made-%s\n' "$key" >"out/$key.txt"
done
for file in $(printf %s "$packet" | grep -o 'test -f own/[a-z0-9.]*' | sed 's/test -f //'); do
  mkdir -p own && printf 'x\n' >"$file"
done
if [ -n "${COMMITS:-}" ]; then git add out && git commit --quiet --message work; fi
printf '```json\n{"status":"SUCCESS","summary":"done"}\n```\n'
"##;

const CONFIG: &str = "[defaults]\nworker = \"builder\"\n[workers.builder]\ncommand = [\"../agent\"]\n\
    [workers.checker]\ncommand = [\"../agent\", \"checks\"]\n[agents]\ncheck = \"checker\"\n[proof]\naccept = \"passes\"\n";

/// A plan of each dialect without a check and with only open tasks: its name, its path, its text. What has no states
/// (plan-content), or is read only when named (boxes), cannot be carried out.
const PLANS: &[(&str, &str, &str)] = &[
    (
        "plan-md",
        "PLAN.md",
        "## TODOs\n\n### [ ] TODO 1: Make own/a.txt\n\n**Type**: work\n\n### [ ] TODO 2: Build\n\n**Type**: work\n",
    ),
    (
        "spec-kit",
        "specs/1/tasks.md",
        "# Tasks: Shed\n\n## Phase 1: Setup\n\n- [ ] T001 Dig in own/pit.md\n- [ ] T002 [P] Build it\n",
    ),
    (
        "kiro",
        ".kiro/specs/shed/tasks.md",
        "# Implementation Plan\n\n- [ ] 1. Dig\n  - _Requirements: 1.1_\n- [ ] 2. Build\n  - _Requirements: 1.2_\n",
    ),
    (
        "cc-sdd",
        "tasks.md",
        "## 1. Ground\n\n- [ ] 1.1 (P) Dig\n  - _Boundary: Pit_\n\n## 2. House\n\n- [ ] 2.1 Build\n  - _Depends: 1.1_\n",
    ),
    ("openspec", "openspec/changes/shed/tasks.md", "## 1. Ground\n\n- [ ] 1.1 Dig\n- [ ] 1.2 Level\n"),
    (
        "superpowers",
        "docs/plans/shed.md",
        "# Shed Implementation Plan\n\n### Task 1: Dig\n\n- [ ] **Step 1: Dig the pit**\n\n### Task 2: Build\n\n- [ ] **Step 1: Build the walls**\n",
    ),
    (
        "ralphex",
        "docs/plans/shed.md",
        "# Shed\n\n### Task 1: Dig\n- [ ] dig the pit\n\n### Task 2: Build\n- [ ] build the walls\n",
    ),
    (
        "gsd",
        "01-01-PLAN.md",
        "<tasks>\n<task type=\"auto\">\n  <name>Task 1: Dig</name>\n  <action>Dig</action>\n</task>\n<task type=\"auto\">\n  <name>Task 2: Build</name>\n  <action>Build</action>\n</task>\n</tasks>\n",
    ),
    (
        "gsd-roadmap",
        ".planning/ROADMAP.md",
        "# Roadmap: Shed\n\n- [ ] **Phase 1: Ground** - the pit\n- [ ] **Phase 2: House** - the walls\n\n### Phase 2: House\n**Depends on**: Phase 1\n",
    ),
    (
        "humanlayer",
        "thoughts/shared/plans/shed.md",
        "# Shed Implementation Plan\n\n## Phase 1: Dig\n\n### Success Criteria:\n\n#### Automated Verification:\n- [ ] It is deep\n\n#### Manual Verification:\n- [ ] It is nice\n",
    ),
    (
        "exec-plan",
        ".agent/plans/shed.md",
        "# Build a shed\n\n## Progress\n\n- [ ] Dig the pit\n- [ ] Build the walls\n\n## Surprises & Discoveries\n\nNone yet.\n",
    ),
    (
        "bmad",
        "docs/stories/1.1.story.md",
        "# Story 1.1: Shed\n\nStatus: in-progress\n\n## Acceptance Criteria\n1. It stands\n\n## Tasks / Subtasks\n- [ ] Task 1: Dig (AC: 1)\n- [ ] Task 2: Build (AC: 1)\n",
    ),
    (
        "conductor",
        "conductor/tracks.md",
        "# Project Tracks\n\n---\n\n- [ ] **Track: Dig the pit**\n*Link: [./tracks/pit_1/](./tracks/pit_1/)*\n\n---\n\n- [ ] **Track: Build**\n*Link: [./tracks/walls_2/](./tracks/walls_2/)*\n",
    ),
    (
        "plans-md",
        "Plans.md",
        "# Plans\n\n## Phase 1: Ground\n\n- [ ] Level `cc:TODO`\n- [ ] Build `cc:TODO`\n",
    ),
    (
        "task-plan",
        "task_plan.md",
        "# Task Plan: Shed\n\n## Phases\n\n### Phase 1: Ground\n- [ ] Dig\n- [ ] Level\n- **Status:** pending\n",
    ),
    (
        "taskmaster",
        "tasks.json",
        "{\"master\": {\"tasks\": [\n  {\"id\": 1, \"title\": \"Dig\", \"status\": \"pending\", \"dependencies\": [], \"testStrategy\": \"Look.\"},\n  {\"id\": 2, \"title\": \"Build\", \"status\": \"pending\", \"dependencies\": [1]}\n]}}\n",
    ),
    (
        "beads",
        "issues.jsonl",
        "{\"id\":\"s-1\",\"title\":\"Dig\",\"status\":\"open\",\"issue_type\":\"task\"}\n{\"id\":\"s-2\",\"title\":\"Build\",\"status\":\"open\",\"issue_type\":\"task\"}\n",
    ),
    (
        "prd",
        "prd.json",
        "{\"project\": \"Shed\", \"userStories\": [\n  {\"id\": \"US-001\", \"title\": \"Dig\", \"acceptanceCriteria\": [\"A pit\"], \"priority\": 1, \"passes\": false}\n]}\n",
    ),
    (
        "feature-list",
        "feature_list.json",
        "[\n  {\"category\": \"functional\", \"description\": \"Dig\", \"steps\": [\"Take a spade\"], \"passes\": false}\n]\n",
    ),
    (
        "shrimp",
        ".shrimp/tasks.json",
        "{\"tasks\": [\n  {\"id\": \"a-1\", \"name\": \"Dig\", \"status\": \"pending\", \"dependencies\": [], \"implementationGuide\": \"Take a spade\", \"verificationCriteria\": \"It is deep\"}\n]}\n",
    ),
    (
        "sprint-status",
        "sprint-status.yaml",
        "project: shed\ndevelopment_status:\n  1-1-dig-the-pit: ready-for-dev\n  1-2-build-the-walls: ready-for-dev\n",
    ),
    (
        "cursor",
        ".cursor/plans/shed.plan.md",
        "---\nname: Shed\ntodos:\n  - id: dig\n    content: Dig the pit\n    status: pending\n  - id: build\n    content: Build the walls\n    status: pending\n---\n# Shed\n",
    ),
    (
        "taskmd",
        "backlog/tasks/task-2.md",
        "---\nid: task-2\ntitle: Build the walls\nstatus: To Do\ndependencies: []\n---\n## Acceptance Criteria\n- [ ] #1 They stand\n",
    ),
    (
        "ccpm",
        ".claude/epics/shed/002.md",
        "---\nname: Build the walls\nstatus: open\ndepends_on: []\nparallel: true\n---\n# Walls\n",
    ),
    (
        "plan/v1",
        "plan.json",
        "{\"schema\": \"plan/v1\", \"meta\": {\"goal\": \"Shed\"}, \"contracts\": {}, \"tasks\": [\n  {\"id\": \"T1\", \"action\": \"Dig\", \"type\": \"work\", \"status\": \"pending\", \"depends_on\": []}\n]}\n",
    ),
    (
        "spec.json",
        "spec.json",
        "{\"meta\": {\"name\": \"shed\"}, \"requirements\": [], \"tasks\": [\n  {\"id\": \"T1\", \"action\": \"Dig\", \"type\": \"work\", \"status\": \"pending\", \"depends_on\": []}\n]}\n",
    ),
    (
        "tracker",
        "TRACKER.md",
        "| ID | Task | Status |\n|---|---|---|\n| A-1 | Dig | Todo |\n| A-2 | Build | Todo |\n",
    ),
    (
        "tracker",
        "docs/PLAN.md",
        "# Plan\n\n## Phase 1: Ground\n\n| # | Task | Files |\n|---|---|---|\n| 1.1 | Dig | - |\n| 1.2 | Level | - |\n",
    ),
    (
        "headings",
        "IMPLEMENTATION_PLAN.md",
        "# Implementation Plan\n\n## Phase 1: Dig ⏳\n\nTake a spade.\n\n## Phase 2: Build ⏳\n\nTake a hammer.\n",
    ),
    ("numbered", "PLAN.md", "# Shed\n\n## Implementation Steps\n\n1. Dig\n2. Build\n"),
    ("checklist", "TODO.md", "# Shed\n\n- [ ] Dig own/pit.md\n- [ ] Build\n"),
];

fn prepared(path: &str, text: &str) -> Bench {
    let bench = bench!(empty);
    bench.write("plantools.toml", CONFIG).write(path, text).program("../agent", AGENT);
    bench.commit_all("start");
    bench
}

/// Finds checks for one plan, carries it out, and returns the counts of levels.
fn goes_all_the_way(dialect: &str, path: &str, text: &str) {
    let bench = prepared(path, text);
    let found = bench.command("orchestrate").args(["checks", "--adopt=all", path]).within(240).run();
    found.exits(0);
    let plan = bench.command("plan-parse").args(["-q", path]).run().json();
    assert_eq!(plan["source"]["dialect"], dialect);
    for task in plan["tasks"].as_array().into_iter().flatten() {
        let runnable = |one: &Value| one["runnable"] == true;
        let has = task["criteria"].as_array().is_some_and(|all| all.iter().any(runnable));
        assert!(has, "{dialect}: task {} has no check\n{}\n{}", task["id"], found.err(), bench.text(path));
    }
    bench.commit_all("checks");
    let done = bench.command("orchestrate").args([path]).within(240).run();
    assert_eq!(done.status, 0, "{dialect}: {}\n{}", done.err(), bench.text(path));
    let report = bench.command("run-report").args(["--final", "--format", "json", path]).run();
    let counts = &report.json()["numbers"]["levels"];
    assert!(counts.is_object(), "{dialect}: {}", report.out());
    let weak =
        counts.as_object().into_iter().flatten().filter(|(level, count)| {
            !matches!(level.as_str(), "proved" | "passes") && count.as_u64() != Some(0)
        });
    assert_eq!(weak.count(), 0, "{dialect}: {counts}");
    let text = bench.command("run-report").args(["--final", path]).run().out();
    assert!(
        text.contains("by a proposed check") || text.contains("by a suggested check"),
        "{dialect}: {text}"
    );
    // As the placebo said: a check that empty files meet proves nothing.
    for record in bench.records().iter().filter(|record| record["key"] == "adopt") {
        let checks = record["data"]["checks"].as_array().cloned().unwrap_or_default();
        let proves = checks.iter().any(|check| check["trial"]["existence_only"] != true);
        let report = report.json();
        let mut tasks = report["tasks"].as_array().into_iter().flatten();
        let level = tasks.find(|task| task["id"] == record["task"]).map(|task| task["level"].clone());
        assert_eq!(level, Some(if proves { "proved" } else { "passes" }.into()), "{dialect}: {record}");
    }
    bench.command("orchestrate").args(["checks", "--undo", path]).run().exits(0);
}

/// The source workflows commit or archive what a worker did, so each needs more than one file and another end.
#[test]
fn a_runbook_and_a_session_get_checks_and_are_carried_out() {
    let runbook = "# Runbook: Shed\n\n**Type**: general\n\n### Phase 1: Ground\n\n## Step 1.1: Dig\n\nTake a spade.\n\n\
        ## Step 1.2: Build\n\nTake a hammer.\n";
    let session = ".workflow/active/WFS-shed";
    let list = "# Tasks: Shed\n\n## Task Progress\n- [ ] **IMPL-1**: Dig → [📋](./.task/IMPL-1.json)\n";
    let task = "{\"id\": \"IMPL-1\", \"title\": \"Dig\", \"status\": \"pending\", \"meta\": {\"type\": \"feature\"}, \
        \"context\": {\"requirements\": [\"A pit\"], \"depends_on\": []}, \"flow_control\": {\"implementation_approach\": []}}\n";
    for (plan, tasks, files) in [
        ("plans/shed/runbook.md", 2, vec![("plans/shed/runbook.md".to_owned(), runbook)]),
        (
            session,
            1,
            vec![
                (format!("{session}/TODO_LIST.md"), list),
                (format!("{session}/IMPL_PLAN.md"), "# Implementation Plan: Shed\n"),
                (
                    format!("{session}/workflow-session.json"),
                    "{\"session_id\": \"WFS-shed\", \"status\": \"active\"}\n",
                ),
                (format!("{session}/.task/IMPL-1.json"), task),
            ],
        ),
    ] {
        let bench = prepared(&files[0].0, files[0].1);
        for (path, text) in &files {
            bench.write(path, text);
        }
        let agents = "check = \"checker\"\n";
        bench.write(
            "plantools.toml",
            CONFIG.replace(agents, &format!("{agents}code-developer = \"builder\"\n")),
        );
        bench.commit_all("whole");
        let got = bench.command("orchestrate").args(["checks", "--adopt=all", plan]).within(240).run();
        got.exits(0);
        assert!(got.err().contains(&format!("all {tasks} tasks without a check have one now")), "{got:?}");
        bench.command("orchestrate").args(["checks", "--undo", plan]).run().exits(0);
        for (path, text) in &files {
            assert_eq!(bench.text(path), *text, "{path}");
        }
        bench.command("orchestrate").args(["checks", "--adopt=all", plan]).within(240).run().exits(0);
        bench.commit_all("checks");
        let commits = if plan == session { "" } else { "1" };
        let got = bench.command("orchestrate").env("COMMITS", commits).args([plan]).within(240).run();
        got.exits(0);
        let levels: Vec<Value> = bench
            .records()
            .iter()
            .filter(|record| record["type"] == "tick")
            .map(|record| record["data"]["tick"]["level"].clone())
            .collect();
        assert_eq!(levels, vec![Value::from("proved"); tasks], "{got:?}");
    }
}

fn part(number: usize) {
    for (dialect, path, text) in PLANS.iter().skip(number).step_by(4) {
        goes_all_the_way(dialect, path, text);
    }
}

#[test]
fn a_plan_of_each_dialect_gets_checks_and_is_carried_out_1() {
    part(0);
}

#[test]
fn a_plan_of_each_dialect_gets_checks_and_is_carried_out_2() {
    part(1);
}

#[test]
fn a_plan_of_each_dialect_gets_checks_and_is_carried_out_3() {
    part(2);
}

#[test]
fn a_plan_of_each_dialect_gets_checks_and_is_carried_out_4() {
    part(3);
}

const LIST: &str = "# Shed\n\n- [ ] Dig\n- [ ] Build\n";

#[test]
fn a_proposer_that_edits_is_refused_and_its_edits_are_taken_back() {
    let bench = prepared("TODO.md", LIST);
    let got = bench.command("orchestrate").env("STRAY", "1").args(["checks", "--adopt=all", "TODO.md"]).run();
    got.exits(0);
    assert!(got.err().contains("checker-strayed"), "{}", got.err());
    assert!(!bench.path("stray.txt").exists());
    assert_eq!(bench.text("TODO.md"), LIST);
    assert!(bench.records().iter().any(|record| record["key"] == "checker-strayed"));
    // The tasks themselves are not halted.
    bench.sh("plan-parse TODO.md | dag-next").run().exits(0);
    assert!(bench.halts().is_empty());
}

#[test]
fn whoever_works_on_a_task_does_not_propose_its_checks() {
    let bench = prepared("TODO.md", LIST);
    bench.write("plantools.toml", CONFIG.replace("check = \"checker\"", "check = \"builder\""));
    let got = bench.command("orchestrate").args(["checks", "--adopt=all", "TODO.md"]).run();
    got.exits(0);
    assert!(got.err().contains("same-checker"), "{}", got.err());
    assert_eq!(bench.text("TODO.md"), LIST);
}

#[test]
fn without_an_agent_there_are_suggestions_and_undo_takes_them_out() {
    let bench = prepared("TODO.md", "# Shed\n\n- [ ] Dig own/pit.md\n- [ ] Build\n");
    bench.write("plantools.toml", "[defaults]\nworker = \"shell\"\n");
    let before = bench.text("TODO.md");
    let got = bench.command("orchestrate").args(["checks", "--adopt=all", "TODO.md"]).run();
    got.exits(0);
    assert!(got.err().contains("[agents]"), "{}", got.err());
    assert!(bench.text("TODO.md").contains("- [ ] Dig own/pit.md\n  - Verify: `test -f own/pit.md`\n"));
    bench.command("orchestrate").args(["checks", "--undo", "TODO.md"]).run().exits(0);
    assert_eq!(bench.text("TODO.md"), before);
    let lint = bench.command("plan-parse").args(["--lint", "TODO.md"]).run();
    assert!(lint.err().contains("2 open tasks have no check"), "{}", lint.err());
    assert!(lint.err().contains("plan-parse --suggest has one for 1"), "{}", lint.err());
    assert!(lint.err().contains("orchestrate checks TODO.md"), "{}", lint.err());
}

#[test]
fn a_person_takes_leaves_edits_and_stops_one_by_one() {
    let task = |name: &str| format!("- [ ] Dig own/{name}.md\n");
    let plan = |checks: [&str; 5]| {
        let one = |(name, check): (&str, &str)| {
            let below = if check.is_empty() { String::new() } else { format!("  - Verify: {check}\n") };
            task(name) + &below
        };
        format!(
            "# Shed\n\n{}",
            ["a", "b", "c", "d", "e"].into_iter().zip(checks).map(one).collect::<String>()
        )
    };
    let bench = prepared("TODO.md", &plan([""; 5]));
    bench.write("plantools.toml", "[defaults]\nworker = \"shell\"\n");
    let ask = |answers: &str| {
        let line = format!("printf '{answers}' | script -qec 'orchestrate checks TODO.md' /dev/null");
        bench.sh(&line).within(60).run()
    };
    // What is no answer is asked again; an edited check is tried like any other.
    let got = ask("y\\nn\\ne\\n`grep -q deep own/c.md`\\nwhat\\nq\\n");
    got.exits(0);
    let edited = "`grep -q deep own/c.md`";
    assert_eq!(bench.text("TODO.md"), plan(["`test -f own/a.md`", "", edited, "", ""]), "{got:?}");
    assert!(got.out().contains("y: yes, n: no, e: edit, a: this and all others, q: stop"), "{got:?}");
    assert!(got.out().contains("own/a.md"), "{got:?}");
    assert!(!got.out().contains("asking for checks"), "{got:?}");
    // What passes for any change, and what is no check, is not adopted.
    let got = ask("e\\n`git status --porcelain` → not empty\\ne\\necho hi\\nn\\nq\\n");
    got.exits(0);
    assert!(got.out().contains("not adopted: ") && got.out().contains("no legal check"), "{got:?}");
    assert_eq!(bench.text("TODO.md"), plan(["`test -f own/a.md`", "", edited, "", ""]), "{got:?}");
    let got = ask("n\\na\\n");
    got.exits(0);
    let all = ["`test -f own/a.md`", "", edited, "`test -f own/d.md`", "`test -f own/e.md`"];
    assert_eq!(bench.text("TODO.md"), plan(all), "{got:?}");
    // Nobody is there to ask.
    let got = bench.sh("setsid --wait orchestrate checks TODO.md </dev/null").within(60).run();
    got.exits(2);
    assert!(got.err().contains("--adopt=all"), "{got:?}");
    assert_eq!(bench.text("TODO.md"), plan(all), "{got:?}");
}

#[test]
fn undo_leaves_only_what_was_edited_and_goes_on_once_that_is_gone() {
    let bench = prepared("TODO.md", "# Shed\n\n- [ ] Dig own/a.md\n- [ ] Dig own/b.md\n- [ ] Dig own/c.md\n");
    bench.write("plantools.toml", "[defaults]\nworker = \"shell\"\n");
    let before = bench.text("TODO.md");
    bench.command("orchestrate").args(["checks", "--adopt=all", "TODO.md"]).run().exits(0);
    let edited = bench.text("TODO.md").replace("`test -f own/b.md`", "`test -f own/b.md` → exit 0");
    bench.write("TODO.md", &edited);
    let got = bench.command("orchestrate").args(["checks", "--undo", "TODO.md"]).run();
    got.exits(65);
    assert!(got.err().contains("task '2' was changed since"), "{got:?}");
    let left = before.replace("own/b.md\n", "own/b.md\n  - Verify: `test -f own/b.md` → exit 0\n");
    assert_eq!(bench.text("TODO.md"), left, "{got:?}");
    bench.write("TODO.md", &before);
    bench.command("orchestrate").args(["checks", "--undo", "TODO.md"]).run().exits(0);
    assert_eq!(bench.text("TODO.md"), before);
}
