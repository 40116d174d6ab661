//! Power cuts: `kill -9` of `orchestrate` and everything it started, at ten moments of the demo, then running it
//! again: each time the same plan, the same commits, a clean tree and a whole ledger.

use pipeline_tests::{Bench, DEMO_PLAN, DEMO_SUBJECTS, SUCCESS, bench, until};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::{Duration, Instant};

/// How far the undisturbed run had come, in thousandths, when the power went: every phase of it once.
const MOMENTS: [u64; 9] = [30, 120, 250, 370, 480, 590, 710, 830, 960];

#[test]
fn after_a_kill_in_the_first_half_the_next_run_ends_as_if_nothing_had_been() {
    let calm = Calm::measure();
    for moment in &MOMENTS[..5] {
        calm.disturb(&[*moment]);
    }
}

#[test]
fn after_a_kill_in_the_second_half_the_next_run_ends_as_if_nothing_had_been() {
    let calm = Calm::measure();
    for moment in &MOMENTS[5..] {
        calm.disturb(&[*moment]);
    }
    calm.disturb(&[random()]);
}

#[test]
fn several_kills_one_after_the_other_are_no_worse_than_one() {
    let calm = Calm::measure();
    calm.disturb(&[random(), random(), random()]);
}

/// What an undisturbed run takes and leaves.
struct Calm {
    took: Duration,
    plan: Vec<u8>,
}

impl Calm {
    fn measure() -> Self {
        let bench = bench!(demo);
        let start = Instant::now();
        bench.orchestrate(&[]).run().exits(0);
        let calm = Self { took: start.elapsed(), plan: bench.bytes(DEMO_PLAN) };
        calm.holds(&bench, "undisturbed");
        calm
    }

    /// Kills a run at these moments, one after the other, and carries the plan to its end.
    fn disturb(&self, moments: &[u64]) {
        let bench = bench!(demo);
        for moment in moments {
            self.kill_at(&bench, *moment);
        }
        let what = format!("killed at {moments:?} thousandths of {:?}", self.took);
        let got = bench.orchestrate(&[]).run();
        assert_eq!(got.status, 0, "{what}: {got:?}\n{}", story(&bench));
        self.holds(&bench, &what);
    }

    fn kill_at(&self, bench: &Bench, moment: u64) {
        let wait = self.took * u32::try_from(moment).unwrap_or(0) / 1000;
        // The moment of the kill is the point here; a run that ends before it was simply not killed.
        if let Err(got) = bench.orchestrate(&[]).start().wait(wait) {
            drop(got);
        }
        until(|| bench.processes().is_empty());
    }

    #[track_caller]
    fn holds(&self, bench: &Bench, what: &str) {
        let story = || story(bench);
        assert!(
            bench.bytes(DEMO_PLAN) == self.plan,
            "{what}: another plan\n{}\n{}",
            bench.text(DEMO_PLAN),
            story()
        );
        let (mut subjects, mut wanted) = (bench.subjects(), DEMO_SUBJECTS.map(str::to_owned));
        subjects.sort();
        wanted.sort();
        assert_eq!(subjects, wanted, "{what}\n{}", story());
        assert_eq!(bench.git(&["status", "--porcelain"]), "", "{what}\n{}", story());
        assert_eq!(bench.git(&["stash", "list"]), "", "{what}");
        let verify = bench.command("punch").args(["verify"]).run();
        assert_eq!(verify.status, 0, "{what}: {verify:?}\n{}", story());
        bench.git(&["fsck", "--strict"]);
    }
}

fn story(bench: &Bench) -> String {
    let ledger = bench.command("punch").args(["list", "--text"]).run().out();
    format!("{ledger}\n{}", bench.git(&["log", "--oneline", "--reverse"]))
}

/// A random moment; a failure names it.
fn random() -> u64 {
    RandomState::new().hash_one("a moment") % 1000
}

#[test]
fn the_lock_of_a_git_that_died_with_its_worker_does_not_stop_the_next_run() {
    let script = format!(
        "[ -e ../home/begun ] || {{ touch .git/index.lock .git/HEAD.lock ../home/begun; sleep 60; }}\n\
         echo done > made.txt; {SUCCESS}"
    );
    let bench = bench!(small, &script);
    let line = "plan-parse PLAN.md | dag-next | handoff | worker-run -- ../home/w.sh | gate-run | checkbox | commit-run | run-report";
    let run = bench.sh(line).start();
    until(|| bench.outside().join("home/begun").exists());
    drop(run);
    until(|| bench.processes().is_empty());
    let got = bench.sh(line).run();
    assert!(got.err().contains("index.lock', left by a worker that was cut off"), "{got:?}");
    assert_eq!(bench.subjects(), ["start", "plan", "feat: make it"], "{got:?}\n{}", story(&bench));
    assert_eq!(bench.boxes("PLAN.md"), (1, 0), "{got:?}");
}

/// A hook that kills the git that calls it, once, at its call of that number; what `orchestrate` does then and the next time
/// must leave what an undisturbed run leaves.
#[test]
fn a_git_that_is_killed_in_the_middle_of_a_commit_is_mended_by_the_same_run_or_the_next() {
    let calm = Calm::measure();
    for (hook, when, calls) in [
        ("pre-commit", "true", 0..2),
        ("reference-transaction", "[ \"$1\" = prepared ]", 0..2),
        ("reference-transaction", "[ \"$1\" = committed ]", 0..4),
        ("post-index-change", "true", 1..3),
    ] {
        for call in calls {
            let bench = bench!(demo);
            let script = format!(
                "#!/bin/sh\nif {when}; then\n  n=$(cat ../home/calls 2> /dev/null || echo 0); echo $((n + 1)) > ../home/calls\n\
                   if [ $n = {call} ]; then kill -9 $PPID; fi\nfi\nexit 0\n"
            );
            bench.program(&format!(".git/hooks/{hook}"), &script);
            let first = bench.orchestrate(&[]).run();
            let got = bench.orchestrate(&[]).run();
            let what = format!("git killed in its {hook} {when} {call}");
            assert_eq!(got.status, 0, "{what}: {first:?}\n{got:?}\n{}", story(&bench));
            assert!(bench.outside().join("home/calls").exists(), "{what}");
            calm.holds(&bench, &what);
        }
    }
}
