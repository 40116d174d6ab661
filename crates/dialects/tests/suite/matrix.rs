//! The same text asks for the same in every dialect that can hold it.

use crate::asked;
use dialects::read;
use markdown::Text;

/// A dialect, the path of its plan, and a plan around one criterion; every line of `{}` is indented as its place needs.
struct Holder {
    dialect: &'static str,
    path: &'static str,
    /// The text before the criterion.
    before: &'static str,
    /// What stands before each further line of the criterion.
    indent: &'static str,
    after: &'static str,
}

const HOLDERS: &[Holder] = &[
    Holder {
        dialect: "checklist",
        path: "TODO.md",
        before: "# P\n\n- [ ] One\n  - Verify:\n    - ",
        indent: "      ",
        after: "\n- [ ] Two\n",
    },
    Holder {
        dialect: "spec-kit",
        path: "specs/001-a/tasks.md",
        before: "# Tasks\n\n## Phase 1: A\n\n- [ ] T001 [P] One\n  - Verify:\n    - ",
        indent: "      ",
        after: "\n- [ ] T002 Two\n",
    },
    Holder {
        dialect: "kiro",
        path: ".kiro/specs/a/tasks.md",
        before: "# Implementation Plan\n\n- [ ] 1. One\n  - Verify:\n    - ",
        indent: "      ",
        after: "\n- [ ] 2. Two\n",
    },
    Holder {
        dialect: "openspec",
        path: "openspec/changes/a/tasks.md",
        before: "## 1. A\n\n- [ ] 1.1 One\n  - Verify:\n    - ",
        indent: "      ",
        after: "\n- [ ] 1.2 Two\n",
    },
    Holder {
        dialect: "plan-md",
        path: ".dev/specs/a/PLAN.md",
        before: "# P\n\n## TODOs\n\n### [ ] TODO 1: One\n\n**Type**: work\n\n**Acceptance Criteria**:\n- [ ] ",
        indent: "  ",
        after: "\n\n### [ ] TODO 2: Two\n\n**Type**: work\n",
    },
    Holder {
        dialect: "superpowers",
        path: "docs/plans/a.md",
        before: "# P\n\n### Task 1: One\n\n- [x] **Step 1: Do**\n\n**Done when:**\n- [ ] ",
        indent: "  ",
        after: "\n\n### Task 2: Two\n\n- [ ] **Step 1: Do**\n",
    },
    Holder {
        dialect: "ralphex",
        path: "docs/plans/a.md",
        before: "# P\n\n### Task 1: One\n\n- [x] do\n\n**Done when:**\n- [ ] ",
        indent: "  ",
        after: "\n\n### Task 2: Two\n\n- [ ] do\n",
    },
    Holder {
        dialect: "gsd",
        path: "01-01-PLAN.md",
        before: "<tasks>\n<task type=\"auto\">\n  <name>Task 1: One</name>\n  <acceptance_criteria>\n    - ",
        indent: "      ",
        after: "\n  </acceptance_criteria>\n</task>\n</tasks>\n",
    },
    Holder {
        dialect: "workflow",
        path: ".workflow/active/WFS-a/TODO_LIST.md",
        before: "# Tasks: P\n\n- [ ] **IMPL-1**: One\n  - Verify:\n    - ",
        indent: "      ",
        after: "\n- [ ] **IMPL-2**: Two\n",
    },
    Holder {
        dialect: "runbook",
        path: "plans/a/runbook.md",
        before: "# Runbook\n\n## Common Context\n\nx\n\n## Step 1.1: One\n\nDo.\n\n#### Verification\n\n- ",
        indent: "  ",
        after: "\n\n## Step 1.2: Two\n\nDo.\n",
    },
    Holder {
        dialect: "cc-sdd",
        path: ".kiro/specs/a/tasks.md",
        before: "# Implementation Plan\n\n- [ ] 1. (P) One\n  - Verify:\n    - ",
        indent: "      ",
        after: "\n  - _Boundary: A_\n- [ ] 2. (P) Two\n  - _Depends: 1_\n",
    },
    Holder {
        dialect: "bmad",
        path: "docs/stories/1.1.story.md",
        before: "# Story 1.1: A\n\nStatus: Draft\n\n## Tasks / Subtasks\n\n- [ ] One\n  - Verify:\n    - ",
        indent: "      ",
        after: "\n- [ ] Two\n",
    },
    Holder {
        dialect: "plans-md",
        path: "Plans.md",
        before: "# Plans\n\n- [ ] One `cc:TODO`\n  - Verify:\n    - ",
        indent: "      ",
        after: "\n- [ ] Two `cc:TODO`\n",
    },
    Holder {
        dialect: "task-plan",
        path: "task_plan.md",
        before: "# Task Plan\n\n### Phase 1: A\n\n- [ ] One\n  - Verify:\n    - ",
        indent: "      ",
        after: "\n- [ ] Two\n- **Status:** in_progress\n",
    },
    Holder {
        dialect: "exec-plan",
        path: "PLANS.md",
        before: "# ExecPlan\n\n## Progress\n\n- [ ] One\n  - Verify:\n    - ",
        indent: "      ",
        after: "\n- [ ] Two\n\n## Surprises & Discoveries\n\nNone.\n",
    },
    Holder {
        dialect: "gsd-roadmap",
        path: "ROADMAP.md",
        before: "# Roadmap\n\n- [ ] **Phase 1: One**\n  - Verify:\n    - ",
        indent: "      ",
        after: "\n- [ ] **Phase 2: Two**\n",
    },
    Holder {
        dialect: "humanlayer",
        path: "thoughts/plans/a.md",
        before: "# A\n\n## Phase 1: One\n\n### Success Criteria:\n\n#### Automated Verification:\n\n- [ ] ",
        indent: "  ",
        after: "\n\n## Phase 2: Two\n\n### Success Criteria:\n\n#### Automated Verification:\n\n- [ ] `make`\n",
    },
    Holder {
        dialect: "headings",
        path: "PLAN.md",
        before: "# A\n\n## Phase 1: One\n\n**Acceptance Criteria**:\n\n- [ ] ",
        indent: "  ",
        after: "\n\n## Phase 2: Two\n\nDo.\n",
    },
    Holder {
        dialect: "numbered",
        path: "PLAN.md",
        before: "# A\n\n## Tasks\n\n1. One\n   - Verify:\n     - ",
        indent: "       ",
        after: "\n2. Two\n",
    },
    Holder {
        dialect: "tracker",
        path: "PLAN.md",
        before: "# A\n\n## Tasks\n\n- ⬜ One\n  - Verify:\n    - ",
        indent: "      ",
        after: "\n- ⬜ Two\n",
    },
    Holder {
        dialect: "boxes",
        path: "NOTES.md",
        before: "# A\n\n- [ ] One\n  - Verify:\n    - ",
        indent: "      ",
        after: "\n- [ ] Two\n",
    },
];

/// Criteria and what they ask for; a line break in a text goes on below the criterion.
const TEXTS: &[(&str, &[&str])] = &[
    ("`true` → exit 0", &["true → exit 0"]),
    ("`test -f a`", &["test -f a → exit 0"]),
    ("`cat a` → `x`", &["cat a → `x`"]),
    ("`cat a` prints \"x\"", &["cat a → `x`"]),
    ("`grep -c x a` → >= 2", &["grep -c x a → >= 2"]),
    ("Unit tests: `pytest -q` → 12 passed", &["pytest -q → 12 passed"]),
    ("`python3 app.py`\nExpected: `x`", &["python3 app.py → `x`"]),
    ("`python3 app.py`\n- Should print: `x`", &["python3 app.py → `x`"]),
    ("No TODOs remain: `grep -rn TODO src/`", &["? grep -rn TODO src/"]),
    ("`make` looks fine", &["? make"]),
    ("`make` → exit 0 (once)", &["? make"]),
    ("`make` → exit 0\n- Note: slow", &["make → exit 0"]),
    ("`test -f a` and `test -f b`", &["test -f a → exit 0", "test -f b → exit 0"]),
    ("A:\n```sh\ncat a\n```\nExpected: `x`", &["cat a → `x`"]),
    ("A:\n```console\n$ cat a\nx\n```", &["cat a → prints x"]),
    ("`make` → looks fine", &["? make"]),
    ("`make # prints x`", &["? make"]),
    ("`cat a` →", &["? cat a"]),
    ("`cat a > b` → empty", &["? cat a > b"]),
    ("`cat a`\n**Must print:** `x`", &["cat a → `x`"]),
    ("Nothing is lost: `cat a` → `x`", &["? cat a"]),
    ("it looks good", &["prose"]),
];

#[test]
fn a_text_asks_for_the_same_in_every_dialect() {
    let mut wrong = Vec::new();
    for holder in HOLDERS {
        for (text, wanted) in TEXTS {
            let below = text.replace('\n', &format!("\n{}", holder.indent));
            let plan = format!("{}{below}{}", holder.before, holder.after);
            let plan =
                read(&Text { path: holder.path, bytes: plan.as_bytes() }, Some(holder.dialect)).unwrap();
            let criteria = plan.tasks[0].criteria.iter().filter(|criterion| !criterion.checked);
            let found: Vec<String> = criteria.map(asked::asked).collect();
            if found != *wanted {
                wrong.push(format!("{}: {text}: {found:?}", holder.dialect));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_table_of_checks_is_one_in_every_dialect() {
    let table =
        "| Check | Command | Expected |\n|---|---|---|\n| A | `cat a` | `x` |\n| B | `cat b \\| wc -l` | 3 |";
    let wanted = ["cat a → `x`", "cat b | wc -l → 3"];
    for (dialect, path, plan) in [
        ("checklist", "TODO.md", format!("# P\n\n- [ ] One\n\n  {}\n", table.replace('\n', "\n  "))),
        (
            "plan-md",
            "PLAN.md",
            format!("## TODOs\n\n### [ ] TODO 1: One\n\n**Acceptance Criteria**:\n\n{table}\n"),
        ),
        ("superpowers", "docs/plans/a.md", format!("### Task 1: One\n\n- [x] **Step 1: Do**\n\n{table}\n")),
        (
            "runbook",
            "plans/a/runbook.md",
            format!("## Step 1.1: One\n\nDo.\n\n{table}\n\n## Step 1.2: Two\n\nDo.\n"),
        ),
    ] {
        let plan = read(&Text { path, bytes: plan.as_bytes() }, Some(dialect)).unwrap();
        let found: Vec<String> =
            asked::all(&plan.tasks[0].criteria).into_iter().filter(|asked| asked != "prose").collect();
        assert_eq!(found, wanted, "{dialect}");
    }
}

#[test]
fn a_string_of_data_asks_for_the_same_as_a_line_of_a_list() {
    for (dialect, path, before, after) in [
        (
            "prd",
            "prd.json",
            r#"{"userStories": [{"id": "1", "title": "One", "passes": false, "acceptanceCriteria": ["#,
            "]}]}",
        ),
        (
            "taskmaster",
            "tasks.json",
            r#"{"tasks": [{"id": 1, "title": "One", "status": "pending", "testStrategy": "#,
            "}]}",
        ),
        (
            "shrimp",
            "tasks.json",
            r#"{"tasks": [{"id": "1", "name": "One", "status": "pending", "verificationCriteria": "#,
            "}]}",
        ),
    ] {
        for (text, wanted) in TEXTS.iter().filter(|(text, _)| !text.contains('\n')) {
            let plan = format!("{before}{}{after}", serde_json::Value::from(*text));
            let Ok(plan) = read(&Text { path, bytes: plan.as_bytes() }, Some(dialect)) else {
                panic!("{dialect}: {plan}")
            };
            let found: Vec<String> = plan.tasks[0].criteria.iter().map(asked::asked).collect();
            assert_eq!(found, *wanted, "{dialect}: {text}");
        }
    }
}
