//! Several runs on one plan: each task is claimed by one of them, and work that comes too late is refused.

use crate::generated_plans::{PLAN, Task, repository, story, tidy};
use pipeline_tests::{Bench, Live, Run, until};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long a run may take here.
const LONG: Duration = Duration::from_secs(180);

/// A task that notes each time that it is worked on, outside of every tree, and takes a while.
fn noted(id: usize, after: &[usize], pause: &str) -> Task {
    let script = format!("echo {id} >> \"$HOME/ran\"\n{pause}\nmkdir -p out\necho {id} > out/{id}.txt");
    Task::of(id, after, &script, &format!("grep -qx {id} out/{id}.txt"))
}

/// A run that lets others carry out the plan as well.
fn shared(bench: &Bench, more: &[&str]) -> Run {
    let fixed = ["--shared", "--worker", "shell", PLAN];
    bench.command("orchestrate").args([more, &fixed].concat()).within(180)
}

/// How often each task was worked on.
fn worked(bench: &Bench) -> BTreeMap<usize, usize> {
    let mut times = BTreeMap::new();
    let text = std::fs::read_to_string(bench.outside().join("home/ran")).unwrap_or_default();
    for id in text.lines().filter_map(|line| line.parse::<usize>().ok()) {
        *times.entry(id).or_default() += 1;
    }
    times
}

fn records(bench: &Bench, kind: &str) -> Vec<Value> {
    bench.command("punch").args(["list", "--type", kind]).run().exits(0).json_lines()
}

/// The plan is done, each task has one commit, and nothing of ours is left.
#[track_caller]
fn is_done(bench: &Bench, tasks: usize) {
    let subjects = bench.subjects();
    for id in 1..=tasks {
        let subject = format!("feat: task {id}");
        assert_eq!(subjects.iter().filter(|s| **s == subject).count(), 1, "{id}: {}", story(bench));
    }
    assert!(!bench.text(PLAN).contains("### [ ]"), "{}", story(bench));
    assert_eq!(bench.git(&["status", "--porcelain"]), "", "{}", story(bench));
    let left: Vec<_> = std::fs::read_dir(bench.path(".plantools/claims")).expect("look").flatten().collect();
    assert!(left.is_empty(), "{left:?}");
    tidy(bench, "shared");
}

#[track_caller]
fn ends(live: Live, bench: &Bench, code: i32) {
    match live.wait(LONG) {
        Ok(got) => assert_eq!(got.status, code, "{got:?}\n{}", story(bench)),
        Err(got) => panic!("it does not end: {got:?}\n{}", story(bench)),
    }
}

#[test]
fn four_runs_on_one_plan_work_on_each_task_once() {
    let tasks: Vec<Task> =
        (1..=12).map(|id| noted(id, if id > 6 { &[1] } else { &[] }, "sleep 0.2")).collect();
    let bench = repository(&tasks);
    let runs: Vec<Live> = (0..4).map(|_| shared(&bench, &["--lease", "20"]).start()).collect();
    for run in runs {
        ends(run, &bench, 0);
    }
    assert!(
        (1..=12).all(|id| worked(&bench).get(&id) == Some(&1)),
        "{:?}\n{}",
        worked(&bench),
        story(&bench)
    );
    is_done(&bench, 12);
    let begun = records(&bench, "attempt_begin");
    assert!(begun.iter().all(|record| record["data"]["lease_seconds"] == 20), "{begun:?}");
}

#[test]
fn what_a_killed_run_had_in_hand_is_taken_over() {
    let bench =
        repository(&[noted(1, &[], "[ $(wc -l < \"$HOME/ran\") -gt 1 ] || sleep 600"), noted(2, &[1], "")]);
    let first = shared(&bench, &[]).start();
    until(|| worked(&bench).contains_key(&1));
    first.kill();
    let second = shared(&bench, &[]).start();
    ends(second, &bench, 0);
    drop(first);
    assert_eq!(worked(&bench), BTreeMap::from([(1, 2), (2, 1)]), "{}", story(&bench));
    let begun = records(&bench, "attempt_begin");
    assert!(begun[0]["seq"].as_u64() < begun[1]["seq"].as_u64(), "the number grows: {begun:?}");
    is_done(&bench, 2);
}

/// A machine made out of namespaces, with a name and processes of its own; `None` where the kernel allows none.
fn elsewhere(bench: &Bench, line: &str) -> Option<Run> {
    let space = ["--user", "--map-root-user", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc"];
    let of = |line: &str| {
        let line = format!("hostname far && {line}");
        bench.command("unshare").args(space).args(["sh", "-c", &line]).within(180)
    };
    (of("true").run().status == 0).then(|| of(line))
}

/// The signs of life on record: the run that gives them, and their number.
fn beats(bench: &Bench) -> BTreeMap<String, u64> {
    let files = std::fs::read_dir(bench.path(".plantools/claims")).into_iter().flatten().flatten();
    let beat = |file: std::fs::DirEntry| {
        let count = std::fs::read_to_string(file.path()).ok()?.trim().parse().ok()?;
        Some((file.file_name().to_string_lossy().into_owned(), count))
    };
    files.filter_map(beat).collect()
}

#[test]
fn of_four_runs_one_is_killed_elsewhere_and_its_task_is_taken_over_after_the_lease() {
    let task = |id| noted(id, &[], "[ \"$(uname -n)\" != far ] || sleep 600");
    let bench = repository(&(1..=6).map(task).collect::<Vec<_>>());
    let lease = Duration::from_secs(4);
    let line = format!("exec orchestrate --shared --lease 4 --worker shell {PLAN}");
    let Some(far) = elsewhere(&bench, &line) else { return };
    let far = far.start();
    until(|| worked(&bench).len() == 1);
    let (held, far_beat) = (worked(&bench), beats(&bench).into_keys().next().expect("a sign of life"));
    let here: Vec<Live> = (0..3).map(|_| shared(&bench, &["--lease", "4"]).start()).collect();
    until(|| bench.boxes(PLAN) == (5, 1));
    // For as long as it gives signs of life the task is its own, however much longer than the lease that is.
    until(|| beats(&bench)[&far_beat] > 6);
    assert_eq!((bench.boxes(PLAN), worked(&bench).len()), ((5, 1), 6), "{}", story(&bench));
    far.kill();
    let killed = Instant::now();
    for run in here {
        ends(run, &bench, 0);
    }
    let took = killed.elapsed();
    assert!(took > lease / 2, "it was taken over after {took:?}: the lease was not waited for");
    drop(far);
    let twice = |id: usize| if held.contains_key(&id) { 2 } else { 1 };
    assert_eq!(worked(&bench), (1..=6).map(|id| (id, twice(id))).collect(), "{}", story(&bench));
    let report = bench.command("run-report").args(["--final", PLAN]).run().exits(0).out();
    assert!(report.contains("far (1 attempt, 0 done)"), "{report}");
    // What it left is kept for a day, since no one here can know that the machine is gone.
    std::fs::remove_file(bench.path(".plantools/claims").join(far_beat)).expect("its sign of life");
}

#[test]
fn a_run_that_stood_still_past_its_lease_has_lost_its_task_and_its_late_result_is_refused() {
    let pause =
        "[ $(grep -cx 1 \"$HOME/ran\") -gt 1 ] || { while [ ! -e \"$HOME/go\" ]; do sleep 0.05; done; }";
    let bench = repository(&[noted(1, &[], pause), noted(2, &[1], "")]);
    let first = shared(&bench, &["--lease", "2"]).start();
    until(|| worked(&bench).contains_key(&1));
    first.pause();
    ends(shared(&bench, &["--lease", "2"]).start(), &bench, 0);
    first.go_on();
    std::fs::File::create(bench.outside().join("home/go")).expect("let it go on");
    ends(first, &bench, 0);
    assert_eq!(worked(&bench), BTreeMap::from([(1, 2), (2, 1)]), "{}", story(&bench));
    let halts = records(&bench, "halt");
    assert_eq!(halts.iter().map(|halt| &halt["key"]).collect::<Vec<_>>(), ["claim-lost"], "{halts:?}");
    is_done(&bench, 2);
}

#[test]
fn an_order_with_an_old_number_is_refused_by_every_stage_that_would_act_on_it() {
    let bench = repository(&[noted(1, &[], "")]);
    let to_worker = format!(
        "plan-parse --follow --quiet {PLAN} | dag-next --follow --shared --jobs 1 | handoff \
         | worker-run --shared --lease 2 --worker shell --isolate worktree | gate-run | head -n 1"
    );
    let old = bench.sh(&format!("{{ {to_worker}; }} || :")).run().out();
    assert!(old.contains("\"status\":\"verified\""), "{old}");
    let landed = bench.command("commit-run").args(["land"]).stdin(&old).run();
    // Another run takes the result over, checks it and is done.
    ends(shared(&bench, &["--lease", "2"]).start(), &bench, 0);
    assert_eq!((worked(&bench), records(&bench, "takeover").len()), (BTreeMap::from([(1, 1)]), 1));
    let landed = landed.out().lines().next().unwrap_or_default().to_owned();
    for (tool, line, wanted) in [
        ("checkbox", &landed, "landing-lost"),
        ("checkbox", &old, "claim-lost"),
        ("commit-run", &landed, "claim-lost"),
        ("commit-run", &old, "claim-lost"),
    ] {
        let before = (bench.text(PLAN), bench.subjects());
        let got = bench.command(tool).args(["-"]).stdin(line.trim().to_owned() + "\n").run();
        let order: Value = serde_json::from_str(got.out().lines().next().unwrap_or("{}")).expect("an order");
        assert_eq!(order["halt"]["code"], wanted, "{tool}: {got:?}");
        assert_eq!(order["halt"]["counts"], false);
        assert_eq!((bench.text(PLAN), bench.subjects()), before, "{tool}");
    }
    let land = bench.command("commit-run").args(["land"]).stdin(&old).run().out();
    assert!(land.contains("\"code\":\"claim-lost\""), "{land}");
    is_done(&bench, 1);
}

#[test]
fn two_runs_for_the_same_task_do_it_once() {
    let bench = repository(&[noted(1, &[], "sleep 0.5"), noted(2, &[], "")]);
    let runs = [1, 2].map(|_| shared(&bench, &["--only", "1"]).start());
    for run in runs {
        ends(run, &bench, 0);
    }
    assert_eq!(worked(&bench), BTreeMap::from([(1, 1)]), "{}", story(&bench));
    ends(shared(&bench, &["--only", "1"]).start(), &bench, 0);
    assert_eq!(worked(&bench), BTreeMap::from([(1, 1)]), "{}", story(&bench));
}

#[test]
fn a_run_that_shares_and_one_that_does_not_keep_each_other_out() {
    let bench = repository(&[noted(1, &[], "while [ ! -e \"$HOME/go\" ]; do sleep 0.05; done")]);
    let alone = |bench: &Bench| bench.command("orchestrate").args(["--worker", "shell", PLAN]).within(180);
    let first = shared(&bench, &[]).start();
    until(|| worked(&bench).contains_key(&1));
    let got = alone(&bench).run();
    assert!(got.exits(75).err().contains("is being carried out by orchestrate --shared"), "{got:?}");
    first.kill();
    drop(first);
    until(|| bench.processes().is_empty());
    let second = alone(&bench).start();
    until(|| worked(&bench).get(&1) == Some(&2));
    shared(&bench, &[]).run().exits(75);
    std::fs::File::create(bench.outside().join("home/go")).expect("let it go on");
    ends(second, &bench, 0);
    is_done(&bench, 1);
}

#[test]
fn a_workflow_without_a_tree_for_each_task_is_not_shared() {
    let bench = repository(&[noted(1, &[], "")]);
    let got = shared(&bench, &["--profile", "workflow-execute"]).run();
    assert!(got.exits(2).err().contains("--shared is not for it"), "{got:?}");
    let got = bench.command("worker-run").args(["--shared"]).stdin("").run();
    assert!(got.exits(2).err().contains("--isolate worktree"), "{got:?}");
}

/// A worker that plays with the claims can waste its own work, and nothing else.
#[test]
fn a_claim_that_a_worker_forges_ticks_nothing() {
    let forge = "r=$(git rev-parse --path-format=absolute --git-common-dir)/..\n\
        [ $(wc -l < \"$HOME/ran\") -gt 1 ] || {\n\
        for f in \"$r\"/.plantools/claims/*; do echo 99999999999999999999 > \"$f\"; done\n\
        grep attempt_begin \"$r/.plantools/ledger.ndjson\" | tail -n 1 >> \"$r/.plantools/ledger.ndjson\"\n\
        exit 0\n}";
    let bench = repository(&[Task::of(
        1,
        &[],
        &format!("echo 1 >> \"$HOME/ran\"\n{forge}\nmkdir -p out\necho 1 > out/1.txt"),
        "grep -qx 1 out/1.txt",
    )]);
    let got = shared(&bench, &["--lease", "2"]).run();
    let ticks = records(&bench, "tick");
    assert!(ticks.len() <= 1, "{ticks:?}");
    let ticked = bench.text(PLAN).contains("### [x]");
    assert_eq!(ticked, bench.path("out/1.txt").exists(), "{got:?}\n{}", story(&bench));
    assert!(bench.command("punch").args(["verify"]).run().status != 0, "a copied line is noticed");
}
