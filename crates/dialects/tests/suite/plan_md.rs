//! Reading a PLAN.md, one trait of real plans at a time.

#![expect(clippy::unwrap_used, reason = "a text that does not parse fails the test")]

use crate::asked::{self, asked};
use dialects::{body, errors, read};
use markdown::Text;
use wire::plan::{Kind, Plan, Severity};
use wire::{State, Task};

fn plan(text: &str) -> Plan {
    read(&Text { path: "PLAN.md", bytes: text.as_bytes() }, None).unwrap()
}

fn ids(plan: &Plan) -> Vec<&str> {
    plan.tasks.iter().map(|task| task.id.as_str()).collect()
}

fn depends(task: &Task) -> Vec<&str> {
    task.depends_on.iter().map(wire::TaskId::as_str).collect()
}

fn codes(plan: &Plan) -> Vec<&str> {
    plan.diagnostics.iter().map(|found| found.code.as_str()).collect()
}

const WHOLE: &str = "\
# Ship the widget

## Work Objectives

### Definition of Done
- [ ] everything works
- [x] documented

## Dependency Graph

| TODO | Requires (Inputs) | Produces (Outputs) | Type |
|------|-------------------|--------------------|------|
| 1 | - | `config_path` (file), `mode` (string: \"a\"\\|\"b\") | work |
| 2 | `todo-1.config_path` | `api` (file) | work |
| Final | all outputs | - | verification |

## Parallelization

| Group | TODOs | Reason |
|---|---|---|
| A | TODO 1, 2 | other files |

## Commit Strategy

| After TODO | Message | Files | Condition |
|---|---|---|---|
| 1 | `feat: a \\| b` | `src/a.rs`, `src/b.rs` (new) | always |
| 2 | `feat: api` | `src/api/*, src/lib.rs` | only if changed |

## TODOs

### [x] TODO 1: Write the config ✅ 2026-04-15

**Type**: work

**Required Tools**: `jq`, `make`

**Inputs**: (none - first task)

**Outputs**:
- `config_path` (file): `./config/app.json` - the configuration

**Steps**:
- [x] Create the folder
- [ ] Write the file
  - with defaults
  ```json
  {}
  ```

**Must NOT do**:
- Do not run git commands

**References**:
- `src/types.rs:10-30` - types

**Acceptance Criteria**:

*Functional:*
- [x] `test -f config/app.json` → exit 0
- [ ] Names: `grep -c 'a\\|b' config/app.json` >= 2

*Static:*
- [ ] `cargo check` → 0 warnings

*Runtime:*
- [ ] (no tests)

**Verify**:
```yaml
acceptance:
  - given: [\"a\"]
commands:
  - run: \"jq . config/app.json\"
    expect: \"exit 0\"
  - run: 'wc -l < config/app.json'
    expect: \">= 3\"
risk: HIGH
rollback: \"git revert\"
```

---

### [ ] TODO 2: Build the api

**Type**: Work
**Risk**: LOW

**Inputs**:
- `config_path` (file): `${todo-1.outputs.config_path}`

**Acceptance Criteria**:

- *Functional*:
  - The api answers
- *Cleanup*:
  _None_

---

### [] TODO Final: Verification

**Type**: verification (read-only)
";

#[test]
fn a_whole_plan_is_read() {
    let plan = plan(WHOLE);
    assert_eq!(plan.title, "Ship the widget");
    assert_eq!(plan.source.dialect, "plan-md");
    assert_eq!(ids(&plan), ["1", "2", "Final"]);
    assert!(plan.diagnostics.is_empty(), "{:?}", plan.diagnostics);
    let [one, two, last] = plan.tasks.as_slice() else { panic!() };
    assert_eq!((one.title.as_str(), one.state, one.kind), ("Write the config", State::Completed, Kind::Work));
    assert_eq!((last.state, last.kind), (State::Pending, Kind::Verification));
    assert_eq!((depends(one), depends(two), depends(last)), (vec![], vec!["1"], vec!["1", "2"]));
    assert_eq!(one.steps, ["Create the folder", "Write the file\n- with defaults\n```json\n{}\n```"]);
    assert_eq!(one.must_not, ["Do not run git commands"]);
    assert_eq!(one.files[0].path, "./config/app.json");
    assert_eq!(one.extra["required_tools"], serde_json::json!(["jq", "make"]));
    assert_eq!((&one.extra["risk"], &two.extra["risk"]), (&"HIGH".into(), &"LOW".into()));
    assert_eq!(one.group.as_deref(), Some("A"));
    let notes: Vec<_> = plan.notes.iter().map(|note| (note.section.as_str(), note.checked)).collect();
    assert_eq!(notes, [("Definition of Done", false), ("Definition of Done", true)]);
}

#[test]
fn criteria_have_category_command_and_expectation() {
    let plan = plan(WHOLE);
    let found: Vec<_> = plan.tasks[0]
        .criteria
        .iter()
        .map(|c| (c.id.as_str(), c.category.as_str(), asked(c), c.checked))
        .collect();
    let found: Vec<_> =
        found.iter().map(|(id, category, asked, on)| (*id, *category, asked.as_str(), *on)).collect();
    assert_eq!(
        found,
        [
            ("1:1", "functional", "test -f config/app.json → exit 0", true),
            ("1:2", "functional", "grep -c 'a\\|b' config/app.json → >= 2", false),
            ("1:3", "static", "cargo check → 0 warnings", false),
            ("1:4", "runtime", "skip", false),
            ("1:5", "verify", "jq . config/app.json → exit 0", false),
            ("1:6", "verify", "wc -l < config/app.json → >= 3", false),
        ]
    );
    assert_eq!(plan.tasks[0].criteria[3].skip.as_deref(), Some("no tests"));
    let rendered = &plan.tasks[1].criteria;
    assert_eq!(rendered.len(), 1);
    assert_eq!((rendered[0].category.as_str(), rendered[0].boxed), ("functional", false));
}

#[test]
fn commits_come_from_the_table() {
    let plan = plan(WHOLE);
    let one = plan.tasks[0].commit.as_ref().unwrap();
    assert_eq!((one.message.as_str(), one.condition.as_str()), ("feat: a | b", "always"));
    assert_eq!(one.files, ["src/a.rs", "src/b.rs"]);
    assert_eq!(plan.tasks[1].commit.as_ref().unwrap().files, ["src/api/*", "src/lib.rs"]);
    assert!(plan.tasks[2].commit.is_none());
}

#[test]
fn spans_are_exact() {
    let plan = plan(WHOLE);
    let two = body(WHOLE.as_bytes(), &plan.tasks[1].span);
    assert!(two.starts_with(b"### [ ] TODO 2") && two.ends_with(b"_None_"));
    let marks: Vec<_> = plan.tasks.iter().map(|t| body(WHOLE.as_bytes(), t.mark.as_ref().unwrap())).collect();
    assert_eq!(marks, [&b"x"[..], b" ", b""]);
    for criterion in plan.tasks[0].criteria.iter().filter(|criterion| criterion.boxed) {
        assert_eq!(criterion.span.end - criterion.span.start, 1);
    }
}

#[test]
fn every_form_of_heading_is_a_task() {
    for (heading, id, title) in [
        ("### [ ] TODO 2a: Split it", "2a", "Split it"),
        ("### [ ] TODO Final: Verification", "Final", "Verification"),
        ("### [x] P0-2b: Hotfix (a → b)", "P0-2b", "Hotfix (a → b)"),
        ("### [ ] TODO 1.a: (ADDED) More", "1.a", "More"),
        ("### [ ] TODO 1.a (ADDED): More", "1.a", "More"),
        ("### [ ] TODO-1: Dash", "1", "Dash"),
        ("### [ ] Task 2a: Task", "2a", "Task"),
        ("#### [ ] TODO 3: Deeper", "3", "Deeper"),
        ("## [ ] TODO 4 — A dash", "4", "A dash"),
        ("### [] TODO 5: No blank", "5", "No blank"),
        ("### [ ] **TODO 6**: Bold", "6", "Bold"),
        ("### [ ] 7. Numbered", "7", "Numbered"),
        ("### [~] ~~TODO 8: Struck~~ — **dropped**", "8", "Struck"),
        ("   ### [ ] TODO 9: Indented ###", "9", "Indented"),
        ("### [ ] Phase 1: Setup", "Phase 1", "Setup"),
        ("### [ ] TODO 10", "10", ""),
    ] {
        let plan = plan(&format!("# T\n\n{heading}\n\ntext\n"));
        assert_eq!(plan.tasks.len(), 1, "{heading}");
        assert_eq!((plan.tasks[0].id.as_str(), plan.tasks[0].title.as_str()), (id, title), "{heading}");
    }
}

#[test]
fn marks_mean_states() {
    for (mark, state, warns) in [
        (" ", State::Pending, false),
        ("", State::Pending, false),
        ("x", State::Completed, false),
        ("X", State::Completed, false),
        ("-", State::InProgress, false),
        ("!", State::Blocked, false),
        ("~", State::Blocked, false),
        ("?", State::Pending, true),
        ("done", State::Completed, false),
        ("✅", State::Completed, false),
    ] {
        let plan = plan(&format!("### [{mark}] TODO 1: x\n"));
        assert_eq!(plan.tasks[0].state, state, "{mark}");
        assert_eq!(codes(&plan) == ["unknown-mark"], warns, "{mark}");
    }
    let dropped = plan("### [~] TODO 1: x — **삭제됨**\n");
    assert_eq!(dropped.tasks[0].state, State::Skipped);
    let reverted = plan("### [~] TODO 1: x\n\n**Type**: work (REVERTED)\n");
    assert_eq!(reverted.tasks[0].state, State::Skipped);
}

#[test]
fn a_plan_without_boxes_is_an_error_and_never_complete() {
    let text = "# T\n\n## TODOs\n\n### TODO 1: a\n\n- [x] b\n\n### TODO 2 — c ✅ 2026-04-15\n\n- [x] d\n";
    let fail = read(&Text { path: "PLAN.md", bytes: text.as_bytes() }, None).unwrap_err();
    assert_eq!((fail.code, fail.exit.code(), fail.line), ("no-tasks", 65, Some(5)));
    assert!(fail.message.contains("lines 5, 9"), "{}", fail.message);
}

#[test]
fn a_heading_that_lost_its_box_is_pointed_out() {
    let plan = plan("### [ ] TODO 1: a\n\n### TODO 2: b\n\n## Task Flow\n");
    assert_eq!(ids(&plan), ["1"]);
    assert_eq!(codes(&plan), ["heading-without-box"]);
    assert_eq!(plan.diagnostics[0].line, 3);
}

#[test]
fn what_is_hidden_is_no_task() {
    let text = "### [ ] TODO 1: a\n\n```md\n### [ ] TODO 2: b\n---\n```\n\n<!--\n### [ ] TODO 3: c\n-->\n\n> ### [ ] TODO 4: d\n\n    ### [ ] TODO 5: e\n";
    let plan = plan(text);
    assert_eq!(ids(&plan), ["1"]);
    assert_eq!(codes(&plan), ["task-in-code", "task-in-comment", "task-in-quote", "task-in-code"]);
    assert!(plan.diagnostics.iter().all(|found| found.severity == Severity::Hint));
}

#[test]
fn dependencies_of_every_form_become_edges() {
    let text = "\
## Dependency Graph

| TODO | Requires | Produces | Type |
|---|---|---|---|
| Pre-flight | - | seeded rows in the table | orchestrator step |
| 1 | seeded rows | `a` | work |
| 2 | `a` | b | work |
| 3 | TODO 1, 2 | - | work |
| 4 | `todo-1~3 completed` | - | work |
| 5 | all work TODOs | - | work |
| Final | all | - | verification |

## TODOs

### [ ] TODO 1: a
### [ ] TODO 2: b
### [ ] TODO 3: c
### [ ] TODO 4: d
### [ ] TODO 5: e
### [ ] TODO Final: f

**Type**: verification
";
    let plan = plan(text);
    let edges: Vec<_> = plan.tasks.iter().map(depends).collect();
    assert_eq!(
        edges,
        [
            vec![],
            vec!["1"],
            vec!["1", "2"],
            vec!["1", "2", "3"],
            vec!["1", "2", "3", "4"],
            vec!["1", "2", "3", "4", "5"],
        ]
    );
    assert_eq!(codes(&plan), ["unknown-row"]);
}

#[test]
fn the_renderers_bullets_are_read() {
    let text = "\
## Dependency Graph

- **todo-1**: requires [] → produces [app_path]
- **todo-final**: requires [app_path] → produces []

## Commit Strategy

- After `todo-1`: `feat: build`
  - Files: out/app.html
  - Condition: always

## TODOs

### [ ] TODO 1: Build
**Type**: Work

### [ ] TODO 2: Verification
**Type**: Verification
";
    let plan = plan(text);
    assert_eq!(depends(&plan.tasks[1]), ["1"]);
    let commit = plan.tasks[0].commit.as_ref().unwrap();
    assert_eq!(
        (commit.message.as_str(), commit.files.as_slice()),
        ("feat: build", &["out/app.html".to_owned()][..])
    );
    assert_eq!(commit.condition, "always");
}

#[test]
fn commits_of_several_tasks_name_each_other() {
    let text = "| After TODO | Message |\n|---|---|\n| 1+2 | `m` |\n| (after Final) | `n` |\n\n### [ ] TODO 1: a\n### [ ] TODO 2: b\n### [ ] TODO Final: c\n";
    let plan = plan(text);
    assert_eq!(plan.tasks[0].commit.as_ref().unwrap().with, ["2".into()]);
    assert_eq!(plan.tasks[1].commit.as_ref().unwrap().with, ["1".into()]);
    assert_eq!(plan.tasks[2].commit.as_ref().unwrap().message, "n");
}

#[test]
fn errors_name_all_members_and_lines() {
    let text = "\
| TODO | Requires | Produces |
|---|---|---|
| 1 | todo-2 | |
| 2 | todo-1 | |
| 3 | todo-9 | |
| 4 | nothing_known | |
| 5 | todo-5 | |

### [ ] TODO 1: a
### [ ] TODO 2: b
### [ ] TODO 3: c
### [ ] TODO 3: c again
### [ ] TODO 4: d
### [ ] TODO 5: e
";
    let plan = plan(text);
    let mut found = codes(&plan);
    found.sort_unstable();
    assert_eq!(
        found,
        ["cycle", "duplicate-id", "self-dependency", "unknown-dependency", "unresolved-requirement"]
    );
    let message = |code: &str| plan.diagnostics.iter().find(|d| d.code == code).unwrap().message.clone();
    assert_eq!(message("cycle"), "tasks wait for each other: '1' (line 9) → '2' (line 10) → '1'");
    assert_eq!(message("duplicate-id"), "task id '3' is used on lines 11, 12");
    let fail = errors(&plan).unwrap();
    assert_eq!((fail.code, fail.line), ("unknown-dependency", Some(5)));
    assert!(fail.message.ends_with("(and 3 more errors)"), "{}", fail.message);
}

#[test]
fn an_input_adds_an_edge_and_says_so() {
    let plan =
        plan("### [ ] TODO 1: a\n### [ ] TODO 2: b\n**Inputs**:\n- `x` (file): `${todo-1.outputs.x}`\n");
    assert_eq!(depends(&plan.tasks[1]), ["1"]);
    assert_eq!(codes(&plan), ["edge-from-inputs"]);
}

#[test]
fn an_input_by_the_short_name_of_an_output_is_a_dependency() {
    for line in
        ["**Inputs**: `todo-1.x`", "**Inputs**:\n- `todo-1.x` (file)", "**Inputs**:\n- `x`: `todo-1.x`"]
    {
        let plan = plan(&format!("### [ ] TODO 1: a\n### [ ] TODO 2: b\n{line}\n"));
        assert_eq!(depends(&plan.tasks[1]), ["1"], "{line}");
    }
    for (name, found) in [("todo-list.md", false), ("todo-9.x", true)] {
        let plan = plan(&format!("### [ ] TODO 1: a\n### [ ] TODO 2: b\n**Inputs**: `{name}`\n"));
        assert_eq!(codes(&plan).contains(&"unknown-dependency"), found, "{name}");
    }
}

#[test]
fn bytes_of_any_kind_survive() {
    let text = b"\xef\xbb\xbf### [ ] TODO 1: a\xff\xfeb\r\n\r\n**Type**: work\r\n\r\n### [x] TODO 2: c\r\n";
    let plan = read(&Text { path: "PLAN.md", bytes: text }, None).unwrap();
    assert_eq!(ids(&plan), ["1", "2"]);
    assert_eq!(plan.tasks[0].title, "a\u{fffd}\u{fffd}b");
    assert_eq!(plan.tasks[0].span.start, 3);
    assert_eq!(body(text, plan.tasks[1].mark.as_ref().unwrap()), b"x");
}

#[test]
fn a_label_without_a_blank_line_before_it_still_ends_the_list() {
    let text = "### [ ] TODO 1: a\n**Steps**:\n- [ ] one\n**Must NOT do**:\n- two\n**Acceptance Criteria**:\n*Functional:*\n- [ ] three\n*Static:*\n- [ ] four\n";
    let plan = plan(text);
    let task = &plan.tasks[0];
    assert_eq!(
        (task.steps.as_slice(), task.must_not.as_slice()),
        (&["one".to_owned()][..], &["two".to_owned()][..])
    );
    let found: Vec<_> = task.criteria.iter().map(|c| (c.category.as_str(), c.text.as_str())).collect();
    assert_eq!(found, [("functional", "three"), ("static", "four")]);
}

#[test]
fn fingerprints_hold_what_is_asked_and_nothing_else() {
    let print = |text: &str| plan(text).tasks[0].fingerprint.clone();
    let base = print("### [ ] TODO 1: a\n\n- [ ] s\n\n---\n\n### [ ] TODO 2: b\n");
    for same in [
        "### [x] TODO 1: a\n\n- [x] s\n\n---\n\n### [ ] TODO 2: b\n",
        "### [] TODO 1: a\n\n- [] s\n",
        "### [x] TODO 1: a ✅ 2026-04-15\n\n- [x] s\n",
        "### [ ] TODO 1: a\r\n\r\n- [ ] s\r\n",
        "### [ ] TODO 1: a\n\n- [ ] s\n\n### [ ] TODO 1.a: (ADDED) c\n\n### [ ] TODO 2: b\n",
    ] {
        assert_eq!(print(same), base, "{same:?}");
    }
    assert_ne!(print("### [ ] TODO 1: b\n\n- [ ] s\n"), base);
    assert_ne!(print("### [ ] TODO 1: a\n\n- [ ] t\n"), base);
}

#[test]
fn a_verify_block_that_is_not_understood_warns() {
    let text = "### [ ] TODO 1: a\n\n```yaml\nVerify:\n  commands:\n    - run: \"a \\\"b\\\" -c\"\n      expect: 'it''s'\n    - {run: \"make x\", expect: \"exit 0\"}\n    - run: |\n        make a\n        make b\n      timeout: 3\n  odd: 1\n```\n";
    let plan = plan(text);
    let commands: Vec<_> = plan.tasks[0].criteria.iter().filter_map(|c| c.command.as_deref()).collect();
    assert_eq!(commands, ["a \"b\" -c", "make x", "make a\nmake b"]);
    assert_eq!(codes(&plan), ["verify-not-understood"]);
    let left: Vec<_> = plan.tasks[0].criteria.iter().filter(|c| c.command.is_none()).collect();
    assert_eq!(left.iter().map(|c| c.text.as_str()).collect::<Vec<_>>(), ["timeout: 3", "odd: 1"]);
    assert!(left.iter().all(|c| !c.runnable));
}

#[test]
fn what_a_verify_block_says_is_never_lost() {
    for (block, left, line) in [
        ("commands:\n  - run: grep -c \"a: b\" x", "- run: grep -c \"a: b\" x", 5),
        ("commands:\n  - run: ! grep x f", "- run: ! grep x f", 5),
        ("commands:\n  - expect: exit 0", "- expect: exit 0", 5),
        ("commands: make test", "commands: make test", 4),
        ("commands:\n  - run: [a, b]", "- run: [a, b]", 5),
        ("commands:\n  - run: \"a \\d\"", "- run: \"a \\d\"", 5),
        ("just words", "just words", 4),
    ] {
        let plan = plan(&format!("### [ ] TODO 1: a\n**Verify**:\n```yaml\n{block}\n```\n"));
        let criteria = &plan.tasks[0].criteria;
        let found: Vec<_> = criteria.iter().map(|c| (c.text.as_str(), c.span.line, c.runnable)).collect();
        assert_eq!(found, [(left, line, false)], "{block}");
        assert_eq!(codes(&plan), ["verify-not-understood"], "{block}");
    }
}

#[test]
fn a_heading_may_begin_with_a_sign_and_its_name_may_be_bold() {
    let plan = plan(
        "### 🔄 [-] TODO 1: Build\n### - [ ] TODO 2: Wire\n### [ ] ✅ TODO 3: Ship\n### [X] **TODO 4:** Sell\n",
    );
    let told: Vec<_> = plan.tasks.iter().map(|t| (t.id.as_str(), t.title.as_str(), t.state)).collect();
    assert_eq!(
        told,
        [
            ("1", "Build", State::InProgress),
            ("2", "Wire", State::Pending),
            ("3", "Ship", State::Pending),
            ("4", "Sell", State::Completed),
        ]
    );
}

#[test]
fn a_dependency_is_read_however_its_label_is_written() {
    for label in [
        "**Depends on**: TODO 1",
        "**Depends on:** TODO 1",
        "__Dependencies__: TODO 1",
        "Depends on: TODO 1",
        "- Depends on: TODO 1",
        "- **Blocked by**: 1",
        "#### Dependencies\n- TODO 1",
        "| Field | Value |\n|---|---|\n| Type | work |\n| Depends on | TODO 1 |",
        "**의존성**: TODO 1",
        "**依赖**: TODO 1",
        "**Abhängigkeiten**: TODO 1",
    ] {
        let plan = plan(&format!("### [ ] TODO 1: a\n\n### [ ] TODO 2: b\n\n{label}\n"));
        assert_eq!(depends(&plan.tasks[1]), ["1"], "{label}");
    }
}

#[test]
fn criteria_are_read_in_other_languages_and_without_emphasis() {
    for label in ["Acceptance Criteria:", "**인수 조건**:", "**验收标准**：", "**Akzeptanzkriterien:**"]
    {
        let plan = plan(&format!("### [ ] TODO 1: a\n\n{label}\n\n- [ ] `make test` → exit 0\n"));
        let commands: Vec<_> = plan.tasks[0].criteria.iter().map(|c| c.command.as_deref()).collect();
        assert_eq!(commands, [Some("make test")], "{label}");
    }
}

#[test]
fn a_commit_may_name_its_message_in_code_and_its_files_behind() {
    let plan =
        plan("### [ ] TODO 1: a\n\n## Commit Strategy\n\n- After TODO 1: `feat: a` (`src/a.rs`, src/b.rs)\n");
    let commit = plan.tasks[0].commit.as_ref().unwrap();
    assert_eq!((commit.message.as_str(), commit.files.as_slice()), ("feat: a", &["src/a.rs".to_owned()][..]));
}

#[test]
fn versions_that_differ_in_one_tick_differ_in_one_state() {
    let mut text = WHOLE.to_owned();
    let mut before = plan(&text);
    for index in 0..before.tasks.len() {
        let mark = before.tasks[index].mark.clone().unwrap();
        let (start, end) = (usize::try_from(mark.start).unwrap(), usize::try_from(mark.end).unwrap());
        let done = before.tasks[index].state == State::Completed;
        text.replace_range(start..end, if done { " " } else { "x" });
        let after = plan(&text);
        for (other, (was, is)) in before.tasks.iter().zip(&after.tasks).enumerate() {
            assert_eq!(was.state != is.state, other == index, "task {}", was.id);
            assert_eq!((&was.fingerprint, &was.depends_on), (&is.fingerprint, &is.depends_on));
        }
        before = after;
    }
}

#[test]
fn a_plan_whose_only_boxes_are_about_the_whole_is_never_complete() {
    let text = "# P\n\n## Goal\n\nText.\n\n## Verification\n\n- [x] all green\n- [x] no warnings\n";
    let fail = read(&Text { path: "docs/PLAN.md", bytes: text.as_bytes() }, None).unwrap_err();
    assert_eq!((fail.code, fail.to_string().contains("'Verification'")), ("no-tasks", true), "{fail}");
    let more = format!("{text}\n## Work\n\n- [ ] do it\n");
    let plan = read(&Text { path: "docs/PLAN.md", bytes: more.as_bytes() }, None).unwrap();
    assert_eq!((plan.source.dialect.as_str(), plan.tasks.len()), ("checklist", 1));
}

#[test]
fn tasks_may_be_items_with_the_fields_below_them() {
    let plan = plan(
        "\
# Plan

## Work Objectives

### Definition of Done
- [ ] all of it works

### Dependency Matrix

| Task | Depends On | Blocks |
|---|---|---|
| 1 | — | 2-3 |
| 2-3 | 1 | F1 |

## TODOs

- [x] 1. Lay the ground

  **What to do**:
  - make the folder

  **Must NOT do**:
  - touch the roof

  **Acceptance Criteria**:
  - [x] `test -d ground` → exit 0

---

- [ ] 2. Build

  **What to do**:
  - lay stones

  **Parallelization**:
  - **Can Run In Parallel**: NO
  - **Blocked By**: T1

  **Acceptance Criteria**:
  - [ ] the wall stands
  - [ ] `make wall` → PASS

  **Commit**: YES
  - Message: `feat: a wall`
  - Files: `wall.c`, `wall.h`
  - Pre-commit: `make check`

- [ ] 3. Paint

  **What to do**:
  - paint

  **Commit**: NO | Message: `never`

## Final Verification Wave

- [ ] F1. **Audit** the whole

### Final Checklist
- [ ] no stone is left
",
    );
    assert_eq!(plan.source.dialect, "plan-md");
    assert_eq!(ids(&plan), ["1", "2", "3", "F1"]);
    assert_eq!(plan.tasks[0].state, State::Completed);
    assert_eq!(plan.tasks[0].must_not, ["touch the roof"]);
    assert_eq!(depends(&plan.tasks[1]), ["1"]);
    assert_eq!(depends(&plan.tasks[2]), ["1"]);
    assert_eq!(depends(&plan.tasks[3]), ["1", "2", "3"]);
    assert_eq!(plan.tasks[3].kind, Kind::Verification);
    let commit = plan.tasks[1].commit.as_ref().unwrap();
    assert_eq!(commit.message, "feat: a wall");
    assert_eq!(commit.files, ["wall.c", "wall.h"]);
    assert!(plan.tasks[2].commit.is_none());
    let run: Vec<_> = plan.tasks[1].criteria.iter().filter_map(|one| one.command.as_deref()).collect();
    assert_eq!(run, ["make wall", "make check"]);
    assert_eq!(plan.notes.len(), 2, "the definition of done and the last list are no tasks");
    assert!(codes(&plan).is_empty(), "{:?}", plan.diagnostics);
}

#[test]
fn a_label_that_is_a_bullet_owns_what_is_indented_below_it() {
    let plan = plan(
        "\
## TODOs

### [ ] TODO 1: First
- Description: the first
- Dependencies: none
- Risk: LOW
- Acceptance Criteria:
  - [A] `make test` passes
  - [S] somebody logs in
  - [H] it looks right

### [ ] TODO 2: Second
- Dependencies: TODO-1
- Risk: LOW
- Acceptance Criteria:
  - [A] `make lint` clean
",
    );
    assert!(codes(&plan).is_empty(), "{:?}", plan.diagnostics);
    assert!(plan.tasks[0].depends_on.is_empty());
    assert_eq!(depends(&plan.tasks[1]), ["1"]);
    let told: Vec<_> =
        plan.tasks[0].criteria.iter().map(|one| (one.category.as_str(), one.runnable, one.boxed)).collect();
    assert_eq!(told, [("agent", true, false), ("sandbox", false, false), ("human", false, false)]);
    assert_eq!(plan.tasks[1].criteria[0].command.as_deref(), Some("make lint"));
}

#[test]
fn a_translated_plan_is_read_like_the_template() {
    let plan = plan(
        "\
# 계획

## 의존성 그래프

| TODO | 필요 | 생성 |
|---|---|---|
| TODO-1 | - | 벽 |
| TODO-2 | TODO-1 산출물 | 집 |

## TODOs

### [ ] TODO 1: 벽

**유형**: work
**리스크**: LOW

**단계**:

**1.1 돌**:
- [ ] 돌을 쌓는다

**하지 말 것**:
- 지붕

**수용 기준**:

*정적:*
- [ ] `make lint` → 오류 없음

### [ ] TODO 2: 집

**수용 기준**:
- [ ] `make` 성공
",
    );
    assert_eq!(depends(&plan.tasks[1]), ["1"]);
    let first = &plan.tasks[0];
    assert_eq!(first.steps, ["돌을 쌓는다"]);
    assert_eq!(first.must_not, ["지붕"]);
    assert_eq!(first.criteria[0].category, "static");
    assert!(first.criteria[0].runnable);
    assert_eq!(plan.tasks[1].criteria[0].command.as_deref(), Some("make"));
}

#[test]
fn a_section_states_its_own_files_and_commit() {
    let plan = plan(
        "\
### [ ] TODO 1: First

**Implementation Steps:**
1. do it

**Files to Modify:**
- `src/a.rs` (line 3)

**Commit**: `feat: first`
",
    );
    let first = &plan.tasks[0];
    assert_eq!(first.steps, ["do it"]);
    assert_eq!(first.files[0].path, "src/a.rs");
    assert_eq!(first.commit.as_ref().unwrap().message, "feat: first");
}

#[test]
fn boxes_below_a_definition_of_done_are_goals_and_other_notes_are_none() {
    let text = "# P\n\n## Success Criteria\n\n- [ ] runs: `make`\n\n### Functional\n\n- [x] pleases\n\n## Questions\n\n- [ ] why\n\n## TODOs\n\n### [ ] TODO 1: A\n\n**Type**: work\n";
    let plan = plan(text);
    let goals: Vec<_> = dialects::goals(&plan).into_iter().map(|g| (g.id, g.command, g.checked)).collect();
    assert_eq!(goals, [("note:1".into(), Some("make".into()), false), ("note:2".into(), None, true)]);
    assert_eq!(plan.notes.len(), 3);
}

#[test]
fn an_open_task_waits_for_what_was_added_because_it_was_blocked() {
    let text = |mark: &str, label: &str| {
        format!(
            "# P\n\n## TODOs\n\n### [{mark}] TODO 1: A\n\n**Type**: work\n\n### [ ] TODO 1.a: (ADDED) B\n\n**Type**: work\n\n{label}"
        )
    };
    let (plain, blocking) = (plan(&text(" ", "")), plan(&text(" ", "**Blocks**: TODO 1\n")));
    assert_eq!((depends(&plain.tasks[0]), depends(&blocking.tasks[0])), (vec![], vec!["1.a"]));
    assert_eq!(plain.tasks[0].fingerprint, blocking.tasks[0].fingerprint, "it asks for the same");
    assert!(
        depends(&plan(&text("x", "**Blocks**: TODO 1\n")).tasks[0]).is_empty(),
        "what is done waits for nothing"
    );
}

#[test]
fn checks_of_a_task_count_wherever_they_stand_in_it() {
    let text = "## TODOs\n\n### [ ] TODO 1: One\n\nVerify: `sh a.sh` → `ok`\n\nVerify: that it works\n\n**Acceptance Criteria**:\n\
        - [ ] `sh b.sh`\n\n**Definition of Done**:\n- [ ] `sh c.sh` → exit 0\n";
    let plan = plan(text);
    let mut told = asked::all(&plan.tasks[0].criteria);
    told.sort_unstable();
    assert_eq!(told, ["prose", "sh a.sh → `ok`", "sh b.sh → exit 0", "sh c.sh → exit 0"]);
}

#[test]
fn checks_are_read_in_lists_in_blocks_and_in_the_lines_below() {
    for (text, told) in [
        ("**Verify**:\n- `sh a.sh` → exit 0\n- the page loads", vec![Some("sh a.sh"), None]),
        ("#### Verify\n1. `sh a.sh`\n2. `sh b.sh`", vec![Some("sh a.sh"), Some("sh b.sh")]),
        ("**Checklist**:\n- [ ] `sh a.sh`", vec![Some("sh a.sh")]),
        ("Verify: `sh a.sh` → exit 0\n`sh b.sh` → exit 0", vec![Some("sh a.sh"), Some("sh b.sh")]),
        ("Do it.\n\n- Verify:\n  `sh a.sh`\n  `sh b.sh`", vec![Some("sh a.sh"), Some("sh b.sh")]),
        ("Verify: that it works\n`name` is what it is called", vec![None]),
        ("**Verify**:\n```sh\nsh a.sh\nsh b.sh\n```", vec![Some("sh a.sh\nsh b.sh")]),
        ("**Acceptance Criteria**:\n- [ ] Works:\n  ```sh\n  sh a.sh\n  ```", vec![Some("sh a.sh")]),
        ("**Acceptance Criteria**:\n- [ ] Works:\n  ```json\n  {}\n  ```", vec![None]),
        (
            "**Acceptance Criteria**:\n- [ ] Works\n  - `sh a.sh`\n  - `sh b.sh`",
            vec![Some("sh a.sh"), Some("sh b.sh")],
        ),
        ("**Acceptance Criteria**:\n- [ ] Verify: `sh a.sh`", vec![Some("sh a.sh")]),
    ] {
        let plan = plan(&format!("## TODOs\n\n### [ ] TODO 1: One\n\n{text}\n"));
        let found: Vec<_> = plan.tasks[0].criteria.iter().map(|c| c.command.as_deref()).collect();
        assert_eq!(found, told, "{text}");
    }
}

#[test]
fn a_task_that_a_slip_of_the_pen_hides_is_named_as_lost() {
    let behind = |text: &str| format!("## TODOs\n\n### [ ] TODO 1: One\n\n{text}\n### [ ] TODO 2: Two\n");
    for (text, lost) in [
        (behind("```sh\necho\n"), vec!["task-unclosed"]),
        (behind("~~~~\n~~~\n"), vec!["task-unclosed"]),
        (behind("<!-- a note\n"), vec!["task-unclosed"]),
        (behind("###[ ] TODO 3: Three\n"), vec!["heading-without-blank"]),
        (behind("  -[x] an item\n"), vec!["item-without-blank"]),
        (behind("### TODO 3: Three\n"), vec!["heading-without-box"]),
        (behind("```sh\n### [ ] TODO 9: an example\n```\n"), vec![]),
        (behind("<!-- ### [ ] TODO 9: an example\n-->\n"), vec![]),
        (behind("A [link](x), `-[ ] code` and -[ ] in a sentence\n"), vec![]),
        (behind("```sh\n###[ ] TODO 9: an example\n```\n"), vec![]),
    ] {
        let plan = plan(&text);
        let found: Vec<_> =
            plan.diagnostics.iter().filter(|d| dialects::is_lost(d)).map(|d| d.code.as_str()).collect();
        assert_eq!(found, lost, "{text}");
        assert!(
            plan.diagnostics.iter().filter(|d| dialects::is_lost(d)).all(|d| d.severity == Severity::Warning)
        );
    }
}
