//! One commit for each ticked task, in every kind of plan that has no commit strategy of its own.

use crate::plans::{CONFIG, carry, files, list_of, trailer, with_plan};
use pipeline_tests::{Bench, Got, bench};

#[test]
fn checklist() {
    is_committed(
        "checklist",
        "TODO.md",
        &list_of(2),
        ["1: Write 1.txt", "2: Write 2.txt"],
        ["1.txt", "2.txt"],
    );
}

#[test]
fn spec_kit() {
    let plan = "# Tasks: Files\n\n## Phase 1: Setup\n\n- [ ] T001 Write a.txt\n  - Verify: `grep -qx done a.txt`\n\
                - [ ] T002 Write b.txt\n  - Verify: `grep -qx done b.txt`\n";
    is_committed(
        "spec-kit",
        "specs/001-files/tasks.md",
        plan,
        ["T001: Write a.txt", "T002: Write b.txt"],
        ["a.txt", "b.txt"],
    );
}

#[test]
fn kiro() {
    let plan = "# Implementation Plan\n\n- [ ] 1. Write a.txt\n  - Verify: `grep -qx done a.txt`\n  - _Requirements: 1.1_\n\
                - [ ] 2. Files\n  - [ ] 2.1 Write b.txt\n    - Verify: `grep -qx done b.txt`\n    - _Requirements: 1.2_\n";
    is_committed(
        "kiro",
        ".kiro/specs/files/tasks.md",
        plan,
        ["1: Write a.txt", "2.1: Write b.txt"],
        ["a.txt", "b.txt"],
    );
}

#[test]
fn openspec() {
    let plan = "## 1. Files\n\n- [ ] 1.1 Write a.txt\n  - Verify: `grep -qx done a.txt`\n\
                - [ ] 1.2 Write b.txt\n  - Verify: `grep -qx done b.txt`\n";
    is_committed(
        "openspec",
        "openspec/changes/files/tasks.md",
        plan,
        ["1.1: Write a.txt", "1.2: Write b.txt"],
        ["a.txt", "b.txt"],
    );
}

const SUPERPOWERS: &str = "# Files Implementation Plan\n\n**Goal:** Files.\n\n### Task 1: Write a.txt\n\n**Files:**\n- Create: `a.txt`\n\n\
    - [ ] **Step 1: Write it**\n\n- [ ] **Step 2: Check it**\n\nRun: `grep -qx done a.txt`\nExpected: exit 0\n\n\
    - [ ] **Step 3: Commit**\n\n```bash\ngit add a.txt\ngit commit -m \"feat: the first file\"\n```\n\n\
    ### Task 2: Write b.txt\n\n**Files:**\n- Create: `b.txt`\n\n- [ ] **Step 1: Write it**\n\n- [ ] **Step 2: Check it**\n\n\
    Run: `grep -qx done b.txt`\nExpected: exit 0\n\n- [ ] **Step 3: Commit**\n\n```bash\ngit add b.txt && git commit -m \"$(cat <<'EOF'\nfeat: the second file\n\nThe first was not enough.\nEOF\n)\"\n```\n";

#[test]
fn superpowers() {
    let bench = is_committed(
        "superpowers",
        "docs/plans/files.md",
        SUPERPOWERS,
        ["feat: the first file", "feat: the second file"],
        ["a.txt", "b.txt"],
    );
    let prompts = bench.text("../home/prompts");
    assert!(prompts.contains("Check it"), "{prompts}");
    for word in ["git add", "git commit", "Step 3", "feat:"] {
        assert!(!prompts.contains(word), "{word} reached the worker: {prompts}");
    }
    let body = bench.git(&["log", "-1", "--format=%b"]);
    assert!(body.starts_with("The first was not enough.\n"), "{body}");
    // The commit steps are ticked with the commits.
    assert!(!bench.text("docs/plans/files.md").contains("- [ ]"));
}

#[test]
fn a_step_that_does_more_than_commit_stays_with_the_worker() {
    let bench = bench!(empty);
    let plan = SUPERPOWERS.replace("git add a.txt\n", "make\n");
    bench.write("plan.md", &plan);
    let prompt = bench.sh("plan-parse plan.md | dag-next | handoff --prompt").run().exits(0).out();
    assert!(prompt.contains("Step 3") && prompt.contains("git commit"), "{prompt}");
}

#[test]
fn taskmaster() {
    let task = |id: u32, file: &str| {
        format!(
            r#"{{"id": {id}, "title": "Write {file}", "status": "pending", "dependencies": [], "testStrategy": "`grep -qx done {file}`"}}"#
        )
    };
    let plan = format!("{{\"master\": {{\"tasks\": [\n{},\n{}\n]}}}}\n", task(1, "a.txt"), task(2, "b.txt"));
    is_committed(
        "taskmaster",
        ".taskmaster/tasks/tasks.json",
        &plan,
        ["1: Write a.txt", "2: Write b.txt"],
        ["a.txt", "b.txt"],
    );
}

#[test]
fn plan_md_without_a_strategy() {
    let todo = |id: u32, file: &str| {
        format!(
            "### [ ] TODO {id}: Write {file}\n\n**Type**: work\n\n**Acceptance Criteria**:\n- [ ] It is written: `grep -c done {file}` → 1\n\n"
        )
    };
    let plan = format!("# Files\n\n## TODOs\n\n{}{}", todo(1, "a.txt"), todo(2, "b.txt"));
    is_committed("plan-md", "PLAN.md", &plan, ["1: Write a.txt", "2: Write b.txt"], ["a.txt", "b.txt"]);
}

/// Carries the plan out: a commit for each of the two tasks, with its file, its tick and its trailers, and nothing is left.
#[track_caller]
fn is_committed(dialect: &str, path: &str, plan: &str, subjects: [&str; 2], written: [&str; 2]) -> Bench {
    let bench = bench!(empty);
    with_plan(&bench, path, plan);
    assert_eq!(bench.sh(&format!("plan-parse --show dialect {path}")).run().exits(0).out().trim(), dialect);
    let got = carry(&bench, path);
    got.exits(0);
    let history = bench.subjects();
    let [_, _, tasks @ ..] = history.as_slice() else { panic!("{history:?}") };
    assert_eq!(tasks.get(..2), Some(&subjects.map(str::to_owned)[..]), "{got:?}");
    // Notes of the stages may follow; no file of a task is among them.
    let rest = tasks.len() - 2;
    for (number, name) in written.into_iter().enumerate() {
        let commit = format!("HEAD~{}", rest + 1 - number);
        let files = files(&bench, &commit);
        assert!(files.lines().any(|file| file == name) && files.contains(path), "{commit}: {files}");
        let other = written[1 - number];
        assert!(!files.lines().any(|file| file == other || file == "plantools.toml"), "{commit}: {files}");
        assert_eq!(trailer(&bench, &commit, "Plan"), path);
        assert_eq!(trailer(&bench, &commit, "Evidence"), "proved");
        assert!(
            !trailer(&bench, &commit, "Task").is_empty() && !trailer(&bench, &commit, "Checks").is_empty()
        );
        assert!(trailer(&bench, &commit, "Ledger-Head").contains(':'));
    }
    assert_eq!(bench.git(&["status", "--porcelain"]), "", "{got:?}");
    bench.command("punch").args(["verify"]).run().exits(0);
    bench
}

#[test]
fn proved_tasks_are_committed_where_another_fails() {
    let bench = bench!(empty);
    with_plan(
        &bench,
        "TODO.md",
        &list_of(3)
            .replace("done 2.txt", "never 2.txt")
            .replace("# Todo\n", "# Todo\n\n<!-- in any order -->\n"),
    );
    let got = orchestrate(&bench, "--on-halt continue TODO.md");
    got.exits(5);
    assert_eq!(bench.subjects(), ["start", "plan", "1: Write 1.txt", "3: Write 3.txt"], "{got:?}");
    assert_eq!(
        (files(&bench, "HEAD~1"), files(&bench, "HEAD")),
        ("1.txt\nTODO.md".into(), "3.txt\nTODO.md".into())
    );
}

#[test]
fn a_commit_line_is_the_subject() {
    let bench = bench!(empty);
    let plan = list_of(2).replace(
        "  Verify: `grep -qx done 2.txt`\n",
        "  - Verify: `grep -qx done 2.txt`\n  - Commit: `feat(files): the second`\n",
    );
    with_plan(&bench, "TODO.md", &plan);
    carry(&bench, "TODO.md").exits(0);
    assert_eq!(bench.subjects(), ["start", "plan", "1: Write 1.txt", "feat(files): the second"]);
}

#[test]
fn the_configuration_says_when_to_commit() {
    for (each, subjects) in [
        ("plan", &["start", "plan", "chore(todo): miscellaneous changes"][..]),
        ("task", &["start", "plan", "1: Write 1.txt", "2: Write 2.txt"]),
        ("none", &["start", "plan"]),
    ] {
        let bench = bench!(empty);
        bench.write("plantools.toml", "");
        with_plan(&bench, "TODO.md", &list_of(2));
        bench.write("plantools.toml", format!("{CONFIG}\n[commit]\neach = \"{each}\"\n")).commit_all("each");
        bench.git(&["reset", "--quiet", "--soft", "HEAD~1"]);
        bench.git(&["commit", "--quiet", "--amend", "--no-edit"]);
        let got = carry(&bench, "TODO.md");
        got.exits(0);
        assert_eq!(bench.subjects(), subjects, "{each}: {got:?}");
    }
}

#[test]
fn a_workers_own_commits_become_ours_with_their_messages() {
    let bench = bench!(empty);
    with_plan(&bench, "TODO.md", &list_of(1));
    bench.set_worker(
        "echo half > 1.txt; git add -A; git commit -qm 'wip: begin'; echo done > 1.txt
git commit -qam 'wip: end' -m 'Task: 9'; echo '{\"status\":\"SUCCESS\"}'",
    );
    let got = carry(&bench, "TODO.md");
    got.exits(0);
    assert_eq!(bench.subjects(), ["start", "plan", "1: Write 1.txt"], "{got:?}");
    let body = bench.git(&["log", "-1", "--format=%b"]);
    assert!(body.starts_with("The worker's own commits:\n\n    wip: begin\n\n    wip: end\n"), "{body}");
    assert_eq!(trailer(&bench, "HEAD", "Task"), "1", "what a worker writes is no trailer");
}

#[test]
fn what_editors_leave_is_never_committed() {
    let bench = bench!(empty);
    with_plan(&bench, "TODO.md", &list_of(1));
    bench.set_worker("echo done > 1.txt; echo x > .TODO.md.swp; echo x > 4913; echo x > 1.txt~; echo '{\"status\":\"SUCCESS\"}'");
    let got = carry(&bench, "TODO.md");
    got.exits(0);
    assert_eq!(bench.git(&["ls-files"]), "1.txt\nTODO.md\nplantools.toml\n", "{got:?}");
}

fn orchestrate(bench: &Bench, args: &str) -> Got {
    bench.sh(&format!("orchestrate {args}")).within(120).run()
}
