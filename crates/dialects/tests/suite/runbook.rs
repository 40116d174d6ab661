//! Reading a runbook, one trait of real runbooks at a time.

#![expect(clippy::unwrap_used, reason = "a text that does not parse fails the test")]
#![expect(clippy::disallowed_methods, reason = "a test makes its own files")]

use dialects::{Ask, body, errors, open_with, read};
use markdown::Text;
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use toolkit::Exit;
use wire::plan::{Kind, Plan, Severity};
use wire::{State, Task};

fn plan(text: &str) -> Plan {
    read(&Text { path: "plans/x/runbook.md", bytes: text.as_bytes() }, None).unwrap()
}

fn ids(plan: &Plan) -> Vec<&str> {
    plan.tasks.iter().map(|task| task.id.as_str()).collect()
}

fn task<'a>(plan: &'a Plan, id: &str) -> &'a Task {
    plan.tasks.iter().find(|task| task.id.as_str() == id).unwrap()
}

fn depends<'a>(plan: &'a Plan, id: &str) -> Vec<&'a str> {
    task(plan, id).depends_on.iter().map(wire::TaskId::as_str).collect()
}

fn codes(plan: &Plan) -> Vec<(&str, u64)> {
    plan.diagnostics.iter().map(|found| (found.code.as_str(), found.line)).collect()
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

fn open(root: &Path, path: &str, prepared: bool) -> Result<Plan, toolkit::Fail> {
    open_with(&root.join(path), root, &Ask { prepared, ..Ask::default() })
}

const WHOLE: &str = "\
---
name: widget
model: haiku
---

# Widget Runbook

## Weak Orchestrator Metadata

**Execution Model**:
- Steps 2.1-2.2: Sonnet (judgment)

**Step Dependencies**: Sequential within phases

## Common Context

Shared words.

### Phase 1: Parser (type: tdd, model: sonnet)

The parser and nothing else.

## Cycle 1.1: Read a line

**RED Phase:**
Write the test.
**Verify RED:** `just test parse`

---

**GREEN Phase:**
- File: `src/parse.rs`
  Action: Create
**Verify GREEN:** `just test`

**Report Path**: `plans/x/reports/cycle-1-1-notes.md`
**Max Turns**: 40

---

## Cycle 1.2: Read two lines [DEPENDS: 1.1]

**Execution Model:** Opus (hard)

### Phase 2: Words (type: general)

## Step 2.1: Write it

**Depends on:** Phase 1 (parser)

## Step 2.2: Check it

**Dependencies**: Steps 1.1-1.2, Step 2.1

### Phase 3: Sweep (type: inline)

Do it all.
";

#[test]
fn a_whole_runbook_is_read() {
    let plan = plan(WHOLE);
    assert_eq!(plan.source.dialect, "runbook");
    assert_eq!(ids(&plan), ["1.1", "1.2", "checkpoint-1", "2.1", "2.2", "checkpoint-2", "phase-3"]);
    assert_eq!(codes(&plan), []);
    let phases: Vec<_> =
        plan.phases.iter().map(|p| (p.id.as_str(), p.kind.as_deref(), p.model.as_deref())).collect();
    let expected =
        [("1", Some("tdd"), Some("sonnet")), ("2", Some("general"), None), ("3", Some("inline"), None)];
    assert_eq!(phases, expected);
    assert_eq!(plan.phases[0].scope.as_deref(), Some("The parser and nothing else."));
    let models: Vec<_> = plan.tasks.iter().map(|task| task.model.as_deref().unwrap_or("-")).collect();
    assert_eq!(models, ["sonnet", "opus", "-", "sonnet", "sonnet", "-", "haiku"]);
    let first = task(&plan, "1.1");
    assert_eq!(first.report_path.as_deref(), Some("plans/x/reports/cycle-1-1-notes.md"));
    assert_eq!(first.max_turns, Some(40));
    assert_eq!((first.files[0].path.as_str(), first.files[0].action.as_str()), ("src/parse.rs", "create"));
    assert_eq!(first.criteria[0].command.as_deref(), Some("just test"));
    let parts: Vec<_> =
        first.extra["parts"].as_array().unwrap().iter().map(|part| part["part"].clone()).collect();
    assert_eq!(parts, ["red", "green"]);
    assert!(first.mark.is_none());
    let text = String::from_utf8_lossy(body(WHOLE.as_bytes(), &first.span)).into_owned();
    assert!(text.starts_with("## Cycle 1.1") && text.ends_with("40"), "{text}");
}

#[test]
fn a_checkpoint_is_a_barrier() {
    let plan = plan(WHOLE);
    let end = task(&plan, "checkpoint-1");
    assert_eq!((end.kind, end.phase.as_deref()), (Kind::Checkpoint, Some("1")));
    assert_eq!(end.report_path.as_deref(), Some("plans/x/reports/checkpoint-1-vet.md"));
    assert_eq!(depends(&plan, "checkpoint-1"), ["1.1", "1.2"]);
    assert_eq!(depends(&plan, "1.2"), ["1.1"]);
    assert_eq!(depends(&plan, "2.1"), ["checkpoint-1"]);
    assert_eq!(depends(&plan, "2.2"), ["1.1", "1.2", "2.1", "checkpoint-1"]);
    assert_eq!(depends(&plan, "phase-3"), ["checkpoint-2"]);
}

#[test]
fn headings_that_one_script_lost_are_steps() {
    let text = "\
# R

## Phase 1: A (type: general, model: haiku)

#### Cycle 1.1: four signs

## Step 1.2a: a letter

## Steps 1.3-1.5: three at once

## Step 1.6 no colon

## Step 1.: a dot

## Step X: no number
";
    let plan = plan(text);
    assert_eq!(ids(&plan), ["1.1", "1.2a", "1.3", "1.4", "1.5", "1.6", "1"]);
    assert_eq!(
        codes(&plan),
        [("step-range", 9), ("odd-heading", 11), ("odd-heading", 13), ("unnumbered-step", 15)]
    );
}

#[test]
fn a_step_swallowed_by_a_bad_fence_is_taken_where_it_fills_a_gap() {
    let text = "\
# R

## Step 1: A

```markdown
## Step 9: an example
```bash
x
```
```

## Step 2: B

```
closed too late
```bash

## Step 3: C

```
x
```

## Step 4: D
";
    let plan = plan(text);
    assert_eq!(ids(&plan), ["1", "2", "3", "4"]);
    let found: Vec<_> = codes(&plan).into_iter().filter(|(code, _)| code.contains("fence")).collect();
    assert_eq!(found, [("step-in-fence", 6), ("fenced-step", 12), ("fenced-step", 18), ("fenced-step", 24)]);
}

#[test]
fn two_halves_of_a_cycle_are_two_steps() {
    let text = "\
# R

## Phase 1: A (type: tdd, model: haiku)

### Cycle 1.1: RED — test it

### Cycle 1.1: GREEN — make it

### Cycle 1.2: all of it

Depends on: Cycle 1.1
";
    let plan = plan(text);
    assert_eq!(ids(&plan), ["1.1-test", "1.1-impl", "1.2"]);
    assert_eq!(depends(&plan, "1.1-impl"), ["1.1-test"]);
    assert_eq!(depends(&plan, "1.2"), ["1.1-test", "1.1-impl"]);
    assert_eq!(codes(&plan), [("split-cycle", 5), ("split-cycle", 7)]);
    let twice =
        read(&Text { path: "runbook.md", bytes: b"## Step 1.1: A\n\n## Step 1.1: B\n" }, None).unwrap();
    assert_eq!(errors(&twice).unwrap().code, "duplicate-id");
}

#[test]
fn a_phase_that_waits_for_a_later_one_comes_after_it() {
    let text = "\
# R

**Note:** x

### Phase 1: A (model: haiku)

## Step 1.1: A

### Phase 2: B (model: haiku)

Phase 3 must complete first (its file is read here).

## Step 2.1: B

### Phase 3: C (model: haiku)

**Dependencies:** Phase 1

## Step 3.1: C

## Phase 3 Checkpoint

Look at it.
";
    let plan = plan(text);
    assert_eq!(ids(&plan), ["1.1", "checkpoint-1", "3.1", "checkpoint-3", "2.1"]);
    assert_eq!(depends(&plan, "2.1"), ["checkpoint-3"]);
    assert_eq!(depends(&plan, "3.1"), ["checkpoint-1"]);
    assert_eq!(codes(&plan), [("phase-order", 9)]);
    assert_eq!(task(&plan, "checkpoint-3").span.line, 21);
}

#[test]
fn dependencies_on_nothing_and_in_a_ring_are_errors() {
    let dangling = plan(
        "# R\n\n## Cycle 1.1: A\n**Model:** haiku\n[DEPENDS: 9.9]\n\n## Cycle 2.1: B\n**Model:** haiku\n",
    );
    assert_eq!(codes(&dangling), [("dangling-dependency", 5)]);
    let ring = plan(
        "# R\n\n## Cycle 1.1: A [DEPENDS: 1.2]\n**Model:** a\n\n## Cycle 1.2: B [DEPENDS: 1.1]\n**Model:** a\n",
    );
    assert_eq!(errors(&ring).unwrap().code, "cycle");
    let part = read(
        &Text {
            path: "runbook-phase-2.md",
            bytes: b"# Phase 2: B\n**Model:** a\n\n## Cycle 2.1: B [DEPENDS: 1.4]\n",
        },
        None,
    )
    .unwrap();
    assert_eq!(codes(&part), [("outside-dependency", 4)]);
}

#[test]
fn one_stage_items_have_slices() {
    let text = "\
# Runbook — one

## Phase 1: script (type: tdd)

Words.

- Item 1.1: a.sh — find it.

  Requirements: FR-1, FR-2.

  Slices:

  1. The contract: tests in prose.
  2. The other.

  Interfaces:

  1. `f()` is none

- **Item 1.2:** `b.sh` — use it.
  - Requirements: FR-3. Depends on: Item 1.1
  - Model: opus

## Phase 2: docs (type: general)

- Item 2.1: README.md — say it. Depends on: Items 1.1 and 1.2 — **last**, not 1.9
";
    let plan = plan(text);
    assert_eq!(ids(&plan), ["1.1", "1.1/1", "1.1/2", "1.2", "checkpoint-1", "2.1"]);
    assert_eq!(task(&plan, "1.1").kind, Kind::Container);
    assert_eq!(task(&plan, "1.1/2").parent.as_ref().unwrap().as_str(), "1.1");
    assert_eq!(depends(&plan, "1.1/2"), ["1.1/1"]);
    assert_eq!(depends(&plan, "1.2"), ["1.1"]);
    assert_eq!(depends(&plan, "2.1"), ["1.1", "1.2", "checkpoint-1"]);
    assert_eq!(task(&plan, "1.2").model.as_deref(), Some("opus"));
    assert!(
        plan.diagnostics.iter().all(|found| found.code == "no-model" && found.severity == Severity::Warning)
    );
}

#[test]
fn the_state_is_the_line_in_the_progress_file() {
    let progress = "## Step Execution\n\n- ✓ Cycle 1.1: x - Completed at noon\n  - Report: r.md\n- ✗ Step 1.2: y - Failed\n- ✓ Step 7: z\n";
    let root = folder(&[("plans/x/runbook.md", WHOLE), ("plans/x/progress.md", progress)]);
    for path in ["plans/x/runbook.md", "plans/x"] {
        let plan = open(root.path(), path, false).unwrap();
        let first = task(&plan, "1.1");
        assert_eq!(first.state, State::Completed, "{path}");
        let from = first.state_from.as_ref().unwrap();
        assert_eq!((from.path.as_str(), from.line), ("plans/x/progress.md", 3));
        assert_eq!(task(&plan, "1.2").state, State::Failed);
        assert_eq!(task(&plan, "2.1").state, State::Pending);
        assert!(task(&plan, "2.1").state_from.is_none());
        assert_eq!(codes(&plan), [("unknown-progress", 6)]);
    }
}

#[test]
fn phase_files_are_one_runbook_in_the_order_of_their_numbers() {
    let root = folder(&[
        ("p/runbook-phase-2.md", "---\nmodel: opus\n---\n# Phase 2: B\n\n## Step 2.1: B\n"),
        (
            "p/runbook-phase-10.md",
            "# Phase 10: J (model: haiku)\n\n## Step 10.1: J\n\nDepends on: Step 2.1\n",
        ),
        ("p/runbook-phase-1.md", "---\nmodel: haiku\n---\n## Step 1.1: A\n"),
    ]);
    let plan = open(root.path(), "p", false).unwrap();
    assert_eq!(ids(&plan), ["1.1", "checkpoint-1", "2.1", "checkpoint-2", "10.1"]);
    let models: Vec<_> = ["1.1", "2.1", "10.1"].map(|id| task(&plan, id).model.clone().unwrap()).into();
    assert_eq!(models, ["haiku", "opus", "haiku"]);
    assert_eq!(depends(&plan, "10.1"), ["2.1", "checkpoint-2"]);
    assert_eq!(codes(&plan), [("phase-gap", 1)]);
    assert_eq!(task(&plan, "2.1").span.path, "p/runbook-phase-2.md");
}

const RUNBOOK: &str = "\
# R

### Phase 1: A (type: tdd, model: sonnet)

## Cycle 1.1: First

## Cycle 1.2: Second

### Phase 2: B (type: general, model: haiku)

## Step 2.1: Third

## Step 2.2: Left behind

### Phase 3: C (type: inline)

Words.
";

fn step(title: &str, model: &str, phase: &str, body: &str) -> String {
    format!(
        "# {title}\n\n**Plan**: `plans/x/runbook.md`\n**Execution Model**: {model}\n**Phase**: {phase}\n\n---\n\n{body}\n"
    )
}

#[test]
fn a_prepared_runbook_is_what_was_prepared() {
    let list = "\
# Orchestrator Plan: x

**Agent:** x-task
**Corrector Agent:** x-corrector
**Tester Agent:** x-tester

## Steps

- step-1-1-test.md | Phase 1 | sonnet | 30 | TEST
- step-1-1-impl.md | Phase 1 | sonnet | 30 | IMPLEMENT
- step-1-2.md | Phase 1 | sonnet | 20 | PHASE_BOUNDARY
- step-2-1.md | Phase 2 | haiku | 30 | PHASE_BOUNDARY
- INLINE | Phase 3 | — | PHASE_BOUNDARY
";
    let files = [
        ("plans/x/runbook.md", RUNBOOK.to_owned()),
        ("plans/x/orchestrator-plan.md", list.to_owned()),
        ("plans/x/steps/step-1-1-test.md", step("Cycle 1.1", "sonnet", "1", "**RED:** x")),
        ("plans/x/steps/step-1-1-impl.md", step("Cycle 1.1", "sonnet", "1", "")),
        ("plans/x/steps/step-1-2.md", step("Cycle 1.2", "haiku", "2", "**Execution Model:** Sonnet")),
        ("plans/x/steps/step-2-1.md", step("Step 2.1", "haiku", "2", "Do it.")),
        ("plans/x/steps/step-9-9.md", step("Step 9.9", "haiku", "9", "Old.")),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let root = folder(&files);
    let plan = open(root.path(), "plans/x", false).unwrap();
    assert_eq!(
        ids(&plan),
        [
            "1.1-test",
            "1.1-impl",
            "1.2",
            "checkpoint-1",
            "2.1",
            "2.2",
            "checkpoint-2",
            "phase-3",
            "checkpoint-3"
        ]
    );
    assert_eq!(depends(&plan, "1.1-impl"), ["1.1-test"]);
    assert_eq!(task(&plan, "1.1-test").agent.as_deref(), Some("x-tester"));
    assert_eq!(task(&plan, "2.1").agent.as_deref(), Some("x-task"));
    assert_eq!(task(&plan, "checkpoint-1").agent.as_deref(), Some("x-corrector"));
    let second = task(&plan, "1.2");
    assert_eq!(
        (second.model.as_deref(), second.max_turns, second.phase.as_deref()),
        (Some("haiku"), Some(20), Some("1"))
    );
    assert_eq!(second.span.path, "plans/x/steps/step-1-2.md");
    assert_eq!(task(&plan, "2.2").span.path, "plans/x/runbook.md");
    let mut found: Vec<_> = codes(&plan).into_iter().map(|(code, _)| code).collect();
    found.sort_unstable();
    let expected = [
        "empty-step",
        "model-conflict",
        "not-prepared",
        "phase-conflict",
        "stale-step-file",
        "step-not-prepared",
    ];
    assert_eq!(found, expected);
}

#[test]
fn what_a_run_needs_must_be_there() {
    let root = folder(&[("plans/x/runbook.md", RUNBOOK)]);
    for path in ["plans/x", "plans/x/runbook.md"] {
        let fail = open(root.path(), path, true).unwrap_err();
        assert_eq!((fail.exit, fail.code), (Exit::NoInput, "not-prepared"));
        for missing in ["plans/x/steps/step-*.md", "plans/x/orchestrator-plan.md", ".claude/agents/x-task.md"]
        {
            assert!(fail.message.contains(missing), "{}", fail.message);
        }
    }
    let list = "# Orchestrator Plan: x\n\nExecute steps sequentially using x-task agent.\n\n## step-1-1 (Cycle 1.1)\n\n## step-1-2 (Cycle 1.2)\n";
    fs::create_dir_all(root.path().join("plans/x/steps")).unwrap();
    fs::create_dir_all(root.path().join(".claude/agents")).unwrap();
    fs::write(root.path().join("plans/x/orchestrator-plan.md"), list).unwrap();
    fs::write(root.path().join("plans/x/steps/step-1-1.md"), step("Cycle 1.1", "haiku", "1", "x")).unwrap();
    fs::write(root.path().join(".claude/agents/x-task.md"), "x").unwrap();
    let fail = open(root.path(), "plans/x", true).unwrap_err();
    assert_eq!(
        fail.message,
        "Runbook not prepared. Run `/plan-adhoc` first to create execution artifacts. Missing: \
         plans/x/steps/step-1-2.md"
    );
    fs::write(root.path().join("plans/x/steps/step-1-2.md"), "# Cycle 1.2\n\nx\n").unwrap();
    assert!(open(root.path(), "plans/x", true).is_ok());
}

#[test]
fn a_step_without_a_model_is_an_error_once_it_is_to_be_carried_out() {
    let root = folder(&[
        ("plans/x/orchestrator-plan.md", "# Orchestrator Plan: x\n"),
        ("plans/x/steps/step-1.md", "# Step 1\n\n**Plan**: `plans/x/runbook.md`\n\n---\n\nx\n"),
        (".claude/agents/x-task.md", "x"),
    ]);
    let plan = open(root.path(), "plans/x", false).unwrap();
    assert!(errors(&plan).is_none());
    let plan = open(root.path(), "plans/x", true).unwrap();
    assert_eq!(errors(&plan).unwrap().code, "no-model");
}

#[test]
fn the_model_of_a_prepared_step_is_the_one_in_its_header() {
    let unheaded =
        "# Cycle 1.1\n\n**Plan**: `plans/x/runbook.md`\n\n---\n\n**Execution Model**: Opus\n\nDo it.\n";
    let runbook = "---\nmodel: haiku\n---\n# X\n\n## Cycle 1.1: A\n\n**Execution Model**: Sonnet\n\nDo it.\n";
    let listed = |line: &str| format!("# Orchestrator Plan: x\n\n**Agent:** x-task\n\n## Steps\n\n{line}\n");
    let read = |list: &str| {
        let root = folder(&[
            ("plans/x/runbook.md", runbook),
            ("plans/x/orchestrator-plan.md", list),
            ("plans/x/steps/step-1-1.md", unheaded),
            (".claude/agents/x-task.md", "x"),
        ]);
        open(root.path(), "plans/x", true).unwrap()
    };
    let plan = read(&listed("- step-1-1.md"));
    assert_eq!(task(&plan, "1.1").model, None, "neither its body nor the runbook's default counts");
    let error = errors(&plan).unwrap();
    assert_eq!(error.code, "no-model");
    assert!(error.message.contains("**Execution Model**: NAME"), "{}", error.message);
    // The orchestrator plan is a part of the preparation.
    let plan = read(&listed("- step-1-1.md | Phase 1 | sonnet | 30"));
    assert_eq!(task(&plan, "1.1").model.as_deref(), Some("sonnet"));
}

#[test]
fn a_runbook_that_lost_its_step_files_is_not_carried_out_from_its_text() {
    let list = "# Orchestrator Plan: x\n\nExecute steps sequentially using x-task agent.\n";
    let root = folder(&[("plans/x/runbook.md", RUNBOOK), ("plans/x/orchestrator-plan.md", list)]);
    let fail = open(root.path(), "plans/x", false).unwrap_err();
    assert_eq!((fail.exit, fail.code), (Exit::NoInput, "not-prepared"));
}

#[test]
fn what_the_metadata_announces_is_compared_and_its_chains_are_kept() {
    let text = "\
# R

## Weak Orchestrator Metadata

**Total Steps**: 4

**Step Dependencies**:
- Steps 1-2: Sequential (the second reads the first)
- Step 3: After Step 1

## Step 1: A

## Step 2: B

## Step 3: C
";
    let plan = plan(text);
    assert_eq!(depends(&plan, "3"), ["1"]);
    assert_eq!(plan.strategy.as_ref().unwrap().serial.len(), 1);
    let found: Vec<_> = codes(&plan).into_iter().filter(|(code, _)| *code != "no-model").collect();
    assert_eq!(found, [("step-count", 5)]);
}

#[test]
fn line_ends_and_a_byte_order_mark_change_nothing_but_places() {
    let plain = plan(WHOLE);
    let crlf = plan(&format!("\u{feff}{}", WHOLE.replace('\n', "\r\n")));
    assert_eq!(ids(&plain), ids(&crlf));
    for (a, b) in plain.tasks.iter().zip(&crlf.tasks) {
        assert_eq!((&a.fingerprint, &a.model, &a.depends_on), (&b.fingerprint, &b.model, &b.depends_on));
    }
}

fn piece() -> impl Strategy<Value = String> {
    let number = (0..4u32, 1..6u32).prop_map(|(a, b)| format!("{a}.{b}"));
    let word = prop::sample::select(vec!["Step", "Cycle", "Steps", "Item"]);
    prop_oneof![
        4 => (word.clone(), number.clone(), 1..6usize).prop_map(|(w, n, l)| format!("{} {w} {n}: do\n", "#".repeat(l))),
        2 => (word.clone(), number.clone()).prop_map(|(w, n)| format!("- {w} {n}: x\n")),
        2 => (1..5usize, 0..4u32).prop_map(|(l, n)| format!("{} Phase {n}: p (type: inline)\n", "#".repeat(l))),
        2 => (word, number).prop_map(|(w, n)| format!("**Depends on:** {w} {n}-3.5, Phases 0–2\n")),
        3 => prop::sample::select(vec![
            "---\n", "```\n", "````bash\n", "~~~\n", "\n", "**RED Phase:**\n", "**GREEN:** x\n", "**Bootstrap:**\n", "  Slices:\n",
            "  1. one\n", "\u{feff}", "\r\n", "\r", "## Phase 1 Checkpoint\n", "## CHECKPOINT: After x\n", "**Model:** opus\n",
            "## Weak Orchestrator Metadata\n", "**Step Dependencies**: 1.1 → 1.2 → [Phase 2 ∥ Phase 1]\n", "> quote\n", "[DEPENDS: 1.1",
            "]\n", "(", "—", "Step 1 must complete before", "| a | b |\n|--|--|\n", "Phase 3 must complete first\n", "<!--\n", "## Step 1.:\n",
        ]).prop_map(str::to_owned),
    ]
}

proptest! {
    #[test]
    fn every_place_lies_in_the_file(pieces in prop::collection::vec(piece(), 0..30), damage in any::<(u16, u8)>()) {
        let mut bytes = pieces.concat().into_bytes();
        let at = usize::from(damage.0);
        if let Some(byte) = bytes.get_mut(at) {
            *byte = damage.1;
        }
        let Ok(plan) = read(&Text { path: "runbook.md", bytes: &bytes }, Some("runbook")) else { return Ok(()) };
        for span in plan.tasks.iter().flat_map(|t| std::iter::once(&t.span).chain(t.criteria.iter().map(|c| &c.span))) {
            prop_assert!(span.start <= span.end && span.end <= bytes.len() as u64);
        }
        let lines = bytes.split(|byte| *byte == b'\n').count() as u64;
        prop_assert!(plan.diagnostics.iter().all(|found| found.line >= 1 && found.line <= lines));
    }
}

#[test]
fn boxed_steps_below_a_heading_step_are_steps_of_their_own() {
    let text = "# X\n\n### Phase 3: A (type: general)\n\n### Step 3.2: First\n\nText.\n\n### Step 3.3: Then\n\n\
                **Depends on:** Step 3.2\n\n- [ ] a mere criterion\n- [ ] Step 3.3.1: a part\n\
                - [ ] Step 3.4: more\n  Depends on: Step 3.3\n- [x] **Step 3.5**: done\n\n### Step 3.6: Last\n\nText.\n";
    let plan = plan(text);
    assert_eq!(ids(&plan), ["3.2", "3.3", "3.4", "3.5", "3.6"]);
    let states: Vec<_> = plan.tasks.iter().map(|task| task.state).collect();
    assert_eq!(states[2..4], [State::Pending, State::Completed]);
    assert_eq!(depends(&plan, "3.3"), ["3.2"]);
    assert_eq!(depends(&plan, "3.4"), ["3.3"]);
    let mark = task(&plan, "3.5").mark.as_ref().unwrap();
    assert_eq!(body(text.as_bytes(), mark), b"x");
    assert!(body(text.as_bytes(), &task(&plan, "3.3").span).ends_with(b"a part"));
    let boxed: Vec<_> = codes(&plan).into_iter().filter(|(code, _)| *code == "boxed-step").collect();
    assert_eq!(boxed, [("boxed-step", 15), ("boxed-step", 17)]);
}

#[test]
fn a_step_that_is_only_mentioned_in_another_is_reported_by_its_line() {
    let text = "# X\n\n### Phase 3: A (type: general)\n\n### Step 3.3: Then\n\n- Step 3.4: no box\n\
                - group\n  - [ ] Step 3.5: nested\n- Step 3.3: itself\n";
    let plan = plan(text);
    assert_eq!(ids(&plan), ["3.3"]);
    let left: Vec<_> = codes(&plan).into_iter().filter(|(code, _)| *code == "item-not-taken").collect();
    assert_eq!(left, [("item-not-taken", 7), ("item-not-taken", 9)]);
}

#[test]
fn a_list_below_depends_on_is_what_the_step_waits_for() {
    let text = "# X\n\n### Phase 1: A (type: general)\n\n### Step 1.1: a\n\nx\n\n### Step 1.2: b\n\nx\n\n\
                ### Step 1.3: c\n\n**Depends on**:\n- Step 1.1 (the base)\n- [x] Step 1.2: b\n- a good night\n\n\
                ### Step 1.4: d\n\nDepends on:\n\n- 1.3\n\n- not 1.1\n";
    let plan = plan(text);
    assert_eq!(ids(&plan), ["1.1", "1.2", "1.3", "1.4"]);
    assert_eq!(depends(&plan, "1.3"), ["1.1", "1.2"]);
    assert_eq!(depends(&plan, "1.4"), ["1.3"]);
}

#[test]
fn a_command_behind_verify_is_a_criterion_and_a_report_behind_it_is_none() {
    let text = "# Runbook\n\n### Step 1: a\n\n**Verify:** `just test tests/a.py`\n\n### Step 2: b\n\n\
                **Validation**: RED verified ✓, GREEN verified ✓\n";
    let plan = plan(text);
    let found: Vec<_> =
        task(&plan, "1").criteria.iter().map(|c| (c.command.as_deref(), c.runnable)).collect();
    assert_eq!(found, [(Some("just test tests/a.py"), true)]);
    assert!(task(&plan, "2").criteria.is_empty());
}

#[test]
fn a_step_may_name_its_agent() {
    let plan = plan(
        "---\nmodel: sonnet\n---\n# X\n\n## Step 1: A\n\n**Agent**: vet-fix-agent\n\nLook.\n\n## Step 2: B\n\n**Agent**: opus\n\nLook.\n",
    );
    assert_eq!(task(&plan, "1").agent.as_deref(), Some("vet-fix-agent"));
    assert_eq!(task(&plan, "2").agent, None, "a model is no agent");
}

#[test]
fn a_model_in_the_front_matter_that_is_not_understood_is_an_error() {
    for model in ["|\n  opus", "[opus]", "*model"] {
        let text =
            format!("---\nname: x\nmodel: {model}\n---\n# Runbook\n\n## Step 1: Do it\n\n**Objective**: x\n");
        let plan = read(&Text { path: "runbook.md", bytes: text.as_bytes() }, Some("runbook")).unwrap();
        let fail = errors(&plan).unwrap();
        assert_eq!((fail.code, fail.line), ("bad-front-matter", Some(3)), "{model}");
    }
}
