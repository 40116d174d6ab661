//! Results that a plan states away from the check's own line, and the positions of plan-wide checks.

#![expect(clippy::unwrap_used, reason = "a text that does not parse fails the test")]

use crate::asked::{self, asked};
use dialects::read;
use markdown::Text;
use wire::plan::{Criterion, Plan};

fn plan(text: &str) -> Plan {
    read(&Text { path: "PLAN.md", bytes: text.as_bytes() }, None).unwrap()
}

/// The criteria of a PLAN.md with a single task that has this text below its acceptance criteria.
fn criteria(text: &str) -> Vec<Criterion> {
    let text = format!("# P\n\n## TODOs\n\n### [ ] TODO 1: x\n\n**Acceptance Criteria**:\n{text}");
    plan(&text).tasks.remove(0).criteria
}

#[test]
fn a_result_below_a_criterion_is_its_own() {
    for (text, told) in [
        ("- [ ] A: `test -f a`\n  - Expected: FAIL\n", "test -f a → fails"),
        ("- [ ] A: `cat a`\n  ```\n  ho\n  ```\n", "cat a → exactly `ho`"),
        ("- [ ] A: `cat a`\n  Expected: `ho`\n", "cat a → `ho`"),
        ("- [ ] A:\n  ```sh\n  test -f a\n  ```\n  Expected: FAIL\n", "test -f a → fails"),
        ("- [ ] A:\n  ```sh\n  cat a\n  ```\n  → `ho`\n", "cat a → `ho`"),
        ("- [ ] A:\n  ```sh\n  cat a\n  ```\n  Expected:\n  ```\n  ho\n  ```\n", "cat a → exactly `ho`"),
        ("- [ ] This should fail:\n  ```sh\n  test -f a\n  ```\n", "test -f a → fails"),
        ("- [ ] A: `cat a` → `hi`\n  - Expected: `ho`\n", "cat a → `hi`, `ho`"),
        ("```sh\ntest -f a\n```\nExpected: FAIL\n", "test -f a → fails"),
        ("This must fail:\n\n```sh\ntest -f a\n```\n", "test -f a → fails"),
        ("- [ ] All tests must pass:\n  ```sh\n  make test\n  ```\n", "make test → tests pass"),
        ("- [ ] A: `make`\n  ```rust\n  fn a() {}\n  ```\n", "? make"),
        ("- [ ] A: `make`\n  - as others do\n", "? make"),
        ("- [ ] A: `make` → exit 0\n  - Note: as others do\n", "make → exit 0"),
    ] {
        assert_eq!(asked::all(&criteria(text)), [told], "{text}");
    }
}

#[test]
fn commands_below_a_criterion_without_one_are_criteria_with_its_text() {
    let text = "- [ ] Storage:\n  - `test -f a` → exit 0\n  - gone: `test -f c` → FAIL\n";
    assert_eq!(asked::all(&criteria(text)), ["test -f a → exit 0", "test -f c → fails"]);
    let text = "- [ ] None of these may exist:\n  - `test -f a`\n  - `test -f c`\n";
    assert_eq!(asked::all(&criteria(text)), ["? test -f a", "? test -f c"]);
    let text = "- [ ] A: `test -f a`\n  - and `test -f b`\n";
    assert_eq!(asked::all(&criteria(text)), ["test -f a → exit 0", "test -f b → exit 0"]);
}

#[test]
fn a_block_of_an_item_is_dedented_and_has_plain_line_ends() {
    let text = "- [ ] A:\r\n  ```sh\r\n  cat <<E\r\n  a\r\n  E\r\n  test -f a\r\n  ```\r\n";
    assert_eq!(criteria(text)[0].command.as_deref(), Some("cat <<E\na\nE\ntest -f a"));
}

#[test]
fn a_table_of_checks_is_read_row_by_row() {
    let text = "- [ ] `test -f z`\n\n| Check | Expected |\n|---|---|\n| `test -f a` | exit 0 |\n| `cat a \\| wc -l` | `3` |\n| it looks good | yes |\n";
    let criteria = criteria(text);
    let told = asked::all(&criteria);
    assert_eq!(told, ["test -f z → exit 0", "test -f a → exit 0", "cat a | wc -l → `3`", "prose"]);
    let methods = "- [ ] x\n\n| Item | Method |\n|---|---|\n| rules | `make deploy` |\n";
    assert!(self::criteria(methods).iter().all(|c| c.command.is_none()));
}

#[test]
fn automated_verification_and_qa_are_criteria() {
    for name in ["Automated Verification", "QA", "QA Scenarios"] {
        let text = format!("- [ ] x\n\n**{name}**:\n- `test -f a`\n");
        assert_eq!(criteria(&text)[1].command.as_deref(), Some("test -f a"), "{name}");
    }
}

const WHOLE: &str = "\
## Definition of Done

- `test -f a`
- [ ] `test -f b`
- it is fast

## Success Criteria

### Commands

```bash
test -f c
```
Expected: FAIL

## Final Verification

Run: `test -f d`
- [ ] `test -f e`
- [ ] look at it

| cmd | expect |
|---|---|
| `test -f f` | exit 0 |

## Other

- `test -f g`

## Validation

```sh
{{LINT}} now
```
";

#[test]
fn commands_for_the_whole_plan_are_gates_in_every_dialect() {
    for (text, dialect) in [
        (format!("# P\n\n## TODOs\n\n### [ ] TODO 1: x\n\ny\n\n{WHOLE}"), "plan-md"),
        (format!("# P\n\n### Task 1: x\n\n- [ ] **Step 1: y**\n\n{WHOLE}"), "superpowers"),
    ] {
        let plan = plan(&text);
        assert_eq!(plan.source.dialect, dialect);
        let told = asked::all(&plan.gates);
        assert_eq!(
            told,
            ["test -f a → exit 0", "test -f c → fails", "test -f d → exit 0", "test -f f → exit 0"]
        );
        let goals: Vec<_> = plan.notes.iter().filter(|n| n.goal).map(|n| n.text.as_str()).collect();
        assert!(goals.contains(&"`test -f e`") && !goals.contains(&"look at it"), "{dialect}: {goals:?}");
    }
}

#[test]
fn ralphex_takes_a_block_of_validation_commands() {
    let text = "# P\n\n## Validation Commands\n\n```bash\ntest -f a\n```\n\n### Task 1: x\n\n- [ ] y\n";
    let plan = plan(text);
    assert_eq!(plan.source.dialect, "ralphex");
    assert_eq!(plan.gates[0].command.as_deref(), Some("test -f a"));
    assert_eq!(plan.tasks[0].criteria[1].command.as_deref(), Some("test -f a"));
}

/// What the criteria of the first task of a list ask for.
fn below(text: &str) -> Vec<String> {
    let plan = plan(&format!("# P\n\n- [ ] One\n{text}"));
    assert_eq!(plan.source.dialect, "checklist");
    asked::all(&plan.tasks[0].criteria)
}

#[test]
fn a_check_below_an_item_is_read_however_it_is_written() {
    for (text, told) in [
        ("  - Verify:\n    ```sh\n    test -f a\n    ```\n", &["test -f a → exit 0"][..]),
        ("\n  Verify:\n  ```sh\n  test -f a\n  ```\n  Expected: FAIL\n", &["test -f a → fails"]),
        (
            "  - Verify:\n    - `test -f a`\n    - `test -f b`\n",
            &["test -f a → exit 0", "test -f b → exit 0"],
        ),
        ("  - Verify: `test -f a`\n    - as said\n", &["? test -f a"]),
        ("  - Verify: `test -f a`\n    - Expected: FAIL\n", &["test -f a → fails"]),
        ("  - Verify: `test -f a`\n  - Expected: FAIL\n", &["test -f a → fails"]),
        ("  - Verify: `python3 app.py`\n    Expected: `x`\n", &["python3 app.py → `x`"]),
        ("  - Confirm: `test -f a`\n", &["test -f a → exit 0"]),
        ("  - Verify with `test -f a`\n", &["test -f a → exit 0"]),
        ("  - Verify `test -f a`\n", &["test -f a → exit 0"]),
        ("  - Run `test -f a` and make sure that it passes\n", &["test -f a → exit 0"]),
        ("  - `true` → exit 0\n", &["true → exit 0"]),
        ("  - Run `npm install left-pad`\n", &[]),
        ("  - Verify `shelf` is there\n", &[]),
        ("  - Type check: everything\n", &[]),
        ("  ```console\n  $ echo hi\n  hi\n  ```\n", &["echo hi → prints hi"]),
        ("\n  | Command | Expected |\n  |---|---|\n  | `test -f a` | fails |\n", &["test -f a → fails"]),
    ] {
        assert_eq!(below(text), told, "{text}");
    }
}

#[test]
fn a_task_that_is_a_check_has_its_command() {
    for (text, path) in [
        ("## 1. A\n- [ ] 1.1 Write\n- [ ] 1.2 Verify: `test -f a`\n", "openspec/changes/a/tasks.md"),
        (
            "## 1. A\n- [ ] 1.1 Write\n- [ ] 1.2 Run `test -f a` and confirm that it passes\n",
            "openspec/changes/a/tasks.md",
        ),
        (
            "# T\n\n## Phase 1: A\n\n- [ ] T001 Write\n- [ ] T002 [P] Run `test -f a`\n",
            "specs/001-a/tasks.md",
        ),
        ("# T\n\n- [ ] 1. Write\n- [ ] 2. Verify that `test -f a` passes\n", ".kiro/specs/a/tasks.md"),
    ] {
        let plan = read(&Text { path, bytes: text.as_bytes() }, None).unwrap();
        assert!(plan.tasks[0].criteria.is_empty());
        let [only] = plan.tasks[1].criteria.as_slice() else { panic!("{text}") };
        assert_eq!((only.command.as_deref(), only.runnable), (Some("test -f a"), true), "{text}");
    }
}

#[test]
fn a_column_says_what_the_commands_of_a_tracker_give() {
    for title in ["Verify", "Check", "Test"] {
        let text = format!(
            "# T\n\n| # | Task | Status | {title} | Expected |\n|---|---|---|---|---|\n| 1 | a | pending | `test -f a` | fails |\n\
             | 2 | b | pending | `test -f b` | - |\n"
        );
        let plan = plan(&text);
        assert_eq!(plan.source.dialect, "tracker");
        let told = |n: usize| asked(&plan.tasks[n].criteria[0]);
        assert_eq!((told(0), told(1)), ("test -f a → fails".into(), "test -f b → exit 0".into()), "{title}");
    }
}

#[test]
fn a_check_before_a_commit_is_one_of_the_last_task() {
    let text = "# P\n\n## TODOs\n\n### [ ] TODO 1: x\n\ny\n\n### [ ] TODO 2: x\n\ny\n\n## Commit Strategy\n\n\
        | After Task | Message | Files | Verification |\n|---|---|---|---|\n| 1, 2 | `feat: x` | a | `test -f a` |\n";
    let plan = plan(text);
    assert!(plan.tasks[0].criteria.is_empty());
    assert_eq!(plan.tasks[1].criteria[0].command.as_deref(), Some("test -f a"));
}

#[test]
fn a_checkpoint_with_a_command_is_a_gate() {
    let text = "# T\n\n## Phase 1: A\n\n**Independent Test**: run `test -f a`\n\n- [ ] T001 Write\n- [ ] T002 [P] Write\n\n\
        **Checkpoint**: `test -f b` passes\n\n**Checkpoint**: it is nice\n";
    let plan = read(&Text { path: "specs/001-a/tasks.md", bytes: text.as_bytes() }, None).unwrap();
    let told: Vec<_> = plan.gates.iter().filter_map(|c| c.command.as_deref()).collect();
    assert_eq!((plan.source.dialect.as_str(), told), ("spec-kit", vec!["test -f a", "test -f b"]));
}

#[test]
fn a_script_in_a_verify_block_keeps_its_indent() {
    let text = "# P\n\n## TODOs\n\n### [ ] TODO 1: x\n\n**Verify**:\n```yaml\ncommands:\n  - run: |\n      python3 - <<E\n      if True:\n\
        \x20         print(1)\n      E\n    expect: exit 0\n```\n";
    let criteria = plan(text).tasks.remove(0).criteria;
    let script = "python3 - <<E\nif True:\n    print(1)\nE";
    assert_eq!(criteria[0].command.as_deref(), Some(script));
}

#[test]
fn what_stands_beside_a_check_and_turns_it_round_is_a_part_of_it() {
    for text in [
        "#### Must fail\n- [ ] `sh n.sh`\n",
        "**Expected failures**\n- [ ] `sh n.sh`\n",
        "> All of these fail.\n\n- [ ] `sh n.sh`\n",
        "- [ ] `sh n.sh`\n- It must print `b`\n",
        "- [ ] `sh n.sh`\n\n  and prints `b`\n",
        "| Command | Note |\n|---|---|\n| `sh n.sh` | must fail |\n",
        "| Command |\n|---|\n| `sh n.sh` | must fail |\n",
        "- [ ] Verify:\n  ```sh\n  sh n.sh\n  ```\n  # b\n",
        "- [ ] Verify:\n  ```console\n  $ sh n.sh # prints b\n  ...\n  ```\n",
        "- [ ] Verify:\n  `sh n.sh`\n\n  `b`\n",
    ] {
        let found = asked::all(&criteria(text));
        assert!(
            !found.is_empty() && found.iter().all(|told| told != "sh n.sh → exit 0"),
            "{text}: {found:?}"
        );
    }
    for label in ["**Acceptance Criteria** (all must fail):", "**Acceptance Criteria (negative)**:"] {
        let text = format!("# P\n\n## TODOs\n\n### [ ] TODO 1: x\n\n{label}\n- [ ] `sh n.sh`\n");
        let found = asked::all(&plan(&text).tasks.remove(0).criteria);
        assert!(
            !found.is_empty() && found.iter().all(|told| told != "sh n.sh → exit 0"),
            "{label}: {found:?}"
        );
    }
    let found = criteria("- [ ] `sh n.sh`\n\nAll of the above must fail.\n");
    assert!(found.iter().any(|one| one.unclear.is_some()));
}
