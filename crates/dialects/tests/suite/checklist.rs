//! Reading any list with boxes.

#![expect(clippy::unwrap_used, reason = "a text that does not parse fails the test")]

use crate::asked;
use dialects::{read, table};
use markdown::Text;
use wire::State;
use wire::plan::{Kind, Plan};

fn plan(text: &str) -> Plan {
    read(&Text { path: "todo.md", bytes: text.as_bytes() }, None).unwrap()
}

#[test]
fn items_are_known_by_their_id_or_their_place() {
    let plan = plan(
        "# List\n\n- [ ] first\n  - [x] inner\n  - plain\n    - [ ] deep\n- [-] T001 second\n1. [ ] 2.3: third\n",
    );
    let found: Vec<_> = plan
        .tasks
        .iter()
        .map(|t| (t.id.as_str(), t.title.as_str(), t.parent.as_ref().map(wire::TaskId::as_str)))
        .collect();
    assert_eq!(
        found,
        [
            ("1", "first", None),
            ("1.1", "inner", Some("1")),
            ("1.2", "deep", Some("1")),
            ("T001", "second", None),
            ("2.3", "third", None),
        ]
    );
    assert_eq!(plan.tasks[0].kind, Kind::Container);
    assert_eq!(plan.tasks[3].state, State::InProgress);
}

#[test]
fn ids_that_are_used_twice_give_way_to_places() {
    let plan = plan("- [ ] T1 a\n- [ ] T1 b\n- [ ] 1. c\n- [ ] 5. d\n- [ ] 5. e\n");
    let ids: Vec<_> = plan.tasks.iter().map(|task| task.id.as_str()).collect();
    // The first of two tasks keeps a name; two lists may both have a number.
    assert_eq!(ids, ["T1", "2", "1", "4", "i5"]);
    let repeated: Vec<u64> =
        plan.diagnostics.iter().filter(|found| found.code == "repeated-id").map(|found| found.line).collect();
    assert_eq!(repeated, [2]);
}

#[test]
fn quotes_fences_links_and_footnotes_are_no_tasks() {
    let plan = plan("- [ ] a\n- [b](c)\n- [1] d\n\n> - [ ] e\n\n```\n- [ ] f\n```\n");
    assert_eq!(plan.tasks.len(), 1);
    assert_eq!(plan.diagnostics[0].code, "task-in-quote");
}

#[test]
fn a_text_that_is_no_plan_says_so() {
    for text in ["", "# Title\n\ntext\n", "- a\n- b\n"] {
        let fail = read(&Text { path: "x.md", bytes: text.as_bytes() }, None).unwrap_err();
        assert_eq!((fail.code, fail.exit.code()), ("not-a-plan", 65));
    }
}

#[test]
fn a_forced_dialect_is_used_or_refused() {
    let text = Text { path: "x.md", bytes: b"### [ ] TODO 1: a\n\n- [ ] b\n" };
    assert_eq!(read(&text, None).unwrap().source.dialect, "plan-md");
    assert_eq!(read(&text, Some("checklist")).unwrap().source.dialect, "checklist");
    let fail = read(&text, Some("nonsense")).unwrap_err();
    assert_eq!((fail.code, fail.exit.code()), ("usage", 2));
    assert!(table().iter().all(|dialect| fail.message.contains(dialect.name)));
}

#[test]
fn files_are_opened_as_seen_from_the_root() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("docs");
    std::fs::create_dir(&folder).unwrap();
    let file = folder.join("todo.md");
    std::fs::File::create(&file).and_then(|mut f| std::io::Write::write_all(&mut f, b"- [ ] a\n")).unwrap();
    let plan = dialects::open(&file, root.path(), None).unwrap();
    assert_eq!(plan.source.path, "docs/todo.md");
    assert_eq!(plan.source.root, root.path().to_string_lossy());
    assert_eq!(dialects::open(&folder.join("no.md"), root.path(), None).unwrap_err().exit.code(), 66);
    assert_eq!(dialects::open(&folder, root.path(), None).unwrap_err().code, "not-a-plan");
}

#[test]
fn labels_below_an_item_say_what_it_needs() {
    let plan = plan(
        "\
- [ ] **T01: Dig** `est:30m`
  - Why: there must be a hole
  - Files: `hole.c`, `hole.h`
  - Verify: `make hole` → exit 0
  - Done when: somebody can fall in
- [ ] **T02: Fill** (depends on T01)
  - Status: completed
- [ ] T03 Rest
  - Dependencies: T01, T02 (both)
  - Acceptance criteria:
    - `make rest` passes
    - quiet
- [ ] T04 Look
  - Dependencies: None
  - Blocked by: the weather
",
    );
    let told: Vec<_> = plan.tasks.iter().map(|task| (task.title.as_str(), task.depends_on.len())).collect();
    assert_eq!(told, [("Dig `est:30m`", 0), ("Fill (depends on T01)", 1), ("Rest", 2), ("Look", 0)]);
    let first = &plan.tasks[0];
    assert_eq!(first.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["hole.c", "hole.h"]);
    assert_eq!(first.criteria.iter().map(|one| one.runnable).collect::<Vec<_>>(), [true, false]);
    assert_eq!(plan.tasks[2].criteria.len(), 2);
    let codes: Vec<_> = plan.diagnostics.iter().map(|found| found.code.as_str()).collect();
    assert_eq!(codes, ["status-conflict", "unresolved-requirement"]);
}

#[test]
fn a_check_may_be_a_plain_line_of_the_item() {
    let plan = plan(
        "\
- [ ] Dig
  ```sh
  Verify: `never`
  ```
  Verify: `test -d hole` → exit 0
  - Verify: `make hole`
  **Check**: `make deep`
- [ ] Fill
  Verify: `make full`
  - [ ] Stones
    Test: the stones
",
    );
    let told: Vec<Vec<_>> = plan.tasks.iter().map(|task| asked::all(&task.criteria)).collect();
    assert_eq!(told[0], ["test -d hole → exit 0", "make hole → exit 0", "make deep → exit 0"]);
    assert_eq!(told[1], ["make full → exit 0"]);
    assert!(told[2].is_empty());
    assert_eq!(plan.tasks[0].criteria[2].id, "1:3");
}

#[test]
fn the_word_task_before_a_number_makes_it_a_name() {
    let plan = plan(
        "- [ ] **Task 1.1**: Dig\n- [x] **Task 1.2**: Fill\n  - [x] earth\n  - [ ] stones\n- [ ] Task force meets\n",
    );
    let ids: Vec<_> = plan.tasks.iter().map(|task| task.id.as_str()).collect();
    assert_eq!(ids, ["1.1", "1.2", "1.2.1", "1.2.2", "3"]);
    assert_eq!(plan.tasks[0].title, "Dig");
}

#[test]
fn a_box_that_is_none_is_told_as_lost() {
    let lost = |line: &str| {
        let text = format!("# P\n\n- [ ] a\n\n{line}\n");
        let plan = read(&Text { path: "P.md", bytes: text.as_bytes() }, None).unwrap();
        plan.diagnostics.iter().filter(|d| dialects::is_lost(d)).map(|d| d.code.clone()).collect::<Vec<_>>()
    };
    for line in [
        "- [ ]b",
        "- [x]b",
        "- [ ]: b",
        "- **[ ] b**",
        "**[ ] b**",
        "- \\[ ] b",
        "- \\[ \\] b",
        "- ☐ b",
        "☐ b",
        "• [ ] b",
        "– [ ] b",
        "[ ] b",
        "1. [ ]b",
        "## Head\n[ ] b",
    ] {
        assert_eq!(lost(line), ["box-not-understood"], "{line}");
    }
    for line in [
        "- [x](b)",
        "- [x][b]",
        "[x]: b",
        "text\n[ ] that goes on",
        "- []string",
        "- see [ ] here",
        "- `[ ]` b",
        "- a ☐ b",
        "- **[b] c**",
        "```\n- [ ]b\n```",
        "> [ ] b",
    ] {
        assert!(lost(line).is_empty(), "{line}");
    }
    let prose = "# P\n\n### Task 1: a\n\nRun: `make`\n\n[ ] b\n";
    let plan = read(&Text { path: "P.md", bytes: prose.as_bytes() }, None).unwrap();
    assert!(!plan.diagnostics.iter().any(dialects::is_lost), "no task has a box there");
}
