//! Whole pipelines on the demo's plan.

use pipeline_tests::{Bench, DEMO_PLAN, DEMO_SUBJECTS, PIPE, bench, snapshot, until, workspace};
use std::path::Path;

#[test]
fn the_one_line_pipe_typed_by_hand_runs_one_round() {
    let bench = bench!(demo);
    let got = bench.round(DEMO_PLAN, "worker-run --worker shell");
    got.exits(0);
    assert!(got.out().starts_with("✓ 1 Configuration: passes, 3 checks passed, ticked, commit "), "{got:?}");
    assert_eq!(bench.boxes(DEMO_PLAN), (1, 5));
    assert_eq!(bench.subjects(), DEMO_SUBJECTS[..2]);
}

#[test]
fn the_demo_shows_the_levels() {
    let bench = bench!(bare);
    let script = workspace().join("scripts/demo");
    let got = bench.command(&script.to_string_lossy()).args(["."]).within(60).run();
    got.exits(0);
    for words in [
        "✓ 1 Configuration: proved, ",
        "✓ 4 Tests: passes, ",
        "✓ Final Verification: already true, ",
        "EVIDENCE: 4 proved, 1 passes, 1 already true\n",
        "2:1 `bin/greet`: before the command is not there or cannot be run (sh: 1: bin/greet: not found), after exit 0, printed 'Hello, ",
    ] {
        assert!(got.out().contains(words), "{words}: {got:?}");
    }
    let svg = std::fs::read_to_string(workspace().join("scripts/recordings/demo.svg")).expect("a recording");
    assert!(svg.contains("✓ 1 Configuration: proved, "), "scripts/record makes it again");
}

#[test]
fn orchestrate_carries_the_demo_to_its_end_and_again_changes_nothing() {
    let bench = bench!(demo);
    let first = bench.orchestrate(&[]).run();
    first.exits(0);
    is_carried_out(&bench);
    assert!(first.out().contains("ORCHESTRATION COMPLETE"), "{first:?}");
    assert!(
        first.out().contains("✗ 2 Greet: attempt 1, gate-run said no"),
        "the retry is not seen: {first:?}"
    );

    let (plan, ledger) = (bench.bytes(DEMO_PLAN), bench.bytes(".plantools/ledger.ndjson"));
    bench.orchestrate(&[]).run().exits(0);
    is_carried_out(&bench);
    assert!(bench.bytes(DEMO_PLAN) == plan, "the plan changed");
    let now = bench.bytes(".plantools/ledger.ndjson");
    let more = String::from_utf8_lossy(now.get(ledger.len()..).unwrap_or_default()).into_owned();
    assert!(now == ledger, "the ledger changed: {more}");
}

#[test]
fn every_commit_says_which_task_of_which_run_it_was() {
    let bench = bench!(demo);
    bench.orchestrate(&[]).env("PLANTOOLS_RUN", "run-7").run().exits(0);
    let format = "--format=%(trailers:key=Task,valueonly,separator=%x2C)/%(trailers:key=Run,valueonly,separator=%x2C)/%(trailers:key=Plan,valueonly,separator=%x2C)";
    let trailers = bench.git(&["log", "--reverse", format]);
    let wanted = ["", "1", "2", "3", "4", "5", ""].map(|task| format!("{task}/run-7/{DEMO_PLAN}"));
    assert_eq!(trailers.lines().skip(1).collect::<Vec<_>>(), wanted[1..].to_vec());
    let files = bench.git(&["show", "--name-only", "--format=", "HEAD~4"]);
    assert_eq!(files.trim(), "bin/greet", "a row's commit holds what the row names");
}

#[test]
fn a_dry_run_changes_nothing_at_all() {
    let bench = bench!(demo);
    let before = snapshot(&bench.repo());
    let got = bench.orchestrate(&["--dry-run"]).run();
    got.exits(0);
    assert!(got.out().contains("Configuration"), "no prompt: {got:?}");
    let after = snapshot(&bench.repo());
    let changed: Vec<_> = after.iter().filter(|(path, bytes)| before.get(*path) != Some(bytes)).collect();
    assert!(changed.is_empty(), "changed: {:?}", changed.iter().map(|(path, _)| path).collect::<Vec<_>>());
    assert!(before.keys().all(|path| after.contains_key(path)));
    assert!(!after.contains_key(Path::new(".plantools")));
}

#[test]
fn only_one_task_is_carried_out_when_one_is_named() {
    let bench = bench!(demo);
    bench.orchestrate(&["--only", "1"]).run().exits(0);
    assert_eq!(bench.boxes(DEMO_PLAN), (1, 5));
    assert!(bench.text(DEMO_PLAN).contains("### [x] TODO 1:"));
    assert_eq!(bench.subjects(), DEMO_SUBJECTS[..2], "no commit but its own");
}

#[test]
fn a_task_that_does_not_exist_cannot_be_asked_for() {
    let bench = bench!(demo);
    let got = bench.orchestrate(&["--only", "10"]).run();
    got.exits(2);
    assert!(got.err().contains("there is no task '10'"), "{got:?}");
    assert_eq!(bench.boxes(DEMO_PLAN), (0, 6));
}

#[test]
fn a_second_run_of_the_same_plan_is_75_and_names_the_holder() {
    let bench = bench!(demo);
    let lock = bench.command("plan-parse").args(["--lock-file", DEMO_PLAN]).run().exits(0).out();
    let line = "exec 9>>\"$0\"; flock 9; echo 'somebody, process 42' >\"$0\"; echo held >&2; exec sleep 60";
    let mut holder = bench.command("bash").args(["-c", line, lock.trim()]).start();
    until(|| holder.stderr().contains("held"));
    let got = bench.orchestrate(&[]).run();
    got.exits(75);
    assert!(got.err().contains("somebody, process 42"), "{got:?}");
    assert_eq!(bench.boxes(DEMO_PLAN), (0, 6));
    drop(holder);
    let _ = bench.orchestrate(&["--only", "1", "--wait"]).run();
    assert_eq!(bench.boxes(DEMO_PLAN), (1, 5));
}

#[test]
fn two_runs_at_the_same_time_do_the_work_once() {
    let bench = bench!(demo);
    let first = bench.orchestrate(&[]).start();
    let second = bench.orchestrate(&[]).start();
    let limit = std::time::Duration::from_secs(120);
    let mut ends =
        [first, second].map(|live| live.wait(limit).unwrap_or_else(|got| panic!("{got:?}")).status);
    ends.sort_unstable();
    assert!(ends == [0, 75] || ends == [0, 0], "{ends:?}");
    is_carried_out(&bench);
}

#[test]
fn no_worker_is_78() {
    let bench = bench!(demo);
    let got = bench.command("orchestrate").args([DEMO_PLAN]).run();
    got.exits(78);
    assert!(got.err().contains("no worker is configured"), "{got:?}");
    assert_eq!(bench.boxes(DEMO_PLAN), (0, 6));
    assert_eq!(bench.count("attempt_begin"), 0);
}

#[test]
fn a_saved_line_can_be_run_again_alone_through_any_stage() {
    let bench = bench!(demo);
    let stages = ["handoff", "worker-run --worker shell", "gate-run", "punch checkpoint", "session-export"];
    let stages = [&stages[..], &["context-save", "checkbox", "commit-run"]].concat();
    let line = stages.iter().enumerate().map(|(i, s)| format!("tee ../home/{i} | {s}"));
    let line = line.collect::<Vec<_>>().join(" | ");
    bench.sh(&format!("plan-parse {DEMO_PLAN} | dag-next | {line} | run-report")).run().exits(0);
    for (index, stage) in stages.iter().enumerate() {
        let saved = bench.text(&format!("../home/{index}"));
        bench.write("../home/alone", saved.lines().next().unwrap());
        let got = bench.sh(&format!("{stage} ../home/alone")).run();
        got.exits(0);
        let order = got.json();
        assert_eq!(order["task"]["id"], "1", "{stage}");
        assert!(order.get("halt").is_none(), "{stage}: {}", order["halt"]);
    }
    assert_eq!(bench.boxes(DEMO_PLAN), (1, 5));
    assert_eq!(bench.subjects(), DEMO_SUBJECTS[..2], "nothing is committed twice");
}

#[test]
fn an_empty_round_is_no_error_and_says_done() {
    let bench = bench!(demo);
    bench.orchestrate(&[]).run().exits(0);
    let got = bench.round(DEMO_PLAN, "worker-run --worker shell");
    got.exits(4);
    assert_eq!(got.out(), "done: nothing is left to do\n");
}

#[test]
fn a_stage_that_dies_upstream_cannot_look_like_success() {
    let bench = bench!(demo);
    let line = format!(
        "plan-parse {DEMO_PLAN} | dag-next | handoff | head -n 1 | worker-run --worker shell | {PIPE}"
    );
    bench.sh(&line).run().exits(65);
}

#[test]
fn outside_a_repository_everything_but_the_commits_works() {
    let bench = bench!(bare);
    let demo = bench!(demo);
    bench.write("PLAN.md", demo.bytes(DEMO_PLAN));
    let got = bench.round("PLAN.md", "worker-run --worker shell");
    got.exits(0);
    assert_eq!(bench.boxes("PLAN.md"), (1, 5));
}

#[test]
fn two_tasks_at_once_are_both_proved_in_one_round() {
    let task = |id: u32, wait: &str| {
        format!(
            "### [ ] TODO {id}: Make {id}\n\n**Type**: work\n\n```sh\n{wait}\necho {id} > {id}.txt\n```\n\n\
             **Acceptance Criteria**:\n\n*Functional:*\n- [ ] It is there: `test -f {id}.txt`\n\n"
        )
    };
    let bench = bench!(empty);
    // The second ends only when the first has: its edit comes after the first one's last look at the tree.
    let late = "until grep -q attempt_end .plantools/ledger.ndjson; do sleep 0.01; done";
    bench
        .write("PLAN.md", format!("# Two\n\n## TODOs\n\n{}{}", task(1, ":"), task(2, late)))
        .commit_all("plan");
    let line = format!("dag-next --jobs 2 | handoff | worker-run --worker shell --jobs 2 | {PIPE}");
    let got = bench.sh(&format!("plan-parse -q PLAN.md | {line}")).run();
    assert_eq!(bench.boxes("PLAN.md"), (2, 0), "{got:?}");
    got.exits(0);
}

#[track_caller]
fn is_carried_out(bench: &Bench) {
    assert_eq!(bench.boxes(DEMO_PLAN), (6, 0));
    assert_eq!(bench.subjects(), DEMO_SUBJECTS);
    assert_eq!(bench.git(&["status", "--porcelain"]), "");
    // Six tasks, and what the plan calls done.
    assert_eq!(bench.count("tick"), 7);
    assert_eq!(bench.count("commit"), 5);
    bench.command("punch").args(["verify"]).run().exits(0);
    assert_eq!(bench.processes(), Vec::<String>::new());
}

#[test]
fn one_task_whose_commit_is_refused_is_not_done() {
    let bench = bench!(demo);
    bench.program(".git/hooks/pre-commit", "#!/bin/sh\necho no >&2\nexit 1\n");
    let got = bench.orchestrate(&["--only", "1"]).run();
    assert!(got.exits(1).err().contains("git refused the commit: no"), "{got:?}");
}

#[test]
fn of_a_pipe_that_is_cut_off_the_stage_that_failed_is_named_and_its_reason_is_told() {
    let bench = bench!(demo);
    // The worker leaves a folder where commit-run has a lock.
    let spoil = "```sh\nrm -f .plantools/locks/commit\nmkdir -p .plantools/locks/commit\n";
    bench.write(DEMO_PLAN, bench.text(DEMO_PLAN).replacen("```sh\n", spoil, 1));
    bench.commit_all("a worker that spoils it");
    let got = bench.orchestrate(&[]).run();
    let err = got.exits(74).err();
    assert!(err.contains("commit-run: ") && err.contains("locks/commit"), "{got:?}");
    assert!(err.contains("orchestrate: failed: commit-run with 74\n"), "{got:?}");
    assert!(!err.contains("broken pipe"), "{got:?}");
}

#[test]
fn a_stage_that_fails_is_named_and_so_is_a_plan_that_is_not_there() {
    let bench = bench!(demo);
    bench.write(".dev/specs/greeter/context/outputs.json", "{");
    let got = bench.orchestrate(&[]).run();
    assert!(got.exits(65).err().contains("orchestrate: failed: "), "{got:?}");
    assert!(!got.err().contains("0 0 0"), "{got:?}");
    let got = bench.command("orchestrate").args(["NONE.md"]).run();
    assert!(got.exits(66).err().contains("there is no 'NONE.md'"), "{got:?}");
}
