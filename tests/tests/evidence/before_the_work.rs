//! The checks of a task run once before its first attempt, on the tree from which it begins.

use pipeline_tests::{Bench, Got, SUCCESS, bench, until};

/// A check that says that it ran, and looks at a file.
fn plan(files: &[&str]) -> String {
    let task = |name: &&str| {
        format!("- [ ] Make {name}\n  - Verify: `echo {name} >> ../home/ran; test -f {name}`\n")
    };
    format!("# Todo\n\n{}", files.iter().map(task).collect::<String>())
}

#[test]
fn they_run_once_before_and_once_after_each_attempt() {
    let worker = "test -e half && echo a > a || echo h > half";
    let bench = bench_with(&plan(&["a"]), "[defaults]\nrecheck = false\n", worker);
    let got = carry(&bench);
    got.exits(0);
    assert_eq!(bench.count("attempt_end"), 2, "{got:?}");
    assert_eq!(bench.text("../home/ran"), "a\na\na\n", "{got:?}");
    let before: Vec<_> = bench.records().into_iter().filter(|record| record["type"] == "before").collect();
    assert_eq!(before.len(), 1, "{before:?}");
    assert_eq!((&before[0]["key"], &before[0]["data"]["gate"]["status"]), (&"1:1".into(), &"fail".into()));
}

#[test]
fn a_result_for_the_same_tree_and_command_is_taken_over_and_never_for_after() {
    // The second task has the check of the first: its result before is known, since the tree is the same.
    let one = "- [ ] Make it\n  - Verify: `echo x >> ../home/ran; test -f a`\n";
    let two = "- [ ] Look at it again\n  - Verify: `echo x >> ../home/ran; test -f a`\n";
    let config = "[defaults]\nrecheck = false\n[proof]\naccept = \"already-true\"\n";
    let worker = "test -e a && echo more > b || echo a > a";
    let bench = bench_with(&format!("# Todo\n\n{one}{two}"), config, worker);
    let got = carry(&bench);
    got.exits(0);
    // Before and after the first; after the second.
    assert_eq!(bench.text("../home/ran"), "x\nx\nx\n", "{got:?}");
    assert_eq!(levels(&bench), ["proved", "already-true"], "{got:?}");
    let before: Vec<_> = bench.records().into_iter().filter(|record| record["type"] == "before").collect();
    assert!(before[0]["data"]["reused"].is_null() && before[1]["data"]["reused"].is_u64(), "{before:?}");
}

#[test]
fn after_a_kill_between_before_and_worker_the_recorded_result_is_used_and_the_worker_starts_once() {
    let worker = "echo w >> ../home/worked; echo a > a";
    let bench = bench_with(&plan(&["a"]), "[defaults]\nrecheck = false\n", worker);
    // The stage ends, and the worker is never reached.
    bench.sh("plan-parse -q TODO.md | dag-next | handoff | gate-run --before > ../home/cut").run().exits(0);
    assert_eq!((bench.count("before"), bench.count("attempt_begin")), (1, 0));
    carry(&bench).exits(0);
    assert_eq!((bench.text("../home/ran").as_str(), bench.count("before")), ("a\na\n", 1));
    assert_eq!((bench.text("../home/worked").as_str(), levels(&bench)), ("w\n", vec!["proved".to_owned()]));
}

#[test]
fn a_run_that_is_killed_between_before_and_worker_goes_on_with_what_is_on_record() {
    let worker = "echo w >> ../home/worked; echo a > a";
    let bench = bench_with(&plan(&["a"]), "[defaults]\nrecheck = false\n", worker);
    // The stage behind it waits for its input.
    let stage = bench.outside().join("bin/worker-run");
    std::fs::create_dir(bench.outside().join("stages")).expect("make a folder");
    std::fs::rename(&stage, bench.outside().join("stages/worker-run")).expect("move the stage");
    let begin = "case $* in --jobs*) test -e ../home/go || { touch ../home/waits; sleep 600; } ;; esac";
    bench.program(
        "../bin/worker-run",
        &format!("#!/bin/sh\n{begin}\nexec \"$(dirname \"$0\")/../stages/worker-run\" \"$@\"\n"),
    );
    let run = bench.command("orchestrate").args(["TODO.md"]).start();
    until(|| bench.path("../home/waits").exists() && bench.count("before") == 1);
    run.kill();
    until(|| bench.processes().is_empty());
    assert_eq!((bench.count("before"), bench.count("attempt_begin")), (1, 0));
    bench.write("../home/go", "");
    carry(&bench).exits(0);
    assert_eq!((bench.text("../home/ran").as_str(), bench.count("before")), ("a\na\n", 1));
    assert_eq!((bench.text("../home/worked").as_str(), levels(&bench)), ("w\n", vec!["proved".to_owned()]));
}

#[test]
fn a_kill_while_they_run_leaves_nothing_half_done() {
    let plan = "# Todo\n\n- [ ] Make a\n  - Verify: `sh look.sh` → exit 0\n";
    let bench = bench_with(plan, "[defaults]\nrecheck = false\n", "echo a > a");
    bench
        .write("look.sh", "echo a >> ../home/ran; test -e ../home/go || sleep 600; test -f a\n")
        .commit_all("a check");
    let run = bench.command("orchestrate").args(["TODO.md"]).start();
    until(|| bench.outside().join("home/ran").exists());
    run.kill();
    until(|| bench.processes().is_empty());
    assert_eq!((bench.count("before"), bench.count("attempt_begin")), (0, 0));
    bench.write("../home/go", "");
    carry(&bench).exits(0);
    assert_eq!(levels(&bench), ["proved"]);
}

#[test]
fn where_the_tree_changed_before_the_first_attempt_they_run_again() {
    let bench = bench_with(&plan(&["a"]), "[defaults]\nrecheck = false\n", "echo b > b");
    bench.sh("plan-parse -q TODO.md | dag-next | handoff | gate-run --before > ../home/cut").run().exits(0);
    bench.write("a", "a\n").commit_all("a person did it");
    let got = carry(&bench);
    got.exits(5);
    assert!(got.out().contains("already true: check 1:1 passed before the work as well"), "{got:?}");
}

#[test]
fn a_check_that_acts_runs_once_after_the_work_and_only_when_allowed() {
    let plan = "# Todo\n\n- [ ] Ship it\n  - Verify: `test -f a`\n  - Verify: `make -s deploy`\n";
    let make = "deploy:\n\techo deployed >> ../home/deployed\n";
    let with = |config: &str| {
        let bench = bench_with(plan, config, "echo a > a");
        bench.write("Makefile", make).commit_all("a target");
        bench
    };
    let bench = with("");
    let got = carry(&bench);
    got.exits(5);
    assert!(
        got.out().contains("check 1:2 acts ('make -s deploy') and is not run without permission"),
        "{got:?}"
    );
    assert!(!bench.path("../home/deployed").exists());
    assert_eq!(
        (bench.count("attempt_begin"), bench.halts()),
        (0, vec!["gate-run --before check-acts".to_owned()])
    );
    let bench = with("[proof]\nacts = \"allow\"\n");
    let got = carry(&bench);
    got.exits(0);
    assert_eq!(
        (bench.text("../home/deployed").as_str(), levels(&bench)),
        ("deployed\n", vec!["proved".to_owned()])
    );
    // A person's word for one run is a record. Where another check fails, nothing acts.
    let pipe = "plan-parse -q TODO.md | dag-next | handoff | worker-run | gate-run --allow-acts 'I watch' | checkbox | run-report";
    let bench = with("");
    let got = bench.sh(pipe).run();
    assert_eq!((bench.text("../home/deployed").as_str(), bench.count("tick")), ("deployed\n", 1), "{got:?}");
    assert!(bench.records().iter().any(|r| r["key"] == "allow-acts" && r["data"]["reason"] == "I watch"));
    let bench = with("[proof]\nacts = \"allow\"\n");
    bench.set_worker(&format!(":\n{SUCCESS}"));
    carry(&bench).exits(5);
    assert!(!bench.path("../home/deployed").exists());
}

#[test]
fn a_check_that_gives_two_results_on_one_tree_is_flaky_and_has_no_verdict() {
    // It fails every other time, whatever the worker does.
    let flip = "if test -e ../home/odd; then rm ../home/odd; else touch ../home/odd; false; fi";
    let plan = format!("# Todo\n\n- [ ] Wait\n  - Verify: `{flip}`\n");
    let bench = bench_with(&plan, "", ":");
    let got = carry(&bench);
    got.exits(5);
    assert_eq!(bench.count("tick"), 0, "{got:?}");
    assert!(
        got.out().contains("flaky: it failed before the work and passed now, on the same tree"),
        "{got:?}"
    );
}

#[test]
fn a_check_that_waits_for_a_later_task_stops_its_task_at_once() {
    let plan = "# Plan\n\n## TODOs\n\n### [ ] TODO 1: First\n\n**Acceptance Criteria**:\n- [ ] It runs: `sh run.sh`\n\n\
                ### [ ] TODO 2: Second\n\n**Files**:\n- Create: `run.sh`\n\n**Acceptance Criteria**:\n- [ ] It is there: `test -f run.sh`\n";
    let bench = bench!(empty);
    bench.write("plantools.toml", CONFIG).write("PLAN.md", plan).commit_all("plan");
    bench.set_worker(&format!("echo true > run.sh\n{SUCCESS}"));
    let parsed = bench.sh("plan-parse -q PLAN.md").run().json();
    assert!(parsed["tasks"][1]["files"].as_array().is_some_and(|files| !files.is_empty()), "{parsed}");
    let got = bench.sh("orchestrate --only 1 PLAN.md").within(60).run();
    assert_eq!(bench.count("attempt_begin"), 0, "{got:?}");
    assert!(got.out().contains("check 1:1 needs 'run.sh', which task 2 makes later"), "{got:?}");
}

const CONFIG: &str = "[defaults]\nworker = \"w\"\n[workers.w]\ncommand = [\"../home/w.sh\"]\n";

fn bench_with(plan: &str, config: &str, worker: &str) -> Bench {
    let bench = bench!(empty);
    // Checks of ticked tasks run again at the end unless a test says otherwise.
    let (defaults, rest) = match config.strip_prefix("[defaults]\n") {
        Some(config) => config.split_at(config.find('[').unwrap_or(config.len())),
        None => ("", config),
    };
    let config = format!("{}{rest}", CONFIG.replacen("[defaults]\n", &format!("[defaults]\n{defaults}"), 1));
    bench.write("plantools.toml", config).write("TODO.md", plan).commit_all("plan");
    bench.set_worker(&format!("{worker}\n{SUCCESS}"));
    bench
}

fn carry(bench: &Bench) -> Got {
    bench.command("orchestrate").args(["TODO.md"]).within(60).run()
}

/// The level of each tick, in order.
fn levels(bench: &Bench) -> Vec<String> {
    let ticks = bench.records().into_iter().filter(|record| record["type"] == "tick");
    ticks.map(|tick| tick["data"]["tick"]["level"].as_str().unwrap_or_default().to_owned()).collect()
}
