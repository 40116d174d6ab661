//! What gets into the history, and what does not: refused work, owed commits, hooks, branches.

use pipeline_tests::{Bench, Got, bench};

const PLAN: &str = "# Small

## Commit Strategy

| After TODO | Message | Files | Condition |
|------------|---------|-------|-----------|
| 1 | `feat: make it` | `made.txt` | always |

## TODOs

### [ ] TODO 1: Make it

**Type**: work

**Acceptance Criteria**:

*Functional:*
- [ ] It is done: `grep -c done made.txt` → 1
";

const SUCCESS: &str = r#"echo '{"status":"SUCCESS"}'"#;

#[test]
fn unproved_work_stays_out_of_the_history_until_it_is_part_of_what_was_proved() {
    let bench = bench_with(&format!("echo junk > junk.txt; echo wrong > made.txt; {SUCCESS}"));
    orchestrate(&bench).exits(5);
    assert_eq!(bench.subjects(), ["start", "plan"], "a run that is stuck commits nothing");
    bench.program("worker", &format!("#!/bin/sh\necho done > made.txt; {SUCCESS}\n"));
    let again =
        bench.command("orchestrate").args(["--worker", "plain", "--max-attempts", "9", "PLAN.md"]).run();
    again.exits(0);
    assert_eq!(
        bench.git(&["status", "--porcelain"]),
        " M worker\n",
        "what was edited between the runs stays"
    );
    assert!(bench.subjects().contains(&"feat: make it".to_owned()), "{:?}", bench.subjects());
    // The checks passed on a tree that has it: without it they may fail.
    let committed = bench.git(&["ls-files"]);
    assert!(committed.contains("junk.txt"), "{committed}");
}

#[test]
fn an_owed_commit_is_made_although_something_else_changed_meanwhile() {
    let bench = bench_with(&format!("echo done > made.txt; {SUCCESS}"));
    let upto = "plan-parse -q PLAN.md | dag-next | handoff | worker-run -- ./worker | gate-run | checkbox > ../home/line";
    bench.sh(upto).run().exits(0);
    bench.write("notes.md", "mine\n");
    let got = orchestrate(&bench);
    got.exits(0);
    assert!(bench.subjects().contains(&"feat: make it".to_owned()), "{:?}", bench.subjects());
    assert!(bench.git(&["status", "--porcelain"]).contains("notes.md"), "the user's file was swept in");
}

#[test]
fn an_owed_commit_of_content_that_was_not_checked_is_refused_and_said() {
    let bench = bench_with(&format!("echo done > made.txt; {SUCCESS}"));
    let upto = "plan-parse -q PLAN.md | dag-next | handoff | worker-run -- ./worker | gate-run | checkbox > ../home/line";
    bench.sh(upto).run().exits(0);
    bench.write("made.txt", "something else\n");
    let got = bench.sh("commit-run pending PLAN.md").run();
    got.exits(1);
    assert!(got.err().contains("'made.txt' changed after the proof"), "{got:?}");
}

#[test]
fn a_commit_that_a_hook_refuses_is_not_a_success() {
    let bench = bench_with(&format!("echo done > made.txt; {SUCCESS}"));
    let hook = "#!/bin/sh\ngit diff --cached --name-only -- '*.txt' | grep -q . && exit 1\nexit 0\n";
    bench.program(".git/hooks/pre-commit", hook);
    orchestrate(&bench).exits(1);
    assert!(!bench.subjects().contains(&"feat: make it".to_owned()), "the hook's pattern was not heard");
}

#[test]
fn a_worker_that_changes_the_branch_is_refused() {
    let bench = bench_with(&format!("git checkout -q -b other; echo done > made.txt; {SUCCESS}"));
    let got = round(&bench);
    got.exits(1);
    assert_eq!(bench.halts().first().map(String::as_str), Some("worker-run worker-changed-branch"));
}

#[test]
fn a_worker_that_weakens_the_plan_and_removes_our_folder_gains_nothing() {
    let weaken = "sed -i 's/grep -c done made.txt/echo 1/' PLAN.md; rm -rf .plantools";
    let bench = bench_with(&format!("{weaken}; {SUCCESS}"));
    let before = bench.bytes("PLAN.md");
    round(&bench).exits(1);
    assert!(bench.bytes("PLAN.md") == before, "the plan was not put back");
}

#[test]
fn a_folder_in_place_of_the_plan_or_the_ledger_is_set_aside() {
    for trick in ["rm PLAN.md; mkdir PLAN.md", "rm .plantools/ledger.ndjson; mkdir .plantools/ledger.ndjson"]
    {
        let bench = bench_with(&format!("{trick}; {SUCCESS}"));
        let before = bench.bytes("PLAN.md");
        round(&bench).exits(1);
        assert!(bench.bytes("PLAN.md") == before, "{trick}");
    }
}

#[test]
fn a_linked_worktree_inside_the_main_one_keeps_its_own_branch() {
    let bench = bench_with(&format!("echo done > made.txt; {SUCCESS}"));
    bench.git(&["worktree", "add", "-q", ".worktrees/feat", "-b", "feat"]);
    bench.sh("cd .worktrees/feat && orchestrate --worker plain PLAN.md").run().exits(0);
    let subjects = bench.git(&["log", "--format=%s", "feat"]);
    assert!(subjects.contains("feat: make it"), "{subjects}");
    assert_eq!(bench.subjects(), ["start", "plan"], "the other branch was touched");
}

#[test]
fn links_that_a_worker_leaves_lead_no_writer_of_ours_out_of_the_root() {
    let bench = bench_with(&format!(
        "mkdir -p context; ln -s ../../home/victim context/learnings.md; echo done > made.txt; {SUCCESS}"
    ));
    bench.write("../home/victim", "untouched");
    round(&bench);
    assert_eq!(bench.text("../home/victim"), "untouched");
}

/// A repository with the plan and a worker of these lines, configured as `plain`.
fn bench_with(lines: &str) -> Bench {
    let bench = bench!(empty);
    bench.write("PLAN.md", PLAN);
    bench.write(
        "plantools.toml",
        "[defaults]\nmax_attempts = 1\n\n[workers.plain]\ncommand = [\"./worker\"]\n",
    );
    bench.program("worker", &format!("#!/bin/sh\n{lines}\n"));
    bench.commit_all("plan");
    bench
}

fn orchestrate(bench: &Bench) -> Got {
    bench
        .command("orchestrate")
        .args(["--worker", "plain", "--max-attempts", "2", "PLAN.md"])
        .within(60)
        .run()
}

fn round(bench: &Bench) -> Got {
    bench.round("PLAN.md", "worker-run -- ./worker")
}
