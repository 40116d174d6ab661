//! Branches that work on one plan are merged by git itself, with `plan-parse merge` as its driver.

use pipeline_tests::{Bench, bench};

/// A plan of one dialect with two open tasks close together, and how each is ticked.
struct Fixture {
    path: &'static str,
    text: &'static str,
    ours: (&'static str, &'static str),
    theirs: (&'static str, &'static str),
}

const FIXTURES: &[Fixture] = &[
    Fixture {
        path: "TODO.md",
        text: "# Shed\n\n- [ ] Dig\n- [ ] Build\n- [ ] Paint\n",
        ours: ("[ ] Dig", "[x] Dig"),
        theirs: ("[ ] Build", "[x] Build"),
    },
    Fixture {
        path: "specs/001-shed/tasks.md",
        text: "# Tasks: Shed\n\n## Phase 1: Setup\n\n- [ ] T001 Dig in ground/pit.md\n- [ ] T002 [P] Build in src/house.rs\n- [ ] T003 Paint\n",
        ours: ("[ ] T001", "[X] T001"),
        theirs: ("[ ] T002", "[X] T002"),
    },
    Fixture {
        path: ".kiro/specs/shed/tasks.md",
        text: "# Implementation Plan\n\n- [ ] 1. Dig\n- [ ] 2. Build\n  - _Requirements: 1.2_\n",
        ours: ("[ ] 1.", "[x] 1."),
        theirs: ("[ ] 2.", "[x] 2."),
    },
    Fixture {
        path: "openspec/changes/shed/tasks.md",
        text: "## 1. Ground\n\n- [ ] 1.1 Dig\n- [ ] 1.2 Level\n",
        ours: ("[ ] 1.1", "[x] 1.1"),
        theirs: ("[ ] 1.2", "[x] 1.2"),
    },
    Fixture {
        path: "docs/plans/shed.md",
        text: "# Shed\n\n### Task 1: Dig\n\n- [ ] **Step 1: Dig**\n\n### Task 2: Build\n\n- [ ] **Step 1: Build**\n",
        ours: ("[ ] **Step 1: Dig", "[x] **Step 1: Dig"),
        theirs: ("[ ] **Step 1: Build", "[x] **Step 1: Build"),
    },
    Fixture {
        path: "PLAN.md",
        text: "## TODOs\n\n### [ ] TODO 1: Dig\n### [ ] TODO 2: Build\n\n**Acceptance Criteria**:\n- [ ] `test -f house` → exit 0\n",
        ours: ("[ ] TODO 1", "[x] TODO 1"),
        theirs: ("[ ] TODO 2", "[x] TODO 2"),
    },
    Fixture {
        path: ".taskmaster/tasks/tasks.json",
        text: "{\"master\": {\"tasks\": [{\"id\": 1, \"title\": \"Dig\", \"status\": \"pending\"}, {\"id\": 2, \"title\": \"Build\", \"status\": \"pending\"}]}}\n",
        ours: ("\"Dig\", \"status\": \"pending\"", "\"Dig\", \"status\": \"done\""),
        theirs: ("\"Build\", \"status\": \"pending\"", "\"Build\", \"status\": \"done\""),
    },
    Fixture {
        path: "prd.json",
        text: "{\"userStories\": [\n  {\"id\": \"US-1\", \"title\": \"Dig\", \"acceptanceCriteria\": [], \"passes\": false},\n  {\"id\": \"US-2\", \"title\": \"Build\", \"acceptanceCriteria\": [], \"passes\": false}\n]}\n",
        ours: (
            "\"Dig\", \"acceptanceCriteria\": [], \"passes\": false",
            "\"Dig\", \"acceptanceCriteria\": [], \"passes\": true",
        ),
        theirs: (
            "\"Build\", \"acceptanceCriteria\": [], \"passes\": false",
            "\"Build\", \"acceptanceCriteria\": [], \"passes\": true",
        ),
    },
    Fixture {
        path: "feature_list.json",
        text: "[\n  {\"category\": \"functional\", \"description\": \"Dig\", \"steps\": [\"dig\"], \"passes\": false},\n  {\"category\": \"functional\", \"description\": \"Build\", \"steps\": [\"build\"], \"passes\": false}\n]\n",
        ours: ("[\"dig\"], \"passes\": false", "[\"dig\"], \"passes\": true"),
        theirs: ("[\"build\"], \"passes\": false", "[\"build\"], \"passes\": true"),
    },
    Fixture {
        path: ".beads/issues.jsonl",
        text: "{\"id\":\"s-1\",\"title\":\"Dig\",\"status\":\"open\",\"priority\":1,\"issue_type\":\"task\",\"updated_at\":\"2026-01-01T00:00:00Z\"}\n{\"id\":\"s-2\",\"title\":\"Build\",\"status\":\"open\",\"priority\":1,\"issue_type\":\"task\",\"updated_at\":\"2026-01-01T00:00:00Z\"}\n",
        ours: (
            "\"Dig\",\"status\":\"open\",\"priority\":1,\"issue_type\":\"task\",\"updated_at\":\"2026-01-01T00:00:00Z\"",
            "\"Dig\",\"status\":\"closed\",\"priority\":1,\"issue_type\":\"task\",\"updated_at\":\"2026-01-02T00:00:00Z\",\"closed_at\":\"2026-01-02T00:00:00Z\"",
        ),
        theirs: ("\"Build\",\"status\":\"open\"", "\"Build\",\"status\":\"closed\""),
    },
    Fixture {
        path: ".cursor/plans/shed.plan.md",
        text: "---\nname: Shed\ntodos:\n  - id: dig\n    content: Dig\n    status: pending\n  - id: build\n    content: Build\n    status: pending\n---\n\n# Shed\n",
        ours: ("content: Dig\n    status: pending", "content: Dig\n    status: completed"),
        theirs: ("content: Build\n    status: pending", "content: Build\n    status: completed"),
    },
    Fixture {
        path: "sprint-status.yaml",
        text: "development_status:\n  epic-1: in-progress\n  1-1-dig: backlog\n  1-2-build: backlog\n",
        ours: ("1-1-dig: backlog", "1-1-dig: done"),
        theirs: ("1-2-build: backlog", "1-2-build: done"),
    },
];

/// A repository in which `main` and `other` have changed the files; `main` is checked out.
fn branches(before: &[(&str, &str)], ours: &[(&str, String)], theirs: &[(&str, String)]) -> Bench {
    let bench = bench!(empty);
    for (path, text) in before {
        bench.write(path, text);
    }
    let names = before.iter().map(|(path, _)| *path).collect::<Vec<_>>().join(",");
    bench.sh(&format!("orchestrate init --merge-driver={names}")).run().exits(0);
    bench.commit_all("begin");
    bench.git(&["checkout", "-q", "-b", "other"]);
    for (path, text) in theirs {
        bench.write(path, text);
    }
    bench.commit_all("theirs");
    bench.git(&["checkout", "-q", "-"]);
    for (path, text) in ours {
        bench.write(path, text);
    }
    bench.commit_all("ours");
    bench
}

#[test]
fn two_branches_that_tick_different_tasks_merge_without_a_conflict_in_twelve_dialects() {
    let change = |text: &str, (from, to): (&str, &str)| {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        text.replace(from, to)
    };
    let before: Vec<_> = FIXTURES.iter().map(|of| (of.path, of.text)).collect();
    let ours: Vec<_> = FIXTURES.iter().map(|of| (of.path, change(of.text, of.ours))).collect();
    let theirs: Vec<_> = FIXTURES.iter().map(|of| (of.path, change(of.text, of.theirs))).collect();
    let bench = branches(&before, &ours, &theirs);
    let mut dialects = std::collections::BTreeSet::new();
    for of in FIXTURES {
        dialects.insert(bench.sh(&format!("plan-parse --show dialect {}", of.path)).run().exits(0).out());
    }
    assert_eq!(dialects.len(), 12, "{dialects:?}");
    // Git's own merge makes a conflict of neighbours.
    let own = "for at in HEAD HEAD~1 other; do git show $at:TODO.md > ../home/$at; done; \
               cd ../home && git merge-file -p HEAD HEAD~1 other";
    bench.sh(own).run().exits(1);
    bench.sh("git merge -q --no-edit other").run().exits(0);
    for of in FIXTURES {
        assert_eq!(bench.text(of.path), change(&change(of.text, of.ours), of.theirs), "{}", of.path);
    }
    assert_eq!(bench.git(&["status", "--porcelain"]), "");
}

const LIST: &str = "# Shed\n\n- [ ] Dig\n  - Verify: `sh depth.sh` → >= 3\n- [ ] Build\n  - Verify: `test -f house`\n- [ ] Paint\n";

#[test]
fn a_weakened_check_is_a_conflict_that_git_knows() {
    let bench = branches(
        &[("TODO.md", LIST)],
        &[("TODO.md", LIST.replace("[ ] Paint", "[x] Paint"))],
        &[("TODO.md", LIST.replace(">= 3", ">= 1"))],
    );
    let got = bench.sh("git merge --no-edit other").run();
    got.exits(1);
    assert!(
        got.err()
            .contains("changes a check of task 1 'Dig': `sh depth.sh` → >= 3 becomes `sh depth.sh` → >= 1"),
        "{got:?}"
    );
    assert_eq!(bench.git(&["ls-files", "--unmerged"]).lines().count(), 3);
    let wanted = "<<<<<<< HEAD\n  - Verify: `sh depth.sh` → >= 3\n=======\n  - Verify: `sh depth.sh` → >= 1\n>>>>>>> other\n";
    let text = bench
        .text("TODO.md")
        .replace("<<<<<<< ours", "<<<<<<< HEAD")
        .replace(">>>>>>> theirs", ">>>>>>> other");
    assert!(text.contains(wanted) && text.contains("[x] Paint"), "{text}");
    // Git finds its markers.
    bench.sh("git diff --check").run().exits(2);
}

#[test]
fn a_ticked_task_that_the_other_branch_asks_more_of_is_open_again_and_named() {
    let more = LIST.replace("`test -f house`\n", "`test -f house`\n  - Verify: `test -f roof`\n");
    let bench = branches(
        &[("TODO.md", LIST)],
        &[("TODO.md", LIST.replace("[ ] Dig", "[x] Dig").replace("[ ] Build", "[x] Build"))],
        &[("TODO.md", more.clone())],
    );
    let got = bench.sh("git merge --no-edit other").run();
    got.exits(0);
    assert!(got.err().contains("task 2 'Build' is open again"), "{got:?}");
    assert_eq!(bench.text("TODO.md"), more.replace("[ ] Dig", "[x] Dig"));
}

#[test]
fn tasks_that_both_branches_add_are_kept_and_a_rebase_works_as_well() {
    let ours = format!("{LIST}- [ ] Roof\n");
    let theirs = format!("{LIST}- [ ] Door\n").replace("[ ] Dig", "[x] Dig");
    let bench = branches(&[("TODO.md", LIST)], &[("TODO.md", ours)], &[("TODO.md", theirs)]);
    bench.sh("git rebase -q other").run().exits(0);
    let text = bench.text("TODO.md");
    assert_eq!(text, format!("{LIST}- [ ] Door\n- [ ] Roof\n").replace("[ ] Dig", "[x] Dig"));
}

#[test]
fn a_file_that_is_no_plan_is_merged_as_text() {
    let notes = "one\ntwo\nthree\nfour\nfive\n";
    let clean = branches(
        &[("NOTES.txt", notes)],
        &[("NOTES.txt", notes.replace("one", "1"))],
        &[("NOTES.txt", notes.replace("five", "5"))],
    );
    clean.sh("git merge -q --no-edit other").run().exits(0);
    assert_eq!(clean.text("NOTES.txt"), "1\ntwo\nthree\nfour\n5\n");
    let clash = branches(
        &[("NOTES.txt", notes)],
        &[("NOTES.txt", notes.replace("two", "2"))],
        &[("NOTES.txt", notes.replace("two", "zwei"))],
    );
    clash.sh("git merge -q --no-edit other").run().exits(1);
    assert!(clash.text("NOTES.txt").contains("\n=======\nzwei\n>>>>>>> "), "{}", clash.text("NOTES.txt"));
}

#[test]
fn the_driver_is_set_up_once_and_can_be_taken_out() {
    let bench = bench!(empty);
    bench.write(".gitattributes", "*.png binary\n");
    let said = bench.sh("orchestrate init --merge-driver --dry-run").run();
    assert!(said.exits(0).err().contains("would be: .gitattributes"), "{said:?}");
    assert_eq!(bench.text(".gitattributes"), "*.png binary\n");
    bench.sh("orchestrate init --merge-driver=prd.json").run().exits(0);
    let once = bench.text(".gitattributes");
    assert!(once.starts_with("*.png binary\n") && once.contains("\n/PLAN.md merge=plantools\n"), "{once}");
    assert!(bench.git(&["config", "merge.plantools.driver"]).contains("plan-parse merge "));
    let again = bench.sh("orchestrate init --merge-driver").run();
    assert!(again.exits(0).err().contains(".gitattributes stays as it is"), "{again:?}");
    assert_eq!(bench.text(".gitattributes"), once);
    bench.sh("orchestrate init --merge-driver --undo").run().exits(0);
    assert_eq!(bench.text(".gitattributes"), "*.png binary\n");
    bench.sh("git config merge.plantools.driver").run().exits(1);
    bench.sh("orchestrate init --merge-driver='a b'").run().exits(2);
}
