//! Reading plans whose tasks are headings with boxes below: superpowers and ralphex.

#![expect(clippy::unwrap_used, reason = "a text that does not parse fails the test")]

use crate::asked;
use dialects::{blanked, body, mark_at, read, set_mark};
use markdown::Text;
use wire::plan::Plan;
use wire::{State, TaskId};

fn plan(text: &str, dialect: &str) -> Plan {
    let plan = read(&Text { path: "docs/plans/shelf.md", bytes: text.as_bytes() }, None).unwrap();
    assert_eq!(plan.source.dialect, dialect);
    plan
}

const SUPER: &str = "# Shelf Plan\n\n## Chunk 1: Store\n\n### Task 1: Parser\n\n**Files:**\n- Create: `src/parse.rs`\n\
    - Modify: `src/main.rs:10-20`\n\n- [x] **Step 1: Write the test**\n\n```rust\n### Task 9: not a task\n```\n\n\
    - [ ] **Step 2: See it fail**\n\nRun: `cargo test parse`\nExpected: FAIL because there is none\n\n\
    - [ ] **Step 3: See it pass**\n\nRun:\n\n```bash\ncargo test parse\n```\n\nExpected: PASS\n\n\
    ### Task 2: Wire\n\n**Depends on:** Task 1 and 3 tests\n\n- [x] **Step 1:** Do it\n\n## Done\n\n- [ ] tell people\n";

#[test]
fn headings_are_tasks_and_their_boxes_are_steps() {
    let plan = plan(SUPER, "superpowers");
    let told: Vec<_> = plan.tasks.iter().map(|t| (t.id.as_str(), t.title.as_str(), t.state)).collect();
    assert_eq!(told, [("1", "Parser", State::InProgress), ("2", "Wire", State::Completed)]);
    assert_eq!(plan.tasks[0].phase.as_deref(), Some("1"));
    let files: Vec<_> = plan.tasks[0].files.iter().map(|f| (f.path.as_str(), f.action.as_str())).collect();
    assert_eq!(files, [("src/parse.rs", "create"), ("src/main.rs", "modify")]);
    assert_eq!(plan.tasks[1].depends_on, [TaskId::from("1")]);
    assert_eq!((plan.notes[0].section.as_str(), plan.notes[0].text.as_str()), ("Done", "tell people"));
}

#[test]
fn run_and_expected_are_a_command_and_what_it_gives() {
    let plan = plan(SUPER, "superpowers");
    let [first, fails, passes] = plan.tasks[0].criteria.as_slice() else { panic!() };
    assert_eq!((first.runnable, first.checked, first.boxed), (false, true, true));
    assert_eq!(fails.command.as_deref(), Some("cargo test parse"));
    assert!(!fails.runnable && fails.skip.is_some());
    assert_eq!(passes.command.as_deref(), Some("cargo test parse"));
    assert!(passes.runnable);
    assert_eq!(body(SUPER.as_bytes(), &passes.span), b" ");
}

#[test]
fn ticking_the_last_box_completes_the_task_and_changes_nothing_else() {
    let before = plan(SUPER, "superpowers");
    let bytes =
        before.tasks[0].criteria.iter().fold(SUPER.as_bytes().to_vec(), |b, c| set_mark(&b, &c.span, "x"));
    let after = read(&Text { path: "docs/plans/shelf.md", bytes: &bytes }, None).unwrap();
    assert_eq!(after.tasks[0].state, State::Completed);
    for (old, new) in before.tasks.iter().zip(&after.tasks) {
        assert_eq!((&old.fingerprint, &old.span), (&new.fingerprint, &new.span));
    }
}

#[test]
fn ralphex_has_tasks_iterations_and_validation_commands() {
    let text = "# Plan\n\n## Validation Commands\n\n- `go test ./...`\n- `golangci-lint run`\n\n### Task 1: Store\n\n\
        - [x] write it\n- [x] run `go test ./store` - must pass before task 2\n\n### Iteration 2a: Web\n\n- [ ] serve\n\n\
        ### Task 3: Empty\n\ntext\n\n## Success\n\n- [ ] people like it\n";
    let plan = plan(text, "ralphex");
    let told: Vec<_> = plan.tasks.iter().map(|t| (t.id.as_str(), t.state)).collect();
    assert_eq!(told, [("1", State::Completed), ("2a", State::Pending), ("3", State::Pending)]);
    assert_eq!(plan.tasks[0].criteria[1].command.as_deref(), Some("go test ./store"));
    assert_eq!(plan.gates.iter().filter(|gate| gate.runnable).count(), 2);
    assert_eq!(plan.notes.len(), 1);
    assert_eq!(plan.diagnostics[0].code, "task-without-boxes");
}

#[test]
fn older_plans_number_their_headings() {
    let plan = plan(
        "# P\n\n## Context\n\n### 1. Not one\n\n## Tasks\n\n### 1. Add it\n\n- [x] add\n\n### 2. Use it\n\n- [ ] use\n",
        "ralphex",
    );
    let told: Vec<_> = plan.tasks.iter().map(|t| (t.id.as_str(), t.title.as_str())).collect();
    assert_eq!(told, [("1", "Add it"), ("2", "Use it")]);
}

const OLDER: &str = "# Shelf Plan\n\n### Task 1: Parser\n\n**Files:**\n- Create: `src/parse.rs`\n\n**Step 1: See it fail**\n\n\
    Run: `cargo test parse`\nExpected: FAIL\n\n**Step 2: See it pass**\n\nRun: `cargo test parse`\nExpected: PASS\n\n\
    ### ✅ Task 2: Wire\n\nRun: `make`\n\n### Task 3: Polish (DONE)\n\ntext\n";

#[test]
fn task_headings_without_boxes_are_done_where_their_name_says_so() {
    let before = plan(OLDER, "superpowers");
    let told: Vec<_> = before.tasks.iter().map(|t| (t.id.as_str(), t.title.as_str(), t.state)).collect();
    let done = State::Completed;
    assert_eq!(told, [("1", "Parser", State::Pending), ("2", "Wire", done), ("3", "Polish", done)]);
    assert_eq!(before.tasks[0].steps, ["See it fail", "See it pass"]);
    let [fails, passes] = before.tasks[0].criteria.as_slice() else { panic!() };
    assert!(!fails.runnable && fails.skip.is_some() && passes.runnable && !passes.boxed);
    assert_eq!(before.tasks[1].criteria[0].command.as_deref(), Some("make"));
    assert!(before.diagnostics.is_empty(), "{:?}", before.diagnostics);
    for (index, state) in [(0, done), (1, State::Pending), (2, State::Pending)] {
        let mark = before.tasks[index].mark.as_ref().unwrap();
        let word = mark_at("superpowers", OLDER.as_bytes(), mark, state);
        let bytes = set_mark(OLDER.as_bytes(), mark, word);
        let after = read(&Text { path: "docs/plans/shelf.md", bytes: &bytes }, None).unwrap();
        assert_eq!(after.tasks[index].state, state);
        for (old, new) in before.tasks.iter().zip(&after.tasks) {
            assert_eq!((&old.title, &old.fingerprint), (&new.title, &new.fingerprint));
        }
        let path = "docs/plans/shelf.md";
        assert_eq!(blanked(&before, path, OLDER.as_bytes()), blanked(&after, path, &bytes));
    }
}

#[test]
fn every_command_of_a_step_is_a_check() {
    let text = "# P\n\n### Task 1: One\n\n- [ ] **Step 1: Verify**\n\nRun: `make a`\nExpected: PASS\n\nRun: `make b`\nExpected: PASS\n\n\
        - [ ] **Step 2: Lint**\n\n```bash\nmake lint\n```\n\nExpected: PASS\n\n- [ ] **Step 3: Commit**\n\n```bash\ngit commit -m x\n```\n\n\
        Expected: success\n\n- [ ] **Step 4: See**\n\n```text\nmake never\n```\n";
    let plan = plan(text, "superpowers");
    let told: Vec<_> = plan.tasks[0]
        .criteria
        .iter()
        .map(|c| (c.id.as_str(), c.command.as_deref(), c.runnable, c.boxed))
        .collect();
    assert_eq!(
        told,
        [
            ("1:1", Some("make a"), true, true),
            ("1:2", Some("make b"), true, false),
            ("1:3", Some("make lint"), true, true),
            ("1:4", Some("git commit -m x"), false, true),
            ("1:5", None, false, true),
        ]
    );
}

#[test]
fn a_task_of_plain_words_is_held_against_the_validation_commands() {
    let text = "# P\n\n## Validation Commands\n\n- `make test`\n- look at it\n\n### Task 1: One\n\n- [ ] write it\n\n### Task 2: Two\n\n- [ ] run `make lint` - must pass\n";
    let plan = plan(text, "ralphex");
    let told = |n: usize| -> Vec<_> {
        let own = plan.tasks[n].criteria.iter().filter(|c| c.runnable);
        own.map(|c| (c.id.as_str(), c.command.as_deref().unwrap(), c.boxed)).collect()
    };
    assert_eq!(told(0), [("1:2", "make test", false)]);
    assert_eq!(told(1), [("2:1", "make lint", true)]);
    assert_eq!(plan.gates.len(), 2, "they are for the whole as well");
}

/// What the criteria of the first task ask for, without prose.
fn checks(text: &str) -> Vec<String> {
    let plan = plan(&format!("# P\n\n### Task 1: One\n\n{text}"), "superpowers");
    asked::all(&plan.tasks[0].criteria).into_iter().filter(|asked| asked != "prose").collect()
}

#[test]
fn a_result_is_read_however_it_is_written() {
    for (text, told) in [
        ("Run: `cat a`\nExpected:\n```\nho\n  hi\n```\n", "cat a → exactly `ho\n  hi`"),
        ("Run: `cat a`\n\nExpected:\n- `ho`\n", "cat a → `ho`"),
        ("Run: `cat a`\nexpected: FAIL\n", "skip"),
        ("Run: `cat a`\n**Expected:** FAIL\n", "skip"),
        ("Run: `cat a`\nExpect: `ho`\n", "cat a → `ho`"),
        ("Run: `cat a`\nExpected result: `ho`\n", "cat a → `ho`"),
        ("Run: `cat a`\nOutput: `ho`\n", "cat a → `ho`"),
        ("Run: `cat a`\n> Expected: `ho`\n", "cat a → `ho`"),
        ("Run: `cat a` — Expected: FAIL\n", "skip"),
        ("Run: `cat a` → `ho`\n", "cat a → `ho`"),
        ("Run: cat a\nExpected: `ho`\n", "cat a → `ho`"),
        ("Run: `cat a`, prints `ho`\n", "cat a → `ho`"),
        ("Verify: `cat a` → `ho`\n", "cat a → `ho`"),
        ("Verify: `cat a` looks fine\n", "? cat a"),
        ("Run: `cat a`\nExpected: FAIL\n\nWrite it.\n", "skip"),
        ("```rust\nx\n```\n\n```sh\ncat a\n```\nOutput: `ho`\n", "cat a → `ho`"),
        ("Run: `cat a`\nExpected: `ho`\n\nThe output has no colours.\n", "? cat a"),
    ] {
        assert_eq!(checks(&format!("- [ ] **Step 1: See**\n\n{text}")), [told], "{text}");
        assert_eq!(checks(&format!("**Step 1: See**\n\n{text}")), [told], "{text}");
    }
}

#[test]
fn a_step_that_is_called_after_a_failure_is_for_before_the_change() {
    for (name, told) in
        [("Run test to verify it fails", "skip"), ("Run test to verify it fails (not defined)", "skip")]
    {
        assert_eq!(checks(&format!("- [ ] **Step 1: {name}**\n\nRun: `make test`\n")), [told], "{name}");
    }
}

#[test]
fn every_way_to_ask_for_a_command_is_one() {
    for (text, told) in [
        (
            "Run: `make a` and `make b`\nExpected: all pass\n",
            &["make a → tests pass", "make b → tests pass"][..],
        ),
        ("Run: `make a`\n", &[]),
        ("Run `make a` and make sure that it passes.\n", &["make a → tests pass"]),
        (
            "**Verification:**\n- `make a`\n- Run: `make b`\n- it looks good\n",
            &["make a → exit 0", "make b → exit 0"],
        ),
        ("Verify: `make a`\n\nVerify: the name\n", &["make a → exit 0"]),
        ("Verify:\n```sh\nmake a\n```\n", &["make a → exit 0"]),
        ("- Run: `make a`\n- Expected: PASS\n", &["make a → tests pass"]),
        (
            "```sh\nmake a\n```\nExpected: PASS\n\n```sh\nmake b\n```\nExpected: PASS\n",
            &["make a → tests pass", "make b → tests pass"],
        ),
    ] {
        assert_eq!(checks(&format!("- [ ] **Step 1: See**\n\n{text}")), told, "{text}");
        assert_eq!(checks(&format!("**Step 1: See**\n\n{text}")), told, "{text}");
    }
}

#[test]
fn steps_without_a_box_count_beside_boxes() {
    let text = "**Step 1: A**\n\nRun: `make a`\nExpected: PASS\n\n**Done when:**\n- [ ] `make b`\n- [ ] Step 2: C\n\nRun: `make c`\n";
    assert_eq!(checks(text), ["make a → tests pass", "make b → exit 0"]);
}

#[test]
fn tasks_below_validation_commands_are_no_gates() {
    let text = "# Plan\n\n## Validation Commands\n\n- `make test`\n\n### Task 1: Dig\n\nDig the `pit` with care.\n\n- [ ] Dig\n\n\
                ### Task 2: Build\n\n- [ ] Build\n";
    let plan = plan(text, "ralphex");
    let gates: Vec<&str> = plan.gates.iter().map(|gate| gate.text.as_str()).collect();
    assert_eq!((plan.tasks.len(), gates), (2, vec!["`make test`"]));
}

/// A plan of one task with these steps behind its first.
fn with_steps(steps: &str) -> Plan {
    let text = format!(
        "# Shelf\n\n### Task 1: Dig\n\n- [ ] **Step 1: Dig**\n\n{steps}\n\n### Task 2: Rest\n\n- [ ] **Step 1: Rest**\n"
    );
    plan(&text, "superpowers")
}

#[test]
fn a_step_that_only_commits_is_the_tasks_commit() {
    let step = "- [ ] **Step 2: Save the work**\n\n```bash\ngit add a.txt\ngit commit -m \"feat: dig\"\n```";
    let plan = with_steps(step);
    let task = &plan.tasks[0];
    let rule = task.commit.as_ref().unwrap();
    assert_eq!((rule.message.as_str(), rule.own, rule.files.len()), ("feat: dig", true, 0));
    assert_eq!(task.steps, ["**Step 1: Dig**"]);
    let [_, commit] = task.criteria.as_slice() else { panic!("{:?}", task.criteria) };
    assert_eq!((commit.category.as_str(), commit.boxed, commit.runnable), ("commit", true, false));
    assert!(plan.tasks[1].commit.is_none());
    // A name alone is enough where there is nothing to run.
    let rule = with_steps("- [ ] **Step 2: Commit**").tasks[0].commit.clone().unwrap();
    assert_eq!((rule.message.as_str(), rule.steps.len()), ("", 1));
}

#[test]
fn a_step_that_does_more_stays_a_step() {
    for step in [
        "- [ ] **Step 2: Commit**\n\n```bash\nmake\ngit commit -m \"feat: dig\"\n```",
        "- [ ] **Step 2: Commit**\n\n```bash\ngit commit -m a\n```\n\n```bash\nmake\n```",
        "- [ ] **Step 2: Push**\n\n```bash\ngit commit -m a && git push\n```",
        "- [ ] **Step 2: Check and commit**\n\nRun: `make test`\nExpected: PASS\n\n```bash\ngit commit -m a\n```",
        "- [ ] **Step 2: Commit to a design**",
    ] {
        let plan = with_steps(step);
        assert!(plan.tasks[0].commit.is_none(), "{step}");
        assert_eq!(plan.tasks[0].steps.len(), 2, "{step}");
    }
}

#[test]
fn a_commit_line_gives_the_message() {
    for (line, message) in [
        ("**Commit**: `feat: dig`", Some("feat: dig")),
        ("- Commit: feat: dig it", Some("feat: dig it")),
        ("Commit message: `git commit -m 'fix: dig'`", Some("fix: dig")),
        ("Commit: 1a2b3c4", None),
        ("Commit: no", None),
        ("Commit early: often", None),
        ("> Commit: quoted", None),
    ] {
        let plan = with_steps(line);
        let rule = plan.tasks[0].commit.as_ref();
        assert_eq!(rule.map(|rule| rule.message.as_str()), message, "{line}");
    }
}
