//! The pipe falls as a whole: each stage killed in turn, and signals to all of it.

use crate::generated_plans::{Left, PLAN, Task, carry, pipe, repository, story, tidy};
use pipeline_tests::{Bench, until};
use rustix::process::{Pid, Signal, kill_process};
use std::time::{Duration, Instant};

/// How long the rest may live.
const LIMIT: Duration = Duration::from_secs(10);

fn tasks() -> Vec<Task> {
    let task =
        |id: usize| Task::plain(id, if id > 4 { &[1] } else { &[] }, if id == 1 { "" } else { "sleep 0.8" });
    (1..=8).map(task).collect()
}

/// The pipe with every stage's exit code at its end.
fn told(bench: &Bench) -> pipeline_tests::Run {
    bench.sh(&format!("echo $$ > .git/shell\n{}\necho \"codes ${{PIPESTATUS[*]}}\" >&2", pipe(4))).within(120)
}

/// The stages, from the left.
fn stages(bench: &Bench) -> Vec<i32> {
    let shell = bench.text(".git/shell").trim().to_owned();
    let is_child = |pid: &i32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1).map(str::to_owned))
            == Some(shell.clone())
    };
    let pids = bench.processes().into_iter().filter_map(|line| line.split(' ').next()?.parse().ok());
    let mut pids: Vec<i32> = pids.filter(is_child).collect();
    pids.sort_unstable();
    pids
}

fn at_work(bench: &Bench) -> bool {
    let ledger = std::fs::read_to_string(bench.path(".plantools/ledger.ndjson")).unwrap_or_default();
    let count = |kind: &str| ledger.matches(&format!("\"type\":\"{kind}\"")).count();
    count("tick") > 0 && count("attempt_begin") > 3
}

fn codes(stderr: &str) -> Vec<i32> {
    let line = stderr.lines().find_map(|line| line.strip_prefix("codes ")).unwrap_or_default();
    line.split(' ').filter_map(|code| code.parse().ok()).collect()
}

/// What every stage ends with when one of them was killed.
fn wanted(killed: usize, count: usize) -> Vec<i32> {
    let code = |stage: usize| match stage {
        _ if stage == killed => 137,
        // They only answer: without a reader they are done.
        0 | 1 if stage < killed => 0,
        _ if stage < killed => 74,
        _ => 65,
    };
    (0..count).map(code).collect()
}

#[test]
fn whichever_stage_is_killed_the_rest_ends_soon_and_nothing_is_lost() {
    let calm = repository(&tasks());
    carry(&calm, 4).run().exits(4);
    let wanted_left = Left::of(&calm);
    for killed in 0..STAGES {
        // Whoever else is at work on the machine can only make it slower: the quickest of three counts.
        let mut times = (0..3).map(|_| rest_after(killed, &wanted_left));
        assert!(
            times.any(|took| took < LIMIT),
            "stage {killed}: the rest took longer than {LIMIT:?}, three times"
        );
    }
}

const STAGES: usize = 13;

/// Kills one stage, and says how long the rest took to end. Nothing is lost then.
fn rest_after(killed: usize, wanted_left: &Left) -> Duration {
    let bench = repository(&tasks());
    let live = told(&bench).start();
    until(|| bench.path(".git/shell").exists() && at_work(&bench));
    let stages = stages(&bench);
    assert_eq!(stages.len(), STAGES, "{stages:?}");
    let start = Instant::now();
    kill_process(Pid::from_raw(stages[killed]).expect("a pid"), Signal::KILL).expect("kill a stage");
    let got = live.wait(Duration::from_secs(30)).expect("it ends");
    let took = start.elapsed();
    until(|| bench.processes().is_empty());
    assert_eq!(codes(&got.err()), wanted(killed, STAGES), "stage {killed}: {got:?}\n{}", story(&bench));
    let got = carry(&bench, 4).run();
    assert_eq!(got.status, 4, "stage {killed}: {got:?}\n{}", story(&bench));
    assert_eq!(Left::of(&bench), *wanted_left, "stage {killed}: {got:?}\n{}", story(&bench));
    tidy(&bench, &format!("stage {killed}"));
    took
}

#[test]
fn the_first_signal_lets_what_runs_be_finished_and_begins_nothing_new() {
    let bench = repository(&tasks());
    let live = told(&bench).start();
    until(|| bench.path(".git/shell").exists() && at_work(&bench));
    for stage in stages(&bench) {
        let _ = kill_process(Pid::from_raw(stage).expect("a pid"), Signal::INT);
    }
    let got = live.wait(Duration::from_secs(60)).expect("it ends");
    let codes = codes(&got.err());
    assert_eq!(codes[..12], [0; 12], "{got:?}");
    let (done, open) = bench.boxes(PLAN);
    assert!(done > 0 && open > 0, "{done} done, {open} open: {got:?}");
    let begun = bench.count("attempt_begin");
    assert!(begun < 8, "{begun} were begun\n{}", story(&bench));
    carry(&bench, 4).run().exits(4);
    tidy(&bench, "after a signal");
}

#[test]
fn a_landing_that_nobody_settles_is_not_waited_for() {
    let bench = repository(&[Task::plain(1, &[], ""), Task::plain(2, &[], "")]);
    let line = format!(
        "plan-parse --quiet {PLAN} | dag-next --jobs 2 | handoff | worker-run --worker shell --isolate worktree --jobs 2 \
         | gate-run > ../home/orders; commit-run land < ../home/orders > ../home/landed"
    );
    let got = bench.sh(&line).within(60).run();
    got.exits(75);
    assert!(got.err().contains("no later stage settles the landing of task"), "{got:?}");
}
