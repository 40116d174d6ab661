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
    ("it looks good", &["prose"]),
];

#[test]
fn a_text_asks_for_the_same_in_every_dialect() {
    for holder in HOLDERS {
        for (text, wanted) in TEXTS {
            let below = text.replace('\n', &format!("\n{}", holder.indent));
            let plan = format!("{}{below}{}", holder.before, holder.after);
            let plan =
                read(&Text { path: holder.path, bytes: plan.as_bytes() }, Some(holder.dialect)).unwrap();
            let criteria = plan.tasks[0].criteria.iter().filter(|criterion| !criterion.checked);
            let found: Vec<String> = criteria.map(asked::asked).collect();
            assert_eq!(found, *wanted, "{}: {text}", holder.dialect);
        }
    }
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
